package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lightness matches words that are false in one of the page's two schemes: what is pale on white is dark on black.
var lightness = regexp.MustCompile(`(?i)\b(pale|dark|light|bright)(er|est)?\b`)

// No caption or legend hangs a meaning on how light something is drawn.
func TestMeaningsDoNotHangOnLightness(t *testing.T) {
	read := 0
	check := func(path, text string) {
		read++
		if word := lightness.FindString(text); word != "" {
			t.Errorf("%s: no meaning hangs on lightness: got %q in %.120q", path, word, text)
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch name := entry.Name(); {
		case filepath.Ext(name) == ".js":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			check(path, string(text))
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					check(path, text.Value)
				}
				return true
			})
		}
		return nil
	})
	if err != nil || read < 1000 {
		t.Fatalf("the picture is read, 1,000 points or more: got %d, %v", read, err)
	}
}
