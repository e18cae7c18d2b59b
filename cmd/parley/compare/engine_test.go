package compare_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// saidIn are the replies of a run by what they reply to: sampling with its seed, and messages.
func saidIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	run := benchtest.ReadRun(t, dir)
	said := make(map[string]string)
	for _, o := range run.Outcomes {
		for _, round := range o.Transcript.Rounds {
			for _, turn := range round {
				said[strings.Join([]string{o.Case(), o.Condition, turn.Reply.Text}, " ")] = turn.Answer.Text
			}
		}
	}
	return said
}

// TestEngine runs a comparison through our own endpoint, in token ids and in messages: debates and results are those of
// the engine in this process. The run resumes from its journal without asking, says that it is remote, and has the key
// nowhere.
func TestEngine(t *testing.T) {
	const key = "sk-nobody-may-see-this"
	t.Setenv("PARLEY_API_KEY", key)
	url, asked := parleytest.Endpoint(t)
	dir := t.TempDir()
	compare := func(out string, more ...string) []string {
		return append([]string{"compare", "--generated", "2", "--conditions", "single", "--prompts", "tiny", "--agents",
			"2", "--max-tokens", "40", "--seed", "5", "--out", filepath.Join(dir, out), "--details"}, more...)
	}
	parleytest.Must(t, compare("here"))
	want := saidIn(t, filepath.Join(dir, "here"))
	said := ""
	for out, more := range map[string][]string{"tokens": {"--engine", url, "--model", "tiny"},
		"messages": {"--engine", url + "/v1#tiny", "--parallel", "3"}} {
		code, stdout, stderr := parleytest.Ran(compare(out, more...)...)
		if code != 0 || !strings.Contains(stderr, "remote, not invariant") || strings.Contains(stdout, "batches") {
			t.Fatalf("compare at an endpoint by %s ended with status %d, want 0, \"remote, not invariant\" and no "+
				"batches:\n%s%s", out, code, stdout, stderr)
		}
		if diff := cmp.Diff(want, saidIn(t, filepath.Join(dir, out))); diff != "" {
			t.Errorf("%s: what an engine says is what the local run says (-want +got):\n%s", out, diff)
		}
		before := asked.Load()
		code, again, stderr := parleytest.Ran(compare(out, more...)...)
		if code != 0 || asked.Load() != before || !strings.Contains(stderr, "are reused") {
			t.Errorf("%s, again, ended with status %d after %d more requests, want 0 and all reused\n%s", out, code,
				asked.Load()-before, stderr)
		}
		said += stdout + stderr + again
	}
	parleytest.Must(t, []string{"report", filepath.Join(dir, "tokens")})
	page, err := os.ReadFile(filepath.Join(dir, "tokens", "report.html"))
	if err != nil || !strings.Contains(string(page), "asked in token ids; remote, not invariant") {
		t.Errorf("the report does not say that the run is remote: %v", err)
	}
	said += parleytest.Must(t, []string{"show", filepath.Join(dir, "tokens")})
	said += parleytest.Must(t, []string{"export", filepath.Join(dir, "tokens"), "--out", filepath.Join(dir, "tables")})
	replies := filepath.Join(dir, "replies.json")
	doctor := []string{"doctor", "--engine", url, "--replies", replies}
	said += parleytest.Must(t, doctor)
	if text := parleytest.Must(t, doctor); strings.Count(text, "came again to the byte") != 3 ||
		strings.Contains(text, "differ") {
		t.Errorf("3 kinds of requests come again to the byte, and none differs: got\n%s", text)
	}
	code, stdout, stderr := parleytest.Ran("replay", filepath.Join(dir, "tokens"), keyOf(t, filepath.Join(dir,
		"tokens")))
	if code == 0 || !strings.Contains(stderr, "parley doctor --engine") {
		t.Errorf("replaying a remote reply ended with status %d, want an error that names parley doctor --engine: %s%s",
			code, stdout, stderr)
	}
	if strings.Contains(said, key) {
		t.Error("the key was printed, want it kept secret")
	}
	seen := 0
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if filepath.Ext(path) == ".zst" {
			text = []byte(strings.Join(parleytest.Records(t, path), "\n"))
		}
		if seen++; strings.Contains(string(text), key) {
			t.Errorf("%s has the key, want it kept secret", path)
		}
		return err
	}); err != nil || seen < 10 {
		t.Errorf("%d files, %v; want at least 10 and no error", seen, err)
	}
}

