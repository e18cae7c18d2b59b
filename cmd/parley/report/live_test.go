package report_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
)

// TestReportLive: parley report --live prints an address that answers with the report, writes no file, and ends without
// an error when it is interrupted.
func TestReportLive(t *testing.T) {
	parleytest.WarmCache(t)
	directory := filepath.Join(t.TempDir(), "run")
	if code := cli.Run([]string{"compare", "--generated", "2", "--agents", "2", "--conditions", "single", "--out",
		directory}, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("%v, want 0", code)
	}
	cmd := exec.Command("parley", "report", directory, "--live", "--listen", "localhost:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("a live report is served to this machine alone: got %q, %v", address, err)
	}
	answer, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	if answer.Body.Close(); err != nil || !strings.Contains(string(page), "2 questions of generated_3_objects") {
		t.Errorf("the live page has the 2 questions of the run: %v\n%s", err, page)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("a live report ends without a word on stderr: %v, got %s", err, stderr)
	}
	if files, err := filepath.Glob(filepath.Join(directory, "report*")); err != nil || len(files) > 0 {
		t.Errorf("a live report writes no file: got %v, %v", files, err)
	}
}
