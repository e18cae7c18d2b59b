package samples

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

func isInspect(h head) bool {
	return h.zip || h.has("eval", "plan") || h.has("eval", "samples")
}

// inspectHead is what a log says of the evaluation.
type inspectHead struct {
	Status string
	Eval   struct {
		Task, Model, Solver string
		Dataset             struct{ Samples int }
		Config              struct{ Epochs int }
		Scorers             []struct{ Name string }
	}
	Error   *struct{ Message string }
	Results struct {
		Total int `json:"total_samples"`
	}
}

// system is what was evaluated: a model, or what a solver that was chosen for the evaluation makes of it.
func (h inspectHead) system() string {
	if h.Eval.Solver == "" {
		return h.Eval.Model
	}
	return h.Eval.Model + "/" + h.Eval.Solver
}

// inspectSample is a sample as inspect_ai writes it.
type inspectSample struct {
	ID              json.RawMessage
	Epoch           int
	Input           json.RawMessage
	Target, Choices texts
	Output          struct {
		Completion string
		Choices    []struct{ Message struct{ Content texts } } // older logs have no completion
	}
	Scores map[string]struct {
		Value  any
		Answer *string
	}
	Usage map[string]struct {
		OutputTokens *int `json:"output_tokens"`
	} `json:"model_usage"`
	Metadata map[string]json.RawMessage
	Error    *struct{ Message string }
}

// inspectMost bounds what one sample of an archive may take when it is unpacked.
const inspectMost = 64 << 20

// readInspect reads a log of inspect_ai: a zip archive with a file for each sample, or JSON with a list of them.
func readInspect(content []byte, f *source) error {
	var log inspectHead
	var list []inspectSample
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		var all struct {
			inspectHead
			Samples []inspectSample
		}
		if err := json.Unmarshal(content, &all); err != nil {
			return err
		}
		log, list = all.inspectHead, all.Samples
	} else if err := unpackInspect(content, &log, &list); err != nil {
		return err
	}
	if log.Eval.Task == "" {
		return errors.New("does not say which task it evaluated")
	}
	all := cmp.Or(log.Results.Total, log.Eval.Dataset.Samples*max(1, log.Eval.Config.Epochs))
	switch {
	case len(list) == 0:
		return fmt.Errorf("has no samples, of the %d that were evaluated: it is a header alone", all)
	case log.Status != "success" || log.Results.Total > 0 && len(list) != all:
		f.notes = append(f.notes, fmt.Sprintf("%s: the log's status is %s, with %d of %d samples", f.path, log.Status,
			len(list), all))
	}
	f.task = log.Eval.Task
	if err := f.choose(log.measures(list)); err != nil {
		return err
	}
	for i, s := range list {
		if err := f.addInspect(fmt.Sprintf("sample %d", i+1), log.system(), s); err != nil {
			return err
		}
	}
	return nil
}

// unpackInspect reads the archive; its entries are never written anywhere.
func unpackInspect(content []byte, log *inspectHead, list *[]inspectSample) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(inspectMost)))
	left := int64(maxTextBytes)
	for _, entry := range archive.File {
		var into any
		var sample inspectSample
		switch {
		case entry.Name == "header.json", entry.Name == "_journal/start.json" && log.Eval.Task == "":
			into = log
		case strings.HasPrefix(entry.Name, "samples/") && strings.HasSuffix(entry.Name, ".json"):
			into = &sample
		default:
			continue
		}
		read, err := unpackEntry(entry, min(left, inspectMost), into)
		if err != nil {
			return fmt.Errorf("%.80q: %w", entry.Name, err)
		}
		if left -= read; into != log {
			*list = append(*list, sample)
		}
	}
	slices.SortStableFunc(*list, func(a, b inspectSample) int { return a.Epoch - b.Epoch })
	return nil
}

// unpackEntry decodes the JSON of an entry of at most so many bytes.
func unpackEntry(entry *zip.File, most int64, into any) (read int64, err error) {
	file, err := entry.Open()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("takes more than %d bytes unpacked", most)
	}
	if err != nil {
		return 0, err
	}
	return int64(len(text)), json.Unmarshal(text, into)
}

// measures are the scorers of the samples, in the order in which the log lists them, with the keys of those that give
// several values.
func (h inspectHead) measures(list []inspectSample) (measures []string) {
	at := slices.IndexFunc(list, func(s inspectSample) bool { return len(s.Scores) > 0 })
	if at < 0 {
		return nil
	}
	for scorer, score := range list[at].Scores {
		values, several := score.Value.(map[string]any)
		for key := range values {
			measures = append(measures, scorer+"."+key)
		}
		if !several {
			measures = append(measures, scorer)
		}
	}
	place := func(measure string) int {
		return slices.IndexFunc(h.Eval.Scorers, func(s struct{ Name string }) bool {
			return s.Name == measure || strings.HasPrefix(measure, s.Name+".")
		})
	}
	slices.SortFunc(measures, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	return measures
}

func (f *source) addInspect(place, system string, in inspectSample) error {
	scorer, key, _ := strings.Cut(f.measure, ".")
	score, scored := in.Scores[scorer]
	if values, several := score.Value.(map[string]any); several {
		score.Value = values[key]
	}
	s := Sample{Place: place, System: system, Question: strings.Trim(string(in.ID), `"`), Text: inspectInput(in.Input),
		Repeat: max(0, in.Epoch-1), Tokens: -1, Cluster: field(in.Metadata, f.options.Cluster),
		Target: strings.Join(in.Target, ", "), Options: in.Choices, Reply: in.Output.Completion}
	if s.Digest = s.Text; s.Reply == "" && len(in.Output.Choices) > 0 {
		s.Reply = strings.Join(in.Output.Choices[0].Message.Content, "\n")
	}
	if score.Answer != nil {
		s.Answer = *score.Answer
	}
	for _, usage := range in.Usage {
		if usage.OutputTokens != nil {
			s.Tokens = max(0, s.Tokens) + *usage.OutputTokens
		}
	}
	switch {
	case in.Error != nil && !scored:
		s.Why = in.Error.Message
	case !scored:
		s.Why = "it has no score " + f.measure
	}
	return f.add(s, score.Value)
}

// inspectInput is the text of a question: itself, or what the user says in it.
func inspectInput(raw json.RawMessage) string {
	var messages []struct {
		Role    string
		Content texts
	}
	if json.Unmarshal(raw, &messages) == nil {
		var said []string
		for _, m := range messages {
			if m.Role == "user" {
				said = append(said, m.Content...)
			}
		}
		return strings.Join(said, "\n")
	}
	var t texts
	if t.UnmarshalJSON(raw) != nil {
		return ""
	}
	return t.first()
}
