package protocol

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/reversal"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/calculator"
	"github.com/parley-debate/parley/internal/soak"
)

// No setting may be read, recorded and not obeyed: whatever is given changes what is sent or what comes of it, or is
// refused. The table has a case for every setting of every form and for every part; one that is added without a case
// fails.

// occasion is where a setting has something to do: beside other settings, with these values.
type occasion struct {
	beside string // settings, as a file has them
	values []string
}

// bases are the debates that settings are added to.
var bases = map[string]string{
	"society":     "{form: society, agents: 4, rounds: 3, prompts: tiny}",
	"lesson":      "{form: lesson, agents: 3, rounds: 3}",
	"tit-for-tat": "{form: tit-for-tat, agents: 3, rounds: 3}",
	"knights":     "{form: knights, agents: 3, prompts: tiny}",
	"discussion":  "{form: discussion, agents: 4, rounds: 3, decide: majority}",
	"sampling":    "{form: sampling, prompts: tiny}",
	"centre":      "{form: centre, agents: 4, most: 6, samples: 30, prompts: tiny}",
}

// orders are those that forms other than a society have, but for the usual one.
var orders = []string{"random", "rotating", "most-frequent-first", "most-frequent-last"}

var obeyed = map[string]map[string][]occasion{
	"society": {
		"agents": {{"", []string{"5", "1"}}}, "rounds": {{"", []string{"1", "4"}}},
		"reading": {{"order: most-frequent-last", []string{"paper"}}, {"order: random", []string{"paper"}},
			{"decide: borda", []string{"paper"}}},
		"prompts": {{"", []string{"madc", "du-mmlu"}}}, "team": {{"", []string{"[{name: Ann}]"}}},
		"until": {{"", []string{"agreement", "certain"}}, {"rounds: 1, agents: 20", []string{"settled"}},
			{"confidence: asked", []string{"sure"}}},
		"sure": {{"until: sure, confidence: tokens", []string{"0.1", "1"}}},
		"decide": {{"", []string{"trajectory", "first", "last", "simple", "approval", "cumulative", "ranked", "borda",
			"condorcet", "run-off", "soft", "aggregator", "chairman",
			"arbiter"}}, {"confidence: asked", []string{"weighted", "confident-10", "confident-90"}}},
		"verdict": {{"wording: keep-or-revise, decide: trajectory", []string{"stated"}}},
		"ties":    {{"", []string{"random", "open"}}}, "abstain": {{"", []string{"0.9"}}},
		"order": {{"", []string{"random", "rotating", "truth-first", "truth-last", "most-frequent-first",
			"most-frequent-last", "most-probable-first", "most-probable-last",
			"truth-first-mispaired", "truth-last-mispaired", "most-frequent-first-mispaired",
			"most-frequent-last-mispaired"}}},
		"decay": {{"order: most-frequent-last", []string{"0.2"}}},
		"topology": {{"", []string{"ring", "neighbours", "star", "random:1", "random", "isolated"}},
			{"graph: [[1], [2], [3], [0]]", []string{"graph"}}},
		"graph": {{"topology: graph, graph: [[1], [2], [3], [0]]", []string{"[[2], [2], [3], [0]]"}}},
		"show": {{"", []string{"later:20", "earlier", "supported", "interleaved", "summary", "grouped", "reasoning",
			"answers", "shuffled", "noise", "vacuous", "retained"}}},
		"options": {{"rounds: 1", []string{"shuffled"}}},
		"opening": {{"", []string{"five-headings", "zero-shot", "operations", "personas"}}},
		"wording": {{"", []string{"question-first", "question-last", "accept-100", "accept-80", "earlier-steps",
			"last-steps", "shared-summary", "headed-steps", "headed-steps-asked", "steps", "summary", "keep-or-revise",
			"verify", "verify-sub-question", "verify-substitution", "verify-premises"}}},
		"speak": {{"", []string{"one-by-one"}}}, "layout": {{"", []string{"shared", "anonymous", "marked"}}},
		"labels": {{"", []string{"names", "shuffled"}}}, "confederate": {{"", []string{"popular", "next"}}},
		"assigned":   {{"decide: arbiter", []string{"opposite", "drawn"}}},
		"roles":      {{"team: [{persona: Ann}, {method: step-back}]", []string{"rotating"}}},
		"removal":    {{"", []string{"rarest", "last", "alike"}}},
		"summarizer": {{"show: summary", []string{"agent"}}, {"program: [exchangeA]", []string{"agent"}}},
		"program":    {{"", programs()}, {"reading: paper", []string{"[exchangeJ]"}}},
		"confidence": {{"", []string{"asked", "tokens"}}, {"rounds: 1, decide: confident-10",
			[]string{"tail", "bottom-groups", "lowest-group"}}},
		"window":    {{"rounds: 1, decide: confident-10, confidence: lowest-group", []string{"1", "2"}}},
		"intensity": {{"", []string{"0", "9"}}},
		"memory":    {{"", []string{"1"}}}, "probes": {{"", []string{"1", "2"}}},
		"ballots": {{"decide: ranked", []string{"grammar"}}}, "candidates": {{"decide: simple", []string{"answers"}}},
		"judge": {{"prompts: du-biography", []string{"facts"}}},
	},
	"lesson": {
		"agents": {{"", []string{"2", "5"}}}, "rounds": {{"", []string{"1", "4"}}},
		"prompts": {{"rounds: 1", []string{"tiny"}}}, "team": {{"", []string{"[{name: Ann}]"}}},
		"abstain": {{"", []string{"0.9"}}},
		"order":   {{"", orders}},
	},
	"tit-for-tat": {
		"agents": {{"", []string{"2", "4"}}}, "rounds": {{"", []string{"1", "4"}}},
		"reading": {{"", []string{"paper", "recorded"}}}, "prompts": {{"", []string{"translation"}}},
		"team":       {{"", []string{"[{temperature: 0.5}]"}}},
		"until":      {{"", []string{"rounds", "preference"}}, {"reading: paper", []string{"answer"}}},
		"judge-sees": {{"", []string{"all"}}, {"reading: paper", []string{"first"}}},
		"level":      {{"", []string{"0", "1", "3"}}}, "swapped": {{"", []string{"true"}}},
		"replies": {{"", []string{"json"}}}, "order": {{"", orders}},
	},
	"knights": {
		"agents": {{"", []string{"2", "4"}}}, "reading": {{"", []string{"paper"}}},
		"prompts": {{"", []string{"knights"}}}, "team": {{"", []string{"[{name: Ann}]"}}},
		"memory": {{"", []string{"1"}}}, "order": {{"", []string{"chosen", "agreed"}}}, "depth": {{"", []string{"2"}}},
		"confidence": {{"", []string{"shown"}}},
		"replies":    {{"", []string{"free"}}},
		"judge":      {{"", []string{"soundness", "reasons"}}},
		"until":      {{"", []string{"proposals"}}},
	},
	"discussion": {
		"agents": {{"", []string{"3", "5"}}}, "rounds": {{"", []string{"1", "4"}}},
		"reading": {{"", []string{"paper"}}}, "team": {{"", []string{"[{name: Ann}]"}}},
		"prompts": {{"", []string{"testdata/conformance/short-discussion.yaml"}}},
		"decide": {{"", []string{"unanimity", "supermajority", "hybrid", "consensus-voting", "judge", "counting",
			"simple", "approval", "cumulative", "ranked", "borda", "condorcet",
			"run-off", "soft"}}},
		"abstain":    {{"", []string{"0.99"}}},
		"paradigm":   {{"", []string{"relay", "report", "debate"}}, {"decide: simple", []string{"collective"}}},
		"order":      {{"decide: simple, paradigm: collective", orders}},
		"sub-rounds": {{"paradigm: debate", []string{"2"}}},
		"generator":  {{"", []string{"free", "split", "critical", "reasoning"}}},
		"personas":   {{"", []string{"expert", "ipip", "'none, ipip'"}}},
		"neutral":    {{"", []string{"true"}}}, "drafting": {{"", []string{"first", "every"}}},
		"direct": {{"", []string{"true"}}}, "full": {{"reading: paper", []string{"true"}}},
		"vote-from": {{"decide: simple", []string{"1", "2"}}},
		"voters-see": {{"decide: simple", []string{"public", "facts", "history", "confidence", "confidence-prompted",
			"confidence-probability"}}},
		"ballots":   {{"decide: simple", []string{"grammar", "soft"}}},
		"challenge": {{"", []string{"plain", "wrong", "irrelevant", "history", "facts"}}},
		"ablate":    {{"decide: '', agents: 0, rounds: 0", []string{"1", "3"}}},
	},
	"sampling": {
		"prompts": {{"", []string{"madc"}}}, "abstain": {{"", []string{"0.9"}}},
		"opening": {{"", []string{"zero-shot"}}}, "confidence": {{"", []string{"asked"}}},
		"budget": {{"", []string{"tokens"}}},
	},
	"centre": {
		"agents": {{"", []string{"5"}}}, "reading": {{"order: alternating", []string{"paper"}}},
		"prompts": {{"", []string{"madc"}}},
		"order":   {{"", []string{"incorrect-first", "alternating"}}, {"most: 0", []string{"placed:1"}}},
		"opening": {{"", []string{"zero-shot"}}},
		"wording": {{"", []string{"question-first"}}}, "own": {{"", []string{"right", "other"}}},
		"most": {{"", []string{"4"}}}, "samples": {{"", []string{"35"}}},
		"holder": {{"order: placed:0, most: 0", []string{"1"}}},
	},
}

