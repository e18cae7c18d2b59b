package knights

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/debate/answer"
	"parley/debate/vote"
)

// roleNames are the roles that a player of a puzzle of source 2 may have.
var roleNames = []string{"knight", "knave", "spy"}

// Solution is a reply about all players.
type Solution struct {
	Roles       []string // by player, as they stand in the game; empty where the reply gives none
	Explanation string
	Confidence  float64 // 1 to 10; 5 where the reply gives none
	Sure        bool    // whether it gives one
}

// Stance is a reply about one player.
type Stance struct {
	Role           string // empty if the reply gives none
	Agree          []string
	AgreeReason    string
	Disagree       []string
	DisagreeReason string
}

// maxReadLetters bounds a text in a reply, such as an explanation, which others are shown.
const maxReadLetters = 2000

var playerName = regexp.MustCompile(`(?m)^Player name:[ \t]*(.*?)[ \t\r]*$`)

// PlayersOf are the players of a puzzle, from its lines "Player name: X".
func PlayersOf(game string) (players []string, err error) {
	for _, m := range playerName.FindAllStringSubmatch(game, -1) {
		if m[1] == "" || index(players, m[1]) >= 0 {
			return nil, fmt.Errorf("player %d is called %q: every player needs a name of its own", len(players)+1, m[1])
		}
		players = append(players, m[1])
	}
	if len(players) < 2 {
		return nil, fmt.Errorf("%d lines \"Player name: X\" in the question: a puzzle has at least two players",
			len(players))
	}
	return players, nil
}

// Roles is the rule for whole replies and for solutions as the data set writes them, "Rachel is a knight." in each
// line. The answer is "Rachel: knight, Violet: spy" over all players in the order of the game; a reply that leaves one
// out has no answer by this rule.
func Roles(players []string) answer.Extractor {
	return func(reply string) answer.Answer {
		s, _ := ReadSolution(reply, players)
		if s.missing() {
			s.Roles = sentences(reply, players)
		}
		if s.missing() {
			return answer.Unparsed
		}
		return vote.Assignment(players, s.Roles)
	}
}

func (s Solution) missing() bool { return slices.Contains(s.Roles, "") }

// ReadSolution reads a reply with more patience than source 2's code (for which see releasedSolution) and without its
// inventions: the first object in it that can be read and says something of a solution, double braces folded; else one
// with what is cut off closed again; else the first role that stands in quotation marks behind each name; else, where
// there are none of these, the last role that follows each name. ok is false if there is nothing of the kind. A role
// that the reply does not give is empty.
func ReadSolution(reply string, players []string) (s Solution, ok bool) {
	s = Solution{Roles: make([]string, len(players)), Confidence: 5}
	o, found := readObject(reply, func(o map[string]any) bool {
		return has(o, "players", "explanation", "confidence") ||
			slices.ContainsFunc(players, func(p string) bool { return has(o, p) })
	})
	if !found {
		return s, pairs(reply, players, s.Roles)
	}
	for name, value := range o {
		setRole(s.Roles, players, name, value)
	}
	switch list := field(o, "players").(type) {
	case map[string]any:
		for name, value := range list {
			setRole(s.Roles, players, name, value)
		}
	case []any:
		for _, entry := range list {
			if e, ok := entry.(map[string]any); ok {
				setRole(s.Roles, players, text(field(e, "name", "player", "player_name")), field(e, "role"))
			}
		}
	}
	s.Explanation = text(field(o, "explanation", "reasoning"))
	s.Confidence, s.Sure = confidence(field(o, "confidence")), has(o, "confidence")
	return s, true
}

// ReadStance reads a reply about one player in the same way. Agents that are not among the others are left out.
func ReadStance(reply, player string, others []string) (s Stance, ok bool) {
	o, found := readObject(reply, func(o map[string]any) bool {
		return has(o, "role", "agree_with", "disagree_with", "agree_reasoning", "disagree_reasoning", player)
	})
	if !found {
		s.Role, ok = namedRole(reply, player)
		return s, ok
	}
	return Stance{
		Role:  role(field(o, "role", player)),
		Agree: chosen(field(o, "agree_with"), others), AgreeReason: text(field(o, "agree_reasoning")),
		Disagree: chosen(field(o, "disagree_with"), others), DisagreeReason: text(field(o, "disagree_reasoning")),
	}, true
}

