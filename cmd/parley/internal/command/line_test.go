package command

import (
	"fmt"
	"testing"

	"github.com/spf13/cobra"
)

// TestDo: the line has what was typed, and what stands in the place of run is called.
func TestDo(t *testing.T) {
	type options struct {
		line Line
		n    int
	}
	o := new(options)
	ran := ""
	is := func(name string) func(*options) error {
		return func(*options) error { ran = name; return nil }
	}
	for _, instead := range []func(*options) error{nil, is("instead")} {
		t.Run(fmt.Sprintf("instead %v", instead != nil), func(t *testing.T) {
			cmd := &cobra.Command{Use: "count"}
			cmd.Flags().IntVar(&o.n, "n", 1, "")
			cmd.RunE = Do(o, &o.line, is("run"), instead)
			cmd.SetArgs([]string{"--n=2", "word"})
			if err := cmd.Execute(); err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{true: "run", false: "instead"}[instead == nil]
			if ran != want || o.n != 2 || !o.line.Given("n") || o.line.Given("m") || o.line.Args[0] != "word" {
				t.Errorf("ran %s with %+v, want %s with what was typed", ran, o, want)
			}
			if got, want := o.line.Again("there is"), `count --n=2 word --out='there is'`; got != want {
				t.Errorf("again is %s, want %s", got, want)
			}
		})
	}
}