func init() {
	for form := range obeyed { // the settings of all
		obeyed[form]["end-loops"] = []occasion{{"", []string{"true"}}}
		obeyed[form]["tool"] = []occasion{{"", []string{calculator.Name}}}
	}
	obeyed["knights"]["tool"][0].beside = "replies: free"
}

// usual are the values that settings have unless they are given: of these a record may tell, and nothing changes.
var usual = map[string]map[string]string{
	"society": {"order": "fixed", "topology": "full", "show": "whole", "speak": "together", "layout": "history",
		"labels": "none", "options": "listed", "roles": "fixed", "removal": "none",
		"until": "rounds", "decide": "majority", "ties": "first",
		"reading": "code", "program": usualPrograms[0], "judge": "none"},
	"lesson":      {"order": "fixed"},
	"tit-for-tat": {"order": "fixed", "until": "moderator", "reading": "code", "replies": "free", "level": "2"},
	"knights": {"order": "given", "confidence": "hidden", "replies": "json", "reading": "code", "depth": "1",
		"judge": "none", "until": "rounds"},
	"discussion": {"paradigm": "memory", "drafting": "none", "reading": "code", "personas": "none",
		"challenge": "none", "decide": "majority", "generator": "simple"},
	"sampling": {"budget": "calls"},
	"centre":   {"order": "correct-first", "own": "wrong", "reading": "code"},
}

