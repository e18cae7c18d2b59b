package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

func newDebate() *cobra.Command {
	d := &debateCommand{}
	cmd := &cobra.Command{
		Use:   `debate "QUESTION"`,
		Short: "Hold one debate and show every round as it arrives",
		Long: `All agents answer alone, then hear each other in an order and answer again; the majority of the last round decides.
"-" reads the question from standard input. Other protocols are listed by parley protocols.`,
		Example: `  parley debate "Which is heavier, a litre of oil or a litre of water? (A) oil (B) water" --model qwen2.5-7b-instruct-q4_k_m.gguf`,
		Args:    oneArg,
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	d.engine.register(cmd)
	d.society.register(cmd)
	cmd.Flags().StringVar(&d.society.layout, "layout", debate.LayoutHistory, "of later rounds: history, or shared: all solutions once and first, another prompt that costs far less with many agents")
	cmd.Flags().StringVar(&d.society.topology, "topology", debate.TopologyFull, "who hears whom: full, ring, star (agent 0 hears all, all hear agent 0), or random:K others")
	cmd.Flags().StringVar(&d.society.until, "until", debate.UntilRounds, "when it ends: after all rounds, or at the first agreement")
	cmd.Flags().StringVar(&d.society.show, "show", debate.ShowWhole, "how much of the others' texts is seen: whole, later:PERCENT (without the first steps), earlier (without the last), supported (no answers that one alone gives)")
	cmd.Flags().StringVar(&d.society.decide, "decide", debate.MajorityDecision, "majority of the last answers, or an election on the last solutions: "+strings.Join(debate.DecisionNames()[1:], ", "))
	cmd.Flags().StringVar(&d.society.order, "order", "fixed", "how the others are listed: "+strings.Join(debate.OrderNames(), ", ")+" (MADC)")
	cmd.Flags().StringVar(&d.protocol, "protocol", "society", "one of those that `parley protocols` lists")
	cmd.Flags().IntVar(&d.level, "level", 2, "of tit-for-tat: how far the sides may agree, from 0 (in all) to 3 (in nothing)")
	cmd.Flags().StringVar(&d.rule, "answer", "choice", "how answers are read: choice, math, number or raw")
	cmd.Flags().StringVar(&d.truth, "truth", "", "the right answer, as the answer rule gives it: for oracle orders and the last line")
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON line a turn and one for the decision, and nothing else")
	return cmd
}

// debateCommand is `parley debate` with its flags.
type debateCommand struct {
	engine                engineFlags
	society               societyFlags
	protocol, rule, truth string
	level                 int
	json                  bool
}

func (d *debateCommand) run(cmd *cobra.Command, question string) error {
	question, err := readQuestion(question, cmd.InOrStdin())
	if err != nil {
		return err
	}
	extract, err := answer.Named(d.rule)
	if err != nil {
		return usage(err)
	}
	c := debate.Case{ID: "question", Question: question, Extract: extract}
	if d.truth != "" {
		c.Truth = answer.Of(d.truth)
	}
	protocol, err := debate.ProtocolNamed(d.protocol)
	if err != nil {
		return usage(err)
	}
	if err := refuse(cmd, protocol); err != nil {
		return err
	}
	engine, err := d.engine.open(cmd)
	if err != nil {
		return err
	}
	defer engine.Close()
	transcript, err := d.hold(cmd, engine, protocol, c)
	if err != nil {
		return err
	}
	return d.conclude(cmd.OutOrStdout(), transcript, c.Truth)
}

// maxQuestionBytes bounds what is read from standard input.
const maxQuestionBytes = 1 << 20

func readQuestion(question string, stdin io.Reader) (string, error) {
	if question == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, maxQuestionBytes))
		if err != nil {
			return "", fmt.Errorf("read the question: %w", err)
		}
		question = string(text)
	}
	if question = strings.TrimSpace(question); question == "" {
		return "", usage(fmt.Errorf("the question is empty"))
	}
	return question, nil
}

// hold runs the protocol and shows its rounds.
func (d *debateCommand) hold(cmd *cobra.Command, engine inference.Engine, protocol debate.Protocol, c debate.Case) (debate.Transcript, error) {
	settings, err := d.settings(cmd, engine.Model())
	if err != nil {
		return debate.Transcript{}, err
	}
	member := engine.Join(0)
	defer member.Leave()
	settings.Observe = d.shower(cmd.OutOrStdout(), debate.Transcript{Roles: protocol.Roles})
	return protocol.Hold(cmd.Context(), member, c, settings)
}

