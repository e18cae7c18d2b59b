package batch_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// batchLines are requests of a batch. The first one takes longer than all others.
func batchLines(n int) string {
	var b strings.Builder
	for i := range n {
		body := `{"messages":[{"role":"user","content":"A fruit stand sells plums."}],"max_tokens":6}`
		if i == 0 {
			body = `{"messages":[{"role":"user","content":"Plums."}],"max_tokens":700,"ignore_eos":true}`
		}
		fmt.Fprintf(&b, `{"custom_id":"%d","method":"POST","url":"/v1/chat/completions","body":%s}`+"\n", i, body)
	}
	return b.String()
}

// TestBatch: a batch is killed while a line is under way. The same command draws
// what is missing and no more; the answers are those of a batch that nothing happened to, in the order of the lines,
// and stand at their path only when all are there.
func TestBatch(t *testing.T) {
	parleytest.WarmCache(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	datatest.Write(t, in, batchLines(8))
	killed := exec.Command("parley", "batch", "--threads", "1", "-i", in, "-o", out)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(out+".partial", "replies.jsonl.zst")
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(journal); err == nil && info.Size() > 600 { // of a few replies
			break
		}
		if time.Now().After(until) {
			t.Fatal("after a minute no reply is kept, want one")
		}
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if _, err := os.Stat(out); err == nil {
		t.Fatal("the batch ended before it was killed")
	}
	// A line that was sent in between is answered with the rest.
	datatest.Write(t, in, batchLines(9))
	code, _, stderr := parleytest.Ran("batch", "-i", in, "-o", out)
	resumed := drawn(t, stderr)
	if want := "9 of 9 requests answered"; code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s; want %s", code, stderr, want)
	}
	got := datatest.Read(t, out)
	limited := "batch --max-in-flight 1048576"
	plain := exec.Command("parley", append(strings.Fields(limited), "--threads", "1", "--journal", filepath.Join(dir,
		"replies"))...)
	plain.Stdin = strings.NewReader(batchLines(9))
	want, err := plain.Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: resumed %s; at once %s", err, got, want)
	}
	if _, err := os.Stat(out + ".partial"); err == nil {
		t.Error("the partial answers are left, want them gone")
	}
	code, _, stderr = parleytest.Ran("batch", "-i", in, "-o", out)
	if again, err := os.ReadFile(out); code != 0 || drawn(t, stderr) <= resumed || err != nil ||
		!bytes.Equal(again, want) {
		t.Errorf("at once after %d tokens were drawn on resuming, want more: exit %d, %v: %s", resumed, code, err,
			stderr)
	}
	batchRefuses(t, dir, in)
}

// TestBatchesOfOthers: a journal answers for no engine that computes otherwise, and does for one that computes alike.
func TestBatchesOfOthers(t *testing.T) {
	parleytest.NeedsLlama(t)
	dir := t.TempDir()
	in, journal, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "journal"), filepath.Join(dir, "out.jsonl")
	datatest.Write(t, in, strings.ReplaceAll(batchLines(3), "700", "9"))
	answers := func(flags ...string) string {
		t.Helper()
		code, stdout, stderr := parleytest.Ran(append([]string{"batch", "--threads", "1", "-i", in}, flags...)...)
		if code != 0 {
			t.Fatalf("%q: exit %d: %s, want 0", flags, code, stderr)
		}
		if stdout == "" {
			text, _ := os.ReadFile(out)
			return string(text)
		}
		return stdout
	}
	ours := answers("--journal", journal)
	kept := journalledReplies(t, journal)
	if answers("--journal", journal, "-o", out) != ours || journalledReplies(t, journal) != kept || kept == 0 {
		t.Errorf("a batch of the same engine: %d replies are kept, want the %d of before, and the same answers",
			journalledReplies(t, journal), kept)
	}
	for i, flags := range [][]string{{"--kv", "q8_0"}, {"--kernels", "flash"}, {"--kernels", "plain"}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			alone := answers(flags...)
			for _, more := range [][]string{{"--journal", journal}, {"-o", out}} {
				if got := answers(append(more, flags...)...); got != alone || got == ours {
					t.Errorf("%q %q: the answers of another engine, want those alone\n%s\n%s", flags, more, got, alone)
				}
			}
			if got, want := journalledReplies(t, journal), kept*(i+2); got != want {
				t.Errorf("%q: %d replies are kept, want %d", flags, got, want)
			}
		})
	}
	if answers("--journal", journal) != ours {
		t.Error("the first engine gets the replies of others, want its own")
	}
}

// journalledReplies counts the replies in a server's journal.
func journalledReplies(t *testing.T, dir string) int {
	t.Helper()
	return len(parleytest.Records(t, filepath.Join(dir, "replies.jsonl.zst")))
}

// drawn is how many tokens a batch says that it drew.
func drawn(t *testing.T, stderr string) (tokens int) {
	t.Helper()
	said := regexp.MustCompile(`; ([0-9,]+) tokens drawn`).FindStringSubmatch(stderr)
	if said == nil {
		t.Fatalf("%s does not say how many tokens were drawn", stderr)
	}
	_, _ = fmt.Sscan(strings.ReplaceAll(said[1], ",", ""), &tokens)
	return tokens
}

// batchRefuses: what is at the path of the output is not overwritten, unless a batch wrote it; a line with an error
// changes the exit code.
func batchRefuses(t *testing.T, dir, in string) {
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		datatest.Write(t, path, text)
		return path
	}
	empty, notes, bad := write("empty", "\n \n"), write("notes", "my notes\n"), write("bad", "{}\n")
	for _, c := range []struct{ flags, want string }{
		{"-i " + in + " -o " + notes, "is no output of an earlier batch"},
		{"-i " + in + " -o " + dir, "is a directory"},
		{"-i " + empty, "has no request"},
		{"-i " + filepath.Join(dir, "nowhere"), "no such file"},
		{"-m tiny -m tiny", "given twice"},
		{"-i " + bad + " -o " + filepath.Join(dir, "errors"), "1 of 1 request could not be answered"},
	} {
		if code, _, stderr := parleytest.Ran(append([]string{"batch"}, strings.Fields(c.flags)...)...); code == 0 ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("batch %s ended with status %d, want an error that says %q: %s", c.flags, code, c.want, stderr)
		}
	}
	if text, _ := os.ReadFile(notes); string(text) != "my notes\n" {
		t.Errorf("the notes are now %q, want \"my notes\\n\"", text)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "errors")); !strings.Contains(string(text), "missing_custom_id") {
		t.Errorf(`%v: %s, want a text with "missing_custom_id"`, err, text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); left != nil {
		t.Errorf("the partial files %q are left, want none", left)
	}
}
