package debate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/plaintext"
)

// question is what the debate is about: the argument, standard input, or a puzzle, whose right answer is then known.
func (d *Options) question(cmd command.Line, argument string) (string, error) {
	if !d.puzzle {
		return readQuestion(argument, cmd.In)
	}
	switch {
	case argument != "":
		return "", exit.Usage(errors.New("give either a question or --puzzle"))
	case d.truth != "":
		return "", exit.Usage(errors.New("--truth has no effect with --puzzle, whose right answer is known"))
	}
	puzzles, err := task.Generate(3, 1, d.asking.Seed)
	if err != nil {
		return "", err
	}
	q := puzzles.Questions[0]
	d.truth = q.Target
	return q.Text, nil
}

// introduce shows a puzzle before its debate, and says what the embedded model can do and how to get another one.
func (d *Options) introduce(cmd command.Line, model inference.ModelInfo, question string) {
	if d.json {
		return
	}
	if model.Embedded {
		offer := ""
		if !d.puzzle {
			offer = "; parley debate --puzzle draws one"
		}
		_ = terminal.Printf(cmd.Err, "The embedded model knows puzzles of three objects only%s. A real model: "+
			"parley models pull hf:Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M\n", offer)
	}
	if d.puzzle {
		_ = terminal.Printf(cmd.Out, "%s\n\n", strings.TrimSpace(question))
	}
}

// maxQuestionBytes bounds a question on standard input.
const maxQuestionBytes = 1 << 20

// readQuestion returns the argument, or standard input for "-", without blanks around it. Both have to be
// plain text, and not empty.
func readQuestion(question string, stdin io.Reader) (string, error) {
	if question == "-" {
		text, err := plaintext.Read(stdin, maxQuestionBytes)
		if err != nil {
			return "", exit.Input(fmt.Errorf("the question on standard input %w", err))
		}
		question = string(text)
	} else if _, err := plaintext.Of([]byte(question)); err != nil {
		return "", exit.Usage(fmt.Errorf("the question %w", err))
	} else if file, err := os.Stat(question); err == nil && file.Mode().IsRegular() {
		return "", exit.Usage(fmt.Errorf("%q is a file: parley debate - <%[1]s asks its text as one question, and "+
			"parley compare --task %[1]s the questions of a task", question))
	}
	if question = strings.TrimSpace(question); question == "" {
		return "", exit.Usage(fmt.Errorf("the question is empty"))
	}
	return question, nil
}

// chooseReader chooses the answer rule: the one of --answer, the protocol's, or the reader of what the question asks
// for. It refuses a rule that does not read what the prompts ask for, since it would find no answer in replies that
// have one. It returns the case with what is known of the question.
func (d *Options) chooseReader(p protocol.Protocol, question string) (debate.Case, error) {
	rule, about := p.RuleFor(question)
	if d.rule != "" {
		kind, _ := reader.KindOfQuestion(question)
		rule = answer.Resolve(d.rule, kind)
	}
	extract, err := reader.RuleFor(rule, about)
	if err != nil {
		return debate.Case{}, err
	}
	if err := p.Agree(rule); err != nil {
		return debate.Case{}, err
	}
	d.rule = rule
	return debate.Case{ID: "question", Question: question, Extract: extract, Relist: reader.RelistBy(rule, about),
		Ending: debate.EndingTo(rule, about)}, nil
}

// completeCase completes a case by what the flags say of its question.
func (d *Options) completeCase(p protocol.Protocol, c debate.Case) (_ debate.Case, err error) {
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
	if c.Relist == nil && p.FormOf().NeedsOf(p.Settings).Relist {
		return c, exit.Usage(debate.ErrUnlisted)
	}
	return c, nil
}
