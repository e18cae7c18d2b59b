package knights

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// This file reads replies as Wu et al.'s program does (haolun-wu/ControlMAD, _parse_agent_response), for the code's
// reading. That hardly ever fails. If no object can be read or repaired, it takes what a few patterns find, which may
// be nothing at all. Missing roles are then filled in, so that "I cannot decide." is a vote. Roles are taken as they
// are written, whether or not there is such a role, and names must be written as in the game.
//
// Our prompts ask for {"players": {"Ann": "knight"}} and {"role": "knight"}; those of the source ask for a list of
// names and roles, and for the player next to the role. Both forms are read here, by the same steps.

const blank = `[` + answer.SpaceClass + `]*`

var (
	listedRole = regexp.MustCompile(`"name"` + blank + `:` + blank + `"([^"]+)"` + blank + `,?` + blank + `"role"` +
		blank + `:` + blank + `"([^"]+)"`)
	endOfPlayer = regexp.MustCompile(`"name"` + blank + `:` + blank + `"[^"]+"` + blank + `,` + blank + `"role"` +
		blank + `:` + blank + `"[^"]+"(` + blank + `)[,\]]`)
	wholePlayer = regexp.MustCompile(`\{` + blank + `"name"` + blank + `:` + blank + `"([^"]+)"` + blank + `,` + blank +
		`"role"` + blank + `:` + blank + `"([^"]+)"` + blank + `\}`)
	playerList = regexp.MustCompile(`"players"` + blank + `:` + blank + `\[([^\]]*)\]`)
	explained  = regexp.MustCompile(`"explanation"` + blank + `:` + blank + `"[^"]*"`)
	telling    = regexp.MustCompile(`"([^"]*(?:manager|single-spy|constraint|solution|consistent)[^"]*)"`)
	afterword  = regexp.MustCompile(`("(?:agree_|disagree_)?reasoning"` + blank + `:` + blank + `"[^"]*")` + blank +
		`,?` + blank + `"[^"]*"` +
		blank + `\}` + blank + `\}` + blank + `\([^)]*\)`)
	quotedItem = regexp.MustCompile(`"([^"]+)"`)
)

// releasedSolution reads a reply about all players. A role that the reply does not give is "".
func releasedSolution(reply string, players []string) Solution {
	o := releasedObject(reply, players)
	s := Solution{Roles: make([]string, len(players)), Explanation: text(o["explanation"]),
		Confidence: confidence(o["confidence"]), Sure: has(o, "confidence")}
	set := func(name, role any) {
		if i := slices.Index(players, fmt.Sprint(name)); i >= 0 && textOfRole(role) != "" {
			s.Roles[i] = textOfRole(role)
		}
	}
	switch list := o["players"].(type) {
	case []any:
		for _, entry := range list {
			e, _ := entry.(map[string]any)
			set(e["name"], e["role"])
		}
	case map[string]any: // our form
		for name, role := range list {
			set(name, role)
		}
	default:
		for name, role := range o {
			set(name, role)
		}
	}
	return s
}

// releasedStance reads a reply about one player. Unlike in the source, names that are not among the others are left
// out.
func releasedStance(reply string, others []string) Stance {
	o := releasedObject(reply, nil)
	return Stance{
		Role:  textOfRole(o["role"]),
		Agree: namesAmong(o["agree_with"], others), AgreeReason: text(o["agree_reasoning"]),
		Disagree: namesAmong(o["disagree_with"], others), DisagreeReason: text(o["disagree_reasoning"]),
	}
}

// textOfRole returns a role as a reply has it, but short and without commas, so that vote.RolesIn can take the text of
// a solution apart again.
func textOfRole(role any) string {
	letters := []rune(strings.ReplaceAll(text(role), ",", ";"))
	return string(letters[:min(len(letters), maxRoleLetters)])
}

const maxRoleLetters = 40

// releasedObject returns the object at the first brace, with double braces folded; else one of four repairs; else what
// patterns find.
func releasedObject(reply string, players []string) map[string]any {
	reply = folding.Replace(boundReply(reply))
	from := max(0, strings.IndexByte(reply, '{'))
	var o map[string]any
	if json.NewDecoder(strings.NewReader(reply[from:])).Decode(&o) == nil && o != nil {
		return o
	}
	broken := strings.TrimSpace(reply[from:])
	for _, repair := range []func(string, []string) map[string]any{withoutAfterword, pairsOnly, endedExplanation,
		endedPlayer} {
		if o := repair(broken, players); o != nil {
			return o
		}
	}
	return byPatterns(reply)
}

