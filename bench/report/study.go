package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/branch"
	"github.com/parley-debate/parley/bench/experiment"
	"github.com/parley-debate/parley/bench/offline"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// study is a run and what its experiment says of it. A run without an experiment has only Published, from the options,
// and Similarity, Scores, Judgement and Branches, if there are any. Everything in a section is a function of its study.
type study struct {
	rundir.Run
	Task       experiment.Task
	Points     []experiment.Point
	Published  []Published // published accuracies that are comparable with this run's
	For        []string    // other models for which accuracies on this task are published
	From       []string    // tables or figures that the numbers in Published are from
	Similarity *offline.Similarity
	Scores     *offline.Scores
	Judgement  *offline.Judgement
	Branches   *branch.Results
	Label      string          // of the run, in a report across several
	Fits       []roles.Printed // regressions that its experiment has as published, in a report across several
	Part       string          // what the browser of debates calls it; "" is the task
	times      bool            // a terminal shows how long engines computed
}

// point returns the point of a condition in its experiment. A condition that the experiment does not list, such as a
// control, gets a point with its name and, if the header has it, its protocol.
func (s study) point(condition string) experiment.Point {
	for _, p := range s.Points {
		if p.Condition == condition {
			return p
		}
	}
	p := experiment.Point{Condition: condition, Series: condition}
	for _, held := range s.Header.Protocols {
		if held.Name == condition {
			p.Protocol = held
		}
	}
	return p
}

// settings returns the names of the swept settings, in the order of the experiment. Tables, figures and CSV all list
// them in this order.
func (s study) settings() (names []string) {
	for _, p := range s.Points {
		for _, at := range p.At {
			if !slices.Contains(names, at.Setting) {
				names = append(names, at.Setting)
			}
		}
	}
	return names
}

// valueAt returns the value of a swept setting at a point, "" if it is not swept there. Values are texts as the file
// has them: only values decides whether they are numbers.
func valueAt(p experiment.Point, setting string) string {
	for _, at := range p.At {
		if at.Setting == setting {
			return at.Value
		}
	}
	return ""
}

// values returns the values of a swept setting in the order of the experiment; numbers reports whether all are numbers.
// A single word among them turns the whole axis into one of names, because a curve needs one scale.
func (s study) values(setting string) (values []string, numbers bool) {
	numbers = true
	for _, p := range s.Points {
		value := valueAt(p, setting)
		if value == "" || slices.Contains(values, value) {
			continue
		}
		values = append(values, value)
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			numbers = false
		}
	}
	return values, numbers
}

// comparable reports whether a published number can be compared with that of the run: the model, or each of the team
// that replied under the condition, has the same name, and the questions come from the benchmark's file.
func (s study) comparable(n experiment.Number) bool {
	if s.Task.File == "" || s.Header.Replaces != "" {
		return false
	}
	i := slices.IndexFunc(s.Comparison.Rows, func(r analysis.Row) bool { return r.Condition == n.Condition })
	if i < 0 || len(s.Comparison.Rows[i].Models) == 0 {
		return sameModel(n.Model, s.Header.Model.Name)
	}
	replied := s.Comparison.Rows[i].Models
	return !slices.ContainsFunc(s.Header.Model.All(), func(m inference.ModelInfo) bool {
		return slices.Contains(replied, m.Hash) && !sameModel(n.Model, m.Name)
	})
}

// sameModel compares names without directory, file extension and quantization, ignoring case and punctuation.
func sameModel(published, ours string) bool {
	return bareName(published) != "" && bareName(published) == bareName(ours)
}

var (
	punctuation  = regexp.MustCompile(`[^a-z0-9.]+`)
	quantization = regexp.MustCompile(`[-.](gguf|i?q[0-9](-([klms01]|x+[sl]|nl))*|(b?f|fp)(16|32)|mxfp4)$`)
)

