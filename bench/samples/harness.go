package samples

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task/rowfile"
)

func isHarness(h head) bool { return h.has("doc_id", "doc", "target") }

// harnessFile is what lm-evaluation-harness calls a file of samples; the model is in the name of its directory.
var harnessFile = regexp.MustCompile(`^samples_(.+?)_\d{4}-\d\d-\d\dT`)

// readHarness reads the samples of lm-evaluation-harness, which has a row for each filter of a document's answer.
func readHarness(content []byte, f *source) error {
	rows, _, err := rowfile.Read(content, true)
	if err != nil {
		return err
	}
	system := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	if m := harnessFile.FindStringSubmatch(filepath.Base(f.path)); m != nil {
		f.task = m[1]
		if whole, err := filepath.Abs(f.path); err == nil {
			system = filepath.Base(filepath.Dir(whole))
		}
	}
	var measures []string
	for _, r := range rows {
		measures = append(measures, harnessMeasures(r)...)
	}
	if err := f.choose(distinct(measures)); err != nil {
		return err
	}
	metric, filter, filtered := strings.Cut(f.measure, ",")
	for _, r := range rows {
		if r.Err != nil {
			return r.Err
		}
		if filtered && r.Text("filter") != filter {
			continue
		}
		if err := f.add(harnessSample(r, system, f.options.Cluster), r.Value[metric]); err != nil {
			return err
		}
	}
	return nil
}

// harnessMeasures are the metrics of a row, with its filter, if it says so; older rows have them without a list.
func harnessMeasures(r rowfile.Row) (measures []string) {
	metrics := r.List("metrics")
	if metrics == nil {
		for name, v := range r.Value {
			if _, number := v.(json.Number); number && name != "doc_id" {
				metrics = append(metrics, name)
			}
		}
		slices.Sort(metrics)
	}
	for _, m := range metrics {
		if filter := r.Text("filter"); filter != "" && filter != "none" {
			m += "," + filter
		}
		measures = append(measures, m)
	}
	return measures
}

func harnessSample(r rowfile.Row, system, cluster string) Sample {
	s := Sample{Place: r.Place, System: system, Question: r.Text("doc_id"), Digest: r.Text("doc_hash"), Tokens: -1,
		Target: r.Text("target")}
	if doc, ok := r.Value["doc"].(map[string]any); ok && cluster != "" {
		s.Cluster = rowfile.Text(doc[cluster])
	}
	if arguments, ok := r.Value["arguments"].(map[string]any); ok {
		if first, ok := arguments["gen_args_0"].(map[string]any); ok {
			s.Text = rowfile.Text(first["arg_0"])
		}
	}
	s.Reply = firstText(r.Value["resps"])
	if s.Answer = firstText(r.Value["filtered_resps"]); s.Answer == unreadHarness {
		s.Answer = ""
	}
	if s.Digest == "" {
		s.Digest = s.Text
	}
	return s
}

// firstText is the first text in lists of lists; "" of log-likelihoods, which are a number and whether it is the best.
func firstText(v any) string {
	for {
		list, ok := v.([]any)
		likelihood := len(list) == 2 && slices.Contains([]string{"True", "False"}, rowfile.Text(list[1]))
		if !ok || len(list) == 0 || likelihood {
			text, _ := v.(string)
			return text
		}
		v = list[0]
	}
}

// distinct removes what stands earlier.
func distinct(list []string) (once []string) {
	for _, one := range list {
		if !slices.Contains(once, one) {
			once = append(once, one)
		}
	}
	return once
}

// unreadHarness is what the filters of lm-eval put in the place of an answer that they do not find (lm_eval/filters).
const unreadHarness = "[invalid]"
