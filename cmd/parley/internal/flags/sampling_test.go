package flags

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
)

// TestWhoSaysHowRepliesAreDrawn: the user comes before the model's file or card, and these before the default.
func TestWhoSaysHowRepliesAreDrawn(t *testing.T) {
	advice := &models.Advice{Temperature: 0.6, TopP: 0.95, TopK: 20, From: "the card of X"}
	for _, c := range []struct {
		flags string
		model inference.ModelInfo
		want  inference.Sampling
		from  string
	}{
		{"", inference.ModelInfo{}, inference.Sampling{Temperature: 0.7, TopP: 0.9}, "the default"},
		{"", inference.ModelInfo{Advice: advice}, inference.Sampling{Temperature: 0.6, TopP: 0.95, TopK: 20},
			"the card of X"},
		{"", inference.ModelInfo{Embedded: true}, inference.Sampling{Temperature: 1}, "the embedded model's default"},
		{"--top-p=0.5", inference.ModelInfo{Advice: advice}, inference.Sampling{Temperature: 0.6, TopP: 0.5, TopK: 20},
			"--top-p, and the card of X"},
		{"--top-k=0", inference.ModelInfo{Advice: advice}, inference.Sampling{Temperature: 0.6, TopP: 0.95},
			"--top-k, and the card of X"},
		{"--temperature=0", inference.ModelInfo{Advice: advice}, inference.Sampling{}, "--temperature"},
		{"--temperature=1 --min-p=0.1", inference.ModelInfo{Advice: advice},
			inference.Sampling{Temperature: 1, MinP: 0.1}, "--temperature, --min-p"},
	} {
		t.Run(c.from, func(t *testing.T) {
			f := new(Sampling)
			flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
			f.Register(flags, "")
			if err := flags.Parse(strings.Fields(c.flags)); err != nil {
				t.Fatal(err)
			}
			got, from, err := f.For(c.model)
			if err != nil || got.Named() != c.want.Named() || from != c.from {
				t.Errorf("%q, %+v: %s (%s), %v; want %s (%s)", c.flags, c.model.Advice, got.Named(), from, err,
					c.want.Named(), c.from)
			}
		})
	}
	f := new(Sampling)
	f.Register(pflag.NewFlagSet("x", pflag.ContinueOnError), "")
	broken := inference.ModelInfo{Name: "m", Advice: &models.Advice{Temperature: 1e9, From: "the file's " +
		"general.sampling"}}
	if _, _, err := f.For(broken); err == nil || !strings.Contains(err.Error(), "give --temperature") {
		t.Errorf("a temperature of 10^9 in a file got the error %v, want one that says \"give --temperature\"", err)
	}
}
