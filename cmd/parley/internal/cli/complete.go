package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/cmd/parley/importlogs"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/stores"
)

// completion says which values a shell offers while somebody types. Each may be followed by a tab and its meaning.
type completion struct {
	list  func(cmd *cobra.Command, args []string) []string
	files bool // whether a file can be named instead
	many  bool // whether there can be several, separated by commas
}

// flagCompletions has the values of a flag for all commands that have a flag of this name. Flags that stand for a
// setting of protocols are missing: registerCompletions takes their values from the setting itself, so that a new
// setting needs no entry here.
var flagCompletions = map[string]completion{
	"model":        {list: always(stores.Names), files: true},
	"protocol":     {list: always(protocolNames), files: true},
	"protocols":    {list: always(protocolNames), files: true, many: true},
	"conditions":   {list: always(conditionNames), many: true},
	"stop-when":    {list: always(conditionNames)},
	"only":         {list: taskNames, many: true},
	"condition":    {list: recordedConditions},
	"case":         {list: recordedQuestions},
	"answer":       {list: always(answer.Names)},
	"rule":         {list: always(answer.Names)},
	"prompts":      {list: always(prompts.Names), files: true},
	"kernels":      {list: always(engine.KernelNames)},
	"mode":         {list: some(engine.ModeNames...)},
	"kv":           {list: some(engine.KVNames...)},
	"reasoning":    {list: some(debate.ReasoningModes...)},
	"format":       {list: some(offline.ExportFormats()...)},
	"from":         {list: always(importlogs.FormatNames)},
	"shape":        {list: always(shapeNames)},
	"quantization": {list: always(llamacpp.QuantizationTypes)},
}

// argumentCompletions has the values of the first argument, by the name of the command.
var argumentCompletions = map[string]completion{
	"run":         {list: always(experimentNames), files: true},
	"experiments": {list: always(experimentNames), files: true},
	"protocols":   {list: always(protocolNames)},
	"bench":       {list: always(workloadNames)},
}

// registerCompletions has a shell offer the values of flags and arguments of a command and of those below it.
func registerCompletions(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		registerCompletions(below)
	}
	register := func(name string, c completion) {
		if cmd.Flag(name) != nil {
			cmd.RegisterFlagCompletionFunc(name, c.complete) // fails only for a flag that is not there
		}
	}
	for name, c := range flagCompletions {
		register(name, c)
	}
	for _, name := range debate.SettingNames() {
		if len(valuesOf(name)) > 0 && flagCompletions[name].list == nil {
			register(name, completion{list: always(func() []string { return valuesOf(name) })})
		}
	}
	if cmd.Flag("set") != nil {
		cmd.RegisterFlagCompletionFunc("set", completeSetting)
	}
	if c, ok := argumentCompletions[cmd.Name()]; ok {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			if len(args) > 0 && cmd.Name() != "bench" {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.complete(cmd, args, typed)
		}
	}
}

// complete implements cobra.CompletionFunc.
func (c completion) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	before, last := "", typed
	if at := strings.LastIndex(typed, ","); c.many && at >= 0 {
		before, last = typed[:at+1], typed[at+1:]
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if c.files {
		directive = cobra.ShellCompDirectiveDefault
	}
	var found []string
	for _, choice := range c.list(cmd, args) {
		if strings.HasPrefix(choice, last) {
			found = append(found, before+choice)
		}
	}
	return found, directive
}

// completeSetting completes NAME=VALUE. After a name the shell adds no space, since the value has to follow the equals
// sign.
func completeSetting(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	name, value, named := strings.Cut(typed, "=")
	if named {
		for _, choice := range valuesOf(name) {
			if strings.HasPrefix(choice, value) {
				found = append(found, name+"="+choice)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	for _, setting := range debate.SettingNames() {
		if strings.HasPrefix(setting, name) && setting != "form" {
			found = append(found, setting+"=")
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
