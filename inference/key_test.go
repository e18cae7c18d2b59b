package inference

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/parley-debate/parley/inference/step"
)

// notInKeys are the fields of a request that are not in its key as they are: who asks, which model of the engine's,
// whose identity is, what the token ids of the prompt are made of, and who chose a bound, which itself is in it.
var notInKeys = []string{"Name", "Case", "Round", "Agent", "Sample", "OnPiece", "Model", "Messages", "UsualBound",
	"Confidences"}

// changed visits copies of a value, each with one number, text or truth value in it changed, and each list in it made
// longer. path names what was changed.
func changed(t *testing.T, path string, at reflect.Value, visit func(path string)) {
	t.Helper()
	set := func(to any) {
		before := reflect.New(at.Type()).Elem()
		before.Set(at)
		at.Set(reflect.ValueOf(to).Convert(at.Type()))
		visit(path)
		at.Set(before)
	}
	switch at.Kind() {
	case reflect.String:
		set(at.String() + "x")
	case reflect.Bool:
		set(!at.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		set(at.Int() + 1)
	case reflect.Uint64:
		set(at.Uint() + 1<<40)
	case reflect.Float32:
		set(at.Float() + 0.25)
	case reflect.Slice:
		if at.Len() == 0 {
			t.Fatalf("%s: the test has no value for it", path)
		}
		for i := range at.Len() {
			changed(t, fmt.Sprintf("%s[%d]", path, i), at.Index(i), visit)
		}
		longer := reflect.MakeSlice(at.Type(), 0, at.Len()+1)
		set(reflect.Append(reflect.AppendSlice(longer, at), reflect.Zero(at.Type().Elem())).Interface())
		set(at.Slice(0, at.Len()-1).Interface())
	case reflect.Struct:
		for i := range at.NumField() {
			changed(t, path+"."+at.Type().Field(i).Name, at.Field(i), visit)
		}
	case reflect.Func:
		set(func(Piece) {})
	default:
		t.Fatalf("%s: a %v is new to the test", path, at.Kind())
	}
}

// asking is a request for a reply that says something in every field that such a request can have.
func asking() Request {
	return Request{Messages: []Message{{Role: "system", Content: "a"}, {Role: "user", Content: "b"}}, MaxTokens: 9,
		Prompt: []int32{1, 2, 3},
		Sampling: Sampling{Temperature: 1, TopK: 2, TopP: 0.5, MinP: 0.25, RepeatPenalty: 1.5, RepeatLastN: 3,
			FrequencyPenalty: 0.5, PresencePenalty: 0.25, Bias: []TokenBias{{Token: 4, Bias: 1}, {Token: 5, Bias: 1}},
			Seed: 7, Alternatives: 2},
		Stop: []string{"x", "yz"}, Grammar: "root ::= [a]"}
}

// TestEveryFieldIsInTheKey: two requests that differ in any field of what is asked, or two engines that differ in any
// field of what they are, never share a key. A field that is new to Request, Sampling or Identity fails here until it
// is in the key, or in the list of those that are not.
func TestEveryFieldIsInTheKey(t *testing.T) {
	type Asked struct {
		By      Identity
		Request Request
	}
	reply, forced, scores := asking(), asking(), asking()
	forced.Forced = []int32{1, 2}
	scores.Continuations = []string{"A", "BC"}
	drawn := []string{".Request.MaxTokens", ".Request.Stop", ".Request.EndLoops", ".Request.Grammar", ".Request.Tool"}
	for name, c := range map[string]struct {
		request Request
		without []string // what such a request leaves out, since nothing is drawn for it
		key     func(Asked) Key
	}{
		"reply": {reply, []string{".Request.Continuations", ".Request.Forced"}, func(a Asked) Key {
			return KeyOf(a.By, a.Request, a.Request.Prompt)
		}},
		"forced": {forced, append(drawn, append(ofSampling(t, "Alternatives"), ".Request.Continuations")...),
			func(a Asked) Key { return KeyOf(a.By, a.Request, a.Request.Prompt) }},
		"continuations": {scores, append(drawn, ".Request.Sampling", ".Request.Forced"), func(a Asked) Key {
			var texts [][]step.Token
			for _, text := range a.Request.Continuations {
				texts = append(texts, letters(text))
			}
			key, _ := scoresKey(a.By, tokensOf(a.Request.Prompt), texts)
			return key
		}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := Asked{someEngine, c.request}
			at := reflect.ValueOf(&asked).Elem()
			own := c.key(asked)
			seen := map[Key]string{own: "nothing"}
			records := map[string]bool{own.String(): true}
			look := func(path string) {
				key := c.key(asked)
				if other, known := seen[key]; known || records[key.String()] {
					t.Errorf("%s: a change of %s has the key of a change of %s", name, path, other)
				}
				seen[key], records[key.String()] = path, true
			}
			changed(t, ".By", at.Field(0), look)
			for _, f := range reflect.VisibleFields(reflect.TypeFor[Request]()) {
				path, field := ".Request."+f.Name, at.Field(1).FieldByIndex(f.Index)
				switch {
				case slices.Contains(notInKeys, f.Name):
					changed(t, path, field, func(path string) {
						if c.key(asked) != own {
							t.Errorf("%s: %s changes the key, want it left out", name, path)
						}
					})
				case slices.Contains(c.without, path):
				case f.Name == "Sampling":
					for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
						if part := path + "." + f.Name; !slices.Contains(c.without, part) {
							changed(t, part, field.FieldByIndex(f.Index), look)
						}
					}
				default:
					changed(t, path, field, look)
				}
			}
			if least := 5 + reflect.TypeFor[Identity]().NumField(); len(seen) < least {
				t.Errorf("%s: %d changes were tried, want at least %d", name, len(seen), least)
			}
		})
	}
}

