package offline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/outfile"
)

// A record of Every Eval Ever (evaleval/every_eval_ever, schema 0.3.0): for each condition a file about the evaluation
// and one with a line for each debate and score, in the folders of its datastore. All that has no place is text there.

const everySchema = "0.3.0"

// everyFiles are files of an earlier export. Their names come from a hash of the run and the condition.
var everyFiles = outfile.Kind{Name: "record of an earlier export",
	Ours: outfile.Opening(`\{"schema_version":"[0-9.]+","evaluation_id":"`)}

type (
	everyLog struct {
		Schema    string        `json:"schema_version"`
		ID        string        `json:"evaluation_id"`
		Began     string        `json:"evaluation_timestamp"`
		Retrieved string        `json:"retrieved_timestamp"`
		Source    object        `json:"source_metadata"`
		Model     object        `json:"model_info"`
		Library   object        `json:"eval_library"`
		Results   []everyResult `json:"evaluation_results"`
		Details   object        `json:"detailed_evaluation_results"`
	}

	everyResult struct {
		ID         string `json:"evaluation_result_id"`
		Name       string `json:"evaluation_name"`
		Source     object `json:"source_data"`
		Metric     object `json:"metric_config"`
		Score      object `json:"score_details"`
		Generation object `json:"generation_config"`
	}

	everyInstance struct {
		Schema      string             `json:"schema_version"`
		ID          string             `json:"evaluation_id"`
		Model       string             `json:"model_id"`
		Name        string             `json:"evaluation_name"`
		Result      string             `json:"evaluation_result_id"`
		Sample      string             `json:"sample_id"`
		Interaction string             `json:"interaction_type"`
		Input       object             `json:"input"`
		Output      object             `json:"output"`
		Messages    []everyMessage     `json:"messages"`
		Attribution []everyAttribution `json:"answer_attribution"`
		Evaluation  object             `json:"evaluation"`
		Usage       object             `json:"token_usage,omitempty"`
		Error       string             `json:"error,omitempty"`
		Metadata    map[string]string  `json:"metadata"`
	}

	everyMessage struct {
		Turn      int    `json:"turn_idx"`
		Role      string `json:"role"`
		Content   string `json:"content"`
		Reasoning string `json:"reasoning_trace,omitempty"`
	}

	everyAttribution struct {
		Turn     int    `json:"turn_idx"`
		Source   string `json:"source"`
		Value    string `json:"extracted_value"`
		Method   string `json:"extraction_method"`
		Terminal bool   `json:"is_terminal"`
	}
)

// everyEvalEver are the records of the conditions.
func everyEvalEver(x exporting) (pieces []piece, err error) {
	logs, err := logsOf(x)
	for _, l := range logs {
		model := everyModel(l.run.Header.Model)
		developer, name, _ := strings.Cut(model, "/")
		place := path.Join("data", folder(l.run.Header.Task), folder(developer), folder(name))
		id := l.uuid()
		rows := 0
		instances := path.Join(place, id+"_samples.jsonl")
		fileOf := func(name string) outfile.File {
			return outfile.File{Kind: everyFiles, Path: filepath.Join(x.prefix, name)}
		}
		lines := piece{fileOf(instances), "debates of " + l.row.Condition,
			func(out io.Writer) (int, error) {
				to := json.NewEncoder(out)
				for _, d := range l.debates {
					for _, line := range l.everyInstances(d, model) {
						if err := to.Encode(line); err != nil {
							return 0, err
						}
						rows++
					}
				}
				return len(l.debates), nil
			}}
		seen := lines.watched()
		about := fileOf(path.Join(place, id+".json"))
		pieces = append(pieces, lines, piece{about, "evaluation of " + l.row.Condition,
			func(out io.Writer) (int, error) {
				log := l.everyLog(model)
				log.Details = object{"format": "jsonl", "file_path": instances, "hash_algorithm": "sha256",
					"checksum": seen.sum(), "total_rows": rows}
				return 1, json.NewEncoder(out).Encode(log)
			}})
	}
	return pieces, err
}

// inText is a value as a text there, where all that has no place of its own is one.
func inText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// everyModel is a model's name with its developer before it, whom a local file does not tell.
func everyModel(m inference.ModelInfo) string {
	name := strings.Join(strings.Fields(cmp.Or(m.Name, m.Hash, "unknown")), "_")
	if m.Embedded {
		return "parley/" + name
	}
	if !strings.Contains(strings.Trim(name, "/"), "/") {
		return "unknown/" + strings.Trim(name, "/")
	}
	return strings.Trim(name, "/")
}

