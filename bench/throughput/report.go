package throughput

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/internal/outfile"
)

// Report is a list of measurements and what they were made with.
type Report struct {
	Program   string            `json:"program"` // version and revision
	LlamaCpp  string            `json:"llama_cpp"`
	Machine   string            `json:"machine"`
	Processor machine.Processor `json:"processor"`
	Load      string            `json:"load"` // averages before the first run
	Command   string            `json:"command"`
	PeerURL   string            `json:"peer_url,omitempty"`
	PeerFlags string            `json:"peer_flags,omitempty"`
	Warnings  []string          `json:"warnings,omitempty"` // why the numbers may not be the machine's
	Results   []Measurement     `json:"results"`
}

// ReadReport reads the JSON of a report.
func ReadReport(file string) (r Report, err error) {
	if err := record.ReadJSON(file, &r); err != nil {
		return r, err
	}
	for _, m := range r.Results {
		if m.Workload != "" && len(m.Ours) > 0 {
			return r, nil
		}
	}
	return r, fmt.Errorf("%s: has no results of parley bench", file)
}

// Document is the report for people: what ran where, what may be wrong, and the table.
func (r Report) Document() table.Document {
	return table.Document{table.Text(strings.Join(r.facts(), "\n") + "\n"), r.table()}
}

// Markdown is the report for an issue or a page: the same as Document.
func (r Report) Markdown() string {
	var b strings.Builder
	for _, fact := range r.facts() {
		b.WriteString("- " + table.MarkdownCell(fact) + "\n")
	}
	return b.String() + "\n" + r.table().Markdown()
}

// facts are lines of what ran where.
func (r Report) facts() []string {
	facts := []string{r.Program + ", " + r.LlamaCpp, r.Machine + ", load " + r.Load}
	if processor := r.Processor.String(); processor != "" {
		facts = append(facts, processor)
	}
	told := make(map[string]bool)
	var speed llamacpp.Speed
	for _, m := range r.Results {
		speed = speed.Best(m.Speed)
		flags := " " + m.Flags
		for _, s := range m.Settings { // they have columns
			flags = strings.NewReplacer(" --"+s.Name+" "+s.Value, "", " --"+s.Name+"="+s.Value, "").Replace(flags)
		}
		for _, fact := range []string{fmt.Sprintf("model %s, SHA-256 %.12s", m.Model, m.ModelHash), "flags:" + flags,
			"plan: " + m.Plan} {
			if !told[fact] {
				facts, told[fact] = append(facts, fact), true
			}
		}
	}
	if r.PeerURL != "" {
		facts = append(facts, fmt.Sprintf("peer: %s (%s)", r.PeerFlags, r.PeerURL))
	}
	if speed.Bytes > 0 {
		facts = append(facts, fmt.Sprintf("machine at best: %.1f GB/s read, %.0f G products/s of 32 bits, %.0f of 8 "+
			"bits", speed.Bytes/1e9, speed.FloatProducts/1e9, speed.ByteProducts/1e9))
	}
	facts = append(facts, "command: "+r.Command)
	for _, w := range r.Warnings {
		facts = append(facts, "warning: "+w)
	}
	return facts
}

// steady is how far, as a share, rates of one thing may lie apart before a reader is warned.
const steady = 0.15

// Warn looks for signs that the machine did something else beside: its load before the first run, rates of repeats that
// differ, and the machine's own rates around them.
func (r *Report) Warn(load float64, threads int) {
	if load > 0.25*float64(threads) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the load was %.1f before the first run: other programs compute "+
			"on this machine, and the rates are too low", load))
	}
	var differ []string
	memory, products := 1.0, 1.0 // the lowest, as a share of the best
	for _, m := range r.Results {
		if rates := m.rates(m.Ours); slices.Max(rates)-slices.Min(rates) > steady*median(rates) {
			differ = append(differ, fmt.Sprintf("%s from %.0f to %.0f", m.name(), slices.Min(rates), slices.Max(rates)))
		}
		for _, s := range m.Speeds {
			if m.Speed.Bytes > 0 && m.Speed.ByteProducts > 0 {
				memory = min(memory, s.Bytes/m.Speed.Bytes)
				products = min(products, s.ByteProducts/m.Speed.ByteProducts)
			}
		}
	}
	if len(differ) > 0 {
		r.Warnings = append(r.Warnings, "the tokens/s of repeats differ, those of "+strings.Join(differ, ", of ")+
			": measure more of them on an idle machine")
	}
	if min(memory, products) < 1-steady {
		r.Warnings = append(r.Warnings, fmt.Sprintf("between repeats, the machine fell to %.0f %% of its best rate of "+
			"reading memory and to %.0f %% of that of multiplying: it throttles, or is shared",
			100*memory, 100*products))
	}
}

// name is what a measurement is called within its report.
func (m Measurement) name() string {
	name := m.Workload
	for _, s := range m.Settings {
		name += " " + s.Name + "=" + s.Value
	}
	return name
}

