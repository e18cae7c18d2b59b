package offline

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/outfile"
)

// A log of inspect_ai (package inspect_ai.log, version 2): an archive with a header, a file for each sample, and their
// summaries. What has no place of its own there stands under parley in the metadata.

// inspectComment marks the header of our archives; a log that inspect_ai has written again has none. It is none of the
// archive, at whose end inspect's viewer expects no comment.
const inspectComment = "parley export"

// inspectFiles are logs of an earlier export.
var inspectFiles = outfile.Kind{Name: "log of an earlier export", Ours: func(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	archive, err := zip.NewReader(file, info.Size())
	return err == nil && len(archive.File) > 0 && archive.File[0].Comment == inspectComment
}}

type (
	// object is a JSON object of few, different keys.
	object = map[string]any

	inspectMessage struct {
		Role     string `json:"role"`
		Content  any    `json:"content"` // a text, or a list of parts
		Source   string `json:"source,omitempty"`
		Model    string `json:"model,omitempty"`
		Metadata object `json:"metadata,omitempty"`
	}

	inspectPart struct {
		Reasoning string  `json:"reasoning,omitempty"`
		Text      *string `json:"text,omitempty"`
		Type      string  `json:"type"`
	}

	// inspectTurn is what a reply's metadata say of it.
	inspectTurn struct {
		Name string `json:"name"`
		Kind string `json:"kind,omitempty"`
		debate.Turn
	}

	inspectOutput struct {
		Model      string          `json:"model"`
		Choices    []inspectChoice `json:"choices"`
		Completion string          `json:"completion"`
		Usage      *inspectUsage   `json:"usage,omitempty"`
		Metadata   object          `json:"metadata,omitempty"`
	}

	inspectChoice struct {
		Message inspectMessage `json:"message"`
		Stop    string         `json:"stop_reason"`
	}

	// inspectUsage counts tokens; those of the input are without what the cache had.
	inspectUsage struct {
		Input     int `json:"input_tokens"`
		Output    int `json:"output_tokens"`
		Total     int `json:"total_tokens"`
		Cached    int `json:"input_tokens_cache_read"`
		Reasoning int `json:"reasoning_tokens"`
	}

	inspectScore struct {
		Value       any    `json:"value"`
		Answer      string `json:"answer"`
		Explanation string `json:"explanation,omitempty"`
	}

	// inspectConfig is how a reply was drawn; what is off is left out.
	inspectConfig struct {
		MaxTokens        int      `json:"max_tokens,omitempty"`
		Temperature      float32  `json:"temperature"`
		TopP             float32  `json:"top_p,omitempty"`
		TopK             int      `json:"top_k,omitempty"`
		FrequencyPenalty float32  `json:"frequency_penalty,omitempty"`
		PresencePenalty  float32  `json:"presence_penalty,omitempty"`
		Stop             []string `json:"stop_seqs,omitempty"`
		ReasoningTokens  *int     `json:"reasoning_tokens,omitempty"`
		Seed             *uint64  `json:"seed,omitempty"`
	}

	inspectSample struct {
		ID       string                  `json:"id"`
		Epoch    int                     `json:"epoch"`
		Input    string                  `json:"input"`
		Target   []string                `json:"target"`
		Metadata object                  `json:"metadata"`
		Scores   map[string]inspectScore `json:"scores"`
		Usage    map[string]inspectUsage `json:"model_usage"`
		Messages []inspectMessage        `json:"messages"`
		Output   inspectOutput           `json:"output"`
		Events   []object                `json:"events"`
		Error    *inspectError           `json:"error,omitempty"`
	}

	inspectError struct {
		Message   string `json:"message"`
		Traceback string `json:"traceback"`
		ANSI      string `json:"traceback_ansi"`
	}
)

// said is the text of a message, and the reasoning before it.
func (m inspectMessage) said() (text, reasoning string) {
	parts, several := m.Content.([]inspectPart)
	if !several {
		return fmt.Sprint(m.Content), ""
	}
	for _, p := range parts {
		if reasoning += p.Reasoning; p.Text != nil {
			text += *p.Text
		}
	}
	return text, reasoning
}