// readOrder reads the players in the order in which they are to be debated; it is none unless it is a permutation.
func readOrder(reply string, players []string) (order []string, ok bool) {
	o, _ := readObject(reply, func(o map[string]any) bool { return has(o, "order") })
	order = chosen(field(o, "order"), players)
	listed, _ := field(o, "order").([]any)
	return order, len(order) == len(players) && len(listed) == len(players)
}

// setRole enters the role of a player, if both are known.
func setRole(roles, players []string, name string, value any) {
	if i, r := index(players, name), role(value); i >= 0 && r != "" {
		roles[i] = r
	}
}

// index is the place of a name in a list, whatever its case; -1 if it is not there.
func index(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
}

// role is the role that a value says, or nothing.
func role(value any) string {
	if o, ok := value.(map[string]any); ok {
		value = field(o, "role")
	}
	r, _ := value.(string)
	if r = strings.ToLower(strings.Trim(r, " .")); slices.Contains(roleNames, r) {
		return r
	}
	return ""
}

// chosen are the names in a list, or in a text with commas, that are among those that may be chosen, each once.
func chosen(value any, among []string) (names []string) {
	list, _ := value.([]any)
	if line, ok := value.(string); ok {
		for name := range strings.SplitSeq(line, ",") {
			list = append(list, name)
		}
	}
	for _, entry := range list {
		name, _ := entry.(string)
		if i := index(among, name); i >= 0 && !slices.Contains(names, among[i]) {
			names = append(names, among[i])
		}
	}
	return names
}

func confidence(value any) float64 {
	c, isNumber := value.(float64)
	if line, ok := value.(string); ok {
		parsed, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		c, isNumber = parsed, err == nil
	}
	if !isNumber || math.IsNaN(c) {
		return 5
	}
	return min(max(c, 1), 10)
}

// text is a text in a reply, as one line.
func text(value any) string {
	line, _ := value.(string)
	letters := []rune(strings.Join(strings.Fields(line), " "))
	return string(letters[:min(len(letters), maxReadLetters)])
}

// pairs enters the roles that follow names, and reports whether there are any. What an object of a broken reply says
// goes before its prose, in which agents suppose this and that.
func pairs(reply string, players, roles []string) (found bool) {
	reply = bounded(reply)
	for _, pair := range quotedRoles(reply, players) {
		if i := index(players, pair[0]); i >= 0 && roles[i] == "" {
			roles[i], found = pair[1], true
		}
	}
	if found {
		return true
	}
	for i, player := range players {
		if r, ok := pairOf(reply, player); ok {
			roles[i], found = r, true
		}
	}
	return found
}

// pairOf is the last role that follows a name with a colon or an equals sign between them, or as the next field.
func pairOf(reply, player string) (string, bool) {
	pattern := `(?i)(?:^|[^\pL\pN])` + regexp.QuoteMeta(player) + `["'*` + answer.SpaceClass + `]*(?:,` + blank +
		`["']?role["'` + answer.SpaceClass + `]*)?` + giving
	return lastRole(regexp.MustCompile(pattern), reply)
}

const giving = `[:=]["'*` + answer.SpaceClass + `]*(knight|knave|spy)`

var (
	bareRole   = regexp.MustCompile(`(?i)(?:^|[^` + answer.WordClass + `])role["'*` + answer.SpaceClass + `]*` + giving)
	quotedRole = regexp.MustCompile(`"role"` + blank + `:` + blank + `"(knight|knave|spy)"`)
)

// namedRole is the role in a reply about one player that has no object which can be read.
func namedRole(reply, player string) (string, bool) {
	reply = bounded(reply)
	if m := quotedRole.FindStringSubmatch(reply); m != nil {
		return m[1], true
	}
	if r, ok := pairOf(reply, player); ok {
		return r, true
	}
	return lastRole(bareRole, reply)
}

// lastRole is the last role that a pattern finds, if no letter goes on behind it.
func lastRole(pattern *regexp.Regexp, reply string) (string, bool) {
	for _, m := range slices.Backward(pattern.FindAllStringSubmatchIndex(reply, -1)) {
		if answer.Alone(reply, m[2], m[3]) {
			return strings.ToLower(reply[m[2]:m[3]]), true
		}
	}
	return "", false
}

// sentences are the roles in lines like "Rachel is a knight."
func sentences(reply string, players []string) []string {
	roles := make([]string, len(players))
	for i, player := range players {
		pattern := `(?im)^` + blank + regexp.QuoteMeta(player) + ` is an? (knight|knave|spy)\.?` + blank + `$`
		roles[i], _ = lastRole(regexp.MustCompile(pattern), bounded(reply))
	}
	return roles
}
