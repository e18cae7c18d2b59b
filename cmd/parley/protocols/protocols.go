// Package protocols lists protocols and settings: parley protocols.
package protocols

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "protocols [NAME]",
		Short: "List the protocols and their settings, with sources, or print one as a file",
		Long: `Lists the debate protocols, what each one does and where it is from. parley debate --protocol and
parley compare --protocols take their names, or a .yaml file of your own with the same settings. With
NAME, prints the protocol as such a file, to start from.
--parts lists the settings: the forms of debate, what each form reads, and the possible values.

Sources that are named in short:
  agents-lab    a lesson on the debate loop of Du et al. 2023
  Liang et al.  Encouraging Divergent Thinking (tit for tat)
  MADC          Key Decision-Makers in Multi-Agent Debates
  MALLM         Kaesberg et al., Voting or Consensus?
  Wu et al.     Can LLM Agents Really Debate? (knights and knaves)`,
		Example: `  parley protocols
  parley protocols madc > mine.yaml
  parley debate --protocol mine.yaml "Is a tomato a fruit? (A) yes (B) no"`,
		Args: flags.Args(0, 1),
	}
	cmd.RunE = command.Do(o, &o.line, run, instead)
	cmd.Flags().BoolVar(&o.json, "json", false, "print everything as JSON")
	cmd.Flags().BoolVar(&o.parts, "parts", false, "list the forms with the settings that each reads, and the values "+
		"of settings")
	return cmd
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line  command.Line
	json  bool
	parts bool
}

// run lists protocols, or prints one.
func run(o *Options) error {
	args := o.line.Args
	if len(args) == 1 && o.parts {
		return exit.Usage(errors.New("--parts has no effect with the name of a protocol"))
	}
	if len(args) == 1 {
		return showProtocol(o.line, args[0], o.json)
	}
	all := struct {
		Protocols []protocol.Protocol `json:"protocols"`
		Forms     []debate.Form       `json:"forms"`
		Parts     []debate.Part       `json:"parts"`
	}{protocol.Protocols(), protocol.Forms(), protocol.Parts()}
	if o.json {
		return json.NewEncoder(o.line.Out).Encode(all)
	}
	return terminal.WriteTabbed(o.line.Out, func(w io.Writer) {
		if !o.parts {
			for _, p := range all.Protocols {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Meaning, p.Source)
			}
			return
		}
		for _, f := range all.Forms {
			fmt.Fprintf(w, "form\t%s\t%s\n\t\treads %s\n", f.Name, f.Meaning, strings.Join(f.Reads, ", "))
		}
		for _, p := range all.Parts {
			fmt.Fprintf(w, "%s\t%s\t%s\n", p.Setting, p.Value, p.Meaning)
		}
	})
}

// showProtocol prints a protocol as a file, or as JSON.
func showProtocol(cmd command.Line, name string, asJSON bool) error {
	p, err := protocol.LoadProtocol(name)
	switch {
	case err != nil:
		return exit.Usage(err) // as with the flags of other commands that name one
	case asJSON:
		return json.NewEncoder(cmd.Out).Encode(p)
	}
	text, err := p.YAML()
	if err != nil {
		return err
	}
	_, err = cmd.Out.Write(text) // a file: no line of it may be broken
	return err
}
