package debate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/datatest"
)

// game is the first released puzzle of Wu et al. with so many players.
func game(t *testing.T, players int) string {
	t.Helper()
	file, err := os.Open(datatest.Public(t, "kks", fmt.Sprintf("%d.jsonl", players)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var game struct {
		Text string `json:"text_game"`
	}
	if err := json.NewDecoder(file).Decode(&game); err != nil {
		t.Fatal(err)
	}
	return game.Text
}

// debated runs parley debate with a transcript, which it gives if one was written.
func debated(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string,
	transcript *debate.Transcript) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "transcript.json")
	var out, err bytes.Buffer
	code = cli.Run(append([]string{"debate", "--transcript", path}, args...), strings.NewReader(stdin), &out, &err)
	if text, missing := os.ReadFile(path); missing == nil {
		if err := json.Unmarshal(text, &transcript); err != nil {
			t.Fatal(err)
		}
	}
	return code, out.String(), err.String(), transcript
}

// TestReleasedPuzzle holds a game of Wu et al. as anybody would, on the embedded model, whose context is small: agents
// remember one reply, and replies are short, both by plan, and said and recorded.
func TestReleasedPuzzle(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	code, stdout, stderr, transcript := debated(t, game(t, 4), "--protocol", "knights", "--agents", "2", "-")
	if code != 0 || transcript == nil {
		t.Fatalf("a released puzzle ended with status %d, want 0 and a transcript: %s", code, stderr)
	}
	if want := 1 + 4 + 4 + 1; len(transcript.Rounds) != want || len(transcript.Decision.Players) != 4 ||
		!strings.Contains(stdout, "decision: Rachel: ") {
		t.Errorf("%d phases, want %d; %s", len(transcript.Rounds), want, stdout)
	}
	if debate.Value[int](*transcript.Settings, "memory") != 1 || !strings.Contains(stderr,
		"running parley debate --agents=2 --protocol=knights") {
		t.Errorf("the settings are %+v, want memory 1 and the command as it is run: %s", transcript.Settings, stderr)
	}
}

// TestForeseen: what cannot fit is refused before the first token, with numbers and with a command that fits, and that
// command ends in a decision.
func TestForeseen(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	for _, players := range []int{6, 8} {
		t.Run(fmt.Sprint(players), func(t *testing.T) {
			code, _, stderr, transcript := debated(t, game(t, players), "--protocol", "knights", "-")
			if code != exit.CodeUsage || transcript != nil || !strings.Contains(stderr,
				"cannot fit: even short replies lead to") {
				t.Errorf("%d players ended with status %d, want %d and \"cannot fit\" before any reply: %s", players,
					code, exit.CodeUsage, stderr)
			}
		})
	}
	pair := "Player name: Ann\nPlayer statement: Bob is a knave.\n---\n" +
		"Player name: Bob\nPlayer statement: I am a spy.\n"
	if code, _, stderr, transcript := debated(t, pair, "--protocol", "knights", "--max-tokens", "600", "-"); code !=
		exit.CodeUsage || transcript != nil || !strings.Contains(stderr,
		"always replies at full length: long replies can "+
			"lead to") {
		t.Errorf("replies of full length ended with status %d, want %d and what they can lead to: %s", code,
			exit.CodeUsage, stderr)
	}
	code, _, stderr, _ := debated(t, pair, "--protocol", "knights", "--agents", "2", "--context", "1536",
		"--max-tokens", "100", "-")
	_, command, found := strings.Cut(strings.TrimSpace(stderr), "what fits: parley debate ")
	if code != exit.CodeUsage || !found {
		t.Fatalf("a small context ended with status %d, want %d and a command that fits: %s", code, exit.CodeUsage,
			stderr)
	}
	var kept []string
	for _, word := range strings.Fields(command) {
		if !strings.HasPrefix(word, "--transcript") {
			kept = append(kept, word)
		}
	}
	if code, stdout, stderr, _ := debated(t, pair, kept...); code != 0 || !strings.Contains(stdout, "decision: ") ||
		strings.Contains(stderr, "warning") {
		t.Errorf("parley debate %s, said to fit, ended with status %d, want 0, a decision and no warning: %s", command,
			code, stderr)
	}
}

// TestBrokenReplies: replies that break off show more of their texts than whole ones do. This debate came to its last
// phase before it failed.
func TestBrokenReplies(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	code, _, stderr, transcript := debated(t, game(t, 4), "--protocol", "knights-confidence", "--set", "memory=1",
		"--max-tokens", "98", "-")
	if code != exit.CodeUsage || transcript != nil || !strings.Contains(stderr, "long replies can lead to ") {
		t.Errorf("replies that may be cut ended with status %d, want %d and what they can lead to: %s", code,
			exit.CodeUsage, stderr)
	}
}

// TestFailedTranscript: what was said in a debate that fails, or that is interrupted, is in its transcript, with the
// reason, and can be shown.
func TestFailedTranscript(t *testing.T) {
	parleytest.WarmCache(t)
	code, _, stderr, transcript := debated(t, "", "--agents", "2", "--rounds", "4", "--context", "1024", "--max-tokens",
		"140", "--set", "prompts=tiny", parleytest.Slippery)
	if code != exit.CodeFailed || transcript == nil || transcript.Failed == "" || len(transcript.Rounds) < 2 ||
		!strings.Contains(stderr, "warning: long replies can lead to") {
		t.Fatalf("a failed debate ended with status %d, want %d, a warning and a transcript of at least 2 rounds: "+
			"%+v: %s", code, exit.CodeFailed, transcript, stderr)
	}
	path := filepath.Join(t.TempDir(), "cut.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	root := cli.New()
	root.SetArgs([]string{"debate", "--rounds", "40", "--max-tokens", "20", "--set", "memory=1", "--transcript", path,
		parleytest.Slippery})
	root.SetOut(during{"── round 2\n", cancel})
	root.SetErr(io.Discard)
	if err := root.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a debate that was interrupted in its third round: %v", err)
	}
	var shown bytes.Buffer
	if code := cli.Run([]string{"show", path}, nil, &shown, io.Discard); code != 0 ||
		!strings.Contains(shown.String(), "failed: context canceled") ||
		!strings.Contains(shown.String(), "round 2 ") || strings.Contains(shown.String(), "round 39 ") {
		t.Errorf("showing a failed transcript ended with status %d, want 0, why it failed and the rounds up to then: "+
			"%s", code, shown.String())
	}
}

// during is an output that calls a function when a text is written to it.
type during struct {
	text string
	call func()
}

func (d during) Write(p []byte) (int, error) {
	if strings.Contains(string(p), d.text) {
		d.call()
	}
	return len(p), nil
}
