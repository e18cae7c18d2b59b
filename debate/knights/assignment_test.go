package knights

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/soak"
)

var four = []string{"Rachel", "Violet", "Olivia", "Peter"}

// TestReadSolution: roles of all players are read from a reply, whole or damaged.
func TestReadSolution(t *testing.T) {
	whole := []string{"knight", "knight", "knave", "spy"}
	for name, test := range map[string]struct {
		reply string
		want  []string // nil if the reply cannot be read
	}{
		"roles by name":     {`{"players": {"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": "spy"}, "explanation": "so"}`, whole},
		"a list of players": {`{"players": [{"name": "Rachel", "role": "knight"}, {"name": "violet ", "role": "Knight."}, {"name": "Olivia", "role": "knave"}, {"name": "Peter", "role": "spy"}]}`, whole},
		"names at the top": {`{"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": {"role": "spy"}}`,
			whole},
		"words around": {"I think {so}.\n```json\n{\"players\": {\"Rachel\": \"knight\",\n \"Violet\": " +
			"\"knight\", \"Olivia\": \"knave\", \"Peter\": \"spy\"}}\n```\nDone {}", whole},
		"inside another": {`{"reply": {"players": {"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": "spy"}}}`, whole},
		"double braces":  {`{{"players": [{{"name": "Rachel", "role": "knight"}}, {{"name": "Violet", "role": "knight"}}, {{"name": "Olivia", "role": "knave"}}, {{"name": "Peter", "role": "spy"}}]}}`, whole},
		"a text with breaks": {"{\"explanation\": \"one\ntwo\", \"players\": {\"Rachel\": \"knight\", \"Violet\": " +
			"\"knight\", \"Olivia\": \"knave\", \"Peter\": \"spy\"}}", whole},
		"braces in a text": {`{"explanation": "a } and a { \" here", "players": {"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": "spy"}}`, whole},
		"a text cut":       {`{"players": {"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": "spy"}, "explanation": "because Ra`, whole},
		"cut after a name": {`{"players": {"Rachel": "knight", "Violet": "knight", "Olivia": "knave", "Peter": `,
			[]string{"knight", "knight", "knave", ""}},
		"cut within a role": {`{"players": [{"name": "Rachel", "role": "knight"}, {"name": "Violet", "role": "kni`,
			[]string{"knight", "", "", ""}},
		"cut, double braces": {`{{"players": {{"Rachel": "knight", "Violet": "kna`, []string{"knight", "", "", ""}},
		"pairs in broken text": {
			`{"players": [{"name": "Rachel", "role": "knight"}}, {"name": "Violet", "role": "spy"]`,
			[]string{"knight", "spy", "", ""}},
		"pairs in a list":   {"**Rachel**: knight\n- Violet = Knave", []string{"knight", "knave", "", ""}},
		"the last of pairs": {`Rachel: knave? No. Rachel: spy.`, []string{"spy", "", "", ""}},
		"scratch behind":    {`{"players":[{"name":"Rachel","role":"knave"},{"name":"Violet","role":"spy"}],"explanation":"he said "x". Suppose Rachel: knight."}`, []string{"knave", "spy", "", ""}},
		"scratch, by name":  {`{"players": {"Rachel": "knave", "Violet": "spy"}, "explanation": "he said "x". Suppose Rachel: knight."}`, []string{"knave", "spy", "", ""}},
		"other blanks":      {"Rachel\u00a0:\u202fspy,Violet: knave", []string{"spy", "knave", "", ""}},
		"a longer word":     {`Rachel: spying, Violet: spyé`, nil},
		"no such role": {`{"players": {"Rachel": "jester", "Violet": "spy", "Mallory": "spy"}}`,
			[]string{"", "spy", "", ""}},
		"nothing of players": {`{"explanation": "I do not know."}`, []string{"", "", "", ""}},
		"another name's end": {`McRachel: knight`, nil},
		"thinking aloud":     {`If Rachel is a knight, Violet lies.`, nil},
		"another object":     {`{"x": 1}`, nil},
		"words":              {`I would rather not say.`, nil},
		"nothing":            {``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, ok := ReadSolution(test.reply, four)
			if ok != (test.want != nil) {
				t.Errorf("%s: read %v as %+v, want %+v (nil if unread)", name, ok, s, test.want)
			}
			if diff := cmp.Diff(test.want, s.Roles); ok && diff != "" {
				t.Errorf("%s: the roles that a solution assigns (-want +got):\n%s", name, diff)
			}
		})
	}
}

