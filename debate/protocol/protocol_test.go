package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestProtocols composes every protocol in the program and holds it with a script.
func TestProtocols(t *testing.T) {
	for _, p := range Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			if p.Source == "" || p.Meaning == "" {
				t.Error("a protocol says where it comes from and what it does")
			}
			d, err := p.Compose(debate.Asking{})
			if err != nil {
				t.Fatal(err)
			}
			engine := inference.NewScript(func(r inference.Request) string {
				if r.Continuations != nil {
					return r.Continuations[0]
				}
				if p.Form == "centre" { // which hears right and wrong solutions
					return []string{"(A)", "(B)"}[r.Agent%2]
				}
				return "Step 1: think. Step 2: The answer is: (A)."
			})
			c := debatetest.Puzzle
			if p.Form == "knights" {
				c.Question = "Player name: Ann\nPlayer name: Bob\n"
			}
			transcript, err := d.Run(t.Context(), engine.Join(0), c)
			if err != nil {
				t.Fatal(err)
			}
			if transcript.Protocol != p.Name || transcript.Settings == nil || len(transcript.Rounds) == 0 ||
				transcript.Decision.Rule.String() == "" {
				t.Errorf("the transcript is %+v, want the protocol %s with its settings, rounds and a rule", transcript,
					p.Name)
			}
		})
	}
	if len(Protocols()) < 30 {
		t.Errorf("the program has %d protocols, want at least 30", len(Protocols()))
	}
}