// JSON is the report for programs.
func (r Report) JSON() ([]byte, error) {
	encoded, err := json.MarshalIndent(r, "", "  ")
	return append(encoded, '\n'), err
}

// outputs are the files of a report: JSON, text, figure, Markdown, CSV.
func outputs(dir string) []outfile.File {
	file := func(name, opening string) outfile.File {
		return outfile.File{Kind: outfile.Kind{Name: "report of parley bench", Ours: outfile.Opening(opening)},
			Path: filepath.Join(dir, name)}
	}
	return []outfile.File{file("report.json", `\{\s*"program": "[^\n]*",\s*"llama_cpp": `),
		file("report.txt", `[^\n]*\n[^\n]*, load `), file("report.svg", `<\?xml`),
		file("report.md", `- [^\n]*\n- [^\n]*, load `), file("report.csv", "workload,")}
}

// CheckSave refuses a directory in which Save would take the place of files that are no report's.
func CheckSave(dir string) error { return outfile.Check(outputs(dir)...) }

// Save writes report.json, .txt, .svg, .md and .csv into a directory, which it makes if necessary. It replaces an
// earlier report, and nothing else.
func (r Report) Save(dir string) error {
	encoded, err := r.JSON()
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := r.svg(&svg); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := outputs(dir)
	if err := outfile.Check(files...); err != nil {
		return err
	}
	for i, content := range [][]byte{encoded, []byte(r.Document().String()), svg.Bytes(), []byte(r.Markdown()),
		[]byte(r.CSV())} {
		if err := files[i].Write(content); err != nil {
			return err
		}
	}
	return nil
}

// CSV has all columns with all digits, and those of settings.
func (r Report) CSV() string { return r.table().AllCSV() }

// table renders the results. Columns without a value are left out.
func (r Report) table() table.Table {
	columns := []table.Column[Measurement]{
		table.Words("workload", func(m Measurement) string { return m.Workload }, "workload")}
	for _, name := range r.varied() {
		columns = append(columns, table.Words(name, func(m Measurement) string {
			i := slices.IndexFunc(m.Settings, func(s Setting) bool { return s.Name == name })
			if i < 0 {
				return ""
			}
			return m.Settings[i].Value
		}, name))
	}
	return table.New(slices.Concat(columns, table.Filled(measured, r.Results)), r.Results)
}