// TestConfidence: a confidence is a number from 1 to 10, and 5 where it cannot be read.
func TestConfidence(t *testing.T) {
	for written, want := range map[string]float64{`7`: 7, `0`: 1, `99`: 10, `-1e300`: 1, `"8"`: 8, `"NaN"`: 5,
		`"sure"`: 5, `null`: 5, `[3]`: 5, `6.5`: 6.5} {
		t.Run(written, func(t *testing.T) {
			s, ok := ReadSolution(`{"players": {}, "confidence": `+written+`}`, four)
			if !ok || s.Confidence != want {
				t.Errorf("%s: %v, %v, want %v", written, ok, s.Confidence, want)
			}
		})
	}
}

// TestReadStance: a role, and with whom an agent agrees, are read from a reply, whole or cut.
func TestReadStance(t *testing.T) {
	others := []string{"Agent 2", "Agent 3"}
	for name, test := range map[string]struct {
		reply string
		want  Stance
		ok    bool
	}{
		"whole": {
			`{"role": "spy", "agree_with": ["agent 2", "Agent 1", "Agent 2"], "agree_reasoning": "yes", "disagree_with": ["Agent 3"], "disagree_reasoning": "no"}`,
			Stance{"spy", []string{"Agent 2"}, "yes", []string{"Agent 3"}, "no"}, true,
		},
		"names in a text": {`{"role": "spy", "agree_with": "Agent 2, Agent 3", "disagree_with": "none"}`,
			Stance{Role: "spy", Agree: others}, true},
		"by name": {`{"Rachel": "knave", "agree_with": []}`, Stance{Role: "knave"}, true},
		"no role": {`{"agree_with": ["Agent 2"]}`, Stance{Agree: others[:1]}, true},
		"cut": {`{"role": "knave", "agree_with": ["Agent 2"], "agree_reasoning": "it fol`,
			Stance{Role: "knave", Agree: others[:1], AgreeReason: "it fol"}, true},
		"a pair":      {`so Rachel: spy`, Stance{Role: "spy"}, true},
		"a bare role": {`"role": "Spy" and`, Stance{Role: "spy"}, true},
		"scratch behind": {`{"role": "spy", "agree_reasoning": "he said "x". Suppose Rachel: knight."}`,
			Stance{Role: "spy"}, true},
		"words": {`A spy, perhaps.`, Stance{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, ok := ReadStance(test.reply, "Rachel", others)
			if diff := cmp.Diff(test.want, s); diff != "" || ok != test.ok {
				t.Errorf("%s: read %v, want %v; the stance (-want +got):\n%s", name, ok, test.ok, diff)
			}
		})
	}
}

// TestReadOrder: an order names each player once.
func TestReadOrder(t *testing.T) {
	for reply, want := range map[string]bool{
		`{"order": ["Peter", "olivia", "Violet", "Rachel"]}`:                                      true,
		`{"order": ["Peter", "Olivia", "Violet"]}`:                                                false,
		`{"order": ["Peter", "Olivia", "Violet", "Peter"]}`:                                       false,
		`{"order": ["Peter", "Olivia", "Violet", "Rachel", "Rachel"]}`:                            false,
		`{"order": ["Peter", "Olivia", "Violet", "Mallory"]}`:                                     false,
		`Peter, Olivia, Violet, Rachel`:                                                           false,
		"Here it is:\n```json\n{{\"order\": [\"Peter\", \"Olivia\", \"Violet\", \"Rachel\"]}}```": true,
	} {
		t.Run(reply, func(t *testing.T) {
			if order, ok := readOrder(reply, four); ok != want {
				t.Errorf("%s: %v %v, want %v", reply, ok, order, want)
			}
		})
	}
}