// ours is metadata that inspect_ai has no place for.
func ours(value any) object { return object{"parley": value} }

// inspectLogs are the logs of the conditions.
func inspectLogs(x exporting) (pieces []piece, err error) {
	logs, err := logsOf(x)
	for _, l := range logs {
		pieces = append(pieces, piece{outfile.File{Kind: inspectFiles, Path: x.prefix + "." + l.name + ".eval"},
			"decisions", func(out io.Writer) (int, error) { return len(l.debates), l.writeInspect(out) }})
	}
	return pieces, err
}

// writeInspect writes the log of one condition.
func (l logOf) writeInspect(out io.Writer) error {
	archive := zip.NewWriter(out)
	put := func(name, comment string, value any) error {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Comment: comment})
		if err != nil {
			return err
		}
		return json.NewEncoder(entry).Encode(value)
	}
	if err := put("header.json", inspectComment, l.inspectHeader()); err != nil {
		return err
	}
	summaries := make([]object, 0, len(l.debates))
	for _, d := range l.debates {
		s := l.inspectSample(d)
		if err := put(fmt.Sprintf("samples/%s_epoch_%d.json", s.ID, s.Epoch), "", s); err != nil {
			return err
		}
		summary := object{"id": s.ID, "epoch": s.Epoch, "input": s.Input, "target": s.Target, "scores": s.Scores,
			"model_usage": s.Usage, "completed": true, "message_count": len(s.Messages)}
		if s.Error != nil {
			summary["error"] = s.Error.Message
		}
		summaries = append(summaries, summary)
	}
	if err := put("summaries.json", "", summaries); err != nil {
		return err
	}
	return archive.Close()
}

// inspectHeader is what the log says of the evaluation and its result.
func (l logOf) inspectHeader() object {
	h, status := l.run.Header, "success"
	if !l.run.Finished {
		status = "cancelled"
	}
	config := inspectConfigOf(rundir.Generation{Sampling: h.Sampling, StopTexts: h.StopTexts}, h.MaxTokens)
	config.Seed = &h.Seed
	if h.Imported != nil {
		config = inspectConfig{}
	}
	ids := l.questionIDs()
	measure := l.run.Comparison.Measure
	scorers := []object{{"name": measure, "metrics": []object{{"name": "accuracy"}}}}
	scores := []object{{"name": measure, "scorer": measure, "scored_samples": l.row.N, "unscored_samples": l.row.Failed,
		"metrics":  object{"accuracy": object{"name": "accuracy", "value": l.row.Accuracy}},
		"metadata": ours(object{"interval": l.row.Interval, "paired": l.row.Paired})}}
	if p := l.row.Partial; p != nil {
		scorers = append(scorers, object{"name": p.Degree, "metrics": []object{{"name": "mean"}}})
		scores = append(scores, object{"name": p.Degree, "scorer": p.Degree,
			"metrics":  object{"mean": object{"name": "mean", "value": p.Mean}},
			"metadata": ours(object{"interval": p.Interval})})
	}
	usage := l.inspectUsage(l.debates...)
	return object{"version": 2, "status": status,
		"eval": object{"eval_id": l.id("eval"), "run_id": l.id("run"), "task_id": l.id("task"), "created": l.began(),
			"task": h.TaskName(), "solver": l.row.Condition, "solver_args": object{"settings": l.settings()},
			"dataset": object{"name": h.Task, "location": h.Source, "samples": len(ids), "sample_ids": ids},
			"model":   modelName(h.Model, h.Model.Hash), "model_generate_config": config,
			"config": object{"epochs": max(1, h.Repeats)}, "scorers": scorers, "packages": object{"parley": h.Parley},
			"metadata": ours(h)},
		"plan": object{"name": "plan", "config": config, "steps": []object{{"solver": l.row.Condition,
			"params": object{"settings": l.settings()}}}},
		"results": object{"total_samples": len(l.debates), "completed_samples": l.row.N, "scores": scores},
		"stats":   object{"started_at": l.began(), "completed_at": l.ended(), "model_usage": usage},
	}
}

