package task

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/knights"
)

func readMath(r row) (Question, error) {
	problem, target := r.Text("problem"), r.Text("answer")
	truth := answer.Of(answer.NormalizeMath(target))
	if strings.TrimSpace(problem) == "" || truth.Text == "" {
		return Question{}, fmt.Errorf("needs a problem and an answer, has a problem of %d bytes and answer %.40q",
			len(problem), target)
	}
	return Question{Text: problem, Target: target, Truth: truth}, nil
}

// gold matches the number at the end of a GSM8K solution.
var gold = regexp.MustCompile(`^[-−+]?\$?[0-9][0-9,]*(\.[0-9]+)?$`)

func readGSM(r row) (Question, error) {
	text, solution := r.Text("question"), r.Text("answer")
	at := strings.LastIndex(solution, "####")
	target := strings.TrimSpace(solution[max(0, at):])
	target = strings.TrimSpace(strings.TrimPrefix(target, "####"))
	if strings.TrimSpace(text) == "" || at < 0 || !gold.MatchString(target) {
		return Question{}, fmt.Errorf("needs a question and an answer that ends in \"#### 18\" or such, has a "+
			"question of %d bytes and answer %.40q", len(text), target)
	}
	return Question{Text: text, Target: target, Truth: answer.LastNumber(target)}, nil
}

func readCIAR(r row) (Question, error) {
	q := Question{Text: r.Text("question")}
	spellings := r.List("answer")
	if strings.TrimSpace(q.Text) == "" || len(spellings) == 0 {
		return Question{}, errors.New("needs a question and a list of accepted answers")
	}
	for _, spelling := range spellings {
		accepted := answer.Quantity(spelling)
		if !accepted.Parsed {
			return Question{}, fmt.Errorf("the accepted answer %.40q is not a number, percentage, fraction or ratio",
				spelling)
		}
		q.Accepted = append(q.Accepted, accepted.Text)
	}
	q.Target, q.Truth = strings.Join(spellings, ", "), answer.Of(q.Accepted[0])
	return q, nil
}

// readTranslation reads Common MT. The question is only the sentence; the prompts for translations, such as those of
// Liang et al., say what to do with it.
func readTranslation(r row) (Question, error) {
	source, right, wrong := strings.TrimSpace(r.Text("source")), strings.TrimSpace(r.Text("correct_reference")),
		strings.TrimSpace(r.Text("incorrect_reference"))
	if source == "" || right == "" || wrong == "" || !Lexical(right, right, wrong) {
		return Question{}, errors.New("needs a source, and a correct and an incorrect reference that differ")
	}
	return Question{Text: source, Target: right, Truth: answer.Of(right), Rejected: wrong}, nil
}

func readKnights(r row) (Question, error) {
	return knightsQuestion(r.Text("text_game"), r.Text("text_solution"))
}

// knightsQuestion is a puzzle in the released form, with its solution in sentences.
func knightsQuestion(game, solution string) (Question, error) {
	players, err := knights.PlayersOf(game)
	if err != nil {
		return Question{}, err
	}
	rule := knights.Roles(players)
	truth := rule(solution)
	if !truth.Parsed {
		return Question{}, fmt.Errorf("the solution does not name the role of every player: %.60q", solution)
	}
	return Question{Text: strings.TrimSpace(game), Target: truth.Text, Truth: truth, Extract: rule}, nil
}

// mostFacts bounds the facts about a person, each of which a judge is asked about for each agent.
const mostFacts = 200

// readBiography reads a person with facts. The question is the name, without what tells people of the same name apart,
// as in Du et al.; their prompts say what to write.
func readBiography(r row) (Question, error) {
	name, _, _ := strings.Cut(r.Text("person"), "(")
	name = strings.TrimSpace(name)
	facts := debate.Bullets(r.factLines())
	if name == "" || len(facts) == 0 || len(facts) > mostFacts {
		return Question{}, fmt.Errorf("needs a person and facts, one a line, at most %d, has %.40q and %d facts",
			mostFacts, name, len(facts))
	}
	target := strings.Join(facts, "\n")
	return Question{Text: name, Target: target, Truth: answer.Of(target), Facts: target}, nil
}

// factLines are the facts of a row as lines.
func (r row) factLines() string {
	if list := r.List(rowfile.FieldFacts); list != nil {
		return strings.Join(list, "\n")
	}
	return r.Text(rowfile.FieldFacts)
}