// TestIdentityOfModels: what a model says of how and by what it is computed is in its identity. A field that is new to
// ModelInfo fails here until it is, or is in the list of those that decide nothing beside the others.
func TestIdentityOfModels(t *testing.T) {
	decidesNothing := []string{"Name", "Path", "Architecture", "Quantization", "Parameters", "Context", "Embedded",
		"Adapted", "Advice", "Depends", "Reasons", "Waits", "Room", "Remote", "Team", "Target"}
	m := ModelInfo{Hash: "a", Template: "b", Mode: "c", Kernels: "d", KV: "e", Device: "f", GPULayers: 1}
	own := m.Identity("g")
	if own.Library != "g" || own == m.Identity("h") {
		t.Errorf("the identity is %+v, want the library in it, and another for another one", own)
	}
	at := reflect.ValueOf(&m).Elem()
	for _, f := range reflect.VisibleFields(at.Type()) {
		if slices.Contains(decidesNothing, f.Name) {
			continue
		}
		changed(t, f.Name, at.FieldByIndex(f.Index), func(path string) {
			if m.Identity("g") == own {
				t.Errorf("another %s leaves the identity as it is, want it changed", path)
			}
		})
	}
	m.Remote = &Remote{Fingerprint: "g", Vocabulary: "i"}
	if i := m.Identity(""); i.Library != "g" || i.Tokenizer != "i" {
		t.Errorf("of servers: %+v, want Library \"g\" and Tokenizer \"i\"", i)
	}
}

// ofSampling are the paths of all fields of Sampling but one.
func ofSampling(t *testing.T, but string) (paths []string) {
	t.Helper()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		if f.Name != but {
			paths = append(paths, ".Request.Sampling."+f.Name)
		}
	}
	return paths
}

// letters stands in for a tokenizer.
func letters(text string) (tokens []step.Token) {
	for _, r := range text {
		tokens = append(tokens, step.Token(r))
	}
	return tokens
}

func tokensOf(ids []int32) (tokens []step.Token) {
	for _, id := range ids {
		tokens = append(tokens, step.Token(id))
	}
	return tokens
}

