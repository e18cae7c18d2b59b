package inference_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/inference"
)

// steps is near to what the embedded model says, and forbids some of it.
const steps = `root ::= (step " ")* "The answer is: (" [A-C] ")."
step ::= "Step " [1-9] ": " [A-RT-Z] [a-z0-9 ,]+ "."`

// TestGrammarHolds: what a grammar demands is there, what it allows anyway does not change, and keys tell them apart.
func TestGrammarHolds(t *testing.T) {
	l := open(t)
	free, allowed, letter, cold := greedy(puzzles[0]), greedy(puzzles[0]), greedy(puzzles[0]), greedy(puzzles[0])
	cold.Sampling = inference.Sampling{Temperature: 1, Seed: 5}
	warm := cold
	allowed.Grammar, warm.Grammar = "root ::= .*", "root ::= [ -~\\n]*"
	letter.Grammar = `root ::= "(" [A-C] ")"`
	r := generate(t, l, free, allowed, letter, cold, warm)
	if r[0].Text != r[1].Text || !cmp.Equal(r[0].LogProb, r[1].LogProb, within(0)) || r[0].Key == r[1].Key ||
		r[3].Text != r[4].Text {
		t.Errorf("a grammar that allows the reply anyway changes it: %+v, %+v, %q, %q; want the same texts under "+
			"another key", r[0], r[1], r[3].Text, r[4].Text)
	}
	if !regexp.MustCompile(`^\([A-C]\)$`).MatchString(r[2].Text) || r[2].Stop != inference.StopEnd ||
		r[2].LogProb > -5 {
		t.Errorf("a grammar of a letter gives %+v, want (A), (B) or (C), ended, with a log-probability of at most -5",
			r[2])
	}
	letter.MaxTokens = 1
	if cut := generate(t, l, letter)[0]; cut.Stop != inference.StopLength || !strings.HasPrefix(r[2].Text, cut.Text) {
		t.Errorf("of a letter cut after 1 token there is %+v, want the beginning of %q", cut, r[2].Text)
	}
}

// TestGrammarsInABatch: 16 replies together, under two grammars and several settings, are what each is alone, what they
// are where some give way to others and go on later, and what they are with drafts.
func TestGrammarsInABatch(t *testing.T) {
	var requests []inference.Request
	for i := range 16 {
		r := greedy(puzzles[i%4])
		r.Agent, r.Grammar = i, steps
		r.Sampling = []inference.Sampling{{}, {Temperature: 1}, {Temperature: 1, TopK: 20, RepeatPenalty: 1.1},
			{Temperature: 2, TopP: 0.9, MinP: 0.01}}[i/4]
		if r.Sampling.Seed = uint64(i); i%3 == 0 {
			r.Grammar = `root ::= "[" ([0-9]+ ", "){3} [0-9]+ "]"`
			r.MaxTokens = 30
		}
		if i < 6 {
			r.MaxTokens = 5 // what is expected of the others, to begin with
		}
		requests = append(requests, r)
	}
	together := generate(t, open(t), requests...)
	short := open(t, inference.Context(768), inference.Parallel(8))
	ahead := open(t, inference.StepCost(1000), inference.Speculate(true), inference.Parallel(4))
	for way, replies := range map[string][]inference.Reply{"in a small cache": generate(t, short, requests...),
		"with drafts": generate(t, ahead, requests...)} {
		t.Run(way, func(t *testing.T) {
			for i, r := range replies {
				if diff := cmp.Diff(together[i].Text, r.Text); diff != "" || r.Err != nil {
					t.Errorf("%s, request %d: the reply is that of one batch (%v) (-want +got):\n%s", way, i, r.Err,
						diff)
				}
			}
		})
	}
	if a, s := ahead.Stats(), short.Stats(); s.Preempted == 0 || a.Accepted == 0 || a.Accepted == a.Drafted {
		t.Errorf("the engines are %+v and %+v, want one that preempts, and one of whose drafts some but not all are "+
			"accepted", s, a)
	}
	ended := 0
	for i, r := range requests {
		alone := open(t, inference.Parallel(1))
		if diff := cmp.Diff(generate(t, alone, r)[0].Text, together[i].Text); diff != "" {
			t.Errorf("request %d: the reply in a batch is that alone (-alone +together):\n%s", i, diff)
		}
		alone.Close()
		if together[i].Stop == inference.StopEnd {
			ended++
		}
	}
	if ended < 5 {
		t.Errorf("%d of 10 long replies ended by themselves, want at least 5", ended)
	}
}

// TestBadGrammars fail alone, with the reason; so does a reply that cannot go on.
func TestBadGrammars(t *testing.T) {
	l := open(t)
	for grammar, want := range map[string]string{
		`root ::= `:         "",
		`root ::= "a`:       "line 1",
		`root ::= root "a"`: "left recursive",
		`start ::= "a"`:     `no rule "root"`,
		strings.Repeat("#", 64<<10) + "\nroot ::=": "at most 65536",
		`root ::= "(" [Z-A] ")"`:                   `none of the model's tokens after "("`,
	} {
		bad := greedy(puzzles[0])
		bad.Grammar = grammar
		good := greedy(puzzles[1])
		good.MaxTokens = 5
		replies := generate(t, l, bad, good)
		if err := replies[0].Err; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", grammar, err, want)
		}
		if replies[1].Err != nil || replies[1].Tokens != 5 {
			t.Errorf("the other one: %+v, want Tokens 5 and no error", replies[1])
		}
	}
}
