package inference

import (
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// TestKeys: journals know replies by these keys, which never change; what else may end a reply makes others.
func TestKeys(t *testing.T) {
	prompt := []step.Token{1, 2, 3}
	sampling := Sampling{Seed: 7, TopK: 3, Bias: []TokenBias{{Token: 1, Bias: 2}}}
	plain := Request{MaxTokens: 9, Grammar: "root ::= [a]"}
	const old = "bbdd2d7c5fc0bdc7d644c58cb3c4ac0a"
	if got := keyOf("abc", prompt, sampling, plain.ends()).String(); got != old {
		t.Errorf("%s, was %s", got, old)
	}
	seen := map[string]bool{old: true}
	for _, change := range []func(*Request){
		func(r *Request) { r.Stop = []string{"a"} }, func(r *Request) { r.Stop = []string{"a", ""} },
		func(r *Request) { r.Stop = []string{"b"} }, func(r *Request) { r.EndLoops = true },
		func(r *Request) { r.Stop, r.EndLoops = []string{"a"}, true },
	} {
		r := plain
		change(&r)
		key := keyOf("abc", prompt, sampling, r.ends()).String()
		if seen[key] {
			t.Errorf("%+v has the key of another", r)
		}
		seen[key] = true
	}
	none := plain
	none.Stop = []string{}
	if got := keyOf("abc", prompt, sampling, none.ends()).String(); got != old {
		t.Errorf("without stop texts: %s", got)
	}
	const script = `[] {Temperature:0 TopK:0 TopP:0 MinP:0 RepeatPenalty:0 RepeatLastN:0 IgnoreEnd:false Seed:5 Rivals:0} ` +
		`3 [] "" "m"`
	if got := scriptKey(Request{Model: "m", MaxTokens: 3, Sampling: Sampling{Seed: 5}}); got != script {
		t.Errorf("of a script: %s", got)
	}
}
