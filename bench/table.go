package bench

import (
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"parley/inference"
)

// Write prints the table, what its rows mean, and what the scheduler saved.
func (c Comparison) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\n%s\n%s", c.table(true), c.legend(true), Savings(c.Stats))
	for _, failure := range c.Failed {
		if err == nil {
			_, err = fmt.Fprintln(w, "failed:", failure)
		}
	}
	return err
}

// table has a row for each condition, with the engine's time or without.
func (c Comparison) table(times bool) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	header := table.Row{"condition", "n", "accuracy", "95 % interval", "vs " + c.Reference, "p", "unparsed", "calls", "tokens", "time"}
	columns := len(header)
	if !times {
		columns--
	}
	t.AppendHeader(header[:columns])
	for _, r := range c.Rows {
		t.AppendRow(r.cells()[:columns])
	}
	t.SetColumnConfigs(rightFrom(2, columns))
	return t.Render()
}

// rightFrom aligns columns to the right, from the one to the other.
func rightFrom(from, to int) (right []table.ColumnConfig) {
	for i := from; i <= to; i++ {
		right = append(right, table.ColumnConfig{Number: i, Align: text.AlignRight})
	}
	return right
}

func (r Row) cells() table.Row {
	difference, p := "", ""
	if r.Paired != nil {
		difference, p = fmt.Sprintf("%+.3f", r.Paired.Difference), probability(r.Paired.P)
	}
	return table.Row{
		r.Condition, r.N, fmt.Sprintf("%.3f", r.Accuracy), fmt.Sprintf("%.3f – %.3f", r.Interval.Low, r.Interval.High),
		difference, p, fmt.Sprintf("%.1f %%", 100*share(r.UnparsedReplies, r.Replies)),
		r.Replies, humanize.Comma(int64(r.Tokens)), fmt.Sprintf("%7.1f s", r.Milliseconds/1000),
	}
}

func (c Comparison) legend(times bool) string {
	out, costs := "", "calls and tokens"
	if times {
		costs = "calls, tokens and engine time"
	}
	for _, r := range c.Rows {
		out += fmt.Sprintf("  %-17s %s\n", r.Condition, r.Meaning)
	}
	return out + fmt.Sprintf(`  %-17s accuracy %.3f: the most frequent target, always
accuracy with Wilson interval; vs %s: paired difference on the same questions, exact McNemar p (two-sided, uncorrected);
unparsed: replies without a readable answer, never right; %s as if nothing were shared
`, "constant guess", c.Guess, c.Reference, costs)
}

// Savings says in words what the scheduler did, from its own counts.
func Savings(s inference.Stats) string {
	return fmt.Sprintf(`
prompt tokens  %s asked, %s computed: %.1f %% saved by sharing prefixes and equal generations
generations    %s computed, %s more requests were given an equal one
generated      %s tokens, %s tokens/s; prefill %s tokens/s%s
batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, %s of %s KV cells
`,
		comma(s.PromptAsked), comma(s.PromptComputed), 100*share(s.PromptSaved(), s.PromptAsked),
		comma(s.Generations), comma(s.Joined),
		comma(s.Decoded), rate(s.Decoded, s.DecodeDuration), rate(s.PromptComputed, s.PrefillDuration), drafts(s),
		comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity, s.PeakSequences, comma(s.PeakCells), comma(s.Cells))
}

// drafts says what speculation came to, if there was any.
func drafts(s inference.Stats) string {
	if s.Drafted == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of %s drafted ones accepted", comma(s.Accepted), comma(s.Drafted))
}

func probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

func comma(n int) string { return humanize.Comma(int64(n)) }

func share(part, of int) float64 { return float64(part) / float64(max(1, of)) }

func rate(tokens int, d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return comma(int(float64(tokens) / d.Seconds()))
}