// varied are the names of settings that differ, in their order.
func (r Report) varied() (names []string) {
	for _, m := range r.Results {
		for _, s := range m.Settings {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// number is a column whose cells are empty where the number is not above zero: nothing was measured there. Its field in
// CSV has all digits.
func number[T any](name, field, format string, of func(T) float64) table.Column[T] {
	return table.Column[T]{Name: name, Fields: []string{field},
		Text: func(row T) string {
			switch x := of(row); {
			case x <= 0:
				return ""
			case format == "":
				return humanize.Comma(int64(x))
			case format == "bytes":
				return humanize.IBytes(uint64(x))
			default:
				return fmt.Sprintf(format, x)
			}
		},
		Values: func(row T) []any {
			if x := of(row); x > 0 {
				return []any{x}
			}
			return nil
		}}
}

// own is a number of our middle run.
func own(name, field, format string, of func(Usage) float64) table.Column[Measurement] {
	return number(name, field, format, func(m Measurement) float64 { return of(m.middle(m.Ours)) })
}

// ms is a percentile of our middle run in milliseconds.
func ms(name, field string, of func(Usage) *Percentiles, high bool) table.Column[Measurement] {
	return own(name, field, "%.1f", func(u Usage) float64 {
		p := of(u)
		switch {
		case p == nil:
			return 0
		case high:
			return p.High.Seconds() * 1e3
		}
		return p.Median.Seconds() * 1e3
	})
}

func firstToken(u Usage) *Percentiles    { return u.FirstToken }
func betweenTokens(u Usage) *Percentiles { return u.BetweenTokens }

// between is the lowest and the highest of a list.
func between[T any](name, format string, fields []string, of func(T) []float64) table.Column[T] {
	return table.Column[T]{Name: name, Fields: fields,
		Text: func(row T) string {
			if list := of(row); len(list) > 0 {
				return fmt.Sprintf(format+" to "+format, slices.Min(list), slices.Max(list))
			}
			return ""
		},
		Values: func(row T) []any {
			if list := of(row); len(list) > 0 {
				return []any{slices.Min(list), slices.Max(list)}
			}
			return nil
		}}
}

// measured are the columns of a report behind those that name a row.
var measured = []table.Column[Measurement]{
	number("runs", "runs", "", func(m Measurement) float64 { return float64(len(m.Ours)) }),
	number("tokens/s", "tokens_per_second", "%.1f", Measurement.rate),
	between("lowest to highest", "%.1f", []string{"lowest", "highest"},
		func(m Measurement) []float64 { return m.rates(m.Ours) }),
	number("warm tokens/s", "warm_tokens_per_second", "%.1f",
		func(m Measurement) float64 { return median(m.rates(m.Warm)) }),
	own("asked", "prompt_tokens_asked", "", func(u Usage) float64 { return float64(u.Asked) }),
	own("computed", "prompt_tokens_computed", "", func(u Usage) float64 { return float64(u.Computed) }),
	own("shared", "share_shared", "%.3f", func(u Usage) float64 {
		return quotient(float64(u.Asked-u.Computed), float64(u.Asked))
	}),
	own("of least", "computed_of_least", "%.3f", func(u Usage) float64 {
		return quotient(float64(u.Computed), float64(u.Least))
	}),
	own("generated", "tokens_delivered", "", func(u Usage) float64 { return float64(u.Generated) }),
	own("wall s", "wall_seconds", "%.2f", func(u Usage) float64 { return u.Wall.Seconds() }),
	own("prefill/s", "prefill_tokens_per_second", "%.1f", func(u Usage) float64 { return u.PrefillRate }),
	own("decode/s", "decode_tokens_per_second", "%.1f", func(u Usage) float64 { return u.DecodeRate }),
	ms("first token ms", "first_token_p50_ms", firstToken, false),
	ms("p99", "first_token_p99_ms", firstToken, true),
	ms("between tokens ms", "between_tokens_p50_ms", betweenTokens, false),
	ms("p99", "between_tokens_p99_ms", betweenTokens, true),
	number("tokens/J", "tokens_per_joule", "%.2f", func(m Measurement) float64 {
		u := m.middle(m.Ours)
		return quotient(float64(u.counted(m.Prompts)), u.Joules)
	}),
	own("Go %", "percent_in_go", "%.1f", func(u Usage) float64 {
		return 100 * quotient(u.Outside.Seconds(), u.Wall.Seconds())
	}),
	own("memory", "peak_memory_bytes", "bytes", func(u Usage) float64 { return float64(u.PeakMemory) }),
	number("% of ceiling", "percent_of_ceiling", "%.0f", func(m Measurement) float64 {
		return 100 * quotient(m.rate(), m.Ceiling.TokensSecond)
	}),
	number("peer tokens/s", "peer_tokens_per_second", "%.1f",
		func(m Measurement) float64 { return median(m.rates(m.Peer)) }),
	number("computed", "peer_prompt_tokens_computed", "",
		func(m Measurement) float64 { return float64(m.middle(m.Peer).Computed) }),
	number("memory", "peer_peak_memory_bytes", "bytes",
		func(m Measurement) float64 { return float64(m.middle(m.Peer).PeakMemory) }),
	number("ours / peer", "ratio", "%.2f", func(m Measurement) float64 { return median(m.ratios()) }),
	between("interval", "%.2f", []string{"ratio_lowest", "ratio_highest"}, Measurement.ratios),
}

// quotient is 0, which stands for none, where there is nothing of something or of what it is divided by.
func quotient(number, by float64) float64 {
	if number <= 0 || by <= 0 {
		return 0
	}
	return number / by
}

// middle is the run whose rate is in the middle.
func (m Measurement) middle(runs []Usage) (u Usage) {
	if len(runs) == 0 {
		return u
	}
	order := slices.Clone(runs)
	slices.SortStableFunc(order, func(a, b Usage) int { return cmp.Compare(m.rateOf(a), m.rateOf(b)) })
	return order[(len(order)-1)/2]
}

// svg draws tokens a second as bars, from the slowest run to the fastest as a line over them: ours, the peer's and the
// ceiling.
func (r Report) svg(w io.Writer) error {
	f := chart.Figure{Title: "Parley on " + r.Machine}
	p := chart.Panel{Title: f.Title, X: chart.Axis{Label: "tokens a second", Grid: true},
		Y: chart.Axis{Names: []string{}}}
	runs := chart.Mark{Kind: chart.Dots, Colour: chart.Ink, Size: 2}
	add := func(name string, rates []float64, c chart.Colour) {
		y, rate := float64(len(p.Y.Names)), median(rates)
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bars, Colour: c, Size: 14, Points: []chart.Point{
			{Y: y, Span: &chart.Interval{High: rate}}}})
		if len(rates) > 1 {
			runs.Points = append(runs.Points, chart.Point{X: rate, Y: y,
				Span: &chart.Interval{Low: slices.Min(rates), High: slices.Max(rates)}})
		}
		p.Y.Names = append(p.Y.Names, name)
	}
	for _, m := range r.Results {
		add(m.name(), m.rates(m.Ours), chart.Better)
		if len(m.Warm) > 0 {
			add("warm", m.rates(m.Warm), chart.Better)
		}
		if len(m.Peer) > 0 {
			add("peer", m.rates(m.Peer), chart.Worse)
		}
		if m.Ceiling.TokensSecond > 0 {
			add("ceiling of the machine", []float64{m.Ceiling.TokensSecond}, chart.Line)
		}
	}
	p.Marks = append(p.Marks, runs)
	if err := f.Render(float64(len(p.Y.Names))*chart.RowHeight+chart.Frame, p); err != nil {
		return err
	}
	drawing, err := f.Paper("svg", chart.TwoColumns)
	if err != nil {
		return err
	}
	_, err = w.Write(drawing)
	return err
}
