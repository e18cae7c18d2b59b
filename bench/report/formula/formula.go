// Package formula has the program that draws LaTeX formulas in a report, KaTeX, and tells which texts need it. KaTeX
// writes MathML, which browsers draw with their own fonts, so that the page needs no style sheet and no font.
//
// katex@VERSION/katex.min.js is the file of the package katex of npm, unchanged. To take another version, replace the
// directory and hash.
package formula

import (
	_ "embed"
	"regexp"
	"strings"
)

// version and hash are those of the file: the version of the package, and the SHA-256 of katex.min.js, hex.
const (
	version = "0.19.1"
	hash    = "fa140498b8cfc8302cbe5e7cb1bdbc1f952bc38b3fa258ede09e73edbf9a74bc"
)

var (
	//go:embed katex@0.19.1/katex.min.js
	katex string
	//go:embed katex@0.19.1/LICENSE
	licence string
)

// Script is KaTeX with its licence, as a page has it.
func Script() string {
	return "/*! KaTeX " + version + "\n" + strings.ReplaceAll(licence, "*/", "* /") + "*/\n" + katex
}

// delimited finds what math.js may draw. It may find more, which only makes a page larger.
var delimited = regexp.MustCompile(`\\\(|\\\[|\$\$|\\boxed *\{|\$[^\s$]([^$\n]*[^\s$])?\$`)

// In reports whether a text may have a formula.
func In(text string) bool { return strings.ContainsAny(text, `\$`) && delimited.MatchString(text) }