// generationsOf are the generations of a run by their keys, without what differs from one run to the next: times and
// the place of a debate in the engine.
func generationsOf(t *testing.T, dir string) map[string]rundir.Generation {
	t.Helper()
	list := make(map[string]rundir.Generation)
	for _, line := range parleytest.Records(t, filepath.Join(dir, "generations.jsonl.zst")) {
		var g rundir.Generation
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		if g.Kind != "generation" {
			continue
		}
		if _, twice := list[g.Reply.Key]; twice {
			t.Errorf("%s is recorded twice, want once", g.Reply.Key)
		}
		g.Milliseconds, g.Participant = 0, 0
		list[g.Reply.Key] = g
	}
	return list
}

// TestEngineChoices resamples a puzzle. --choices 1 sends and records what there is without it. With --choices 6, few
// requests ask for the same generations, and each says how it was drawn. Killed half-way, the run asks for the rest
// alone, and what was recorded stays.
func TestEngineChoices(t *testing.T) {
	t.Parallel()
	url, asked := parleytest.Endpoint(t)
	dir := t.TempDir()
	compare := func(out string, more ...string) []string {
		return append([]string{"compare", "--generated", "1", "--conditions", "single", "--prompts", "tiny", "--agents",
			"24", "--rounds", "1", "--max-tokens", "40", "--engine", url, "--parallel", "1", "--out",
			filepath.Join(dir, out)}, more...)
	}
	parleytest.Must(t, compare("plain"))
	plain, alone := generationsOf(t, filepath.Join(dir, "plain")), asked.Swap(0)
	parleytest.Must(t, compare("one", "--choices", "1"))
	if diff := cmp.Diff(plain, generationsOf(t, filepath.Join(dir, "one"))); diff != "" || asked.Load() != alone {
		t.Errorf("%d requests, and %d with --choices 1, want as many and the same generations (-without +with):\n%s",
			alone, asked.Load(), diff)
	}
	asked.Store(0)
	several := filepath.Join(dir, "several")
	killAtThird(t, url, several, plain, compare("several", "--choices", "6"))
	before := generationsOf(t, several)
	asked.Store(0)
	stderr := parleytest.Must(t, compare("several", "--choices", "6", "--details"))
	after := generationsOf(t, several)
	left := len(plain) - len(before)
	if n := int(asked.Load()); len(before) == 0 || left <= 0 || n == 0 || n > (left+5)/6+1 {
		t.Errorf("%d of %d were recorded, then %d requests sent, want some of both, 6 choices to a request\n%s",
			len(before), len(plain), n, stderr)
	}
	drawn := 0
	for key, g := range plain {
		now, there := after[key]
		if was, recorded := before[key]; recorded {
			if diff := cmp.Diff(was, now); diff != "" {
				t.Errorf("%s: choices are the same in a resumed run (-want +got):\n%s", key, diff)
			}
		}
		if c := now.Reply.Choice; c != nil {
			drawn++
		}
		if now.Reply.Choice == nil {
			now.Reply.Choice = &inference.Choice{Seed: g.Sampling.Seed}
		}
		c := now.Reply.Choice
		asAlone := c.Index == 0 && c.Seed == g.Sampling.Seed // the endpoint draws choice 0 so
		if !there || !cmp.Equal(now.Sampling, g.Sampling) || asAlone && now.Reply.Text != g.Reply.Text {
			t.Errorf("reply %s drawn as a choice is %+v, alone %+v, want the same sampling, and text where it is the "+
				"first choice", key, now, g)
		}
	}
	if len(after) != len(plain) || drawn < len(plain)/2 {
		t.Errorf("%d generations, %d of them of several choices, want %d in all, and half of them of several",
			len(after), drawn, len(plain))
	}
	asked.Store(0)
	if parleytest.Must(t, compare("several")); asked.Load() > 0 || len(generationsOf(t, several)) != len(plain) {
		t.Errorf("%d were asked again, want none and %d generations", asked.Load(), len(plain))
	}
}