func (a asLogs) inspectUsage(debates ...*outcome.Debate) map[string]inspectUsage {
	usage := map[string]inspectUsage{}
	for model, sum := range a.usageOf(debates...) {
		usage[model] = inspectUsageOf(sum)
	}
	return usage
}

func inspectUsageOf(r inference.Reply) inspectUsage {
	return inspectUsage{Input: r.PromptTokens - r.CachedTokens, Output: r.Tokens, Total: r.PromptTokens + r.Tokens,
		Cached: r.CachedTokens, Reasoning: r.ReasoningTokens}
}

func inspectConfigOf(g rundir.Generation, most int) inspectConfig {
	s := g.Sampling
	c := inspectConfig{MaxTokens: most, Temperature: s.Temperature, TopP: s.TopP, TopK: s.TopK,
		FrequencyPenalty: s.FrequencyPenalty, PresencePenalty: s.PresencePenalty, Stop: g.StopTexts}
	if n, set := s.ReasoningTokens.Tokens(); set {
		c.ReasoningTokens = &n
	}
	return c
}

// inspectSample is one debate.
func (l logOf) inspectSample(d *outcome.Debate) inspectSample {
	rest := *d.Outcome
	rest.Transcript.Rounds, rest.Transcript.Voting, rest.Transcript.Judged = nil, nil, nil // they are messages
	s := inspectSample{Messages: []inspectMessage{}, Events: []object{}, ID: d.Question, Epoch: d.Repeat + 1,
		Input: l.question(d.Question), Target: targets(d), Metadata: ours(rest), Scores: l.inspectScores(d),
		Usage: l.inspectUsage(d)}
	for key, value := range map[string]string{"cluster": d.Cluster, "group": d.Group} {
		if value != "" {
			s.Metadata[key] = value
		}
	}
	if d.Failed() {
		s.Error = &inspectError{Message: d.Error}
	}
	s.Output = inspectOutput{Model: modelName(l.run.Header.Model, l.run.Header.Model.Hash),
		Completion: decided(d.Transcript)}
	s.Output.Choices = []inspectChoice{{inspectMessage{Role: "assistant", Content: s.Output.Completion}, "stop"}}
	l.inspectTurns(d, &s)
	return s
}

// inspectScores are the debate's score by the measure of the task, and the degree to which it is right; none of one
// that failed.
func (l logOf) inspectScores(d *outcome.Debate) map[string]inspectScore {
	scores := map[string]inspectScore{}
	if d.Failed() {
		return scores
	}
	t := d.Transcript.Decision
	measure := l.run.Comparison.Measure
	scores[measure] = inspectScore{Answer: t.Answer.Text, Explanation: t.Rule.String(), Value: map[task.Score]string{
		task.Right: "C", task.Wrong: "I", task.Unparsed: "N"}[d.Score]}
	if degree := task.Degree(measure); degree != "" && d.Partial != nil {
		scores[degree] = inspectScore{Answer: t.Answer.Text, Value: *d.Partial}
	}
	return scores
}