// TestOwnProtocols: files of users are composed, or refused with the line and the reason.
func TestOwnProtocols(t *testing.T) {
	for text, want := range map[string]string{
		"form: society\nagents: 5\norder: most-frequent-last\ntopology: ring\ndecide: borda\nprompts: tiny\n": "",
		"form: society\nprogram: [exchange, verify]\nteam: [{name: Ann}, {name: Bob, temperature: 0.5}]\n":    "",
		"form: society\nagnets: 5\n":      "[2:1]",
		"form: society\n\nagents: many\n": "[3:9]",
		"agents: 5\n":                     "form must be given",
		"form: chess\n":                   `[1:7] no form "chess"; there are society`,
		"form: tit-for-tat\ntopology: ring\n": "[2:11] topology means nothing to form " +
			"tit-for-tat, which reads agents",
		"form: society\nagents: 3\ntopology: random:7\n": "[3:11] topology random:7: each of 3 agents has " +
			"2 others",
		"form: society\norder: loudest\n":                          `[2:8] no order "loudest"`,
		"form: society\nprogram: [exchange, exchangeZ]\n":          `no action "exchangeZ"`,
		"form: society\nprogram: [exchangeJ]\n":                    `the released program ends there and records nothing`,
		"form: society\ntopology: neighbours\norder: random\n":     `order random does not go with it`,
		"form: society\ndecide: weighted\n":                        "[2:9] decide weighted weighs by confidence",
		"form: society\nuntil: certain\ndecide: trajectory\n":      "until certain counts the votes of a majority",
		"form: society\nlayout: shared\ntopology: ring\n":          "layout shared sends everybody all solutions",
		"form: society\nabstain: 2\n":                              "[2:10] abstain 2: must be from 0 to 1",
		"form: society\nabstain: 0.5\nuntil: agreement\n":          "",
		"form: society\nuntil: certain\nabstain: 0.5\n":            "[3:10] abstain 0.5 asks for a share of all votes",
		"form: society\nrounds: 1\nuntil: settled\nabstain: 1\n":   "until settled spares those that cannot change",
		"form: society\nintensity: 11\n":                           "intensity 11: must be from 0 to 10",
		"form: society\nwording: sweet\n":                          `no wording "sweet"`,
		"form: society\ntopology: graph\ngraph: [[1], [0], [9]]\n": "agent 2 hears 9",
		"form: tit-for-tat\nlevel: 4\n":                            "[2:8] level 4: must be from 0 to 3",
		"form: tit-for-tat\nagents: 1\n":                           "1 debaters",
		"form: tit-for-tat\nteam: [{persona: x}]\n": "[2:18] team, member 0: form tit-for-tat gives " +
			"it no persona",
		"form: society\nprompts: nonsense\n":                 `"nonsense"; there are `,
		"form: society\nshow: shuffled\nspeak: one-by-one\n": "one-by-one or a program do not go with it",
		"form: society\nshow: shuffled\nlayout: shared\n":    "layout shared sends everybody all solutions",
		"form: sampling\nbudget: money\n":                    `[2:9] budget "money"; there are calls and tokens`,
		"form: sampling\nagents: 3\n":                        "agents means nothing to form sampling",
		"form: centre\norder: truth-last\n":                  `[2:8] no order "truth-last"; there are correct-first`,
		"form: centre\nagents: 9\nmost: 8\n": "[3:7] most 8: half of a sweep is right, so " +
			"it must be even, from the 9 agents",
		"form: centre\nagents: 3\nmost: 7\n":                    "[3:7] most 7",
		"form: centre\nagents: 3\norder: placed:3\n":            "[3:8] order placed:3: there are places 0 to 2",
		"form: centre\nagents: 3\norder: placed:-1\n":           "order placed:-1: there are places 0 to 2",
		"form: centre\nagents: 3\norder: placed:x\n":            `no order "placed:x"`,
		"form: centre\nagents: 3\nholder: 1\n":                  "[3:9] holder 1: from 0 to 2, in an order placed:P",
		"form: centre\nown: mine\n":                             `[2:6] own: no value "mine"; there are right, wrong, other`,
		"form: centre\nsamples: 5000\n":                         "[2:10] samples 5000: must be from 1 to 1000",
		"form: centre\nwording: verify\n":                       `[2:10] wording "verify" of prompts "reversal" has no place for solutions`,
		"form: centre\nagents: 3\norder: placed:1\nholder: 2\n": "",

		"form: society\nrounds: 1\nuntil: settled\ndecide: last\n":        "settled counts the votes",
		"form: society\nrounds: 1\nuntil: settled\nteam: [{memory: 1}]\n": "answers that are drawn alike",
		"form: society\nuntil: settled\n":                                 "until settled tests answers",
		"form: society\nuntil: sure\n":                                    "the first agent's confidence",
		"form: society\nsure: 0.5\n":                                      "without until sure",
	} {
		t.Run(text, func(t *testing.T) {
			path := datatest.File(t, "own.yaml", text)
			_, err := LoadProtocol(path)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
	if _, err := LoadProtocol("chess"); err == nil || !strings.Contains(err.Error(), "parley protocols lists the ") {
		t.Errorf(`%v, want an error with "parley protocols lists the "`, err)
	}
}

// TestSettings: every setting is read by some form, and every form reads settings that there are.
func TestSettings(t *testing.T) {
	read := []string{"form"}
	for _, f := range Forms() {
		last := 0
		for _, name := range f.Reads {
			at := slices.Index(debate.SettingNames(), name)
			if at <= last {
				t.Errorf("form %s reads %s as setting %d, after setting %d: records have another order", f.Name,
					name, at, last)
			}
			last, read = at, append(read, name)
		}
	}
	for _, name := range debate.SettingNames() {
		if !slices.Contains(read, name) {
			t.Errorf("no form reads the setting %s, want one that does", name)
		}
	}
	var s debate.Settings
	if err := s.Set("program", "[exchange, verify]"); err != nil || len(debate.Value[[]string](s, "program")) != 2 {
		t.Errorf("a list is set by its text: got %v (%v), want 2 entries of program",
			debate.Value[[]string](s, "program"), err)
	}
	if err := s.Set("agents", "x"); err == nil {
		t.Error("agents is set to x, want an error")
	}
	if err := s.Set("agent", "3"); err == nil || !strings.Contains(err.Error(), "agents") {
		t.Errorf(`%v, want an error with "agents"`, err)
	}
}

// FuzzParseProtocol: hostile files are refused or can be composed.
func FuzzParseProtocol(f *testing.F) {
	f.Add([]byte("form: society\nteam: [{name: a}]\n"))
	f.Add([]byte("form: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Contains(string(text), "prompts") {
			return // names files
		}
		if p, err := ParseProtocol(text); err == nil {
			if _, err := p.Compose(debate.Asking{}); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestHuman: a person in a team changes nothing of the protocol that others take.
func TestHuman(t *testing.T) {
	p, err := LoadProtocol("madc-profiles")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Human(0), p.Human(7)); err != nil || !p.Team()[0].Human || !p.Team()[7].Human ||
		p.Team()[0].Persona == "" {
		t.Errorf("members 0 and 7 are people now, and the first keeps its persona: got %+v, %v", p.Team(), err)
	}
	if again, _ := LoadProtocol("madc-profiles"); again.Team()[0].Human || len(again.Team()) != 6 {
		t.Error("the protocol in the program has a person now")
	}
	if p.Human(-1) == nil {
		t.Error("agent -1 is made a person, want an error")
	}
}

// TestMeasures: who disagrees in which round, and whose answer was taken.
func TestMeasures(t *testing.T) {
	say := func(agent int, text string) debate.Turn {
		return debate.Turn{Agent: agent, Answer: debatetest.Puzzle.Extract(text)}
	}
	society := debate.Transcript{Rounds: [][]debate.Turn{{say(0, "(A)"), say(1, "(B)"), say(2, "hm")},
		{say(0, "(A)"), say(1, "(B)"), say(2, "(B)")}, {say(0, "x"), say(1, "y"), say(2, "(B)")}}}
	if got := society.Disagreement(); !slices.Equal(got, []float64{1, 2.0 / 3, -1}) {
		t.Errorf("%v, want %v", got, []float64{1, 2.0 / 3, -1})
	}
	for want, answers := range map[string][3]string{"affirmative": {"(A)", "(B)", "(A)"},
		"negative": {"(A)", "(B)", "(B)"}, "tie": {"(B)", "(B)", "(B)"}, "neither": {"(A)", "(B)", "(C)"}} {
		t.Run(want, func(t *testing.T) {
			d := debate.Transcript{Roles: titfortat.SideNames(2),
				Decision: debate.Decision{Answer: debatetest.Puzzle.Extract(answers[2])}}
			d.Rounds = [][]debate.Turn{{say(0, "(C)"), say(1, "(C)"), say(2, "(C)")},
				{say(0, answers[0]), say(1, answers[1]), say(2, answers[2])}}
			if got := titfortat.Chosen(d); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if got := d.Disagreement(); got[0] != 0 || (got[1] == 0) != (want == "tie") {
				t.Errorf("%s: nobody disagrees in the first round, and in the second only without a tie: got %v", want,
					got)
			}
		})
	}
}

// TestMemory keeps what opened the debate, and so many of the agent's own replies with what it was sent between them.
func TestMemory(t *testing.T) {
	message := func(role, text string) inference.Message { return inference.Message{Role: role, Content: text} }
	history := []inference.Message{message("system", "s"), message("user", "q"), message("assistant", "0"),
		message("user", "1?"), message("assistant", "1"), message("user", "2?"), message("assistant", "2")}
	for memory, want := range map[int]string{0: "s q 0 1? 1 2? 2", 1: "s q 2", 2: "s q 1 2? 2", 3: "s q 0 1? 1 2? 2",
		9: "s q 0 1? 1 2? 2"} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			var kept []string
			for _, m := range (debate.Asking{Team: []debate.Agent{{Memory: memory}}}).Remember(history, 0) {
				kept = append(kept, m.Content)
			}
			if got := strings.Join(kept, " "); got != want {
				t.Errorf("a memory of %d keeps %q, want %q", memory, got, want)
			}
		})
	}
	if got := (debate.Asking{Team: []debate.Agent{{Memory: 1}}}).Remember(history[:1], 0); len(got) != 1 {
		t.Errorf("a memory of 1 message keeps the 1 there is: got %v", got)
	}
}

// TestSettingsAreDocumented: each form says of every setting that it reads what it means, and the values that it lists
// are those of settings that it reads.
func TestSettingsAreDocumented(t *testing.T) {
	for _, f := range Forms() {
		for i, s := range f.Settings {
			if s.Meaning == "" || s.Name != f.Reads[i] {
				t.Errorf("form %s: setting %+v, want %s with a meaning", f.Name, s, f.Reads[i])
			}
		}
		for _, part := range f.Parts {
			if !slices.Contains(f.Reads, part.Setting) || part.Meaning == "" && part.Value != "none" {
				t.Errorf("form %s lists %+v, want a part of a setting that it reads, with its meaning", f.Name, part)
			}
		}
	}
}

// TestProtocolAsFile: each protocol, written as a file, is read back as it was.
func TestProtocolAsFile(t *testing.T) {
	for _, p := range Protocols() {
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(p)
		var recorded Protocol
		if err := errors.Join(err, json.Unmarshal(record, &recorded)); err != nil || !recorded.Equal(p) ||
			!strings.HasPrefix(string(record), `{"name":"`+p.Name+`","source":"`) {
			t.Errorf("%s is recorded as %s (%v), want its name and source first, and to be read back equal", p.Name,
				record, err)
		}
		back, err := ParseProtocol(text)
		if err != nil || !back.Equal(p) || back.Source != p.Source || back.Meaning != p.Meaning {
			t.Errorf("%s: a protocol written as a file is read back equal, with source and meaning: %v\n%s", p.Name,
				err, text)
		}
	}
}
