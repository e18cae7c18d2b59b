package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/inference"
)

// Recording is one generation of a run, with all that generating it again requires.
type Recording struct {
	Header     rundir.Header // the header under which it was recorded
	generation rundir.Generation
}

// FindGeneration finds a generation by its key, or by a prefix that no other key has.
func FindGeneration(directory, prefix string) (Recording, error) {
	if prefix == "" {
		return Recording{}, errors.New("a key is needed; parley export lists those of all replies")
	}
	var found []Recording
	keys := make(map[string]bool)
	header, err := rundir.EachGeneration(directory, func(h rundir.Header, g rundir.Generation) {
		if strings.HasPrefix(g.Reply.Key, prefix) && !keys[g.Reply.Key] {
			keys[g.Reply.Key] = true
			found = append(found, Recording{h, g})
		}
	})
	if err != nil {
		return Recording{}, err
	}
	if header.Imported != nil {
		return Recording{}, fmt.Errorf("run directory %q is imported (%s): another program has generated its "+
			"replies, which cannot be generated again", directory, header.Imported)
	}
	if i := slices.IndexFunc(found, func(r Recording) bool { return r.key() == prefix }); i >= 0 {
		return found[i], nil
	}
	switch len(found) {
	case 0:
		return Recording{}, fmt.Errorf("run directory %q: no generation has a key that begins with %q; parley "+
			"export lists the keys of all replies", directory, prefix)
	case 1:
		return found[0], nil
	}
	return Recording{}, fmt.Errorf("run directory %q: %d generations have keys that begin with %q, among them %s "+
		"and %s; give more of the key",
		directory, len(found), prefix, found[0].key(), found[1].key())
}

// key returns the recorded key.
func (r Recording) key() string { return r.generation.Reply.Key }

// Model is the one that made the generation. Where the header lacks it, it is known by its hash alone.
func (r Recording) Model() inference.ModelInfo {
	made, known := r.Header.ModelOf(r.generation.Reply)
	if !known {
		made.Hash = r.generation.Reply.Model
	}
	return made
}

// CheckModel refuses a model file other than the one that made the generation.
func (r Recording) CheckModel(path, hash string) error {
	if recorded := r.Model(); hash != recorded.Hash {
		return fmt.Errorf("model %q has SHA-256 %s, the generation was made by %q with SHA-256 %s; name that file "+
			"with --model", path, hash, recorded.Path, recorded.Hash)
	}
	return nil
}

// Replayed is a generation that was made again, with its record.
type Replayed struct {
	Key         string   `json:"key"`
	Name        string   `json:"name"`
	Equal       bool     `json:"equal"`
	Differences []string `json:"differences,omitempty"` // the first one of each kind

	Recorded inference.Reply `json:"recorded"`
	Now      inference.Reply `json:"now"`
}

// Replay makes the generation again on an engine and compares text, end, log-probabilities and key to the last bit.
func (r Recording) Replay(ctx context.Context, engine inference.Engine) (Replayed, error) {
	if err := r.CheckModel(engine.Model().Path, engine.Model().Hash); err != nil {
		return Replayed{}, err
	}
	g := r.generation
	participant := engine.Join(0)
	defer participant.Leave()
	replies, err := participant.Generate(ctx, []inference.Request{{
		Messages: g.Messages, Sampling: g.Sampling, MaxTokens: cmp.Or(g.MaxTokens, r.Header.MaxTokens),
		Continuations: g.Continuations,
		Grammar:       g.Grammar, Stop: g.StopTexts, EndLoops: g.EndLoops, Tool: g.Tool,
		Name: g.Name, Agent: g.Agent, Sample: g.Sample,
	}})
	if err != nil {
		return Replayed{}, err
	}
	if err := replies[0].Err; err != nil {
		return Replayed{}, fmt.Errorf("generation %s (%s): %w", r.key(), g.Name, err)
	}
	out := Replayed{Key: r.key(), Name: g.Name, Recorded: g.Reply, Now: replies[0],
		Differences: differences(g.Reply, replies[0])}
	out.Equal = len(out.Differences) == 0
	return out, nil
}

// differences says in words how a reply differs from its record.
func differences(was, is inference.Reply) (list []string) {
	if inference.AskedIn(was.Key) != inference.AskedIn(is.Key) { // by another build is no difference by itself
		list = append(list, fmt.Sprintf("the key was %s and is %s: the request is another one (tokens, sampling or "+
			"bound)", was.Key, is.Key))
	}
	if was.Whole() != is.Whole() {
		list = append(list, firstDifference(was.Whole(), is.Whole()))
	}
	if was.Stop != is.Stop || was.Tokens != is.Tokens {
		list = append(list, fmt.Sprintf("it ended after %d tokens (%s) and ends after %d (%s)", was.Tokens, was.Stop,
			is.Tokens, is.Stop))
	}
	if was.LogProb != is.LogProb {
		list = append(list, fmt.Sprintf("the log-probability was %v and is %v", was.LogProb, is.LogProb))
	}
	if !slices.Equal(was.LogProbs, is.LogProbs) {
		list = append(list, fmt.Sprintf("the continuations' log-probabilities were %v and are %v", was.LogProbs,
			is.LogProbs))
	}
	return list
}

// firstDifference shows where two texts begin to differ, with a little of what comes before and after.
func firstDifference(was, is string) string {
	const around = 20 // characters
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	for same > 0 && (cutsCharacter(was, same) || cutsCharacter(is, same)) {
		same--
	}
	before := []rune(was[:same])
	return fmt.Sprintf("the text differs from character %d on: after %q it was %.*q and is %.*q",
		len(before)+1, string(before[max(0, len(before)-around):]), around, was[same:], around, is[same:])
}

// cutsCharacter reports whether a byte offset lies within a character.
func cutsCharacter(s string, at int) bool { return at < len(s) && !utf8.RuneStart(s[at]) }

// Write prints that the replies are equal, or what differs.
func (r Replayed) Write(w io.Writer) error {
	if r.Equal {
		_, err := fmt.Fprintf(w, "%s (%s): equal, %d tokens, log-probability %v\n", r.Key, r.Name, r.Now.Tokens,
			r.Now.LogProb)
		return err
	}
	_, err := fmt.Fprintf(w, "%s (%s): not equal\n  %s\n", r.Key, r.Name, strings.Join(r.Differences, "\n  "))
	return err
}