// besides are usual values of settings that mean something beside others only.
var besides = map[string]string{"ballots: free": "decide: ranked",
	"verdict: inferred": "decide: trajectory", "summarizer: receiver": "show: summary",
	"candidates: texts":     "decide: ranked",
	"voters-see: anonymous": "decide: simple"}

// programs are those of one action, and of an opening.
func programs() (all []string) {
	for _, a := range society.Actions() {
		if a.Name != "exchange" && a.Name != "update" && a.Name != "exchangeJ" {
			all = append(all, "["+a.Name+"]")
		}
	}
	return append(all, "[expandA, exchange]", "[expandB, exchange]", "[expandD, exchange]", "[expandE, exchange]")
}

// usualPrograms are those that the released program runs as it does the usual one.
var usualPrograms = []string{"[expand, exchange]", "[update]", "[expandC, exchange]"}

// read enters the settings that a text has, over those that are there.
func readInto(s *debate.Settings, text string) error { return s.Read([]byte(text)) }

// given are the settings of a form beside its base.
func given(t failing, form string, settings ...string) debate.Settings {
	var s debate.Settings
	for _, text := range append([]string{bases[form]}, settings...) {
		if err := readInto(&s, text); err != nil {
			t.Fatalf("form %s, %v: reading the settings got %v, want no error", form, settings, err)
		}
	}
	return s
}

