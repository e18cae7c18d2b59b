package inference_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/calculator"
)

// full is a request for a short reply that says something in every field that such a request can have.
func full() inference.Request {
	return inference.Request{Messages: ask(puzzles[0]), MaxTokens: 3, Stop: []string{"zz"},
		Sampling: inference.Sampling{Temperature: 1, TopK: 40, TopP: 0.875, MinP: 0.0625, RepeatPenalty: 1.125,
			RepeatLastN: 8, FrequencyPenalty: 0.25, PresencePenalty: 0.125, Seed: 7, Alternatives: 1,
			Bias: []inference.TokenBias{{Token: 300, Bias: 1}, {Token: 301, Bias: 1}}}}
}

// otherwise are requests that differ from full in one field each, by the name of the field. A field that is new to
// Request or Sampling fails here until it has a value, or is in the list of those that say only who asks, and what is
// kept.
func otherwise(t *testing.T) map[string]inference.Request {
	t.Helper()
	whoAsks := []string{"Name", "Case", "Round", "OnPiece", "Agent", "Sample", "Confidences"}
	values := map[string]any{
		"Messages": ask(puzzles[1]), "Prompt": []int32{1, 300, 301}, "MaxTokens": 4, "Stop": []string{"zz", "yy"},
		"EndLoops": true, "Continuations": []string{"(A)", "(B)"}, "Forced": []int32{300, 301}, "Model": "again",
		"Grammar": `root ::= [a-z ]+`, "Temperature": float32(0.5), "TopK": 30, "TopP": float32(0.75),
		"MinP": float32(0.03125), "RepeatPenalty": float32(1.25), "RepeatLastN": 9, "FrequencyPenalty": float32(0.5),
		"PresencePenalty": float32(0.25), "IgnoreEnd": true, "Seed": uint64(8), "Alternatives": 2,
		"Bias": []inference.TokenBias{{Token: 300, Bias: 1}}, "ReasoningTokens": inference.BudgetOf(0),
		"ReasoningWaits": 2, "UsualBound": true, "Tool": calculator.Name,
	}
	all := make(map[string]inference.Request)
	for _, of := range []reflect.Type{reflect.TypeFor[inference.Request](), reflect.TypeFor[inference.Sampling]()} {
		for _, f := range reflect.VisibleFields(of) {
			if f.Name == "Sampling" || slices.Contains(whoAsks, f.Name) {
				continue
			}
			r := full()
			at := reflect.ValueOf(&r).Elem()
			if of == reflect.TypeFor[inference.Sampling]() {
				at = at.FieldByName("Sampling")
			}
			value, known := values[f.Name]
			if !known {
				t.Errorf("the test has no value for %s.%s", of.Name(), f.Name)
				continue
			}
			at.FieldByName(f.Name).Set(reflect.ValueOf(value))
			if f.Name == "ReasoningWaits" { // which needs a bound
				r.Sampling.ReasoningTokens = inference.BudgetOf(3)
			}
			all[f.Name] = r
		}
	}
	for name, change := range map[string]func(*inference.Request){
		"a biased token":       func(r *inference.Request) { r.Sampling.Bias[1].Token = 302 },
		"a token's bias":       func(r *inference.Request) { r.Sampling.Bias[1].Bias = 2 },
		"a role":               func(r *inference.Request) { r.Messages[0].Role = "system" },
		"a stop text":          func(r *inference.Request) { r.Stop = []string{"yy"} },
		"other forced":         func(r *inference.Request) { r.Forced = []int32{300, 302} },
		"fewer forced":         func(r *inference.Request) { r.Forced = []int32{300} },
		"other continuations":  func(r *inference.Request) { r.Continuations = []string{"(A)", "(C)"} },
		"another grammar":      func(r *inference.Request) { r.Grammar = `root ::= [a-y ]+` },
		"another prompt":       func(r *inference.Request) { r.Prompt = []int32{1, 300, 302} },
		"alternatives of none": func(r *inference.Request) { r.Forced, r.Sampling.Alternatives = []int32{300, 301}, 0 },
	} {
		r := full()
		change(&r)
		all[name] = r
	}
	return all
}

// TestEveryFieldIsItsOwnGeneration: requests that differ in any field are asked of one engine at once, and none gets
// the reply to another. A journal of them gives each its own again, and none to an engine that computes otherwise.
func TestEveryFieldIsItsOwnGeneration(t *testing.T) {
	all := otherwise(t)
	all["nothing again"] = full()
	names, requests := []string{"nothing"}, []inference.Request{full()}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names, requests = append(names, name), append(requests, all[name])
	}
	var journal kept
	// With a mark of several tokens nothing could take its place.
	path, _ := marked(t)
	l := openModel(t, path, inference.OnGeneration(journal.add), inference.Also("again", path), // one file
		inference.ChatTemplate(thinkingTemplate))
	replies := generate(t, l, requests...)
	equal := map[string]bool{"nothing": true, "nothing again": true, "Model": true, "UsualBound": true}
	seen := map[string]string{replies[0].Key: "nothing"}
	for i, r := range replies {
		if r.Err != nil {
			t.Fatalf("%s: %v, want nil", names[i], r.Err)
		}
		if equal[names[i]] {
			if r.Key != replies[0].Key {
				t.Errorf("%s changes the key, want that of the first request", names[i])
			}
			continue
		}
		if other, known := seen[r.Key]; known {
			t.Errorf("a request with another %s has the reply of one with another %s", names[i], other)
		}
		seen[r.Key] = names[i]
	}
	// two equal requests, and one continuation that two requests have scored
	if len(journal.all) != len(seen) || l.Stats().Joined != 4 {
		t.Errorf("%d generations are recorded of %d different requests, want as many, and 4 joined: %+v",
			len(journal.all), len(seen), l.Stats())
	}
	known := inference.Known(journal.known)
	if diff := cmp.Diff(replies, generate(t, openModel(t, path, known, inference.Also("again", path),
		inference.ChatTemplate(thinkingTemplate)), requests...),
		cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens", "Generated", "Scores")); diff != "" {
		t.Errorf("a request has the reply that an engine of its own gives (-want +got):\n%s", diff)
	}
	for name, option := range map[string]inference.Option{"KV": inference.KV("q8_0"),
		"kernels": inference.Kernels("flash"), "mode": inference.Mode(inference.Reproducible),
		"template": inference.ChatTemplate(
			"{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"),
	} {
		t.Run(name, func(t *testing.T) {
			other := openModel(t, path, known, inference.ChatTemplate(thinkingTemplate), option,
				inference.Also("again", path))
			got := generate(t, other, requests...)
			if s := other.Stats(); s.Restored != 0 || got[0].Key == replies[0].Key || got[0].Err != nil {
				t.Errorf("another %s: %d replies are those of another engine (%v), want none", name, s.Restored,
					got[0].Err)
			}
		})
	}
}