// whole returns the object that a text consists of, or nil.
func whole(text string) (o map[string]any) {
	if json.Unmarshal([]byte(text), &o) != nil {
		return nil
	}
	return o
}

// withoutAfterword ends an object after a reasoning that is followed by a string without a name and a remark in
// parentheses.
func withoutAfterword(broken string, _ []string) map[string]any {
	if m := afterword.FindStringSubmatchIndex(broken); m != nil {
		return whole(broken[:m[3]] + "}")
	}
	return nil
}

// pairsOnly keeps nothing but the names with their roles, the first role of each name.
func pairsOnly(broken string, players []string) map[string]any {
	var list []any
	seen := map[string]bool{}
	for _, pair := range quotedRoles(broken, players) {
		if !seen[pair[0]] {
			list, seen[pair[0]] = append(list, map[string]any{"name": pair[0], "role": pair[1]}), true
		}
	}
	if !strings.Contains(broken, `"players"`) || list == nil {
		return nil
	}
	var why []string
	for _, m := range telling.FindAllStringSubmatch(broken, -1) {
		why = append(why, m[1])
	}
	if why == nil {
		why = []string{"Extracted from malformed JSON response."}
	}
	return map[string]any{"players": list, "explanation": strings.Join(why, " ")}
}

// quotedRoles returns the names and roles in quotation marks: in the form of the source's list if there is one, else in
// our form, for players of the game.
func quotedRoles(broken string, players []string) (pairs [][2]string) {
	if strings.Contains(broken, `"name":`) {
		for _, m := range listedRole.FindAllStringSubmatch(broken, -1) {
			if slices.Contains(PlayerRoles, m[2]) {
				pairs = append(pairs, [2]string{m[1], m[2]})
			}
		}
		return pairs
	}
	for _, player := range players {
		if m := compileOnce(regexp.QuoteMeta(quote(player)) + blank + `:` + blank +
			`"(knight|knave|spy)"`).FindStringSubmatch(broken); m != nil {
			pairs = append(pairs, [2]string{player, m[1]})
		}
	}
	return pairs
}

// endedExplanation ends an object after its explanation, with as many braces as are open there.
func endedExplanation(broken string, _ []string) map[string]any {
	m := explained.FindStringIndex(broken)
	if m == nil {
		return nil
	}
	head := broken[:m[1]]
	if open := strings.Count(head, "{") - strings.Count(head, "}"); open > 0 {
		return whole(head + strings.Repeat("}", open))
	}
	return nil
}

// endedPlayer adds the brace that is missing after one player.
func endedPlayer(broken string, _ []string) map[string]any {
	all := endOfPlayer.FindAllStringSubmatchIndex(broken, -1)
	for _, m := range slices.Backward(all[max(0, len(all)-maxObjects):]) {
		if o := whole(broken[:m[3]] + "}" + broken[m[3]:]); o != nil {
			return o
		}
	}
	return nil
}

// byPatterns returns what patterns find in a reply without an object.
func byPatterns(reply string) map[string]any {
	o := map[string]any{}
	for _, name := range []string{"role", "explanation", "agree_reasoning", "disagree_reasoning"} {
		if m := fieldPattern(name).FindStringSubmatch(reply); m != nil {
			o[name] = m[1]
		}
	}
	for _, name := range []string{"agree_with", "disagree_with"} {
		m := compileOnce(`"` + name + `"` + blank + `:` + blank + `\[([^\]]*)\]`).FindStringSubmatch(reply)
		o[name] = []any{}
		for _, item := range quotedItem.FindAllStringSubmatch(strings.Join(m[min(1, len(m)):], ""), -1) {
			o[name] = append(o[name].([]any), item[1])
		}
	}
	if m := playerList.FindStringSubmatch(reply); m != nil {
		var list []any
		for _, p := range wholePlayer.FindAllStringSubmatch(m[1], -1) {
			list = append(list, map[string]any{"name": p[1], "role": p[2]})
		}
		if list != nil {
			o["players"] = list
		}
	}
	return o
}

// fieldPattern returns the pattern of a string by the name of its field. Only a role must have its closing quotation
// mark.
func fieldPattern(name string) *regexp.Regexp {
	if name == "role" {
		return compileOnce(`"role"` + blank + `:` + blank + `"([^"]+)"`)
	}
	return compileOnce(`"` + name + `"` + blank + `:` + blank + `"([^"]*)`)
}