type failing interface{ Fatalf(string, ...any) }

// scripts is how many casts of speakers a setting is tried with: it has to matter to one of them.
const scripts = 36

// differs reports whether two compositions send other requests or come to something else, with any cast of speakers.
func differs(t failing, one, other debate.Settings) bool {
	for script := range uint64(scripts) {
		if courseOf(t, one, script) != courseOf(t, other, script) {
			return true
		}
	}
	return false
}

// courseOf is all that a debate sends, and all that comes of it, but for the names of its settings.
func courseOf(t failing, s debate.Settings, script uint64) string {
	d, err := Compose(s, debate.Asking{Sampling: inference.Sampling{Temperature: 1}, MaxTokens: 50,
		Seeds: debate.Seeds{Run: 1}})
	if err != nil {
		return "refused: " + err.Error()
	}
	speaker := &company{form: s.Form, script: script, asked: make(map[int]uint64)}
	transcript, err := d.Run(context.Background(), speaker, aCase(s.Form))
	text, err := json.Marshal([]any{speaker.requests, transcript, fmt.Sprint(err)})
	if err != nil {
		t.Fatalf("a transcript is no JSON: %v, want no error", err)
	}
	return string(text)
}

// aCase is a question of which everything is known.
func aCase(form string) debate.Case {
	c := debate.Case{ID: "q", Question: "Which? (A) one (B) two (C) three", Extract: answer.Choice,
		Truth: answer.Of("(A)"),
		Facts: "One is less than two.", Wrong: "(B)",
		Donor: &debate.Case{ID: "p", Question: "What? (A) this (B) that", Extract: answer.Choice}}
	c.Relist = reader.RelistBy("choice", answer.Question{Text: c.Question})
	if form == "knights" {
		c.Question = "Player name: Ann\nPlayer statement: Bob is a spy.\nPlayer name: Bob\nPlayer statement: Ann is " +
			"a knave."
	}
	if form == "sampling" {
		prior := debate.Transcript{Rounds: [][]debate.Turn{make([]debate.Turn, 4)}}
		for i := range prior.Rounds[0] {
			prior.Rounds[0][i].Reply.Tokens = 9
		}
		c.Prior = &prior
	}
	return c
}

// company is a speaker that says anything that means something to a form, drawn by who is asked for which time.
type company struct {
	form     string
	script   uint64
	asked    map[int]uint64
	requests []inference.Request
}

