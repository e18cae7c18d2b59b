package cli_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestIdleFlags: a flag that could not be obeyed is refused before anything is opened, and the error names it.
func TestIdleFlags(t *testing.T) {
	facts := datatest.File(t, "facts.txt", "One is less than two.")
	for _, line := range []string{
		"compare --generated 2 !--stop-every 5", "demo !--calibrate 3s", "compare --generated 2 !--details --json",
		"run madc-table1 !--details --dry-run", "run madc-table1 !--columns question=q",
		"run madc-table1 !--rule number",
		"run madc-table1 !--data . --on x", "run madc-table1 !--only math500 --on x",
		"run madc-table1 !--task math500=x --on x",
		"score x !--list --json", "score x !--details --json", "diff x y !--list --json", "debate !--device CUDA0 q",
		"replay x y !--device CUDA0", "bench !--device CUDA0",
		"compare --task x.json !--objects 5", "compare --power 0.1 !--generated 5", "compare --power 0.1 !--agents 5",
		"compare --generated 2 !--columns question=q", "compare --generated 2 !--rule number",
		"import --from du x !--columns question=q", "data !--columns question=q", "data !--rule number",
		"experiments --schema !--json", "experiments --schema !madc-table1",
		"show x !--width 80 --messages", "show " + facts + " !--case 1", "debate !--facts " + facts + " q",
		"debate !--wrong (B) q",
		"debate --protocol lesson !--answer letter q", "debate --protocol knights !--answer letter q",
		"debate !--kernels parley --gpu-layers 1 q",
		"debate --protocol ablation !--agents 5 q", "debate --protocol dmad !--agents 2 q",
		"debate --protocol consensus-majority --set !vote-from=2 q",
	} {
		t.Run(line, func(t *testing.T) {
			_, flag, _ := strings.Cut(line, "!")
			flag = strings.TrimPrefix(regexp.MustCompile("[ =]").Split(flag, 2)[0], "--")
			if flag == "agents" && strings.Contains(line, "dmad") {
				flag = "a team of 3 members for a debate of 2"
			}
			var stderr bytes.Buffer
			if code := cli.Run(strings.Fields(strings.ReplaceAll(line, "!", "")), nil, io.Discard,
				&stderr); code != exit.CodeUsage || !strings.Contains(stderr.String(), flag) {
				t.Errorf("%s: exit %d: %s, want %v and %q in it", line, code, stderr.String(), exit.CodeUsage, flag)
			}
		})
	}
}
