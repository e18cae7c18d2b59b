package rundir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
)

func TestReadRunTakesTheLastHeader(t *testing.T) {
	path, run := benchtest.Finished(t)
	if len(run.Outcomes) != 10*len(run.Header.Conditions) {
		t.Errorf("%d outcomes", len(run.Outcomes))
	}
	d, err := rundir.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	wider := run.Header
	wider.Rounds++
	if err := errors.Join(d.Begin(wider), d.Close()); err != nil {
		t.Fatal(err)
	}
	if again, err := rundir.ReadRun(path); err != nil || again.Header.Rounds != 3 || again.Outcomes != nil {
		t.Errorf("%d rounds, %d outcomes, %v", again.Header.Rounds, len(again.Outcomes), err)
	}
	if _, err := rundir.ReadRun(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Error(err)
	}
}