// killAtThird kills a command that asks an endpoint, once it has sent the third request, which is held, and has
// recorded some of the generations.
func killAtThird(t *testing.T, url, dir string, generations map[string]rundir.Generation, args []string) {
	t.Helper()
	to, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	proxy, asked, third, dead := httputil.NewSingleHostReverseProxy(to), new(atomic.Int64), make(chan bool),
		make(chan bool)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && asked.Add(1) == 3 {
			close(third)
			<-dead
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer web.Close()
	defer close(dead)
	command := exec.Command("parley", parleytest.Instead(args, "--engine", web.URL)...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	<-third
	for recorded := false; !recorded; time.Sleep(time.Millisecond) {
		known, _, err := rundir.Recorded(dir)
		for key := range generations {
			if err == nil && !recorded {
				_, recorded = known(key)
			}
		}
	}
	_ = command.Process.Kill()
	_ = command.Wait()
}

// keyOf is the key of some generation of a run.
func keyOf(t *testing.T, dir string) string {
	t.Helper()
	return benchtest.ReadRun(t, dir).Outcomes[0].Transcript.Rounds[0][0].Reply.Key
}

// TestMixedTeam: members of a team are computed here and by servers. With the same model in both places, debates are
// those of a team in this process, and each reply names who made it.
func TestMixedTeam(t *testing.T) {
	t.Parallel()
	url, _ := parleytest.Endpoint(t)
	dir := t.TempDir()
	compare := func(out, member string, more ...string) {
		parleytest.Must(t, append([]string{"compare", "--generated", "2", "--conditions", "single", "--prompts", "tiny",
			"--agents", "3", "--max-tokens", "40", "--out", filepath.Join(dir, out), "--set",
			"team=[{}, {model: " + member + "}, {model: " + parleytest.TinyFile + "}]"}, more...))
	}
	compare("here", parleytest.TinyFile, "--model", "tiny")
	compare("mixed", url)
	compare("turned", parleytest.TinyFile, "--engine", url)
	want := saidIn(t, filepath.Join(dir, "here"))
	for _, out := range []string{"mixed", "turned"} {
		if diff := cmp.Diff(want, saidIn(t, filepath.Join(dir, out))); diff != "" {
			t.Errorf("%s: a mixed team says what a local one says (-want +got):\n%s", out, diff)
		}
		run := benchtest.ReadRun(t, filepath.Join(dir, out))
		all := run.Header.Model.All()
		remote := slices.IndexFunc(all, func(m inference.ModelInfo) bool { return m.Remote != nil })
		if len(all) != 2 || remote != map[string]int{"mixed": 1, "turned": 0}[out] {
			t.Fatalf("%s: of 2 members the one of another server counts as remote (%d): got %+v", out, remote, all)
		}
		replied := make(map[string]int)
		for _, o := range run.Outcomes {
			if o.Condition != "mad" {
				continue
			}
			for _, turn := range o.Transcript.Rounds[0] {
				replied[turn.Reply.Model]++
			}
		}
		wanted := map[string]int{all[remote].Hash: 2, all[1-remote].Hash: 4}
		if diff := cmp.Diff(wanted, replied); diff != "" {
			t.Errorf("%s: each member replies by its own server (-want +got):\n%s", out, diff)
		}
	}
}

// TestEngineRefuses: what servers do not obey is refused before anything is asked.
func TestEngineRefuses(t *testing.T) {
	t.Parallel()
	url, asked := parleytest.Endpoint(t)
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"parley doctor --engine":  {"compare", "--generated", "1", "--engine", url, "--mode", "reproducible"},
		"--threads, --kv":         {"compare", "--generated", "1", "--engine", url, "--threads", "2", "--kv", "f16"},
		"--dry-run measures":      {"compare", "--generated", "1", "--engine", url, "--dry-run"},
		"--mode reproducible":     {"debate", "--puzzle", "--engine", url, "--mode", "reproducible"},
		`serves no model "other"`: {"debate", "--puzzle", "--engine", url + "#other"},
		"connection refused":      {"debate", "--puzzle", "--engine", "http://127.0.0.1:1"},
		"name them with --engine": {"doctor", "--replies", filepath.Join(dir, "r")},
		"compute the whole run at once": {"compare", "--generated", "4", "--engine", url, "--choices", "2", "--out",
			filepath.Join(dir, "out"), "--shard", "1/2"},
		"how probable given answers are": {"compare", "--generated", "1", "--engine", url, "--prompts", "tiny", "--out",
			filepath.Join(dir, "out"), "--protocols", "probable.yaml", "--conditions", "single"},
	} {
		if want == "how probable given answers are" {
			args[slices.Index(args, "probable.yaml")] = filepath.Join(dir, "probable.yaml")
			text := "form: society\nagents: 2\nrounds: 2\norder: " +
				"most-probable-last\n"
			datatest.Write(t, filepath.Join(dir, "probable.yaml"), text)
		}
		code, stdout, stderr := parleytest.Ran(args...)
		if code == 0 || !strings.Contains(stderr+stdout, want) {
			t.Errorf("%v ended with status %d, want an error that says %q:\n%s%s", args, code, want, stdout, stderr)
		}
	}
	before := asked.Load()
	if stdout := parleytest.Must(t, []string{"debate", "--puzzle", "--engine", url, "--model",
		"tiny"}); before == asked.Load() ||
		!strings.Contains(stdout, "(") {
		t.Errorf("a named model of an engine is asked (%d requests before, %d after) and answers: got %s", before,
			asked.Load(), stdout)
	}
}
