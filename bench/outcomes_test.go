package bench

import (
	"errors"
	"strings"
	"testing"
)

func TestReadRunTakesTheLastHeader(t *testing.T) {
	path, run := finished(t)
	if len(run.Outcomes) != 10*len(run.Header.Conditions) {
		t.Errorf("%d outcomes", len(run.Outcomes))
	}
	d, err := OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	wider := run.Header
	wider.Rounds++
	if err := errors.Join(d.Begin(wider), d.Close()); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadRun(path); err != nil || again.Header.Rounds != 3 || again.Outcomes != nil {
		t.Errorf("%d rounds, %d outcomes, %v", again.Header.Rounds, len(again.Outcomes), err)
	}
	if _, err := ReadRun(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no run directory") {
		t.Error(err)
	}
}
