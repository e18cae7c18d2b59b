package flags

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// TestFromTags: each field with a tag has a flag of its type, with its default, its range and its help; others have
// none.
func TestFromTags(t *testing.T) {
	type options struct {
		Text   string `flag:"text,WORD" usual:"x" help:"a word"`
		List   []string
		Each   []string `flag:"each,ITEM" help:"an item"`
		Count  int      `flag:"count" usual:"25" range:"1..30" help:"a number"`
		Margin float64  `flag:"margin" range:"0.001..1" help:"a share"`
	}
	var got options
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	FromTags(set, &got)
	if diff := cmp.Diff(options{Text: "x", Count: 25}, got); diff != "" {
		t.Errorf("defaults: %s", diff)
	}
	if err := set.Parse([]string{"--text=a", "--each=b,c", "--each=d", "--count=30", "--margin=0.5"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(options{Text: "a", Each: []string{"b,c", "d"}, Count: 30, Margin: 0.5}, got); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{"--count=31", "--margin=2", "--list=a"} {
		if err := set.Parse([]string{wrong}); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
	if f := set.Lookup("text"); f.Usage != "a word" || f.Value.Type() != "WORD" ||
		!strings.Contains(set.Lookup("count").Usage, "from 1 to 30") {
		t.Errorf("%+v, %q; want help, the word for its value, and the range", f, set.Lookup("count").Usage)
	}
}
