package branch

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
)

// Title names a message and its debate.
func (r Result) Title() string {
	title := fmt.Sprintf("%s, %s: %s in round %d", r.Question, r.Condition, r.Role, r.Round)
	if r.Repeat > 0 {
		title += fmt.Sprintf(", repeat %d", r.Repeat+1)
	}
	return title
}

// view is a message with what its sentences changed.
type view struct {
	Result
	own bool
}

// Views are the messages as they are shown.
func (r Results) Views() (list []view) {
	for _, m := range r.Messages {
		list = append(list, view{m, r.Own})
	}
	return list
}

// effect is that on what is shown, nil for none.
func (v view) effect(e *Effects) *Effect {
	switch {
	case e == nil:
		return nil
	case v.own:
		return &e.Answer
	}
	return &e.Decision
}

// recorded says what was recorded, such as that the debate decides for (B).
func (v view) recorded() string {
	if v.own {
		return "the message states " + v.Answer.String()
	}
	return "the debate decides for " + v.Decision.String()
}

// Verdict says which sentence moved what is shown, or what is not known.
func (v view) Verdict() string {
	best := v.most()
	if best < 0 {
		return "Nothing was measured: in all branches each sentence came again with the same words. More samples, or " +
			"a higher temperature, may bring others."
	}
	s := v.Sentences[best]
	e := v.effect(s.Effects)
	text := fmt.Sprintf("entence %d, %q", best+1, clipped(s.Text, 80))
	compared := fmt.Sprintf(": %s in %s of %d branches with it and in %s of %d with other words (difference %s, 95 %% "+
		"%s, corrected p %s).", v.recorded(), e.With, e.With.Of, e.Without, e.Without.Of,
		table.Signed(e.Difference), e.between(),
		wording.Probability(e.PHolm))
	if e.PHolm > 1-analysis.Level {
		return "No sentence can be told from one that changes nothing. First comes s" + text + compared
	}
	return "S" + text + ", moved it most" + compared
}

// most is the index of the sentence with the smallest corrected p, of equals the one with the largest difference; -1 if
// none was compared.
func (v view) most() int {
	best := -1
	for i, s := range v.Sentences {
		if e := v.effect(s.Effects); e != nil && (best < 0 || e.before(*v.effect(v.Sentences[best].Effects))) {
			best = i
		}
	}
	return best
}

// before reports whether an effect is the surer one.
func (e Effect) before(other Effect) bool {
	if e.PHolm != other.PHolm {
		return e.PHolm < other.PHolm
	}
	return math.Abs(e.Difference) > math.Abs(other.Difference)
}

// row is a sentence, or what stood in its place.
type row struct {
	name, text  string
	other, anew int // branches with other words, and all that begin before the sentence
	*Effects
	nats *float64
}

func (v view) rows() (rows []row) {
	of := func(name, text string, s Sentence) row {
		nats := s.Resampling.Decision
		if v.own {
			nats = s.Resampling.Answer
		}
		return row{name, text, s.Without.N, s.Anew.N, s.Effects, &nats}
	}
	rows = append(rows, of("all", "(the whole message)", v.Whole))
	for i, s := range v.Sentences {
		rows = append(rows, of(fmt.Sprint(i+1), s.Text, s))
		if s.Instead != nil {
			rows = append(rows, row{fmt.Sprintf("%d instead", i+1), cmp.Or(s.Instead.Text, "(left out)"), s.Instead.N,
				s.Instead.N, s.Instead.Effects, nil})
		}
	}
	return rows
}

// Table has a row for each sentence.
func (v view) Table() table.Table {
	number := func(of func(row) *float64) func(row) *float64 {
		return func(w row) *float64 {
			if w.Effects == nil {
				return nil
			}
			return of(w)
		}
	}
	text := func(name string, of func(Effects) string) table.Column[row] {
		return table.Right(name, func(w row) string {
			if w.Effects == nil {
				return table.Absent
			}
			return of(*w.Effects)
		})
	}
	shown := func(name string, of func(Effect) string) table.Column[row] {
		return text(name, func(e Effects) string { return of(*v.effect(&e)) })
	}
	columns := []table.Column[row]{
		table.Words("sentence", func(w row) string { return w.name }),
		table.Words("text", func(w row) string { return clipped(w.text, 60) }),
		table.Right("other words", func(w row) string { return fmt.Sprintf("%d of %d", w.other, w.anew) }),
		shown("with it", func(e Effect) string { return e.With.String() }),
		shown("without it", func(e Effect) string { return e.Without.String() }),
		shown("difference", func(e Effect) string { return table.Signed(e.Difference) }),
		shown("95 % interval", Effect.between),
		shown("corrected p", func(e Effect) string { return wording.Probability(e.PHolm) }),
	}
	if v.Target != "" && !v.own {
		columns = append(columns, text("right", func(e Effects) string { return table.Signed(*e.Right) }))
	}
	columns = append(columns,
		table.Decimals("counterfactual", number(func(w row) *float64 { return &v.effect(w.Effects).Divergence })),
		table.Decimals("resampling", func(w row) *float64 { return w.nats }))
	t := table.New(columns, v.rows())
	t.Title = v.Title()
	t.Caption, t.Sentence = v.caption(), v.Verdict()
	return t
}

// caption says what the columns are.
func (v view) caption() string {
	text := fmt.Sprintf("From the beginning of each sentence, and behind the last, the debate was held %s anew to its "+
		"end. With it and without it: how often %s, as was recorded, in branches that keep the sentence and in those "+
		"whose sentence at this place has other words. ", wording.Count(v.Samples, "time"), v.recorded())
	if v.Target != "" && !v.own {
		text += "Right: the same difference for right decisions. "
	}
	text += "p is Fisher's, corrected by Holm for all rows. Counterfactual and resampling are the importances of " +
		"Thought Anchors (arXiv 2506.19143): divergences, in nats and with one added to each count, of what came " +
		"without the sentence, and of what came of all that begin before it, from what came with it."
	failed := 0
	for _, s := range v.Sentences {
		failed += s.Anew.Failed
	}
	if n := len(v.Sentences); n > 0 {
		failed += v.Sentences[n-1].Kept.Failed
	}
	if failed > 0 {
		text += fmt.Sprintf(" %d branches failed, and count nowhere.", failed)
	}
	return text
}

// Tables are those of all messages.
func (r Results) Tables() (list []table.Table) {
	for _, v := range r.Views() {
		list = append(list, v.Table())
	}
	return list
}

// Document is the results as a terminal shows them.
func (r Results) Document() (d table.Document) {
	for i, t := range r.Tables() {
		if i < len(r.Messages)-1 {
			t.Caption = ""
		}
		d = append(d, t.Titled(t.Sentence)...)
	}
	return append(d, table.Paragraph(r.Work.String()))
}

// String says what the branches took.
func (w Work) String() string {
	return fmt.Sprintf("Branches asked for %s prompt tokens; %s were computed, and all others shared. %s tokens were "+
		"drawn.", wording.Comma(w.Asked), wording.Comma(w.Computed), wording.Comma(w.Drawn))
}

// String is the part as a share.
func (p Part) String() string { return table.Number("%.3f", stat.Share(p.Same, p.Of)) }

// between is the interval in words.
func (e Effect) between() string { return table.Between("%+.3f", e.Interval.Low, e.Interval.High) }

// clipped is the beginning of a text on one line.
func clipped(text string, columns int) string {
	return ansi.Truncate(strings.Join(strings.Fields(text), " "), columns, " …")
}