// TestRoles: roles are read from JSON and from sentences; with one missing, nothing is.
func TestRoles(t *testing.T) {
	want := answer.Of("Rachel: knight, Violet: knight, Olivia: knave, Peter: spy")
	extract := Roles(four)
	for _, reply := range []string{
		"Rachel is a knight.\nViolet is a knight.\nOlivia is a knave.\nPeter is a spy.\n", want.Text,
		`{"players": {"Peter": "spy", "Rachel": "knight", "Violet": "knight", "Olivia": "knave"}}`,
	} {
		t.Run(fmt.Sprintf("%.60s", reply), func(t *testing.T) {
			if got := extract(reply); got != want {
				t.Errorf("%q: %+v, want %v", reply, got, want)
			}
		})
	}
	for _, reply := range []string{"", "Rachel is a knight.\nViolet is a knight.\nOlivia is a knave.\n",
		`{"players": {"Peter": "spy"}}`} {
		t.Run(fmt.Sprintf("%.60s", reply), func(t *testing.T) {
			if got := extract(reply); got != answer.Unparsed {
				t.Errorf("%q: %+v, want %v", reply, got, answer.Unparsed)
			}
		})
	}
}

// TestPlayersOf: the players are those that a game names, each once.
func TestPlayersOf(t *testing.T) {
	players, err := PlayersOf("---\nPlayer name: Ann Lee \r\nPlayer statement: x\n---\nPlayer name: Bob\nnot Player " +
		"name: Eve")
	if diff := cmp.Diff([]string{"Ann Lee", "Bob"}, players); diff != "" || err != nil {
		t.Errorf("the players of a game, %v (-want +got):\n%s", err, diff)
	}
	for _, game := range []string{"", "What is 2 + 2?", "Player name: Ann", "Player name: Ann\nPlayer name: ann",
		"Player name: Ann\nPlayer name:\n"} {
		t.Run(fmt.Sprintf("%.60s", game), func(t *testing.T) {
			if players, err := PlayersOf(game); err == nil {
				t.Errorf("%q names no players that can be read: got %v without an error", game, players)
			}
		})
	}
}

// TestHostileReplies: what is read of a reply is bounded, and so is the time for it.
func TestHostileReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	start := soak.Processor()
	for _, part := range []string{"{", "[", `{"players": `, `{"a":[`, `"`, `\`, "{{", "},", `{"players": {}}`,
		"Rachel:", "Rachel ", `{"a":1,`, `"name": "Rachel", "role": "spy", `, `"solution `,
		`"reasoning": "a", "b" } } (c`} {
		for _, reply := range []string{strings.Repeat(part, 4<<20/len(part)), "{" + strings.Repeat(part, 100),
			`{"players": [` + strings.Repeat(part, 10000)} {
			ReadSolution(reply, four)
			ReadStance(reply, "Rachel", nil)
			readOrder(reply, four)
			releasedSolution(reply, four)
			releasedStance(reply, four)
		}
	}
	if took := soak.Processor() - start; took > time.Minute {
		t.Errorf("took %v, want at most %v", took, time.Minute)
	}
	s, ok := ReadSolution(`{"players": {"Rachel": "spy"}, "explanation": "`+strings.Repeat("é ", 40000), four)
	if !ok || s.Roles[0] != "spy" || len(s.Explanation) > 2*maxReadLetters {
		t.Errorf("a reply cut in its explanation is read: %v, %d bytes of it, roles %v; want true, at most %d, and "+
			"spy first", ok, len(s.Explanation), s.Roles, 2*maxReadLetters)
	}
}