// TestKeysOfKinds: requests of different kinds have different keys, whatever they share, and lists that run together
// do too.
func TestKeysOfKinds(t *testing.T) {
	seen := make(map[string]int)
	prompt := []int32{1, 2}
	for i, r := range []Request{
		{Prompt: prompt}, {Prompt: []int32{1}, Forced: []int32{2}}, {Prompt: prompt, Forced: []int32{2}},
		{Prompt: []int32{1}, MaxTokens: 2}, {Prompt: prompt, MaxTokens: 1},
		{Prompt: prompt, Stop: []string{"ab"}}, {Prompt: prompt, Stop: []string{"a", "b"}},
		{Prompt: prompt, Stop: []string{"a"}, Grammar: "b"}, {Prompt: prompt, Stop: []string{"a", ""}},
		{Prompt: prompt, Stop: []string{"\xff"}}, {Prompt: prompt, Stop: []string{"\xfe"}},
		{Prompt: prompt, EndLoops: true}, {Prompt: prompt, Stop: []string{"a"}, EndLoops: true},
		{Prompt: prompt, Sampling: Sampling{IgnoreEnd: true}}, {Prompt: prompt, Grammar: "a"},
		{Prompt: prompt, Sampling: Sampling{FrequencyPenalty: 1}},
		{Prompt: prompt, Sampling: Sampling{PresencePenalty: 1}},
		{Prompt: prompt, Sampling: Sampling{Bias: []TokenBias{{Token: 1, Bias: 0}}}},
	} {
		key := KeyOf(someEngine, r, r.Prompt).String()
		if other, known := seen[key]; known {
			t.Errorf("requests %d and %d have one key, want two", other, i)
		}
		seen[key] = i
	}
	for i, texts := range [][]string{{"a"}, {"ab"}, {"a", "b"}, {"b", "a"}} {
		var all [][]step.Token
		for _, text := range texts {
			all = append(all, letters(text))
		}
		key, _ := scoresKey(someEngine, []step.Token{1, 2}, all)
		if other, known := seen[key.String()]; known {
			t.Errorf("continuations %q have the key of %d, want one of their own", texts, other)
		}
		seen[key.String()] = 100 + i
	}
	if KeyOf(someEngine, Request{}, []step.Token{1, 2}) != KeyOf(someEngine, Request{}, []int32{1, 2}) {
		t.Error("the type of token ids is in the key")
	}
	for i, other := range []Key{{By: [32]byte{1}}, {Asked: [32]byte{1}}} {
		t.Run([]string{"by whom", "what is asked"}[i], func(t *testing.T) {
			if other.shared() == (Key{}).shared() {
				t.Error("the scheduler takes requests with different keys for one")
			}
		})
	}
	usual := Request{MaxTokens: DefaultMaxTokens, Stop: []string{}, Sampling: Sampling{Bias: []TokenBias{}}}
	if KeyOf(someEngine, Request{}, prompt) != KeyOf(someEngine, usual, prompt) {
		t.Error("the usual bound, said and unsaid, makes two keys")
	}
}

// someEngine says something in every field.
var someEngine = Identity{Model: "a", Template: "b", Tokenizer: "c", Mode: "d", Library: "e", Kernels: "f", KV: "g",
	Device: "h", GPULayers: 1}

// TestKeys: journals know replies by these keys, which never change. Their first part is all of an older key, which is
// made of the model's hash and the request; what else may end a reply makes others.
func TestKeys(t *testing.T) {
	prompt := []step.Token{1, 2, 3}
	by := Identity{Model: "abc"}
	plain := Request{MaxTokens: 9, Grammar: "root ::= [a]",
		Sampling: Sampling{Seed: 7, TopK: 3, Bias: []TokenBias{{Token: 1, Bias: 2}}}}
	all := asking()
	all.Sampling.IgnoreEnd, all.EndLoops = true, true
	forced := Request{Forced: []int32{3}, Sampling: Sampling{Temperature: 2, Alternatives: 1}}
	for want, got := range map[string]Key{
		"bbdd2d7c5fc0bdc7d644c58cb3c4ac0a-02bdd05b22b8ecb4ea": KeyOf(by, plain, prompt),
		"3fcb66112417b2ca24349ce117e35a7a-02bdd05b22b8ecb4ea": KeyOf(by, all, prompt),
		"ef70cdd57b435ab8af6f193887bdde36-02bdd05b22b8ecb4ea": KeyOf(by, forced, prompt[:2]),
	} {
		t.Run(want, func(t *testing.T) {
			if got.String() != want || AskedIn(want) != AskedIn(got.String()) || AskedIn(want[:32]) != want[:32] {
				t.Errorf("%s, was %s", got, want)
			}
		})
	}
	if got := KeyOf(someEngine, plain, prompt).String()[32:]; got != "-025aa7990b85f6339b" {
		t.Errorf(`%v, want "-025aa7990b85f6339b"`, got)
	}
	const old = "bbdd2d7c5fc0bdc7d644c58cb3c4ac0a"
	none := plain
	none.Stop = []string{}
	if got := AskedIn(KeyOf(by, none, prompt).String()); got != old {
		t.Errorf("without stop texts the key is %s, want the old %s", got, old)
	}
	const script = `[] {Temperature:0 TopK:0 TopP:0 MinP:0 RepeatPenalty:0 RepeatLastN:0 IgnoreEnd:false Seed:5 Rivals:0} ` +
		`3 [] "" "m"`
	if got := scriptKey(Request{Model: "m", MaxTokens: 3, Sampling: Sampling{Seed: 5}}); got != script {
		t.Errorf("of a script: %s, want %v", got, script)
	}
}
