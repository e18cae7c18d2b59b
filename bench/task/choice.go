package task

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// choiceQuestion makes a question with lettered options; right is the index of the right one.
func choiceQuestion(text string, options []string, right int) (Question, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Question{}, errors.New("needs a question")
	case len(options) < 2 || len(options) > maxOptions:
		return Question{}, fmt.Errorf("needs 2 to %d options, each with a text, and has %d", maxOptions, len(options))
	case right < 0 || right >= len(options):
		return Question{}, fmt.Errorf("the answer is not one of the %d options", len(options))
	}
	target := answer.OptionName(right)
	return Question{Text: letterOptions(text, options), Stem: text, Options: options, Target: target,
		Truth: answer.Of(target)}, nil
}

// letterOptions returns a text with one lettered option per line below it.
func letterOptions(text string, options []string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(text))
	for i, option := range options {
		fmt.Fprintf(&b, "\n%s %s", answer.OptionName(i), option)
	}
	return b.String()
}

// position returns the index of an option that is named by its letter or its index from 0; -1 if the text is neither.
func position(text string) int {
	text = strings.TrimSpace(text)
	if len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' {
		return int(text[0] - 'A')
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 0 {
		return i
	}
	return -1
}

func readBBH(r row) (Question, error) {
	input, target := r.Text("input"), strings.TrimSpace(r.Text("target"))
	truth := answer.Choice(target)
	if strings.TrimSpace(input) == "" || !truth.Parsed || truth.Text != target {
		return Question{}, fmt.Errorf("needs an input and a target like \"(A)\", has an input of %d bytes and "+
			"target %.40q", len(input), target)
	}
	_, options, listed := strings.Cut(input, "Options:")
	if strings.HasPrefix(target, "(") && !strings.Contains(options, target) {
		if !listed {
			return Question{}, fmt.Errorf("the target is %s, but the input has no \"Options:\"", target)
		}
		return Question{}, fmt.Errorf("the target %s is not one of the options", target)
	}
	return Question{Text: input, Target: target, Truth: truth}, nil
}

func fitsMMLU(r row) bool {
	return r.Has("question", "choices", "answer") || r.Has("question", "A", "B", "C", "D", "answer")
}

// mmluOptions are the choices in a list or in four columns.
func mmluOptions(r row) []string {
	options := r.List("choices")
	if !r.Has("choices") {
		for _, name := range rowfile.MMLUColumns[1:5] {
			options = append(options, strings.TrimSpace(r.Text(name)))
		}
	}
	return options
}

func readMMLU(r row) (Question, error) {
	options := mmluOptions(r)
	if len(options) != 4 || slices.Contains(options, "") {
		return Question{}, fmt.Errorf("needs four choices, each with a text, and has %d",
			len(options)-count(options, ""))
	}
	return choiceQuestion(r.Text("question"), options, position(r.Text("answer")))
}

func count(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

func readPro(r row) (Question, error) {
	options, right := r.List("options"), position(r.Text("answer"))
	if index := r.Text("answer_index"); r.Has("answer_index") && position(index) != right {
		return Question{}, fmt.Errorf("answer %.10q and answer_index %.10q differ", r.Text("answer"), index)
	}
	if len(options) > 10 {
		return Question{}, fmt.Errorf("has %d options, at most ten are read", len(options))
	}
	return choiceQuestion(r.Text("question"), options, right)
}

// gpqaSeed determines the order of GPQA's options, which its release leaves to a shuffle. The order depends only on the
// seed and the text of the question, so a question has the same order in the main, extended and diamond files.
const gpqaSeed = 42

func readGPQA(r row) (Question, error) {
	text, right := strings.TrimSpace(r.Text("Question")), strings.TrimSpace(r.Text("Correct Answer"))
	options := []string{right}
	for i := range 3 {
		options = append(options, strings.TrimSpace(r.Text(fmt.Sprint("Incorrect Answer ", i+1))))
	}
	if slices.Contains(options, "") {
		return Question{}, errors.New("needs one correct and three incorrect answers")
	}
	if slices.Contains(options[1:], right) {
		return Question{}, fmt.Errorf("one of the incorrect answers equals the correct one, %.40q", right)
	}
	sum := sha256.Sum256([]byte(text))
	random := rand.New(rand.NewPCG(gpqaSeed, binary.BigEndian.Uint64(sum[:8])))
	random.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	return choiceQuestion(text, options, slices.Index(options, right))
}

var yesNo = []string{"Yes", "No"}

func fitsStrategy(r row) bool {
	_, truth := r.Value["answer"].(bool)
	options := r.List("options")
	return r.Has("target_scores") || truth && r.Has("question") ||
		len(options) == 2 && slices.Contains(options, "Yes") && slices.Contains(options, "No")
}

// readStrategy reads the three forms of StrategyQA. Options keep their order in the file, as in MALLM; if the file
// gives none, Yes is (A).
func readStrategy(r row) (Question, error) {
	if scores, ok := r.Value["target_scores"].(map[string]any); ok {
		yes, no := scoreOf(scores["Yes"]), scoreOf(scores["No"])
		if len(scores) != 2 || yes+no != 1 || yes*no != 0 {
			return Question{}, errors.New("needs a score of 1 for Yes or No, and 0 for the other")
		}
		return choiceQuestion(r.Text("input"), yesNo, int(no))
	}
	if truth, ok := r.Value["answer"].(bool); ok {
		return choiceQuestion(r.Text("question"), yesNo, map[bool]int{true: 0, false: 1}[truth])
	}
	options := r.List("options")
	return choiceQuestion(r.Text("question"), options, slices.Index(options, r.Text("answer")))
}

// scoreOf returns a number of JSON, NaN for any other value.
func scoreOf(v any) float64 {
	score, err := strconv.ParseFloat(rowfile.Text(v), 64)
	if err != nil {
		return math.NaN()
	}
	return score
}

var quoted = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)

