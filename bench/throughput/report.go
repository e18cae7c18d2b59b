package throughput

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/outfile"
)

// Report is a list of measurements and what they were made with.
type Report struct {
	Program   string        `json:"program"` // version and revision
	LlamaCpp  string        `json:"llama_cpp"`
	Machine   string        `json:"machine"`
	Load      string        `json:"load"` // averages before the first run
	Model     string        `json:"model"`
	ModelHash string        `json:"model_sha256"`
	Flags     string        `json:"flags"`
	Plan      string        `json:"plan"` // what our engine chose where the flags leave a choice
	PeerURL   string        `json:"peer_url,omitempty"`
	PeerFlags string        `json:"peer_flags,omitempty"`
	Results   []Measurement `json:"results"`
}

// Document is the report for people: what ran where, and the table.
func (r Report) Document() table.Document {
	text := fmt.Sprintf("%s\n%s, load %s; model %s\nours: %s\nplan: %s\n", r.Program, r.Machine, r.Load, r.Model,
		r.Flags, r.Plan)
	if r.PeerURL != "" {
		text += fmt.Sprintf("peer: %s (%s)\n", r.PeerFlags, r.PeerURL)
	}
	var speed llamacpp.Speed
	for _, m := range r.Results {
		speed = speed.Best(m.Speed)
	}
	if speed.Bytes > 0 {
		text += fmt.Sprintf("machine at best: %.1f GB/s read, %.0f G products/s of 32 bits, %.0f of 8 bits\n",
			speed.Bytes/1e9, speed.FloatProducts/1e9, speed.ByteProducts/1e9)
	}
	return table.Document{table.Text(text), r.table()}
}

// JSON is the report for programs.
func (r Report) JSON() ([]byte, error) {
	encoded, err := json.MarshalIndent(r, "", "  ")
	return append(encoded, '\n'), err
}

// outputs are the files of a report: JSON, text, figure.
func outputs(dir string) []outfile.File {
	file := func(name, opening string) outfile.File {
		return outfile.File{Kind: outfile.Kind{Name: "report of parley bench", Ours: outfile.Opening(opening)},
			Path: filepath.Join(dir, name)}
	}
	return []outfile.File{file("report.json", `\{\s*"program": "[^\n]*",\s*"llama_cpp": `),
		file("report.txt", `[^\n]*\n[^\n]*, load `), file("report.svg", `<\?xml`)}
}

// CheckSave refuses a directory in which Save would take the place of files that are no report's.
func CheckSave(dir string) error { return outfile.Check(outputs(dir)...) }

// Save writes report.json, report.txt and report.svg into a directory, which it makes if necessary. It replaces an
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
	for i, content := range [][]byte{encoded, []byte(r.Document().String()), svg.Bytes()} {
		if err := files[i].Write(content); err != nil {
			return err
		}
	}
	return nil
}

// table renders the results.
func (r Report) table() table.Table {
	peers := slices.ContainsFunc(r.Results, func(m Measurement) bool { return len(m.Peer) > 0 })
	columns := slices.Concat(ownColumns, peerColumns)
	for i := range columns[len(ownColumns):] {
		columns[len(ownColumns)+i].Hidden = !peers
	}
	return table.New(columns, r.Results)
}

var ownColumns = []table.Column[Measurement]{
	table.Left("workload", func(m Measurement) string { return m.Workload }),
	table.Right("runs", func(m Measurement) string { return fmt.Sprint(len(m.Ours)) }),
	ownColumn("prompt tokens", func(u Usage) string { return humanize.Comma(int64(u.Asked)) }),
	ownColumn("computed", func(u Usage) string { return humanize.Comma(int64(u.Computed)) }),
	ownColumn("of least", func(u Usage) string {
		return quotient("%.3f", float64(u.Computed), float64(u.Least))
	}),
	ownColumn("generated", func(u Usage) string { return humanize.Comma(int64(u.Generated)) }),
	ownColumn("wall s", func(u Usage) string { return fmt.Sprintf("%.1f", u.Wall.Seconds()) }),
	table.Right("tokens/s", func(m Measurement) string { return quotient("%.0f", rate(m.Ours), 1) }),
	ownColumn("prefill/s", func(u Usage) string { return quotient("%.0f", u.PrefillRate, 1) }),
	ownColumn("decode/s", func(u Usage) string { return quotient("%.0f", u.DecodeRate, 1) }),
	ownColumn("Go", func(u Usage) string {
		return quotient("%.1f %%", 100*u.Outside.Seconds(), u.Wall.Seconds())
	}),
	ownColumn("memory", func(u Usage) string { return humanize.IBytes(uint64(u.PeakMemory)) }),
	table.Right("of ceiling", func(m Measurement) string {
		return quotient("%.0f %%", 100*rate(m.Ours), m.Ceiling.TokensSecond)
	}),
}

// quotient writes a number of something, and nothing where there is none of it or of what it is divided by.
func quotient(format string, number, by float64) string {
	if number <= 0 || by <= 0 {
		return ""
	}
	return fmt.Sprintf(format, number/by)
}

var peerColumns = []table.Column[Measurement]{
	peerColumn("peer tokens/s", func(m Measurement) string { return quotient("%.0f", rate(m.Peer), 1) }),
	peerColumn("computed", func(m Measurement) string { return humanize.Comma(int64(middle(m.Peer).Computed)) }),
	peerColumn("memory", func(m Measurement) string { return humanize.IBytes(uint64(middle(m.Peer).PeakMemory)) }),
	peerColumn("ours / peer", func(m Measurement) string { return fmt.Sprintf("%.2f", median(m.ratios())) }),
	peerColumn("interval", func(m Measurement) string {
		ratios := m.ratios()
		return fmt.Sprintf("%.2f to %.2f", ratios[0], ratios[len(ratios)-1])
	}),
}

// ownColumn shows a number of our middle run.
func ownColumn(name string, text func(Usage) string) table.Column[Measurement] {
	return table.Right(name, func(m Measurement) string { return text(middle(m.Ours)) })
}

// peerColumn is empty in the rows of workloads that the peer did not run.
func peerColumn(name string, text func(Measurement) string) table.Column[Measurement] {
	return table.Left(name, func(m Measurement) string {
		if len(m.ratios()) == 0 {
			return ""
		}
		return text(m)
	})
}

// middle is the run in the middle of the list, by time and not by speed.
func middle(runs []Usage) Usage { return runs[len(runs)/2] }

// svg draws delivered tokens a second as bars: ours, the peer's and the ceiling.
func (r Report) svg(w io.Writer) error {
	f := chart.Figure{Title: fmt.Sprintf("%s on %s", r.Model, r.Machine)}
	p := chart.Panel{Title: f.Title, X: chart.Axis{Label: "delivered tokens a second", Grid: true},
		Y: chart.Axis{Names: []string{}}}
	add := func(name string, rate float64, c chart.Colour) {
		p.Marks = append(p.Marks, chart.Mark{Kind: chart.Bars, Colour: c, Size: 14, Points: []chart.Point{
			{Y: float64(len(p.Y.Names)), Span: &chart.Interval{High: rate}}}})
		p.Y.Names = append(p.Y.Names, name)
	}
	for _, m := range r.Results {
		add(m.Workload, rate(m.Ours), chart.Better)
		if len(m.Peer) > 0 {
			add("peer", rate(m.Peer), chart.Worse)
		}
		add("ceiling of the machine", m.Ceiling.TokensSecond, chart.Line)
	}
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
