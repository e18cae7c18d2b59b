package debate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/cmd/parley/internal/transcript"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
)

// run holds one debate. Everything that can be refused without a model is refused before one is opened, which may take
// a minute.
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
	asked, err := d.chooseReader(protocol, question)
	if err != nil {
		return exit.Usage(err)
	}
	if err := d.checkIdle(cmd, protocol); err != nil {
		return exit.Usage(err)
	}
	c, err := d.completeCase(protocol, asked)
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
	record, err := d.runAndShow(cmd, engine, protocol, c)
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
	for _, turn := range slices.Concat(record.Rounds...) {
		if text := transcript.Held(record.Beliefs, turn); text != "" {
			_ = terminal.Printf(cmd.Out, "%s, round %d, %s\n", record.Role(turn.Agent), turn.Round, text)
		}
	}
	if !c.Truth.Parsed {
		return transcript.Conclude(cmd.Out, record, nil)
	}
	return transcript.Conclude(cmd.Out, record, c.IsRight)
}

// runAndShow runs the protocol and shows its rounds. With most errors it also returns a transcript of what was said
// before, which the caller writes to --transcript.
func (d *Options) runAndShow(cmd command.Line, engine inference.Running, p protocol.Protocol,
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
	if asking.Beliefs {
		if err := engine.Able(c.BeliefProbe()); err != nil {
			return debate.Transcript{}, exit.Usage(fmt.Errorf("--beliefs: %w", err))
		}
	}
	if !d.json {
		_ = terminal.Printf(cmd.Err, "%s", d.header(engine.Model(), p, asking))
	}
	for _, m := range engine.Model().All() {
		if short := m.Short(asking.Sampling, cmp.Or(asking.MaxTokens, inference.DefaultMaxTokens)); short != "" {
			terminal.Warn(cmd.Err, short)
		}
	}
	d.introduce(cmd, engine.Model(), c.Question)
	if echo := debate.EchoOf(held); echo != "" {
		terminal.Warn(cmd.Err, echo)
	}
	models := engine.Join(0)
	defer models.Leave()
	var speaker debate.Speaker = models
	if screen != nil {
		speaker = &streamed{models, screen}
	}
	return debate.Hold(cmd.Context, held, d.speaker(cmd, speaker, p), c)
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