// refuse is the error of flags that mean something to other protocols only.
func refuse(cmd *cobra.Command, protocol debate.Protocol) error {
	for _, other := range debate.Protocols() {
		for _, name := range other.Reads {
			if cmd.Flags().Changed(name) && !slices.Contains(protocol.Reads, name) {
				return usage(fmt.Errorf("--%s means nothing to protocol %s, which reads --%s", name, protocol.Name, strings.Join(protocol.Reads, ", --")))
			}
		}
	}
	return nil
}

// settings completes what the protocol needs. Two sides have prompts of a kind of their own.
func (d *debateCommand) settings(cmd *cobra.Command, model inference.ModelInfo) (debate.Settings, error) {
	var sides prompts.Sides
	if d.protocol == "tit-for-tat" {
		var err error
		if sides, err = prompts.LoadSides(cmp.Or(d.society.prompts, "topic")); err != nil {
			return debate.Settings{}, input(err)
		}
		d.society.prompts = ""
	} else if d.protocol == "lesson" {
		d.society.prompts = cmp.Or(d.society.prompts, "lesson")
	}
	s, err := d.society.society(model, d.rule)
	if !cmd.Flags().Changed("rounds") && d.protocol != "society" {
		s.Rounds = 0 // the protocol's own
	}
	return debate.Settings{Society: s, Level: d.level, Sides: sides}, err
}

// shower prints rounds as they come, and marks who changed.
func (d *debateCommand) shower(out io.Writer, names debate.Transcript) func([]debate.Turn) {
	before := map[int]answer.Answer{} // of each agent
	return func(round []debate.Turn) {
		if d.json {
			for _, t := range round {
				json.NewEncoder(out).Encode(t)
			}
			return
		}
		fmt.Fprintf(out, "── round %d\n", round[0].Round)
		for _, t := range round {
			fmt.Fprintf(out, "%s%s: %s\n", names.Role(t.Agent), said(t, before), indent(t))
			before[t.Agent] = t.Answer
		}
		fmt.Fprintln(out)
	}
}

func said(t debate.Turn, before map[int]answer.Answer) string {
	text := " says " + show(t.Answer)
	if earlier, ok := before[t.Agent]; ok && earlier != t.Answer {
		text += " (changed from " + show(earlier) + ")"
	}
	if len(t.Heard) > 0 {
		text += fmt.Sprintf(" after hearing %v", t.Heard)
	}
	return text
}

func show(a answer.Answer) string {
	if !a.Parsed {
		return "nothing that can be read"
	}
	return strings.TrimSpace(a.Text)
}

func indent(t debate.Turn) string {
	if t.Error != "" {
		return "\n    failed: " + t.Error
	}
	return "\n    " + strings.ReplaceAll(strings.TrimSpace(t.Reply.Text), "\n", "\n    ")
}

// conclude prints the vote.
func (d *debateCommand) conclude(out io.Writer, t debate.Transcript, truth answer.Answer) error {
	if d.json {
		return json.NewEncoder(out).Encode(t.Decision)
	}
	for _, v := range t.Decision.Votes {
		fmt.Fprintf(out, "%d of %d for %s: agents %v\n", len(v.Agents), len(t.Last()), strings.TrimSpace(v.Answer), v.Agents)
	}
	tie, verdict := "", ""
	if t.Decision.Tie {
		tie = ", a tie"
	}
	if truth.Parsed {
		verdict = ", wrong"
		if t.Decision.Answer.Equal(truth) {
			verdict = ", right"
		}
	}
	for _, b := range t.Decision.Ballots {
		if b.Invalid != "" {
			fmt.Fprintf(out, "no ballot of agent %d: %s\n", b.Agent, b.Invalid)
		}
	}
	if t.Decision.Tally != nil {
		fmt.Fprintf(out, "%s scores %.3g\n", t.Decision.Tally.Rule, t.Decision.Tally.Scores)
	}
	if t.Decision.Reason != "" {
		fmt.Fprintf(out, "reason: %s\n", t.Decision.Reason)
	}
	_, err := fmt.Fprintf(out, "decision: %s (%s%s)%s\n", show(t.Decision.Answer), t.Decision.Rule, tie, verdict)
	return err
}