// reserved are names that no folder of the datastore may have.
var reserved = regexp.MustCompile(`^(?i:(data|con|prn|aux|nul|com[1-9]|lpt[1-9])?(\.|$))`)

// folder is a name as that of a folder of the datastore.
func folder(name string) string {
	if name = strings.TrimRight(fileName(name), "."); reserved.MatchString(name) {
		return "_" + name
	}
	return name
}

// uuid names the evaluation in the form of a random UUID (RFC 9562, version 4).
func (l logOf) uuid() string {
	hash := sha256.Sum256([]byte(l.id(FormatEveryEvalEver)))
	hash[6], hash[8] = hash[6]&0x0f|0x40, hash[8]&0x3f|0x80
	h := hex.EncodeToString(hash[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// everyID names the evaluation as its readers do: by what was evaluated on what, and when.
func (l logOf) everyID(model string) string {
	return fmt.Sprintf("%s.%s/%s/%s", l.run.Header.Task, l.row.Condition, model, l.everyTime())
}

// everyTime is when the record was complete, in seconds since 1970.
func (l logOf) everyTime() string {
	when, err := time.Parse(time.RFC3339, l.ended())
	if err != nil {
		return "0"
	}
	return fmt.Sprint(when.Unix())
}

// everyLog is what there is to say of the evaluation, but for the file of its instances.
func (l logOf) everyLog(model string) everyLog {
	h := l.run.Header
	engine, deployed, weights := object{"name": "llama.cpp", "version": h.Build}, "self_deployed", "open_weights"
	if r := h.Model.Remote; r != nil {
		engine, deployed, weights = object{"name": r.Program, "version": r.Version}, "unknown", "unknown"
	}
	if h.Imported != nil {
		engine, deployed, weights = object{}, "unknown", "unknown"
	}
	log := everyLog{Schema: everySchema, ID: l.everyID(model), Began: l.began(), Retrieved: l.everyTime(),
		Source: object{"source_name": "parley", "source_type": "evaluation_run",
			"source_organization_name": "unknown", "evaluator_relationship": "third_party",
			"additional_details": object{"parley": inText(h)}},
		Model: object{"name": cmp.Or(h.Model.Name, h.Model.Hash, "unknown"), "id": model, "inference_engine": engine,
			"additional_details": object{"deployment_type": deployed, "model_availability": weights,
				"sha256": h.Model.Hash, "quantization": h.Model.Quantization}},
		Library: object{"name": "parley", "version": cmp.Or(h.Parley, "unknown")}}
	metric := object{"metric_id": "accuracy", "metric_name": "Accuracy", "metric_kind": "accuracy",
		"metric_unit": "proportion", "score_type": "continuous", "min_score": 0, "max_score": 1,
		"lower_is_better": false, "evaluation_description": l.row.Meaning}
	log.Results = []everyResult{l.everyResult(l.run.Comparison.Measure, metric, l.row.Accuracy, &l.row.Interval)}
	if l.row.Paired != nil {
		log.Results[0].Score["details"] = object{"parley": inText(object{"paired": l.row.Paired})}
	}
	if p := l.row.Partial; p != nil {
		degree := maps.Clone(metric)
		degree["metric_id"], degree["metric_name"], degree["metric_kind"] = p.Degree, p.Degree, p.Degree
		log.Results = append(log.Results, l.everyResult(p.Degree, degree, p.Mean, p.Interval))
	}
	return log
}

func (l logOf) everyResult(id string, metric object, score float64, interval *stat.Interval) everyResult {
	h := l.run.Header
	source := object{"dataset_name": h.Task, "source_type": "other",
		"additional_details": object{"source": h.Source, "questions": fmt.Sprint(l.row.Questions),
			"sha256": h.TaskHash}}
	if strings.HasPrefix(h.Source, "https://") || strings.HasPrefix(h.Source, "http://") {
		source["source_type"], source["url"] = "url", []string{h.Source}
	}
	details := object{"score": score}
	if interval != nil && interval.Known() {
		details["uncertainty"] = object{"num_samples": l.row.N, "confidence_interval": object{"lower": interval.Low,
			"upper": interval.High, "confidence_level": 0.95, "method": "docs/statistics.md"}}
	}
	arguments := object{}
	if h.Imported == nil {
		c := inspectConfigOf(rundir.Generation{Sampling: h.Sampling}, h.MaxTokens)
		arguments = object{"temperature": c.Temperature, "top_p": c.TopP, "top_k": c.TopK, "max_tokens": c.MaxTokens}
	}
	arguments["eval_plan"] = object{"name": l.row.Condition, "steps": []string{}, "config": object{}}
	return everyResult{ID: id, Name: h.TaskName(), Source: source, Metric: metric, Score: details,
		Generation: object{"generation_args": arguments, "additional_details": object{
			"seed": fmt.Sprint(h.Seed), "parley": inText(object{"settings": l.settings()})}}}
}

// everyInstances are the lines of a debate, one for each of its scores.
func (l logOf) everyInstances(d *outcome.Debate, model string) []everyInstance {
	e := l.everyInstance(d)
	e.Model, e.ID = model, l.everyID(model)
	e.Result = l.run.Comparison.Measure
	right := d.Score == task.Right
	e.Evaluation = e.everyScore(right, map[bool]float64{true: 1}[right])
	if d.Partial == nil || l.row.Partial == nil {
		return []everyInstance{e}
	}
	part := e
	part.Result, part.Evaluation = l.row.Partial.Degree, e.everyScore(right, *d.Partial)
	return []everyInstance{e, part}
}

// everyScore is a score; the turns are those of the model.
func (e everyInstance) everyScore(right bool, score float64) object {
	turns := 0
	for _, m := range e.Messages {
		if m.Role == "assistant" {
			turns++
		}
	}
	return object{"score": score, "is_correct": right, "num_turns": max(1, turns)}
}

// everyInstance is one debate, without its score.
func (l logOf) everyInstance(d *outcome.Debate) everyInstance {
	s := l.inspectSample(d)
	e := everyInstance{Schema: everySchema, Name: l.run.Header.TaskName(), Sample: s.ID, Interaction: "multi_turn",
		Input: object{"raw": s.Input, "reference": s.Target}, Attribution: []everyAttribution{}, Error: d.Error,
		Metadata: map[string]string{"epoch": fmt.Sprint(s.Epoch), "parley.condition": d.Condition}}
	for key, value := range map[string]string{"cluster": d.Cluster, "group": d.Group} {
		if value != "" {
			e.Metadata[key] = value
		}
	}
	places, replies := []any{}, 0
	for i, m := range s.Messages {
		text, reasoning := m.said()
		e.Messages = append(e.Messages, everyMessage{i, m.Role, text, reasoning})
		places = append(places, m.Metadata["parley"])
		if turn, ok := m.Metadata["parley"].(inspectTurn); ok {
			replies++
			if turn.Answer.Parsed {
				e.Attribution = append(e.Attribution, everyAttribution{i, "messages[turn_idx].content",
					turn.Answer.Text, l.run.Header.AnswerRule, false})
			}
		}
	}
	if decision := s.Output.Completion; decision != "" {
		e.Attribution = append(e.Attribution, everyAttribution{max(0, len(e.Messages)-1), "messages[turn_idx].content",
			decision, d.Transcript.Decision.Rule.String(), true})
	}
	if replies <= 1 {
		e.single()
	}
	if len(d.Transcript.Rounds) > 0 {
		e.Metadata["parley"] = inText(object{"debate": s.Metadata["parley"], "messages": places})
	}
	sum := inference.Reply{}
	for _, u := range l.usageOf(d) {
		sum.PromptTokens, sum.CachedTokens = sum.PromptTokens+u.PromptTokens, sum.CachedTokens+u.CachedTokens
		sum.Tokens, sum.ReasoningTokens = sum.Tokens+u.Tokens, sum.ReasoningTokens+u.ReasoningTokens
	}
	if all := sum.PromptTokens + sum.Tokens; all > 0 {
		e.Usage = object{"input_tokens": sum.PromptTokens, "output_tokens": sum.Tokens, "total_tokens": all,
			"input_tokens_cache_read": sum.CachedTokens, "reasoning_tokens": sum.ReasoningTokens}
	}
	return e
}

// single makes an instance of one reply of it, which has an output and no messages.
func (e *everyInstance) single() {
	texts, reasoning := []string{}, []string(nil)
	for _, m := range e.Messages {
		if m.Role == "assistant" {
			texts = append(texts, m.Content)
			if m.Reasoning != "" {
				reasoning = append(reasoning, m.Reasoning)
			}
		}
	}
	e.Interaction, e.Messages, e.Output = "single_turn", nil, object{"raw": texts, "reasoning_trace": reasoning}
	for i := range e.Attribution {
		e.Attribution[i].Turn, e.Attribution[i].Source = 0, "output.raw"
	}
}
