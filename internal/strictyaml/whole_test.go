package strictyaml

import (
	"strings"
	"testing"
)

// TestWhole: a number with a fraction is refused where a whole one is needed, also behind anchors.
func TestWhole(t *testing.T) {
	type inner struct {
		Deep int `yaml:"deep"`
	}
	type file struct {
		Count int            `yaml:"count"`
		Level *int           `yaml:"level"`
		List  []int          `yaml:"list"`
		Share float64        `yaml:"share"`
		Items []inner        `yaml:"items"`
		Named map[string]int `yaml:"named"`
		inner `yaml:",inline"`
	}
	for text, want := range map[string]string{
		"count: 3\nlevel: 2\nlist: [1, 2]\nshare: 2.5\nitems: [{deep: 1}]\ndeep: 4\n": "",
		"other: 2.5\n":                     "",
		"share:\n":                         "share null: must be a number",
		"count: 2.5\n":                     "[1:8] count 2.5: must be a whole number",
		"count: .nan\n":                    "count .nan",
		"count: -.inf\n":                   "count -.inf",
		"share: 1\ncount:\n":               "[2:8] count null: must be a number",
		"share: 1\nlevel: 0.5\n":           "[2:8] level 0.5",
		"list: [1, 2.5]\n":                 "list 2.5",
		"items:\n  - {deep: 2.5}\n":        "[2:12] deep 2.5",
		"deep: 2.5\n":                      "deep 2.5",
		"count: &a 2.5\n":                  "count 2.5",
		"share: &a 2.5\ncount: *a\n":       "[1:11] count 2.5",
		"share: &a 2\ncount: *a\n":         "",
		"named: {a: 2, b: 2.5}\n":          "[1:18] named 2.5",
		"items: [&i {deep: 2.5}]\n":        "deep 2.5",
		"other: &o {count: 2.5}\n<<: *o\n": "[1:19] count 2.5",
		"share: 1\nitems: [{deep: 1.}]\n":  "deep 1.",
	} {
		t.Run(text, func(t *testing.T) {
			parsed, err := check([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			err = checkWhole(parsed, file{})
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
}
