package show_test

import (
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestForgedTranscript: a file that says what no debate leaves is refused, and what is empty in it is no crash.
func TestForgedTranscript(t *testing.T) {
	for text, want := range map[string]string{
		`{"rounds":[[{"agent":20000000}]]}`: "agent 20000000: there are roles or turns for " +
			"1 at most",
		`{"rounds":[[{"agent":-5}]]}`:                             "agent -5",
		`{"rounds":[null,[]]}`:                                    "",
		`{"rounds":[[{}]],"voting":[[]]}`:                         "",
		`{"case":"x"}`:                                            "it has no rounds",
		`{"rounds":[[` + strings.Repeat("{},", 200_000) + `{}]]}`: "a record has 200002 objects",
	} {
		t.Run(text, func(t *testing.T) {
			path := datatest.File(t, "transcript.json", text)
			for _, args := range [][]string{{"show", path}, {"show", path, "--messages"},
				{"show", path, "--decide", "first"}} {
				if code, _, stderr := parleytest.Ran(args...); want == "" && code != 0 ||
					want != "" && (code != exit.CodeInput || !strings.Contains(stderr, want)) {
					t.Errorf("%v of %.60s ended with status %d, want %q (0 if empty): %s", args, text, code, want,
						stderr)
				}
			}
		})
	}
}

// FuzzShow shows anything that can be read as a transcript.
func FuzzShow(f *testing.F) {
	for _, text := range []string{
		`{"rounds":[[{"agent":0,"reply":{"text":"(A)"},"answer":{"text":"(A)","parsed":true},"heard":[1]},{"agent":1}]],"roles":["judge","x"],"phases":["final"]}`,
		`{"rounds":[null,[]],"voting":[[]]}`, `{"rounds":[[{"before":[{"agent":2}]}]],"decision":{"votes":[{"agents":[-1]}],"tally":{"scores":[1]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := datatest.File(t, "transcript.json", text)
		for _, more := range [][]string{{"--width", "80"}, {"--messages"}, {"--decide", "trajectory"}} {
			args := append([]string{"show", path}, more...)
			if code, _, stderr := parleytest.Ran(args...); code != 0 && code != exit.CodeInput {
				t.Errorf("%v ended with status %d, want 0 or %d: %s", args, code, exit.CodeInput, stderr)
			}
		}
	})
}