// inspectTurns enters what was said: as messages, each once, and as events, each with all that the agent was sent.
func (l logOf) inspectTurns(d *outcome.Debate, s *inspectSample) {
	said := map[int][]inference.Message{} // to and by each agent so far
	round, span := -1, ""
	begin := func(id, parent, kind, name string) {
		event := object{"event": "span_begin", "id": id, "type": kind, "name": name, "span_id": id,
			"timestamp": l.began(), "working_start": 0}
		if parent != "" {
			event["parent_id"] = parent
		}
		s.Events = append(s.Events, event)
	}
	end := func(id string) {
		if id != "" {
			s.Events = append(s.Events, object{"event": "span_end", "id": id, "span_id": id, "timestamp": l.began(),
				"working_start": 0})
		}
	}
	trial.EachTurn(d.Transcript, func(t debate.Turn, kind string) {
		name := d.Transcript.Role(t.Agent)
		place := ours(object{"agent": t.Agent, "name": name, "round": t.Round})
		input := make([]inspectMessage, len(t.Messages))
		for i, m := range t.Messages {
			input[i] = inspectMessage{Role: inspectRole(m.Role), Content: m.Content, Source: "input", Metadata: place}
			if i >= len(said[t.Agent]) || said[t.Agent][i] != m {
				said[t.Agent] = said[t.Agent][:min(i, len(said[t.Agent]))]
				said[t.Agent] = append(said[t.Agent], m)
				s.Messages = append(s.Messages, input[i])
			}
		}
		reply := l.inspectReply(t, kind, name)
		if t.Error == "" && kind != string(debate.KindScored) {
			s.Messages = append(s.Messages, reply.Choices[0].Message)
			said[t.Agent] = append(slices.Clip(t.Messages), inference.Message{Role: "assistant", Content: t.Told()})
		}
		if t.Kind == debate.KindGiven || t.Kind == debate.KindConfederate || t.Error != "" && t.Messages == nil {
			return // nobody was asked
		}
		if t.Round != round {
			end(span)
			round, span = t.Round, fmt.Sprintf("%d", len(s.Events))
			begin(span, "", "round", fmt.Sprint("round ", t.Round))
		}
		own := fmt.Sprint(span, ".", len(s.Events))
		begin(own, span, "agent", name)
		event := object{"event": "model", "span_id": own, "timestamp": l.began(), "working_start": 0,
			"model": reply.Model, "role": name, "input": input, "tools": []object{}, "tool_choice": "none",
			"config": l.inspectConfig(t), "output": reply}
		if t.Error != "" {
			event["error"] = t.Error
		}
		s.Events = append(s.Events, event)
		end(own)
	})
	end(span)
}

// inspectConfig is how a reply was drawn, as its generation says.
func (a asLogs) inspectConfig(t debate.Turn) any {
	g, known := a.asked[t.Reply.Key]
	if !known {
		return object{}
	}
	most := a.run.Header.MaxTokens
	if g.MaxTokens > 0 {
		most = g.MaxTokens
	}
	c := inspectConfigOf(g, most)
	c.Seed = &g.Sampling.Seed
	return c
}

// inspectRole is the role of a message there, where nobody has a prompt without a template.
func inspectRole(role string) string {
	if role == "text" {
		return "user"
	}
	return role
}

// inspectReply is a reply, with all else that its turn says under parley.
func (a asLogs) inspectReply(t debate.Turn, kind, name string) inspectOutput {
	model, text := a.model(t.Reply), t.Reply.Text
	var content any = text
	if t.Reply.Reasoning != "" {
		content = []inspectPart{{Type: "reasoning", Reasoning: t.Reply.Reasoning}, {Type: "text", Text: &text}}
	}
	usage := inspectUsageOf(t.Reply)
	stop := map[inference.StopReason]string{inference.StopEnd: "stop", inference.StopText: "stop",
		inference.StopLength: "max_tokens"}[t.Reply.Stop]
	if stop == "" {
		stop = "unknown"
	}
	t.Messages, t.Before, t.After, t.Probes = nil, nil, nil, nil // each has its own place
	t.Reply.Text, t.Reply.Reasoning = "", ""
	if math.IsNaN(t.Reply.LogProb) || math.IsInf(t.Reply.LogProb, 0) {
		t.Reply.LogProb, t.Reply.Unscored = 0, true
	}
	return inspectOutput{Model: model, Completion: text, Usage: &usage, Choices: []inspectChoice{{inspectMessage{
		Role: "assistant", Content: content, Source: "generate", Model: model, Metadata: ours(inspectTurn{name, kind,
			t})}, stop}}}
}
