package analysis

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// Write prints the table, the contrasts, the legend, what the scheduler saved, and which debates failed.
func (c Comparison) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s%s%s\n%s%s\n%s", c.partial(), c.measured(), c.Table(true), c.ContrastsTable(),
		c.Legend(true), Savings(c.Stats))
	return errors.Join(err, WriteFailures(w, "failed:", c.Failed))
}

// measured are lines that say that the run did not measure what it compares, "" if it did.
func (c Comparison) measured() string {
	says := c.Validity().Says
	if len(says) == 0 {
		return ""
	}
	return wrapped(strings.Join(says, " ")) + "\n\n"
}

// SameText stands for the difference of conditions that are the same, see Same.
const SameText = "the same"

// sameMeans explains SameText.
const sameMeans = "the same: in all debates the same was sent and decided, so that the treatment was never applied and " +
	"nothing is tested"

// partial says that this is no whole result, if it is that of a shard.
func (c Comparison) partial() string {
	if c.Shard == "" {
		return ""
	}
	return fmt.Sprintf("shard %s of a run: these are %s, not its result; parley merge joins the shards\n", c.Shard,
		wording.Count(c.Questions, "question"))
}

// WriteFailures lists debates that failed, or would fail; if they are many, only the first of them.
func WriteFailures(w io.Writer, what string, failures []string) error {
	const shown = 10
	for _, failure := range failures[:min(shown, len(failures))] {
		if _, err := fmt.Fprintln(w, what, failure); err != nil {
			return err
		}
	}
	if more := len(failures) - shown; more > 0 {
		_, err := fmt.Fprintf(w, "%s %s more, which --json lists\n", what, wording.Comma(more))
		return err
	}
	return nil
}

// Table has a row for each condition, with the engine's time or without, drawn for the terminal.
func (c Comparison) Table(times bool) string {
	repeats := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Repeats != nil })
	partial := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Partial != nil })
	failed, oneReference := c.failed(), c.oneReference()
	return table.New([]table.Column[Row]{
		table.Left("condition", func(r Row) string { return r.Condition }),
		table.Right("n", func(r Row) string { return fmt.Sprint(r.N) }),
		{Name: "failed", Hidden: !failed, Text: func(r Row) string { return fmt.Sprint(r.Failed) }},
		table.Right("accuracy", func(r Row) string { return r.ofDebates("%.3f", r.Accuracy) }),
		table.Right("95 % interval", func(r Row) string {
			return r.ofDebates("%.3f – %.3f", r.Interval.Low, r.Interval.High)
		}),
		{Name: c.degree(), Hidden: !partial, Text: Row.inPart},
		{Name: "± repeats", Hidden: !repeats, Text: Row.deviation},
		{Name: "vs", Hidden: oneReference, Text: func(r Row) string {
			return r.against(func(p Paired) string { return p.Against })
		}},
		table.Right(c.compared(), func(r Row) string {
			if r.Same != nil {
				return SameText
			}
			return r.against(func(p Paired) string { return fmt.Sprintf("%+.3f", p.Difference) })
		}),
		table.Right("p", func(r Row) string {
			return r.against(func(p Paired) string { return wording.Probability(p.Holm) })
		}),
		{Name: c.EquivalenceName(), Hidden: c.Equivalence == 0, Text: func(r Row) string {
			return r.against(Paired.EquivalenceText)
		}},
		table.Right("unparsed", Row.unparsed),
		table.Right("calls", func(r Row) string { return fmt.Sprint(r.Replies) }),
		table.Right("tokens", func(r Row) string { return wording.Comma(r.Tokens) }),
		{Name: "of reasoning", Hidden: !c.Reasoned(), Text: Row.reasoning},
		{Name: "closing turns", Hidden: !c.Closed(), Text: func(r Row) string { return fmt.Sprint(r.Closings) }},
		{Name: "models", Hidden: len(c.Model.Team) == 0, Left: true, Text: c.ModelNames},
		{Name: "time", Hidden: !times, Text: func(r Row) string { return fmt.Sprintf("%7.1f s", r.Milliseconds/1000) }},
	}, c.Rows).Terminal()
}