// A square of a chess board, and a game as BIG-bench writes it: moves, then the square of the piece to be moved.
const square = `[a-h][1-8]`

var (
	aSquare = regexp.MustCompile(`^` + square + `$`)
	aGame   = regexp.MustCompile(`^(?:` + square + square + `[qrbn]?\s+)*` + square + `$`)
)

// fitsChess looks for a list of right answers, which no other examples of BIG-bench have.
func fitsChess(r row) bool { _, list := r.Value["target"].([]any); return list && r.Has("input") }

func readChess(r row) (Question, error) {
	game, to := strings.TrimSpace(r.Text("input")), r.List("target")
	if !aGame.MatchString(game) || len(to) == 0 {
		return Question{}, fmt.Errorf("needs moves and a square, such as \"e2e4 e7e5 g1\", and a list of squares, has "+
			"%.40q and %d squares", game, len(to))
	}
	if i := slices.IndexFunc(to, func(s string) bool { return !aSquare.MatchString(s) }); i >= 0 {
		return Question{}, fmt.Errorf("the target %.40q is not a square", to[i])
	}
	moves := strings.Fields(game)
	return chessQuestion(moves[:len(moves)-1], moves[len(moves)-1], to), nil
}

// chessQuestion asks where the piece on a square may go after some moves.
func chessQuestion(moves []string, from string, to []string) Question {
	text := "In a game of chess, no move has been made yet."
	if len(moves) > 0 {
		text = "In a game of chess, these moves have been made: " + strings.Join(moves, " ") + "."
	}
	return Question{Text: text + " Name a square to which the piece on " + from + " may move next.",
		Target: strings.Join(to, ", "), Accepted: to, Truth: answer.Of(to[0])}
}

func fitsSQuAD(r row) bool {
	return r.Has("context", "question") && (r.Has("answers") || r.Has("answers.text"))
}

// Groups of SQuAD 2.0, which MALLM tells apart (Figure 3).
const (
	GroupAnswerable   = "answerable"
	GroupUnanswerable = "unanswerable"
)

// readSQuAD reads SQuAD 2.0: plain rows, those of the nested release, or those of a table with lists. If is_impossible
// is not given, an empty list of answers means that the question cannot be answered.
func readSQuAD(r row) (Question, error) {
	context, text := strings.TrimSpace(r.Text("context")), strings.TrimSpace(r.Text("question"))
	if context == "" || text == "" {
		return Question{}, fmt.Errorf("needs a context and a question, has %d and %d bytes", len(context), len(text))
	}
	texts, err := r.spans()
	if err != nil {
		return Question{}, err
	}
	impossible, given := r.Value["is_impossible"].(bool)
	switch {
	case given && impossible && len(texts) > 0:
		return Question{}, errors.New("is_impossible is true, but there are answers")
	case given && !impossible && len(texts) == 0:
		return Question{}, errors.New("there are no answers, but is_impossible is not true")
	}
	q := Question{Text: context + "\n\n" + text, Target: strings.Join(texts, " / "), Group: GroupAnswerable}
	for _, span := range texts {
		if normal := answer.NormalizeSpan(span); normal != "" && !slices.Contains(q.Accepted, normal) {
			q.Accepted, q.Spans = append(q.Accepted, normal), append(q.Spans, span)
		}
	}
	if len(texts) == 0 {
		q.Target, q.Accepted, q.Group = answer.NoSpan, []string{answer.NoSpan}, GroupUnanswerable
	}
	if len(q.Accepted) == 0 {
		return Question{}, fmt.Errorf("no answer contains a word: %.40q", q.Target)
	}
	q.Truth = answer.Of(q.Accepted[0])
	return q, nil
}

// spans returns the different answers of a row: texts, objects with a text, or one object with a list of texts.
func (r row) spans() (texts []string, err error) {
	list, ok := r.Value["answers"].([]any)
	switch answers := r.Value["answers"].(type) {
	case map[string]any:
		list, ok = answers["text"].([]any)
	case nil:
		list, ok = r.Value["answers.text"].([]any)
	}
	if !ok {
		return nil, errors.New("answers are not a list")
	}
	for _, v := range list {
		if object, ok := v.(map[string]any); ok {
			v = object["text"]
		}
		text := strings.TrimSpace(rowfile.Text(v))
		if text == "" {
			return nil, errors.New("an answer has no text")
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts, nil
}
