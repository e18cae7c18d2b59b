// Command width reports lines that are too wide: code at more than 120 columns with tabs of four, pages in docs at more
// than 100. Run it with the root of the repository and the list of exceptions:
//
//	width . tools/wide.txt
//
// It accepts a wide line if a reader gains nothing from breaking it: inside a raw string that is no tag of a field,
// since its text would change; in a table or a code block of a page; and if the line is one long word, such as an
// address.
package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const tab = 4

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: width ROOT EXCEPTIONS")
		os.Exit(2)
	}
	complaints, err := check(os.Args[1], os.Args[2])
	if err != nil {
		complaints = append(complaints, err.Error())
	}
	for _, c := range complaints {
		fmt.Fprintln(os.Stderr, "width:", c)
	}
	if len(complaints) > 0 {
		os.Exit(1)
	}
}

// check returns a complaint for each wide line without an exception, and for each exception without a wide line.
func check(root, list string) (complaints []string, err error) {
	exceptions, err := readExceptions(list)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			return skipped(name)
		}
		limit := limitOf(name)
		if limit == 0 {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, line := range wideLines(name, text, limit) {
			if pattern := matching(exceptions, name); pattern != "" {
				used[pattern] = true
			} else {
				complaints = append(complaints, fmt.Sprintf("%s:%d is wider than %d columns", name, line, limit))
			}
		}
		return nil
	})
	for _, pattern := range exceptions {
		if !used[pattern] {
			complaints = append(complaints,
				fmt.Sprintf("%s: %s has no wide line any more; remove the entry", list, pattern))
		}
	}
	return complaints, err
}

// readExceptions returns the first word of each line of the list; the rest is the reason, which must be there.
func readExceptions(list string) (patterns []string, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		pattern, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %s has no reason beside it", list, pattern)
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", list, pattern, err)
		}
		patterns = append(patterns, pattern)
	}
	return patterns, nil
}

func matching(patterns []string, name string) string {
	for _, pattern := range patterns {
		if ok, _ := path.Match(pattern, name); ok {
			return pattern
		}
	}
	return ""
}

// skipped leaves out directories that nobody reads as code: hidden ones, build outputs, and data of tests.
func skipped(dir string) error {
	base := path.Base(dir)
	if dir != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "parley-runs") ||
		dir == "build" || dir == "bin" {
		return filepath.SkipDir
	}
	return nil
}

// limitOf returns how many columns a line of the file may have, or 0 for a file that is not checked. YAML is not: its
// long lines are prompts and quotations, which stand as their sources have them.
func limitOf(name string) int {
	switch {
	case path.Dir(name) == "docs" && path.Ext(name) == ".md":
		return 100
	case path.Base(name) == "Makefile":
		return 120
	}
	switch path.Ext(name) {
	case ".go", ".c", ".h", ".cpp", ".hpp", ".sh", ".py", ".md":
		return 120
	}
	return 0
}

// wideLines returns the numbers of the lines that are too wide and could be broken.
func wideLines(name string, text []byte, limit int) (numbers []int) {
	raw := func(int) bool { return false }
	if path.Ext(name) == ".go" {
		raw = rawStrings(text)
	}
	page := path.Ext(name) == ".md"
	number, offset, fenced := 0, 0, false
	for whole := range strings.Lines(string(text)) {
		line := strings.TrimRight(whole, "\r\n")
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		at := crossing(line, limit)
		verbatim := page && (fenced || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "    "))
		if at >= 0 && !verbatim && !raw(offset+at) && !oneWord(line[:at]) {
			numbers = append(numbers, number)
		}
		offset += len(whole)
	}
	return numbers
}

// crossing returns the offset of the first character beyond the limit, or -1.
func crossing(line string, limit int) int {
	column := 0
	for i, r := range line {
		if column >= limit {
			return i
		}
		if r == '\t' {
			column += tab - column%tab
		} else {
			column++
		}
	}
	return -1
}

// oneWord tells whether what stands within the limit is a single word behind its bullet or comment sign.
func oneWord(line string) bool {
	words := strings.Fields(line)
	return len(words) == 1 || len(words) == 2 && utf8.RuneCountInString(words[0]) <= 2
}

// tag is how the tags of a field begin.
var tag = regexp.MustCompile("^`[a-z]+:\"")

// rawStrings returns a function that tells whether a byte of a Go file lies in a raw string.
func rawStrings(text []byte) func(offset int) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	type span struct{ start, end int }
	var spans []span
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.STRING && literal[0] == '`' && !tag.MatchString(literal) {
			start := file.Offset(pos)
			// The scanner drops carriage returns from the literal, so that its length does not give its end.
			spans = append(spans, span{start, start + 1 + bytes.IndexByte(text[start+1:], '`')})
		}
	}
	return func(offset int) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.start <= offset && offset <= s.end })
	}
}