var lines = map[string][]string{
	"": {"Step 1: a. Step 2: b. Step 3: c. Step 4: d. Step 5: e. Step 6: it is (B).",
		"Step 1: think. It is late. Step 2: look. So the answer is (A). Confidence: 90%",
		"Step 1: count. Step 2: the answer is (B). Confidence: 65%", "I say (C).\nVerdict: keep", "(A)",
		"Who knows.", "1", "0 2 1", "1, 2", `{"0": 20, "1": 5}`, `{"0": 10, "1": 10, "2": 5}`},
	"tit-for-tat": {"I say (A), for it is one.", "No: it is (B).",
		`{"Whether there is a preference": "Yes", "Supported Side": "Affirmative", "Reason": "r", "debate_answer": "(A)"}`,
		`{"Whether there is a preference": "Yes", "Supported Side": "Negative", "Reason": "r", "debate_answer": ""}`,
		`{"Whether there is a preference": "No", "debate_answer": "(B)"}`},
	"knights": {`{"players": {"Ann": "knight", "Bob": "spy"}, "explanation": "she said so", "confidence": 8}`,
		`{"players": {"Ann": "knave"}, "explanation": "not so"}`,
		`{"role": "knave", "agree_with": ["Agent 1"], "agree_reasoning": "yes", "disagree_with": [], "disagree_reasoning": ""}`, `{"role": "knight", "explanation": "e"}`,
		`{"order": ["Bob", "Ann"]}`, "hm"},
	"discussion": {"[AGREE] I agree, it is (A).", "I agree: (B).", "[DISAGREE] I disagree. It is (B).", "It is (C).",
		"(A)", "(B)", `{"role": "Judge", "description": "who judges"}`,
		"0", "1", "0 1 2", "1, 0", `{"0": 5, "1": 5}`, "80", "[AGREE]"},
}

