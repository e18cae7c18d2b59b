package show_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestOlderRecords: where a record does not have what tells right answers, commands say how to know them.
func TestOlderRecords(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "log.json"), filepath.Join(dir, "run")
	text := `{"source": "他很有趣", "correct_reference": "He is fun.", "incorrect_reference": "He plays.",
		"debate_translation": "He is fun.", "rounds": [{"affirmative": "He plays.", "negative": "He is fun.",
		"moderator": "He is fun."}]}`
	datatest.Write(t, file, text)
	log, err := importer.Read("liang", []string{file})
	if err != nil {
		t.Fatal(err)
	}
	held, err := log.Run(nil)
	if err != nil {
		t.Fatal(err)
	}
	held.Outcomes[0].Key = nil // as before keys were recorded
	d, err := rundir.OpenDirectory(out)
	if err == nil {
		err = errors.Join(importer.Save(d, held), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
		says string
	}{
		{0, []string{"show", out, "--case", "log/1"}, "does not tell which replies are right: parley score --task"},
		{exit.CodeInput, []string{"score", out}, "import the logs again (" + file + ")"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.code, c.args), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := cli.Run(c.args, nil, &stdout, &stderr); code != c.code ||
				!strings.Contains(stdout.String()+stderr.String(), c.says) {
				t.Errorf("%s: exit %d, want %d and the words %q in\n%s%s", c.args[0], code, c.code, c.says,
					stdout.String(), stderr.String())
			}
		})
	}
}
