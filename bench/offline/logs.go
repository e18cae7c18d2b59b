package offline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// asLogs is a run as the log formats of other programs see it: an evaluation for each condition.
type asLogs struct {
	run       rundir.Run
	questions map[string]string            // their texts: what an agent was first sent about each
	asked     map[string]rundir.Generation // by key; empty of an imported run
}

// logOf is one of these evaluations.
type logOf struct {
	asLogs
	row     analysis.Row
	debates []*outcome.Debate // in the order of the record
	name    string            // the condition, as a part of a file's name of its own
}

// logsOf are the evaluations of the conditions that have debates.
func logsOf(x exporting) (logs []logOf, err error) {
	r := x.run
	all := asLogs{r, map[string]string{}, map[string]rundir.Generation{}}
	if r.Header.Imported == nil {
		if _, err := rundir.EachGeneration(x.directory, func(_ rundir.Header, g rundir.Generation) {
			all.asked[g.Reply.Key] = rundir.Generation{Sampling: g.Sampling, StopTexts: g.StopTexts,
				MaxTokens: g.MaxTokens}
		}); err != nil {
			return nil, err
		}
	}
	of := map[string][]*outcome.Debate{}
	for _, d := range r.Table().Debates() {
		of[d.Condition] = append(of[d.Condition], d)
		if all.questions[d.Question] == "" {
			all.questions[d.Question] = d.Transcript.Asked()
		}
	}
	taken := map[string]bool{}
	for _, row := range r.Comparison.Rows {
		if len(of[row.Condition]) == 0 {
			continue
		}
		name := fileName(row.Condition)
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d", fileName(row.Condition), n)
		}
		taken[strings.ToLower(name)] = true
		logs = append(logs, logOf{all, row, of[row.Condition], name})
	}
	return logs, nil
}

// fileName is a condition as a part of a file's name.
func fileName(condition string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && !strings.ContainsRune("+-=_.", r) && !('0' <= r && r <= '9') && !('A' <= r && r <= 'Z') &&
			!('a' <= r && r <= 'z') {
			return '_'
		}
		return r
	}, condition)
}

// question is the text of a question, or its name where the record has no text.
func (a asLogs) question(id string) string { return cmp.Or(a.questions[id], id) }

// model names the model that replied.
func (a asLogs) model(r inference.Reply) string {
	m, _ := a.run.Header.ModelOf(r)
	return modelName(m, r.Model)
}

// modelName is a model's name as others have it: with who provides it.
func modelName(m inference.ModelInfo, hash string) string {
	return "parley/" + strings.Join(strings.Fields(cmp.Or(m.Name, hash, "unknown")), "_")
}

// id names the evaluation, with what else is in the name.
func (l logOf) id(parts ...string) string {
	h := l.run.Header
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", append([]string{h.TaskHash, h.Time, fmt.Sprint(h.Seed), h.Model.Hash,
		l.row.Condition}, parts...)))
	return hex.EncodeToString(sum[:11])
}

// began is when the run began, RFC 3339; the beginning of 1970 if nobody knows.
func (a asLogs) began() string {
	return cmp.Or(a.run.Header.Time, time.Unix(0, 0).UTC().Format(time.RFC3339))
}

// ended is when the last program that computed the run ended, as far as anybody knows.
func (a asLogs) ended() string {
	if n := len(a.run.Sessions); n > 0 && !a.run.Sessions[n-1].End.IsZero() {
		return a.run.Sessions[n-1].End.UTC().Format(time.RFC3339)
	}
	return a.began()
}

// targets are the answers that are right.
func targets(d *outcome.Debate) []string {
	if d.Key != nil && len(d.Key.Accepted) > 0 {
		return d.Key.Accepted
	}
	if d.Truth.Parsed {
		return []string{d.Truth.Text}
	}
	return []string{d.Target}
}

// decided is what a debate came to: its answer, or the text that it decided for where no answer was read.
func decided(t debate.Transcript) string {
	if t.Decision.Answer.Parsed {
		return t.Decision.Answer.Text
	}
	elected, _, _ := t.Elected()
	return elected
}

// usageOf adds up the tokens of all calls of some debates, by model.
func (a asLogs) usageOf(debates ...*outcome.Debate) map[string]inference.Reply {
	sums := map[string]inference.Reply{}
	for _, d := range debates {
		for call := range d.Transcript.Calls() {
			name := a.model(call.Reply)
			sum := sums[name]
			sum.PromptTokens += call.Reply.PromptTokens
			sum.CachedTokens += call.Reply.CachedTokens
			sum.Tokens += call.Reply.Tokens
			sum.ReasoningTokens += call.Reply.ReasoningTokens
			sums[name] = sum
		}
	}
	return sums
}

// questionIDs are those of the evaluation, each once, in its order.
func (l logOf) questionIDs() (ids []string) {
	seen := map[string]bool{}
	for _, d := range l.debates {
		if !seen[d.Question] {
			seen[d.Question], ids = true, append(ids, d.Question)
		}
	}
	return ids
}

// settings are those of the condition, if it is a protocol.
func (l logOf) settings() *debate.Settings {
	for _, p := range l.run.Header.Protocols {
		if p.Name == l.row.Condition {
			return &p.Settings
		}
	}
	return nil
}
