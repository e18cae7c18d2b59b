// Package debate runs one debate and shows it: parley debate.
package debate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/flags"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/plaintext"
)

// New makes the command. It calls instead, where a test gives one, with the options.
func New(instead func(*Options) error) *cobra.Command {
	d := &Options{}
	cmd := &cobra.Command{
		Use:   `debate ("QUESTION" | --puzzle)`,
		Short: "Run one debate and show each round as it finishes",
		Long: `The protocol defines how the debate proceeds: one that parley protocols lists, or a .yaml file of
your own. The flags below and --set NAME=VALUE change any of its settings; parley protocols --parts
lists their values. "-" reads the question from standard input, and --puzzle draws one of the puzzles
that the embedded model was trained on, by --seed.

A terminal shows replies while they are written, side by side where each agent gets 40 columns.
Changed answers are in colour, unless NO_COLOR is set.`,
		Example: `  parley debate --puzzle
  parley debate "Which is heavier, a litre of oil or a litre of water? (A) oil (B) water" \
    --model qwen2.5-7b-instruct-q4_k_m.gguf
  parley debate --protocol madc --agents 5 --rounds 3 - <question.txt
  parley debate --protocol tit-for-tat --set swapped=true "Is a tomato a fruit? (A) yes (B) no"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if d.puzzle && len(args) == 0 {
				return nil
			}
			return flags.Args(1, 1)(cmd, args)
		},
	}
	cmd.RunE = command.Do(d, &d.line, run, instead)
	set := cmd.Flags()
	flags.Text(set, &d.protocol, "protocol", "", "PROTOCOL", protocol.Usual,
		"a protocol that parley protocols lists, or a .yaml file")
	for _, part := range debateParts {
		flags.Text(set, new(string), part.name, part.short, part.place, "", part.usage)
	}
	flags.Each(set, &d.set, "set", "", "NAME=VALUE", nil, "any other setting; may be repeated")
	flags.Text(set, &d.rule, "answer", "", "RULE", "", "answer rule: "+strings.Join(answer.Names(),
		", ")+" (default the protocol's, or the "+
		"reader of what the question asks for: an option, yes or no, a number, or else words)")
	flags.Text(set, &d.truth, "truth", "", "ANSWER", "",
		"the right answer, such as A or (A) for an option: oracle orders use it, "+
			"and the last line says whether the decision is right")
	flags.Text(set, &d.facts, "facts", "", "FILE", "",
		"file with facts about the question, for discussions that show them")
	flags.Text(set, &d.wrong, "wrong", "", "ANSWER", "",
		"a wrong answer, for challenges that show one (default one that the "+
			"model is asked for)")
	flags.Numbers(set, &d.humans, "human", bounds.From(0, 1001),
		"agents, counted from 0, that you play at the terminal; moderator and judge come after the debaters")
	flags.Text(set, &d.transcript, "transcript", "", "FILE", "", "write the debate to this file, for parley show")
	set.BoolVar(&d.puzzle, "puzzle", false, "debate a puzzle of three objects that is drawn with --seed, and say "+
		"whether the decision is right")
	set.BoolVar(&d.json, "json", false, "print only one JSON line per turn, and one for the decision")
	d.asking.Register(cmd.Flags())
	d.engine.Register(cmd.Flags())
	d.engine.RegisterPlaces(cmd.Flags())
	d.engine.RegisterRemote(cmd.Flags())
	d.engine.RegisterChoices(cmd.Flags())
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return exit.Usage(notFlag(cmd, err)) })
	return cmd
}

// notFlag explains what to do with a question that begins like a flag, such as a puzzle below a line of dashes.
func notFlag(cmd *cobra.Command, err error) error {
	var syntax *pflag.InvalidSyntaxError
	var missing *pflag.NotExistError
	text := err.Error()
	taken := errors.As(err, &syntax)
	if errors.As(err, &missing) {
		taken = strings.ContainsAny(text[strings.Index(text, "-"):], " \n")
	}
	if !taken {
		return flags.MeantFlag(cmd, err)
	}
	return fmt.Errorf("%s: a question that begins with - is read as a flag: put -- before it, after all flags, "+
		"or give - and pass it on standard input", terminal.Beginning(text))
}

// Options are the flags of the command, and the line that has them.
type Options struct {
	line                              command.Line
	engine                            engine.Flags
	asking                            flags.Asking
	protocol, rule, truth, transcript string
	facts, wrong                      string
	set                               []string
	humans                            []int
	puzzle, json                      bool
}

func run(d *Options) error {
	cmd := d.line
	question := strings.Join(d.line.Args, "")
	protocol, err := d.compose(cmd)
	if err != nil {
		return exit.Usage(err)
	}
	if question == "-" && slices.ContainsFunc(protocol.Team(), func(m debate.Member) bool { return m.Human }) {
		return exit.Usage(errors.New("people type replies on standard input, so the question cannot come from there: " +
			"give it as an argument"))
	}
	question, err = d.question(cmd, question)
	if err != nil {
		return err
	}
	extract, err := d.reading(protocol, question)
	if err != nil {
		return exit.Usage(err)
	}
	if err := d.checkIdle(cmd, protocol); err != nil {
		return exit.Usage(err)
	}
	c, err := d.about(protocol, debate.Case{ID: "question", Question: question, Extract: extract,
		Ending: debate.EndingOf(answer.KindOf(d.rule), nil)})
	if err != nil {
		return err
	}
	if err := writableDebate(d.transcript); err != nil {
		return exit.Usage(fmt.Errorf("--transcript: %w", err))
	}
	engine, err := d.engine.OpenTeam(cmd, protocol.EachModel, engine.Recorder{})
	if err != nil {
		return err
	}
	defer engine.Close()
	record, err := d.hold(cmd, engine, protocol, c)
	if err != nil {
		record.Failed = err.Error()
	}
	if d.transcript != "" && (err == nil || record.Protocol != "") { // else it never began
		err = errors.Join(err, writeTranscript(d.transcript, record))
	}
	if err != nil {
		return err
	}
	if d.json {
		return json.NewEncoder(cmd.Out).Encode(record.Decision)
	}
	if !c.Truth.Parsed {
		return transcript.Conclude(cmd.Out, record, nil)
	}
	return transcript.Conclude(cmd.Out, record, c.IsRight)
}

// reading chooses the answer rule: the one of --answer, the protocol's, or the reader of what the question asks for. A
// rule that does not read what the prompts ask for is refused.
func (d *Options) reading(p protocol.Protocol, question string) (answer.Extractor, error) {
	rule, about := p.RuleFor(question)
	if d.rule != "" {
		kind, _ := answer.Asked(question)
		rule = answer.Resolve(d.rule, kind)
	}
	extract, err := answer.NamedFor(rule, about)
	if err != nil {
		return nil, err
	}
	if err := p.Agree(rule); err != nil {
		return nil, err
	}
	d.rule = rule
	return extract, nil
}

// about completes a case by what the flags say of its question.
func (d *Options) about(p protocol.Protocol, c debate.Case) (_ debate.Case, err error) {
	for flag, text := range map[string]string{"truth": d.truth, "wrong": d.wrong} {
		if _, err := plaintext.Of([]byte(text)); err != nil {
			return c, exit.Usage(fmt.Errorf("--%s %w", flag, err))
		}
	}
	if d.truth != "" {
		if c.Truth, err = p.Truth(c.Question, d.truth, d.rule); err != nil {
			return c, exit.Usage(fmt.Errorf("--truth: %w", err))
		}
	}
	if c.Wrong = d.wrong; d.facts != "" {
		facts, err := plaintext.ReadFile(d.facts, maxQuestionBytes)
		if err != nil {
			return c, exit.Input(fmt.Errorf("facts: %w", err))
		}
		c.Facts = string(facts)
	}
	return c, nil
}

// hold runs the protocol and shows its rounds. With most errors it also returns a transcript of what was said before.
func (d *Options) hold(cmd command.Line, engine inference.Running, p protocol.Protocol,
	c debate.Case) (_ debate.Transcript, err error) {
	asking, err := d.asking.For(engine.Model())
	if err != nil {
		return debate.Transcript{}, err
	}
	p = p.For(engine.Model(), d.rule)
	p, asking, err = d.foresee(cmd, outlook{cmd.Context, engine, bench.NewForecaster(engine.Survey()), p, asking, c})
	if err != nil {
		return debate.Transcript{}, err
	}
	var screen *stream // which people who type at the terminal would disturb
	if !d.json && !slices.ContainsFunc(p.Team(), func(m debate.Member) bool { return m.Human }) {
		screen = newStream(cmd.Out, cmd.Err, debate.Transcript{Roles: p.Roles()}.Role)
	}
	if screen != nil {
		screen.reasons = d.asking.Reasoning != debate.HideReasoning
	}
	defer func() { screen.close(err != nil) }()
	asking.Observe = d.shower(cmd.Out, p, screen)
	held, err := p.Compose(asking)
	if err != nil {
		return debate.Transcript{}, exit.Usage(err)
	}
	if !d.json {
		_ = terminal.Fit(cmd.Err, func(w io.Writer) error {
			_, err := fmt.Fprint(w, d.header(engine.Model(), p, asking))
			return err
		})
	}
	d.introduce(cmd, engine.Model(), c.Question)
	if echo := debate.EchoOf(held); echo != "" {
		fmt.Fprintln(cmd.Err, "parley: warning:", echo)
	}
	models := engine.Join(0)
	defer models.Leave()
	var speaker debate.Speaker = models
	if screen != nil {
		speaker = &streamed{models, screen}
	}
	return held.Run(cmd.Context, d.speaker(cmd, speaker, p), c)
}

// header says which model is asked what, and how its replies are read.
func (d *Options) header(model inference.ModelInfo, p protocol.Protocol, asking debate.Asking) string {
	set := p.PromptsName()
	run := spec.Run{Prompts: set, AnswerRule: d.rule, Sampling: asking.Sampling, SamplingFrom: asking.SamplingFrom,
		MaxTokens: asking.MaxTokens}
	if own, err := prompts.Load(set); err == nil && p.FormOf().Asks.Plain {
		run.StopTexts = own.Stop
	}
	text := ""
	for _, m := range model.All() {
		text += fmt.Sprintf("model    %s (%s)\n", m.Name, m.About())
	}
	return text + run.Asked()
}

// speaker routes the turns of people to the terminal, and all others to the models.
func (d *Options) speaker(cmd command.Line, models debate.Speaker, p protocol.Protocol) debate.Speaker {
	all := debate.Router{Others: models, Own: make(map[int]debate.Speaker)}
	// People share one terminal, so that one speaker asks them in turn.
	people := debate.NewHuman(cmd.In, cmd.Err)
	for i, m := range p.Team() {
		if m.Human {
			all.Own[protocol.Seat(p.Settings, i)] = people
		}
	}
	return all
}
