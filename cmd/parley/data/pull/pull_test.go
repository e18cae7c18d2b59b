package pull

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// TestDataPull: files are compared with the pinned hash, and those without one are said to be unpinned.
func TestDataPull(t *testing.T) {
	const gsm = `{"question": "How many?", "answer": "So many.\n#### 4"}` + "\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(gsm)))
		fmt.Fprint(w, gsm)
	}))
	defer s.Close()
	for _, proxy := range []string{"HTTP_PROXY", "http_proxy"} {
		t.Setenv(proxy, "")
	}
	pull := func(sha256 string, dry bool) (stdout string, err error) {
		cmd, out := &cobra.Command{Use: "pull"}, &bytes.Buffer{}
		cmd.SetOut(out)
		cmd.SetErr(io.Discard)
		cmd.SetContext(context.Background())
		p := task.Published{Name: "few", Family: "gsm8k", File: "gsm.jsonl", URL: s.URL + "/gsm.jsonl",
			SHA256: sha256, Licence: "MIT", Note: "made up"}
		err = pullData(command.Of(cmd), []task.Published{p}, filepath.Join(t.TempDir(), "to"), dry)
		return out.String(), err
	}
	says := func(text string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("the output lacks %q, want it there:\n%s", word, text)
			}
		}
	}
	out, err := pull("", true)
	if err != nil || strings.Contains(out, "questions") {
		t.Errorf("a download of data ends without a table of questions: %v, got %s", err, out)
	}
	said := fmt.Sprintf("%d B, SHA-256 nobody says which", len(gsm))
	says(out, "licence: MIT", "note: made up", said)
	if out, err = pull("", false); err != nil {
		t.Error(err)
	}
	says(out, "which nobody announced", "not pinned", "gsm8k, 1 question", "How many?")
	arrived := hex64.FindString(out)
	if out, err = pull(arrived, false); err != nil {
		t.Error(err)
	}
	says(out, arrived+", as announced")
	if _, err = pull(strings.Repeat("0", 64), false); exitCodeOf(err) != exit.CodeInput {
		t.Errorf("exit %d: %v, want %v", exitCodeOf(err), err, exit.CodeInput)
	}
}

var hex64 = regexp.MustCompile(`[0-9a-f]{64}`)

func exitCodeOf(err error) int {
	code, _ := exit.Of(context.Background(), err, nil)
	return code
}
