package serve_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// seeded is a request with a seed, whose reply does not depend on what was asked before.
func seeded(seed int) string {
	return strings.Replace(greeting, "24", fmt.Sprintf(`24,"seed":%d`, seed), 1)
}

// replies asks for the replies with the seeds [0, n).
func (s *serveProcess) replies(t *testing.T, n int) (all []string) {
	t.Helper()
	for seed := range n {
		status, answer := s.ask(t, seeded(seed))
		if status != http.StatusOK {
			t.Fatalf("seed %d: %d %s, want %d", seed, status, answer, http.StatusOK)
		}
		all = append(all, answer)
	}
	return all
}

// end kills the server.
func (s *serveProcess) end() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// TestServedJournals: a server's journal is killed, cut, flipped and zeroed. Either the server starts, or it names a
// command that repairs the journal, and starts after that; the replies are then those of before.
func TestServedJournals(t *testing.T) {
	parleytest.WarmCache(t)
	const count = 8
	directory := filepath.Join(t.TempDir(), "kept replies")
	path := filepath.Join(directory, "replies.jsonl.zst")
	first := serves(t, "--journal", directory)
	want := first.replies(t, count)
	first.end()
	whole := datatest.Read(t, path)
	r := rand.New(rand.NewPCG(37, 1))
	repaired := 0
	for i := range 9 {
		text := append([]byte(nil), whole...)
		at := len(text)/4 + r.IntN(len(text)/2)
		switch i % 3 {
		case 0:
			text = text[:at]
		case 1:
			text[at] ^= 1 << r.IntN(8)
		case 2:
			clear(text[at:min(len(text), at+50)])
		}
		datatest.Write(t, path, text)
		if repairsAsTold(t, directory) {
			repaired++
		}
		s := serves(t, "--journal", directory)
		for seed, got := range s.replies(t, count) {
			if got != want[seed] {
				t.Errorf("damage %d, seed %d: %s, before %s", i, seed, got, want[seed])
			}
		}
		s.end()
	}
	if repaired < 3 {
		t.Errorf("%d of 9 journals were repaired, want more", repaired)
	}
}

// repairsAsTold has a server read a journal. If it refuses, the command that it names is typed, which has to succeed.
func repairsAsTold(t *testing.T, directory string) bool {
	t.Helper()
	cmd := exec.Command("parley", "serve", "--listen", "127.0.0.1:0", "--journal", directory)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return false
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.CodeDamaged {
		t.Errorf("a damaged journal ends the server with %d, want %d: %s", code, exit.CodeDamaged, stderr.String())
	}
	named := "parley repair " + strconv.Quote(directory)
	if !strings.Contains(stderr.String(), named) {
		t.Fatalf("%s, want %s", stderr.String(), named)
	}
	if text, err := exec.Command("parley", "repair", directory).CombinedOutput(); err != nil {
		t.Fatalf("the command that the error names, %s, failed: %v, want no error: %s", named, err, text)
	}
	return true
}

// TestKilledServers: a server is killed while it answers. What it answers after that is what it answers undisturbed,
// and what a client had seen the end of is not computed again.
func TestKilledServers(t *testing.T) {
	parleytest.WarmCache(t)
	const count = 12
	plain := serves(t)
	want := plain.replies(t, count)
	directory := filepath.Join(t.TempDir(), "replies")
	r := rand.New(rand.NewPCG(37, 2))
	kept := 0
	for range 4 {
		s := serves(t, "--journal", directory)
		time.AfterFunc(time.Duration(r.IntN(400))*time.Millisecond, func() { _ = s.cmd.Process.Kill() })
		for seed := range count {
			response, err := s.client.Post(s.url+"/v1/chat/completions", "", strings.NewReader(seeded(seed)))
			if err != nil {
				break
			}
			response.Body.Close()
			kept = max(kept, seed+1)
		}
		s.end()
	}
	last := serves(t, "--journal", directory)
	for seed, got := range last.replies(t, count) {
		if got != want[seed] {
			t.Errorf("seed %d: %s, undisturbed %s", seed, got, want[seed])
		}
	}
	if kept == 0 {
		t.Error("no reply was finished before a kill: the test saw nothing")
	}
}
