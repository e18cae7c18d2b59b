package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/outfile"
)

// A data set as the Hugging Face hub has it: tables in Parquet, a card (README.md), whose head datasets.load_dataset
// reads, and metadata in Croissant 1.0 (mlcommons.org/croissant).

var (
	cardFiles      = outfile.Kind{Name: "card of an earlier export", Ours: outfile.Opening("---\n# parley export")}
	croissantFiles = outfile.Kind{Name: "metadata of an earlier export",
		Ours: outfile.Opening(`\{\s*"@context":\s*\{\s*"@language"`)}
)

// hub is such a directory.
func hub(x exporting) ([]piece, error) {
	a := asLogs{run: x.run}
	pieces := tables(x, filepath.Join(x.prefix, "data")+string(filepath.Separator), FormatParquet)
	seen := watchedAll(pieces)
	card := outfile.File{Kind: cardFiles, Path: filepath.Join(x.prefix, "README.md")}
	metadata := outfile.File{Kind: croissantFiles, Path: filepath.Join(x.prefix, "croissant.json")}
	return append(pieces, piece{card, "conditions", func(out io.Writer) (int, error) {
		_, err := io.WriteString(out, a.card())
		return len(x.run.Comparison.Rows), err
	}}, piece{metadata, "tables", func(out io.Writer) (int, error) {
		return len(pieces), indented(out, a.croissant(seen))
	}}), nil
}

// indented writes JSON for people.
func indented(out io.Writer, value any) error {
	to := json.NewEncoder(out)
	to.SetIndent("", " ")
	to.SetEscapeHTML(false)
	return to.Encode(value)
}

// tableNames are those of the tables, in the order of the function tables.
var tableNames = []struct {
	name, meaning string
	fields        []parquet.Field
}{
	{"replies", "what agents were asked for and said, a row for each turn", parquet.SchemaOf(new(ReplyRow)).Fields()},
	{"decisions", "what debates decided, a row for each", parquet.SchemaOf(new(DecisionRow)).Fields()},
	{"measures", "measures of each debate, as a part of something", parquet.SchemaOf(new(MeasureRow)).Fields()},
}

// title names the data.
func (a asLogs) title() string {
	h := a.run.Header
	return fmt.Sprintf("%s: %s on %s", strings.Join(h.Conditions, ", "), cmp.Or(h.Model.Name, h.Model.Hash, "unknown"),
		h.TaskName())
}

// about says in a sentence what the data are.
func (a asLogs) about() string {
	h := a.run.Header
	return fmt.Sprintf("Debates of language models and their controls, recorded by Parley: %s, %s, %s.",
		wording.Count(h.Questions, "question"), wording.Count(max(1, h.Repeats), "repeat"),
		wording.Count(len(a.run.Outcomes), "debate"))
}

// licences are those of the questions as the hub writes them; "unknown" where nobody states one.
func (a asLogs) licences() []string {
	families := task.Families()
	at := slices.IndexFunc(families, func(f task.Family) bool { return f.Name == a.run.Header.Family })
	if at < 0 || !stated.MatchString(families[at].Licence) {
		return []string{"unknown"}
	}
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(families[at].Licence), ", ", ","), " ",
		"-"), ",")
}

// stated are licences with an identifier there.
var stated = regexp.MustCompile(`^(MIT|Apache-2\.0|GPL-3\.0|CC BY(-SA)? 4\.0)(, (MIT|Apache-2\.0))*$`)