// bareName reduces a name to what identifies the model. Suffixes are stripped until none is left, because files carry
// several, such as -instruct.q4_k_m.gguf; "instruct" stays, since it is another model than the base model.
func bareName(model string) string {
	if i := strings.LastIndexAny(model, `/\`); i >= 0 {
		model = model[i+1:]
	}
	name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(model)), ".gguf")
	name = strings.Trim(punctuation.ReplaceAllString(name, "-"), "-")
	for {
		shorter := quantization.ReplaceAllString(name, "")
		if shorter == name {
			return name
		}
		name = shorter
	}
}

// candidateShare returns the share of votes that makes candidates for a condition built on the pool; without such a
// condition, it returns the share of MADC.
func (s study) candidateShare(pool string) float64 {
	for _, p := range s.Points {
		if p.From.After == pool && p.From.Candidates > 0 {
			return p.From.Candidates
		}
	}
	return 0.3
}

// property is a name with its value, one line of a list: of provenance, of what conditions mean, of a debate's
// settings.
type property struct{ Name, Value string }

// provenance lists what the run's header records, and leaves out what is empty. splitProvenance and joint.differences
// compare these lists by name and value, so a value must be a function of the header: no time of reading, no path.
func provenance(run rundir.Run) (known []property) {
	h := run.Header
	embedded := ""
	if h.Model.Embedded {
		embedded = ", embedded in the program"
	}
	sampling, _ := json.Marshal(h.Sampling) // plain numbers
	model, generated := fmt.Sprintf("%s (%s, %s parameters, trained for %s tokens%s)", h.Model.Name,
		h.Model.Architecture,
		humanize.SIWithDigits(float64(h.Model.Parameters), 1, ""), wording.Comma(h.Model.Context), embedded),
		[]property{
			{"sampling", string(sampling)}, {"most tokens per reply", wording.Comma(h.MaxTokens)},
			{"reasoning in replies", string(h.Reasoning)}, {"seed of the run", fmt.Sprint(h.Seed)},
		}
	hash, file := "SHA-256 of the model", ""
	if r := h.Model.Remote; r != nil {
		file = r.FileHash
		model, hash = fmt.Sprintf("%s (%s)", h.Model.Name, h.Model.About()), "SHA-256 of what its servers say of it"
	}
	var team []property
	for _, m := range h.Model.Team {
		about := fmt.Sprintf("%s %s, %s parameters", m.Architecture, m.Quantization,
			humanize.SIWithDigits(float64(m.Parameters), 1, ""))
		if m.Remote != nil {
			about = m.About()
		} else if m.GPULayers != 0 || h.Model.GPULayers != 0 {
			about += ", on " + m.Device
		}
		team = append(team, property{"in teams also", fmt.Sprintf("%s (%s), SHA-256 %s", m.Name, about, m.Hash)})
	}
	if members, _ := json.Marshal(h.Team); len(h.Team) > 0 {
		team = append(team, property{"team of the standard conditions", string(members)})
	}
	if h.Imported != nil {
		model, generated = cmp.Or(h.Model.Name, "none")+", as the logs name it",
			[]property{{"imported from", h.Imported.String()}}
		if t := h.Imported.Temperature; t != nil {
			generated = append(generated, property{"temperature", fmt.Sprint(*t)})
		}
	}
	agents, rounds := h.Sizes()
	for _, f := range slices.Concat([]property{
		{"model", model}, {"quantization", h.Model.Quantization}, {hash, h.Model.Hash},
		{"SHA-256 of the model, as its servers say", file},
		{"SHA-256 of its template", h.Model.Template},
	}, team, []property{
		{"mode", h.Model.Mode}, {"replies may depend on the batch", h.Model.Depends}, {"kernels", h.Model.Kernels},
		{"KV cache", h.Model.KV}, {"KV cells", ifText(h.Cells > 0, wording.Comma(h.Cells))},
		{"device", h.Model.Device}, {"layers on a GPU", ifText(h.Model.GPULayers != 0, fmt.Sprint(h.Model.GPULayers))},
		{"threads", ifText(h.Threads > 0, fmt.Sprint(h.Threads))},
		{"task", h.TaskName()}, {"source", h.Source}, {"SHA-256 of the task", h.TaskHash},
		{"questions", wording.Comma(run.Comparison.Questions)},
		{"shard", ifText(h.Shard != nil, h.Shard.String())},
		{"repeats", ifText(h.Repeats > 1, wording.Comma(h.Repeats))}, {"ends", ifText(h.Stop != nil, h.Stop.String())},
		{"columns", h.Columns.String()}, {"answer rule", h.AnswerRule}, {"right is", h.Measure}, {"conditions",
			strings.Join(h.Conditions, ", ")},
		{"agents", agents}, {"rounds", rounds}, {"reading", h.Reading},
		{"prompts", ifText(h.Imported == nil, h.PromptsSent())},
		{"origin of the prompts" + ifText(h.PromptsSent() != h.Prompts, " "+h.Prompts), h.Origin},
		{"SHA-256 of the prompts", strings.Join(h.PromptFiles, ", ")},
	}, generated, []property{{"program", h.Parley}, {"build", h.Build}, {"started", h.Time},
		{"SHA-256 of the plan, the first record", run.PlanHash()}, {"tests", h.Tested}, {"plan", run.Followed()}},
		computed(run.Sessions)) {
		if f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

// computed says which command computed a run, where, and how that ended, as far as the record knows.
func computed(sessions []rundir.Session) []property {
	if len(sessions) == 0 || sessions[len(sessions)-1].Start.IsZero() {
		return nil
	}
	last := sessions[len(sessions)-1]
	how := last.String()
	if n := len(sessions); n > 1 {
		how = "in " + wording.Count(n, "session") + ", the last one " + how
	}
	return []property{{"command", wording.Shell(last.Command...)}, {"computed", how}}
}

// splitProvenance splits the provenance of several runs into what all have in common and the rest of each.
func splitProvenance(studies []study) (common []property, rest [][]property) {
	all := make([][]property, len(studies))
	for i, s := range studies {
		all[i] = provenance(s.Run)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, f := range all[0] {
		if !slices.ContainsFunc(all, func(other []property) bool { return !slices.Contains(other, f) }) {
			common = append(common, f)
		}
	}
	for _, list := range all {
		rest = append(rest, slices.DeleteFunc(list, func(f property) bool { return slices.Contains(common, f) }))
	}
	return common, rest
}