// Reasoned reports whether some reply has reasoning.
func (c *Comparison) Reasoned() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.ReasoningTokens > 0 || r.ReasoningCut > 0 })
}

// Closed reports whether some reply has a closing turn.
func (c *Comparison) Closed() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Closings > 0 })
}

// reasoning is how many of the tokens are reasoning, and how many replies end within it.
func (r Row) reasoning() string {
	text := wording.Comma(r.ReasoningTokens)
	if r.ReasoningCut > 0 {
		text += fmt.Sprintf(", %d cut", r.ReasoningCut)
	}
	return text
}

// ofDebates formats numbers of the row, with a dash if it has no debates, as when no question was a candidate.
func (r Row) ofDebates(format string, numbers ...any) string {
	if r.N == 0 {
		return table.Absent
	}
	return fmt.Sprintf(format, numbers...)
}

// unparsed is the share of answers that could not be read, a dash if nobody was asked for one.
func (r Row) unparsed() string {
	if r.Answers == 0 {
		return table.Absent
	}
	return fmt.Sprintf("%.1f %%", 100*stat.Share(r.UnparsedReplies, r.Answers))
}

// deviation is the standard deviation of the accuracy over repeats.
func (r Row) deviation() string {
	if r.Repeats == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", r.Repeats.Deviation)
}

// inPart is the mean partial correctness of the row, with its interval.
func (r Row) inPart() string {
	switch {
	case r.Partial == nil:
		return ""
	case r.Partial.Interval == nil:
		return fmt.Sprintf("%.3f", r.Partial.Mean)
	}
	return fmt.Sprintf("%.3f (%.3f – %.3f)", r.Partial.Mean, r.Partial.Interval.Low, r.Partial.Interval.High)
}

// against is empty in the row of the reference.
func (r Row) against(text func(Paired) string) string {
	if r.Paired == nil {
		return ""
	}
	return text(*r.Paired)
}

// Savings says how much the scheduler asked, computed and saved, by its own counts.
func Savings(s inference.Stats) string {
	return fmt.Sprintf(`
prompt tokens  %s asked, %s computed: %.1f %% saved by sharing prefixes and equal generations%s
generations    %s computed, %s more requests shared an equal one
generated      %s tokens, %s tokens/s; prefill %s tokens/s%s
%s`,
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*stat.Share(s.PromptSaved(), s.PromptAsked),
		Recurrence(s), wording.Comma(s.Generations), wording.Comma(s.Joined),
		wording.Comma(s.Decoded), rate(s.Decoded, s.DecodeDuration), rate(s.PromptComputed, s.PrefillDuration),
		drafts(s), batches(s))
}

// Recurrence is a line, after a line break, that tells what the tree needs at least from what a recurrent model
// computes above that; it is empty if that is nothing.
func Recurrence(s inference.Stats) string {
	if s.PromptRepeated == 0 {
		return ""
	}
	return fmt.Sprintf("\nrecurrence     %s of those computed were in the tree, but a state cannot be cut; the other "+
		"%s were new to it", wording.Comma(s.PromptRepeated),
		wording.Comma(s.PromptComputed-s.PromptRepeated))
}

// batches says how full they were; of models that servers compute, only how much was asked of them at once.
func batches(s inference.Stats) string {
	if s.Cells == 0 {
		return fmt.Sprintf("requests       at most %d at once\n", s.PeakSequences)
	}
	return fmt.Sprintf("batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, "+
		"%s of %s KV cells\n", wording.Comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity,
		s.PeakSequences, wording.Comma(s.PeakCells), wording.Comma(s.Cells))
}

// drafts says how many drafted tokens were accepted, if any were drafted.
func drafts(s inference.Stats) string {
	if s.Drafted == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of %s drafted ones accepted", wording.Comma(s.Accepted), wording.Comma(s.Drafted))
}

func rate(tokens int, d time.Duration) string {
	if d <= 0 {
		return table.Absent
	}
	return wording.Comma(int(float64(tokens) / d.Seconds()))
}