// card is README.md: a head for programs, and the settings and intervals for people.
func (a asLogs) card() string {
	var b strings.Builder
	h := a.run.Header
	title, _ := json.Marshal(a.title()) // a text of JSON is one of YAML
	fmt.Fprintf(&b, "---\n# parley export\npretty_name: %s\nlicense: [%s]\ntags: [parley, multi-agent-debate]\n"+
		"configs:\n", title, strings.Join(a.licences(), ", "))
	for _, t := range tableNames {
		fmt.Fprintf(&b, "- config_name: %s\n  data_files: data/%[1]s.parquet\n", t.name)
		if t.name == "decisions" {
			b.WriteString("  default: true\n")
		}
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n%s The licence is that of the questions.\n\n", table.MarkdownCell(a.title()),
		a.about())
	for _, t := range tableNames {
		fmt.Fprintf(&b, "- `%s`: %s\n", t.name, t.meaning)
	}
	t := table.Table{Heads: []table.Head{{Name: "condition", Left: true}, {Name: "n"}, {Name: "failed"},
		{Name: "accuracy"}, {Name: "95 %"}, {Name: "difference"}, {Name: "p"}}}
	for _, r := range a.run.Comparison.Rows {
		t.Lines = append(t.Lines, table.Line{Cells: a.cells(r)})
	}
	fmt.Fprintf(&b, "\nDifferences are paired, from `%s`.\n\n%s\n## Settings\n\n```\n%s\n```\n",
		a.run.Comparison.Reference, t.Markdown(), strings.ReplaceAll(strings.TrimSpace(h.Headline()), "```", "'''"))
	return b.String()
}

// cells are a condition's row of the card.
func (a asLogs) cells(r analysis.Row) (cells []table.Cell) {
	texts := []string{r.Condition, fmt.Sprint(r.N), fmt.Sprint(r.Failed), fmt.Sprintf("%.4f", r.Accuracy),
		table.Span("%.4f", r.Interval.Low, r.Interval.High), "", ""}
	if p := r.Paired; p != nil {
		texts[5], texts[6] = fmt.Sprintf("%+.4f", p.Difference), p.Unmeasured.Probability(p.P)
	}
	for _, text := range texts {
		cells = append(cells, table.Cell{Text: text})
	}
	return cells
}

// croissant are the metadata, after the tables are written.
func (a asLogs) croissant(seen []*written) object {
	files, records := []object{}, []object{}
	for i, t := range tableNames {
		path := "data/" + t.name + ".parquet"
		files = append(files, object{"@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path,
			"encodingFormat": "application/x-parquet", "sha256": seen[i].sum(), "contentSize": fmt.Sprint(seen[i].size,
				" B")})
		fields := []object{}
		for _, f := range t.fields {
			field := object{"@type": "cr:Field", "@id": t.name + "/" + f.Name(), "name": f.Name(),
				"source": object{"fileObject": object{"@id": path}, "extract": object{"column": f.Name()}}}
			if !f.Leaf() {
				field["dataType"], field["repeated"] = "sc:Integer", true
			} else {
				field["dataType"] = map[parquet.Kind]string{parquet.ByteArray: "sc:Text", parquet.Int64: "sc:Integer",
					parquet.Double: "sc:Float", parquet.Boolean: "sc:Boolean"}[f.Type().Kind()]
			}
			fields = append(fields, field)
		}
		records = append(records, object{"@type": "cr:RecordSet", "@id": t.name, "name": t.name,
			"description": t.meaning, "field": fields})
	}
	return object{"@context": json.RawMessage(croissantContext), "@type": "sc:Dataset",
		"conformsTo": "http://mlcommons.org/croissant/1.0", "name": fileName(a.title()), "description": a.about(),
		"license": a.licences(), "datePublished": a.ended(), "version": "1.0.0", "url": "https://schema.org/Dataset",
		"creator": object{"@type": "sc:Organization", "name": "unknown"}, "distribution": files, "recordSet": records}
}

// croissantContext is the one that Croissant 1.0 prescribes.
const croissantContext = `{"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
"dct": "http://purl.org/dc/terms/", "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo",
"data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
"equivalentProperty": "cr:equivalentProperty", "examples": {"@id": "cr:examples", "@type": "@json"},
"extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
"fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset",
"jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
"recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated",
"replace": "cr:replace", "samplingRate": "cr:samplingRate", "separator": "cr:separator", "source": "cr:source",
"subField": "cr:subField", "transform": "cr:transform"}`
