package report

import (
	"encoding/csv"
	"fmt"
	"strings"

	"parley/bench"
	"parley/bench/stat"
)

// row is one condition as the table shows it.
type row struct {
	bench.Row
	Mark string // what kind of row it is, "" for a method
}

// Marks of rows that are no methods.
const (
	markReference = "reference"
	markBound     = "a bound, no method"
	markOracle    = "looks at the truth"
	markGuess     = "needs no model"
)

func rowsOf(c bench.Comparison) (rows []row) {
	for _, r := range c.Rows {
		rows = append(rows, row{r, mark(c, r)})
	}
	return rows
}

func mark(c bench.Comparison, r bench.Row) string {
	switch r.Condition {
	case c.Reference:
		return markReference
	case "oracle":
		return markBound
	case "truth-first", "truth-last":
		return markOracle
	}
	return ""
}

// Apart reports whether a row is no method, or one that looks at the truth.
func (r row) Apart() bool { return r.Mark != "" && r.Mark != markReference }

// guess is the row of always giving the most frequent target.
func guess(c bench.Comparison) row {
	return row{bench.Row{Condition: "constant guess", Meaning: "the most frequent target, always", N: c.Questions, Accuracy: c.Guess}, markGuess}
}

// Texts of cells; the page, its Markdown and its CSV have the same numbers.

func (r row) AccuracyText() string { return fmt.Sprintf("%.3f", r.Accuracy) }
func (r row) IntervalText() string {
	return fmt.Sprintf("%.3f to %.3f", r.Interval.Low, r.Interval.High)
}

// DifferenceText is empty in the row of the reference, as are the next two.
func (r row) DifferenceText() string {
	return paired(r, func(p stat.Paired) string { return fmt.Sprintf("%+.3f", p.Difference) })
}

func (r row) DifferenceInterval() string {
	return paired(r, func(p stat.Paired) string { return fmt.Sprintf("%+.3f to %+.3f", p.Interval.Low, p.Interval.High) })
}

func (r row) PText() string {
	return paired(r, func(p stat.Paired) string {
		if p.P < 0.0005 {
			return "< 0.001"
		}
		return fmt.Sprintf("%.3f", p.P)
	})
}

func paired(r row, text func(stat.Paired) string) string {
	if r.Paired == nil {
		return ""
	}
	return text(r.Paired.Paired)
}

// Width of the interval, for its bar.
func (r row) Width() float64 { return r.Interval.High - r.Interval.Low }

// UnparsedShare is that of replies.
func (r row) UnparsedShare() float64 { return float64(r.UnparsedReplies) / float64(max(1, r.Replies)) }

func (r row) UnparsedText() string { return fmt.Sprintf("%.1f %%", 100*r.UnparsedShare()) }

// markdown is the table for a text.
func markdown(c bench.Comparison, rows []row) string {
	var b strings.Builder
	b.WriteString("| condition | n | accuracy | 95 % interval | vs " + c.Reference + " | 95 % interval | p | unparsed | replies | tokens |\n")
	b.WriteString("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, r := range rows {
		name := r.Condition
		if r.Mark != "" {
			name += " (" + r.Mark + ")"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", cell(name), r.N, r.AccuracyText(), r.IntervalText(),
			r.DifferenceText(), r.DifferenceInterval(), r.PText(), r.UnparsedText(), comma(r.Replies), comma(r.Tokens))
	}
	fmt.Fprintf(&b, "| constant guess (%s) | %d | %.3f | | | | | | | |\n", markGuess, c.Questions, c.Guess)
	return b.String()
}

// cell keeps a text inside its cell of Markdown.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(s)
}

// csvOf is the table with all digits, for programs.
func csvOf(c bench.Comparison) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	write := func(fields ...any) {
		texts := make([]string, len(fields))
		for i, f := range fields {
			texts[i] = fmt.Sprint(f)
		}
		_ = w.Write(texts) // into memory
	}
	write("condition", "mark", "n", "right", "unparsed", "accuracy", "low", "high", "difference", "difference_low", "difference_high", "p",
		"replies", "unparsed_replies", "prompt_tokens", "tokens")
	for _, r := range c.Rows {
		var d, low, high, p any = "", "", "", ""
		if r.Paired != nil {
			d, low, high, p = r.Paired.Difference, r.Paired.Interval.Low, r.Paired.Interval.High, r.Paired.P
		}
		write(r.Condition, mark(c, r), r.N, r.Right, r.Unparsed, r.Accuracy, r.Interval.Low, r.Interval.High, d, low, high, p,
			r.Replies, r.UnparsedReplies, r.PromptTokens, r.Tokens)
	}
	write("constant guess", markGuess, c.Questions, "", "", c.Guess, "", "", "", "", "", "", "", "", "", "")
	w.Flush()
	return b.String()
}