// readMuSR reads a murder mystery: from rows, from the release's list of contexts, or from the table of narratives,
// whose choices are written as a Python list. The answer is a name; MALLM accepts a reply that contains it.
func readMuSR(r row) (Question, error) {
	context, choices, right := r.Text("context"), r.List("choices"), -1
	if r.Has("narrative") {
		context = r.Text("narrative")
	}
	if literal := r.Text("choices"); literal != "" {
		for _, m := range quoted.FindAllStringSubmatch(literal, -1) {
			choices = append(choices, strings.TrimSpace(m[1]+m[2]))
		}
	}
	for _, name := range []string{"answer", "answer_choice", "answer_index"} {
		if text := r.Text(name); text != "" && right < 0 {
			if right = slices.Index(choices, text); right < 0 {
				right = position(text)
			}
		}
	}
	if strings.TrimSpace(context) == "" || slices.Contains(choices, "") {
		return Question{}, fmt.Errorf("needs a context and choices, has a context of %d bytes", len(context))
	}
	q, err := choiceQuestion(strings.TrimSpace(context)+"\n\n"+strings.TrimSpace(r.Text("question")), choices, right)
	if err != nil {
		return q, err
	}
	q.Target, q.Truth, q.Extract = choices[right], answer.Of(choices[right]), answer.Among(choices)
	return q, nil
}

// Relist asks a question with its options in another order; it is nil unless its answer is the letter of one of them.
func (t Task) Relist(q Question) reader.Relist {
	if t.Kind() != answer.KindChoice {
		return nil
	}
	return reader.RelistOf(q.About(), func(seen answer.Question) answer.Extractor {
		q.Text, q.Options = seen.Text, seen.Options
		return t.Reader(q)
	})
}

// Choices returns the options of a question as lm-evaluation-harness 0.4.13 has them scored, in its tasks of the same
// names: those of mmlu by their letters, below the question and its subject, those that a question's text lists by
// their labels, as in leaderboard_bbh, and all others by their texts, as in arc_easy and arc_challenge. It is empty for
// a question without options.
func (t Task) Choices(q Question) (c debate.Choices) {
	if len(q.Options) == 0 && t.Kind() == answer.KindChoice {
		for i := range reader.Listed(q.Text) {
			c.Texts = append(c.Texts, answer.OptionName(i))
		}
		c.Prompt, c.Answers = "Q: "+q.Text+"\nA:", c.Texts
		return c
	}
	if len(q.Options) == 0 || q.Stem == "" {
		return c
	}
	for i, text := range q.Options {
		switch name := answer.OptionName(i); {
		case t.Kind() == answer.KindName:
			c.Answers = append(c.Answers, text)
		case t.Kind() == answer.KindYesNo:
			c.Answers = append(c.Answers, strings.ToLower(text))
		default:
			c.Answers = append(c.Answers, name)
		}
	}
	if t.Family != "mmlu" {
		c.Prompt, c.Texts = "Question: "+q.Stem+"\nAnswer:", q.Options
		return c
	}
	var b strings.Builder
	if subject, ok := q.Row["subject"].(string); ok && subject != "" {
		fmt.Fprintf(&b, "The following are multiple choice questions (with answers) about %s.\n\n",
			strings.ReplaceAll(subject, "_", " "))
	}
	b.WriteString(strings.TrimSpace(q.Stem) + "\n")
	for i, text := range q.Options {
		fmt.Fprintf(&b, "%c. %s\n", 'A'+i, text)
		c.Texts = append(c.Texts, string(rune('A'+i)))
	}
	b.WriteString("Answer:")
	c.Prompt = b.String()
	return c
}
