// Package paper writes the figures and tables of a report in the forms that papers take: each figure as SVG and PDF in
// the width of one column and of two with its caption in LaTeX, each table as LaTeX and CSV.
//
// Lifecycle: New names the directory and the page that links to it, Table and Figure add what there is and give it its
// links, and Save writes everything. The directory's first file lists the others, so that a later report can replace
// them and nothing else.
package paper

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/report/chart"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/internal/escape"
	"github.com/parley-debate/parley/internal/outfile"
)

// Directory has what is written into one directory.
type Directory struct {
	path  string
	link  string // the path as the page sees it; "" if it lies outside of the page's directory
	files []file
}

// file is a file of the directory, and what it shows.
type file struct {
	name, part, title, form string
	content                 []byte
}

// List is the name of the file that lists the others.
const List = "contents.csv"

var listFields = []string{"file", "part", "title", "form"}

// New is an empty directory, to which a page will link if it lies below that of the page: a link out of what is sent on
// together would lead nowhere. Nothing is written before Save.
func New(path, page string) *Directory {
	from, err := filepath.Abs(filepath.Dir(page))
	to, err2 := filepath.Abs(path)
	link, err3 := filepath.Rel(from, to)
	if errors.Join(err, err2, err3) != nil || !filepath.IsLocal(link) {
		return &Directory{path: path}
	}
	return &Directory{path: path, link: "./" + filepath.ToSlash(link) + "/"}
}

// add adds a file, and returns the link to it of the page, if it has one.
func (d *Directory) add(f file) (links []table.Link) {
	d.files = append(d.files, f)
	if d.link == "" {
		return nil
	}
	return []table.Link{{Name: f.form, Path: d.link + f.name}}
}

// Table adds a table of a part of the report, which is "" where the report has one part, as LaTeX and CSV.
func (d *Directory) Table(part string, t *table.Table) {
	name := d.freeName(part, t.Title, ".tex", ".csv")
	t.Files = append(d.add(file{name + ".tex", part, t.Title, "LaTeX", []byte(t.LaTeX(name))}),
		d.add(file{name + ".csv", part, t.Title, "CSV", []byte(t.AllCSV())})...)
}

// Figure adds a figure in all formats and both widths, but for the narrow one where it would be too crowded, and the
// float that sets it with its caption.
func (d *Directory) Figure(part string, f *chart.Figure) error {
	title := d.freeName(part, f.Title, "-2col.svg", ".tex")
	float, shown, width := "figure*", "-2col.pdf", "\\textwidth"
	for _, size := range []struct {
		suffix, name string
		width        float64
	}{{"-2col", "two columns", chart.TwoColumns}, {"-1col", "one column", chart.OneColumn}} {
		for _, format := range chart.Formats {
			drawing, err := f.Paper(format, size.width)
			if err != nil {
				return fmt.Errorf("figure %q as %s: %w", f.Title, format, err)
			}
			if drawing == nil {
				continue
			}
			if size.width == chart.OneColumn {
				float, shown, width = "figure", "-1col.pdf", "\\columnwidth"
			}
			f.Files = append(f.Files, d.add(file{title + size.suffix + "." + format, part, f.Title,
				strings.ToUpper(format) + ", " + size.name, drawing})...)
		}
	}
	set := fmt.Sprintf("\\begin{%s}[t]\n\\centering\n\\includegraphics[width=%s]{%s}\n\\caption{%s}\n\\label{fig:%s}\n"+
		"\\end{%[1]s}\n", float, width, title+shown, table.LaTeXCaption(f.Title, f.Caption), title)
	f.Files = append(f.Files, d.add(file{title + ".tex", part, f.Title, "LaTeX", []byte(set)})...)
	return nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// freeName makes the beginning of a file's name of a part and a title, with a number where files of that name are
// there.
func (d *Directory) freeName(part, title string, suffixes ...string) string {
	const most = 80 // bytes, so that names remain far below the 255 that file systems take
	stem := notInNames.ReplaceAllString(strings.ToLower(strings.TrimSpace(part+" "+title)), "-")
	stem = strings.Trim(stem[:min(most, len(stem))], "-")
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		if !slices.ContainsFunc(d.files, func(f file) bool {
			return slices.ContainsFunc(suffixes, func(s string) bool { return f.name == name+s })
		}) {
			return name
		}
	}
}

// Save writes the directory and removes what an earlier report left in it. It refuses one in which files of these
// names are that no earlier report wrote.
func (d *Directory) Save() error {
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return err
	}
	written := d.earlier()
	var list strings.Builder
	w := csv.NewWriter(&list)
	_ = w.Write(listFields) // into memory, as below
	for _, f := range d.files {
		_ = w.Write(escape.Cells([]string{f.name, f.part, f.title, f.form}))
	}
	w.Flush()
	files := []outfile.File{d.file(List, outfile.Opening(strings.Join(listFields, ",")+"\n"))}
	contents := [][]byte{[]byte(list.String())}
	for _, f := range d.files {
		ours := func(*os.File) bool { return slices.Contains(written, f.name) }
		files, contents = append(files, d.file(f.name, ours)), append(contents, f.content)
	}
	if err := outfile.Check(files...); err != nil {
		return err
	}
	for _, name := range written {
		if !slices.ContainsFunc(d.files, func(f file) bool { return f.name == name }) {
			if err := d.file(name, func(*os.File) bool { return true }).Remove(); err != nil {
				return err
			}
		}
	}
	// The list comes first, so that what an interrupted report has written counts as its own the next time.
	for i, f := range files {
		if err := f.Write(contents[i]); err != nil {
			return err
		}
	}
	return nil
}

// file is a file of the directory, which is replaced only if ours says of what is there that an earlier report wrote
// it.
func (d *Directory) file(name string, ours func(*os.File) bool) outfile.File {
	return outfile.File{Kind: outfile.Kind{Name: "figure or table of a report of parley", Ours: ours},
		Path: filepath.Join(d.path, name)}
}

// earlier are the names of the files that an earlier report lists in the directory. A list is as hostile as any file:
// names that lead elsewhere are none.
func (d *Directory) earlier() (names []string) {
	file, err := os.Open(filepath.Join(d.path, List))
	if err != nil {
		return nil
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || len(records) == 0 || !slices.Equal(records[0], listFields) {
		return nil
	}
	for _, r := range records[1:] {
		if filepath.IsLocal(r[0]) && r[0] == filepath.Base(r[0]) && r[0] != List {
			names = append(names, r[0])
		}
	}
	return names
}