// FuzzAssignment feeds anything to all that reads the replies of knights: nothing panics, only roles that there are
// come out of the patient readings, and what others are shown is bounded.
func FuzzAssignment(f *testing.F) {
	for _, s := range []string{`{"players": {"Rachel": "spy"}}`, `{{"players": [{{"name": "Violet", "role": "knave"`,
		`Rachel: spy`, `{"role": "spy", "agree_with": ["Violet"]`, `{"order": ["Rachel", "Violet"]}`, "{\xff", `{"]`,
		`{\`,
		`{"players":[{"name":"Rachel","role":"knave"}],"explanation":"he said "x"."}`,
		`{"name": "Rachel", "role": "spy"]`, `{"agree_reasoning": "a", "b" } } (c) d`,
		`{"agree": 4, "disagree": "0"}`, "Agree: 3, disagree: 9"} {
		f.Add(s)
	}
	players := []string{"Rachel", "Violet"}
	known := func(role string) bool { return role == "" || strings.Contains("knight knave spy", role) }
	f.Fuzz(func(t *testing.T, reply string) {
		s, ok := ReadSolution(reply, players)
		if len(s.Roles) != 2 || !known(s.Roles[0]) || !known(s.Roles[1]) || s.Confidence < 1 || s.Confidence > 10 ||
			!ok && s.Roles[0]+s.Roles[1] != "" {
			t.Fatalf("%q: each of 2 players has a known role, none if unread, and confidence is 1 to 10: read %v, "+
				"%+v", reply, ok, s)
		}
		if r, ok := ReadReasons(reply); ok && (min(r.Agree, r.Disagree) < 0 || max(r.Agree,
			r.Disagree) > highestRating) {
			t.Errorf("%q: ratings that are read are 0 to %d, got %+v", reply, highestRating, r)
		}
		if st, ok := ReadStance(reply, "Rachel", players[1:]); !known(st.Role) || len(st.Agree) > 1 ||
			len(st.Disagree) > 1 || !ok && st.Role != "" {
			t.Errorf("%q: a stance has a known role, none if unread, and one player at most on each side: read %v, "+
				"%+v", reply, ok, st)
		}
		if s := releasedSolution(reply, players); len(s.Roles) != 2 || len(s.Roles[0]) > 4*maxRoleLetters ||
			strings.Contains(s.Roles[0], ",") || s.Confidence < 1 || s.Confidence > 10 {
			t.Errorf("%q: the released reader has 2 roles of at most %d letters without commas, and confidence 1 to "+
				"10: got %+v", reply, 4*maxRoleLetters, s)
		}
		if s := releasedStance(reply, players[1:]); len(s.Role) > 4*maxRoleLetters || len(s.Agree) > 1 ||
			len(s.Disagree) > 1 {
			t.Errorf("%q: the released reader has a role of at most %d letters and one player at most on each side: "+
				"got %+v", reply, 4*maxRoleLetters, s)
		}
		if order, ok := readOrder(reply, players); ok && (len(order) != 2 || order[0] == order[1]) {
			t.Errorf("%q: an order that is read has both players once, got %v", reply, order)
		}
		if a := Roles(players)(reply); a.Parsed != (a.Text != "") {
			t.Errorf("%q: %+v, want a.Parsed = %v", reply, a, (a.Text != ""))
		}
	})
}

// TestNamesTwice: a reply that names a player twice, in different cases, is always read alike.
func TestNamesTwice(t *testing.T) {
	for range 20 {
		s, _ := ReadSolution(`{"players": {"Rachel": "spy", "rachel": "knave", "RACHEL": "knight"}}`, four)
		if s.Roles[0] != "knave" {
			t.Fatalf(`%+v, want s.Roles[0] = "knave"`, s)
		}
	}
}

// TestReadAssignment takes answers apart as they were put together, whatever players are called.
func TestReadAssignment(t *testing.T) {
	players, roles := []string{"Ann", "Smith, John", "a: b", "knight"}, []string{"spy", "knave", "knight", "knight"}
	gotPlayers, gotRoles, ok := ReadAssignment(vote.Assignment(players, roles))
	if !ok || !slices.Equal(gotPlayers, players) || !slices.Equal(gotRoles, roles) {
		t.Errorf("an assignment is read as it was written: got %q, %q, %v, want %q, %q", gotPlayers, gotRoles, ok,
			players, roles)
	}
	for _, text := range []string{"", "(A)", "Ann: king", "Ann: spy, Bob", "Ann: spy; Bob", ": spy"} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			if players, roles, ok := ReadAssignment(answer.Of(text)); ok {
				t.Errorf("%q is read as %q %q, want no assignment", text, players, roles)
			}
		})
	}
	if _, _, ok := ReadAssignment(answer.Unparsed); ok {
		t.Error("an answer that was not parsed is read as an assignment, want none")
	}
}