// Generate implements Speaker.
func (c *company) Generate(_ context.Context, requests []inference.Request) (replies []inference.Reply, err error) {
	c.requests = append(c.requests, requests...)
	if len(c.requests) > 2000 {
		return nil, errors.New("a debate without end")
	}
	for _, r := range requests {
		c.asked[r.Agent]++
		h := fnv.New64a()
		_ = binary.Write(h, binary.LittleEndian, []uint64{c.script, uint64(r.Agent), c.asked[r.Agent]})
		random := rand.New(rand.NewPCG(h.Sum64(), c.script))
		pool := lines[c.form]
		if pool == nil {
			pool = lines[""]
		}
		if c.script%3 == 0 { // who nearly agree
			at := int(c.script/3) % len(pool)
			pool = pool[at:min(at+1+int(c.script%2), len(pool))]
		}
		reply := inference.Reply{Text: pool[random.IntN(len(pool))], Tokens: 3 + random.IntN(9),
			LogProb: -3 * random.Float64()}
		if r.Confidences {
			for range min(r.Sampling.Alternatives, reply.Tokens) {
				reply.Confidences = append(reply.Confidences, 20*random.Float64())
			}
		}
		for range r.Continuations {
			reply.LogProbs = append(reply.LogProbs, -5*random.Float64())
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

// TestEverySettingIsObeyed tries every setting of every form and every part, each where it has something to do.
func TestEverySettingIsObeyed(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, form := range Forms() {
		for _, name := range debate.SettingNames() {
			if name == "form" {
				continue
			}
			cases, reads := obeyed[form.Name][name], slices.Contains(form.Reads, name)
			if reads != (len(cases) > 0) {
				t.Errorf("form %s, setting %s: it is read: %v, cases: %d, want some if and only if it is read",
					form.Name, name, reads, len(cases))
			}
			for _, c := range cases {
				for _, value := range c.values {
					obeys(t, form.Name, c.beside, name+": "+value)
				}
			}
			if value := usual[form.Name][name]; value != "" &&
				differs(t, given(t, form.Name), given(t, form.Name, "{"+name+": "+value+"}")) {
				t.Errorf("form %s: %s is not the usual %s, want no change by it", form.Name, value, name)
			}
		}
	}
}

func obeys(t *testing.T, form, beside, setting string) {
	t.Helper()
	with, without := given(t, form, "{"+beside+"}", "{"+setting+"}"), given(t, form, "{"+beside+"}")
	if _, err := Compose(with, debate.Asking{}); err != nil {
		t.Errorf("form %s refuses %s beside {%s}: %v, want no error", form, setting, beside, err)
		return
	}
	if _, err := Compose(without, debate.Asking{}); err != nil {
		without = given(t, form) // beside what it needs itself
	}
	if !differs(t, with, without) {
		t.Errorf("form %s, %s beside {%s}: it is given, and nothing changes", form, setting, beside)
	}
}

// TestEveryPartIsObeyed: each value that parley protocols --parts lists is in a case, or usual.
func TestEveryPartIsObeyed(t *testing.T) {
	for _, part := range Parts() {
		value := strings.NewReplacer(":K", ":1", "placed:P", "placed:1").Replace(part.Value)
		if part.Setting == "program" {
			value = "[" + value
		}
		if !slices.ContainsFunc(Forms(), func(f debate.Form) bool { return tried(f.Name, part.Setting, value) }) &&
			besides[part.Setting+": "+value] == "" {
			t.Errorf("no case tries %s %s, want one", part.Setting, part.Value)
		}
	}
	for _, program := range usualPrograms {
		if differs(t, given(t, "society"), given(t, "society", "{program: "+program+"}")) {
			t.Errorf("the program %s changes a society, want the usual one", program)
		}
	}
	for setting, beside := range besides {
		for _, form := range []string{"society", "discussion"} {
			with, without := given(t, form, "{"+beside+"}", "{"+setting+"}"), given(t, form, "{"+beside+"}")
			if _, err := Compose(with, debate.Asking{}); err == nil && differs(t, with, without) {
				t.Errorf("form %s: %s changes a debate, want the usual value", form, setting)
			}
		}
	}
}

func tried(form, setting, value string) bool {
	for _, c := range obeyed[form][setting] {
		if slices.ContainsFunc(c.values, func(v string) bool {
			return v == value || strings.HasPrefix(v, value+",") || strings.HasPrefix(v, value+"]")
		}) {
			return true
		}
	}
	if setting == "program" {
		return strings.Contains(strings.Join(usualPrograms, " "), strings.TrimPrefix(value, "["))
	}
	return usual[form][setting] == value
}

// members are what each field of a member of a team can be.
var members = map[string]string{
	"name": "Zed", "persona": "You are stubborn.", "method": "step-back", "memory": "1", "temperature": "0.25",
	"top-k": "7", "top-p": "0.5", "min-p": "0.1", "reasoning-tokens": "0",
	"reasoning-waits": "2, reasoning-tokens: 64",
	"tool":            calculator.Name, "model": "other.gguf", "human": "true",
}

// TestEveryMemberIsObeyed: each field of each member of a team is obeyed or refused, in every form. People are refused
// in runs.
func TestEveryMemberIsObeyed(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[debate.Member]()) {
		if f.Anonymous {
			continue
		}
		name := debate.SettingName(f)
		if members[name] == "" {
			t.Errorf("a member has %s, of which no case tells", name)
		}
		for _, form := range Forms() {
			for _, beside := range map[string][]string{"knights": {"", "reading: paper", "order: chosen"},
				"discussion": {"", "neutral: true", "challenge: wrong", "challenge: wrong, neutral: true"},
				"society":    {"", "show: summary, summarizer: agent", "decide: chairman"}}[form.Name] {
				membersObey(t, form.Name, beside, name)
			}
			if !slices.Contains([]string{"knights", "discussion", "society"}, form.Name) {
				membersObey(t, form.Name, "", name)
			}
		}
	}
}

func membersObey(t *testing.T, form, beside, field string) {
	t.Helper()
	base := given(t, form, "{"+beside+"}")
	seats := Protocol{Settings: base}.FormOf().SeatsOf(base)
	for seat := range seats + 1 {
		with := base
		team := strings.Repeat("{}, ", seat) + "{" + field + ": " + members[field] + "}"
		if err := with.Set("team", "["+team+"]"); err != nil {
			t.Fatal(err)
		}
		_, err := Compose(with, debate.Asking{})
		switch refused := (Protocol{Settings: with}).NoPeople(); {
		case err != nil && !strings.HasPrefix(err.Error(), "team") && !strings.HasPrefix(err.Error(), "a team of"):
			t.Errorf("form %s, %s of member %d: got the error %v, want none but of the team", form, field, seat, err)
		case err != nil:
		case seat == seats:
			t.Errorf("form %s: a member %d is accepted, and nobody is it", form, seat)
		case field == "human":
			if !errors.Is(refused, errPerson) {
				t.Errorf("form %s, %s of member %d: a run takes it; want the error %q", form, field, seat, errPerson)
			}
		case !differs(t, with, base):
			t.Errorf("form %s, %s of member %d: it is given, and nothing changes", form, field, seat)
		}
	}
}

// TestSettingsTogether draws settings of a form: if they can be composed, each of them matters, for without it the
// debate is another one. A soak draws others each time: what it finds is mended here, not where somebody else's change
// happens to be tested.
func TestSettingsTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	if seed := flag.Lookup("rapid.seed"); !soak.On() && seed.Value.String() == "0" {
		t.Cleanup(func() { seed.Value.Set("0") })
		if err := seed.Value.Set("17"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(Forms()).Draw(t, "form")
		s := given(t, form.Name)
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(form.Reads), 1, 4, rapid.ID).Draw(t, "settings")
		for _, name := range names {
			c := rapid.SampledFrom(obeyed[form.Name][name]).Draw(t, name+" where")
			if err := errors.Join(readInto(&s, "{"+c.beside+"}"),
				s.Set(name, rapid.SampledFrom(c.values).Draw(t, name))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Compose(s, debate.Asking{}); err != nil {
			return // refused
		}
		for _, name := range names {
			if without := without(s, name); !vacuous(s, name) && composes(without) && !s.Equal(without) &&
				!differs(t, s, without) {
				t.Fatalf("form %s, settings %+v: %s is given, and nothing changes", form.Name, s, name)
			}
		}
	})
}

func composes(s debate.Settings) bool { _, err := Compose(s, debate.Asking{}); return err == nil }

// without is all settings but one, which is as the form's base has it.
func without(s debate.Settings, name string) debate.Settings {
	return s.With(name, debate.Value[any](given(panics{}, s.Form), name))
}

type panics struct{}

func (panics) Fatalf(text string, a ...any) { panic(fmt.Sprintf(text, a...)) }

// vacuous settings have no occasion beside others, and are obeyed in that: a sweep over rounds may begin with one, and
// one over agents too.
func vacuous(all debate.Settings, name string) bool {
	s := debate.Typed[society.Settings](all)
	topology, err := society.ParseTopology(s.Topology)
	topology.Graph = s.Graph
	switch {
	case s.Rounds == 1 || s.Agents == 1 || name == "rounds" && all.Form == "discussion": // which a vote may end before
		return true
	case all.Form == "tit-for-tat" && slices.Contains([]string{"until", "judge-sees", "reading"}, name):
		return true // a reading is what the two are, and one of them may be said beside it
	case all.Form == "centre" && debate.Typed[reversal.Settings](all).MostSolutions == 0:
		_, placed := reversal.PlaceOf(s.Order)
		return !placed // a sweep to 80 needs a larger pool
	case name == "order" && all.Form == "lesson" && s.Agents == 2:
		return true // nothing to put in order
	case name == "decay" && s.Removal != "":
		return true // of four agents two are left by the round in which the order may no longer hold: each hears one
	case name == "full":
		return !discussion.ByConsensus(debate.Typed[discussion.Settings](all)) &&
			s.Rounds <= cmp.Or(debate.Value[int](all, "vote-from"), 3) // one vote, after the last turn
	}
	if err != nil || topology.MostHeard(s.Agents) != 1 {
		return false
	}
	return name == "decay" || // nothing to put in order
		s.Show == society.ShowSupported && name != "show" // nothing is heard: no other text supports the only one
}
