package task

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/debate/answer"
)

// maxFileBytes bounds a task file; the largest public one that we read has 0.5 MB.
const maxFileBytes = 256 << 20

// Load reads a task file: BIG-Bench Hard multiple choice (a JSON object with examples of input and target "(X)") or
// MATH-500 (JSON lines with problem and answer). Errors name the file, the row and what is wrong.
func Load(path string) (Task, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Task{}, fmt.Errorf("task %q: %w", path, err)
	case info.IsDir():
		return Task{}, fmt.Errorf("task %q: is a directory; name a .json or .jsonl file in it", path)
	case info.Size() == 0:
		return Task{}, fmt.Errorf("task %q: is empty; copy or download it again", path)
	case info.Size() > maxFileBytes:
		return Task{}, fmt.Errorf("task %q: %d bytes, at most %d are read", path, info.Size(), maxFileBytes)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Task{}, fmt.Errorf("task %q: %w", path, err)
	}
	t, err := parse(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), content)
	if err != nil {
		return Task{}, fmt.Errorf("task %q: %w", path, err)
	}
	t.Source = path
	return t, nil
}

func parse(name string, content []byte) (Task, error) {
	sum := sha256.Sum256(content)
	t := Task{Name: name, Hash: hex.EncodeToString(sum[:])}
	var err error
	if first, _, _ := bytes.Cut(bytes.TrimSpace(content), []byte("\n")); bytes.Contains(first, []byte(`"problem"`)) { // a key: in a text its quotes would be escaped
		err = t.readMath(content)
	} else {
		err = t.readChoice(content)
	}
	if err == nil && len(t.Questions) == 0 {
		err = errors.New("has no questions")
	}
	if err != nil {
		return Task{}, err
	}
	t.Extract, err = answer.Named(t.Rule)
	t.Guess = guess(t.Questions)
	return t, err
}

func (t *Task) readChoice(content []byte) error {
	t.Rule = "choice"
	var file struct {
		Examples []struct{ Input, Target string } `json:"examples"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return fmt.Errorf("neither BIG-Bench Hard (%w) nor MATH-500 (lines with problem and answer)", err)
	}
	for i, e := range file.Examples {
		target := strings.TrimSpace(e.Target)
		truth := answer.Choice(target)
		if strings.TrimSpace(e.Input) == "" || !truth.Parsed || truth.Text != target {
			return fmt.Errorf("example %d: needs an input and a target like \"(A)\", has an input of %d bytes and target %.40q", i+1, len(e.Input), e.Target)
		}
		t.Questions = append(t.Questions, Question{ID: fmt.Sprintf("%s/%d", t.Name, i+1), Text: e.Input, Target: target, Truth: truth})
	}
	return nil
}

func (t *Task) readMath(content []byte) error {
	t.Rule = "math"
	row := 0
	for line := range bytes.Lines(content) {
		row++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var item struct{ Problem, Answer string }
		if err := json.Unmarshal(line, &item); err != nil {
			return fmt.Errorf("line %d: %w", row, err)
		}
		truth := answer.Of(answer.NormalizeMath(item.Answer))
		if strings.TrimSpace(item.Problem) == "" || truth.Text == "" {
			return fmt.Errorf("line %d: needs a problem and an answer, has a problem of %d bytes and answer %.40q", row, len(item.Problem), item.Answer)
		}
		t.Questions = append(t.Questions, Question{ID: fmt.Sprintf("%s/%d", t.Name, row), Text: item.Problem, Target: item.Answer, Truth: truth})
	}
	return nil
}
