package samples

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

func isEveryEvalEver(h head) bool {
	return h.has("schema_version", "model_id", "sample_id", "evaluation")
}

// everyInstance is a line of Every Eval Ever's instance-level files.
type everyInstance struct {
	ModelID    string          `json:"model_id"`
	Name       string          `json:"evaluation_name"`
	Result     string          `json:"evaluation_result_id"`
	SampleID   json.RawMessage `json:"sample_id"`
	SampleHash string          `json:"sample_hash"`
	Input      struct {
		Raw       string
		Reference texts
		Choices   texts
	}
	Output   struct{ Raw texts } // null of several turns, which are Messages
	Messages []struct {
		Turn    int `json:"turn_idx"`
		Role    string
		Content string
	}
	Attribution []struct {
		Turn     int   `json:"turn_idx"`
		Value    texts `json:"extracted_value"`
		Terminal bool  `json:"is_terminal"`
	} `json:"answer_attribution"`
	Evaluation struct{ Score any }
	Error      *string
	Usage      *struct {
		OutputTokens *int `json:"output_tokens"`
	} `json:"token_usage"`
	Metadata map[string]json.RawMessage
}

// measure is the result that the line is an instance of: a sample that several metrics scored has a line for each.
func (e everyInstance) measure() string {
	if e.Result != "" {
		return e.Result
	}
	return e.Name
}

// system is the model, with what parley export says of how its agents were asked.
func (e everyInstance) system() string {
	if condition := field(e.Metadata, "parley.condition"); condition != "" {
		return e.ModelID + "/" + condition
	}
	return e.ModelID
}

// repeat is from 0; the converter of inspect's logs counts epochs, from 1, and others have none.
func (e everyInstance) repeat() int {
	epoch, _ := strconv.Atoi(field(e.Metadata, "epoch"))
	return max(0, epoch-1)
}

// reply is what the model said: of several turns that from which the final answer was read, else its last.
func (e everyInstance) reply() (said string) {
	if len(e.Output.Raw) > 0 {
		return e.Output.Raw.first()
	}
	answers, last := map[int]bool{}, -1
	for _, a := range e.Attribution {
		if a.Terminal {
			answers[a.Turn] = true
		}
	}
	for _, m := range e.Messages {
		switch {
		case m.Role != "assistant" || m.Content == "":
		case answers[m.Turn]:
			return m.Content
		case m.Turn > last:
			said, last = m.Content, m.Turn
		}
	}
	return said
}

func readEveryEvalEver(content []byte, f *source) error {
	var list []everyInstance
	var measures, names []string
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, inspectMost)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e everyInstance
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		list, measures, names = append(list, e), append(measures, e.measure()), append(names, e.Name)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if err := f.choose(distinct(measures)); err != nil {
		return err
	}
	f.task = distinct(names)[0]
	for i, e := range list {
		if e.measure() != f.measure {
			continue
		}
		s := Sample{Place: fmt.Sprint("instance ", i+1), System: e.system(), Repeat: e.repeat(),
			Question: strings.Trim(string(e.SampleID), `"`), Text: e.Input.Raw, Digest: e.SampleHash, Tokens: -1,
			Cluster: field(e.Metadata, f.options.Cluster), Target: strings.Join(e.Input.Reference, ", "),
			Options: e.Input.Choices, Reply: e.reply()}
		if s.Digest == "" {
			s.Digest = s.Text
		}
		for _, a := range e.Attribution {
			if a.Terminal {
				s.Answer = a.Value.first()
			}
		}
		if e.Usage != nil && e.Usage.OutputTokens != nil {
			s.Tokens = *e.Usage.OutputTokens
		}
		if e.Error != nil {
			s.Why = *e.Error
		}
		if err := f.add(s, e.Evaluation.Score); err != nil {
			return err
		}
	}
	return nil
}
