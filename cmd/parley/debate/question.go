package debate

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
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
		fmt.Fprintf(cmd.Err, "The embedded model knows puzzles of three objects only%s. A real model: "+
			"parley models pull hf:Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M\n", offer)
	}
	if d.puzzle {
		fmt.Fprintf(cmd.Out, "%s\n\n", strings.TrimSpace(question))
	}
}

// maxQuestionBytes bounds a question on standard input.
const maxQuestionBytes = 1 << 20

func readQuestion(question string, stdin io.Reader) (string, error) {
	if question == "-" {
		text, err := plaintext.Read(stdin, maxQuestionBytes)
		if err != nil {
			return "", exit.Input(fmt.Errorf("the question on standard input %w", err))
		}
		question = string(text)
	} else if _, err := plaintext.Of([]byte(question)); err != nil {
		return "", exit.Usage(fmt.Errorf("the question %w", err))
	}
	if question = strings.TrimSpace(question); question == "" {
		return "", exit.Usage(fmt.Errorf("the question is empty"))
	}
	return question, nil
}
