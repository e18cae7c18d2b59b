package knights

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/vote"
)

// PlayerRoles are the roles that a player of a puzzle of Wu et al. may have.
var PlayerRoles = []string{"knight", "knave", "spy"}

// assigned is one player with its role at the beginning of an answer about all players.
var assigned = regexp.MustCompile(`^(.+?): (knight|knave|spy)(?:, |$)`)

// ReadAssignment takes an answer that vote.Assignment made apart: the players in the order of the game, and the role of
// each, one of PlayerRoles. ok is false for any other answer.
func ReadAssignment(a answer.Answer) (players, roles []string, ok bool) {
	if !a.Parsed || a.Text == "" {
		return nil, nil, false
	}
	for rest := a.Text; rest != ""; {
		m := assigned.FindStringSubmatch(rest)
		if m == nil {
			return nil, nil, false
		}
		players, roles, rest = append(players, m[1]), append(roles, m[2]), rest[len(m[0]):]
	}
	return players, roles, true
}

// Solution is a reply about all players.
type Solution struct {
	Roles       []string // by player, in the order of the game; "" if the reply gives none
	Explanation string
	Confidence  float64 // from 1 to 10; 5 if the reply gives none
	Sure        bool    // whether the reply gives a confidence
}

// Stance is a reply about one player.
type Stance struct {
	Role           string // "" if the reply gives none
	Agree          []string
	AgreeReason    string
	Disagree       []string
	DisagreeReason string
}

// maxReadLetters bounds a text in a reply that others are shown, such as an explanation, in characters.
const maxReadLetters = 2000

var playerName = regexp.MustCompile(`(?m)^Player name:[ \t]*(.*?)[ \t\r]*$`)

// PlayersOf returns the players of a puzzle, from its lines "Player name: X".
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

// Roles returns the answer rule for whole replies, and for solutions as the data set writes them: "Rachel is a knight."
// in each line. The answer is that of vote.Assignment, over all players in the order of the game. A reply that leaves a
// player out is unparsed.
func Roles(players []string) answer.Extractor {
	return func(reply string) answer.Answer {
		s, _ := ReadSolution(reply, players)
		if s.hasGaps() {
			s.Roles = sentences(reply, players)
		}
		if s.hasGaps() {
			return answer.Unparsed
		}
		return vote.Assignment(players, s.Roles)
	}
}

func (s Solution) hasGaps() bool { return slices.Contains(s.Roles, "") }

// ReadSolution reads a reply about all players. It reads more replies than Wu et al.'s code does (releasedSolution),
// and never fills anything in. It takes the first of these that it finds:
//
//  1. a JSON object with a field of a solution, with double braces read as single ones;
//  2. such an object after it has been repaired, for instance because its end is cut off;
//  3. the first quoted role after each quoted name;
//  4. the last role that follows each name in the text.
//
// ok is false if it finds none. A role that the reply does not give is "". Fields are taken in sorted order, so that a
// reply that names a player twice, in different cases, is always read alike.
func ReadSolution(reply string, players []string) (s Solution, ok bool) {
	s = Solution{Roles: make([]string, len(players)), Confidence: 5}
	o, found := readObject(reply, func(o map[string]any) bool {
		return has(o, "players", "explanation", "confidence") ||
			slices.ContainsFunc(players, func(p string) bool { return has(o, p) })
	})
	if !found {
		return s, pairs(reply, players, s.Roles)
	}
	setRoles(s.Roles, players, o)
	switch list := field(o, "players").(type) {
	case map[string]any:
		setRoles(s.Roles, players, list)
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

// ReadStance reads a reply about one player in the same way. Names that are not among the others are left out.
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
		Agree: namesAmong(field(o, "agree_with"), others), AgreeReason: text(field(o, "agree_reasoning")),
		Disagree: namesAmong(field(o, "disagree_with"), others), DisagreeReason: text(field(o, "disagree_reasoning")),
	}, true
}

// readOrder reads the players in the order in which they are to be debated. ok is false unless it is a permutation.
func readOrder(reply string, players []string) (order []string, ok bool) {
	o, _ := readObject(reply, func(o map[string]any) bool { return has(o, "order") })
	order = namesAmong(field(o, "order"), players)
	listed, _ := field(o, "order").([]any)
	return order, len(order) == len(players) && len(listed) == len(players)
}

// setRoles enters the roles that an object gives by name.
func setRoles(roles, players []string, o map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		setRole(roles, players, name, o[name])
	}
}

// setRole enters the role of a player, if there are such a player and such a role.
func setRole(roles, players []string, name string, value any) {
	if i, r := index(players, name), role(value); i >= 0 && r != "" {
		roles[i] = r
	}
}

// index returns the place of a name in a list, ignoring case, or -1.
func index(names []string, name string) int {
	return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
}

// role returns the role that a JSON value gives, or "".
func role(value any) string {
	if o, ok := value.(map[string]any); ok {
		value = field(o, "role")
	}
	r, _ := value.(string)
	if r = strings.ToLower(strings.Trim(r, " .")); slices.Contains(PlayerRoles, r) {
		return r
	}
	return ""
}

// namesAmong returns the names in a list, or in a text with commas, that are in among. Each is returned once.
func namesAmong(value any, among []string) (names []string) {
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

// confidence returns the confidence that a JSON value gives, cut to the range from 1 to 10; 5 if it gives none.
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

// text returns a JSON string as one line, cut to maxReadLetters.
func text(value any) string {
	line, _ := value.(string)
	letters := []rune(strings.Join(strings.Fields(line), " "))
	return string(letters[:min(len(letters), maxReadLetters)])
}

// pairs enters the roles that follow names, and reports whether there are any. Quoted pairs, which are the remains of
// an object, take precedence over prose, in which agents try out assumptions.
func pairs(reply string, players, roles []string) (found bool) {
	reply = boundReply(reply)
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

// pairOf returns the last role that follows a name, after a colon or an equals sign, or as the next field.
func pairOf(reply, player string) (string, bool) {
	pattern := `(?i)(?:^|[^\pL\pN])` + regexp.QuoteMeta(player) + `["'*` + answer.SpaceClass + `]*(?:,` + blank +
		`["']?role["'` + answer.SpaceClass + `]*)?` + giving
	return lastRole(compileOnce(pattern), reply)
}

// giving matches what stands between a name, or the word role, and the role itself.
const giving = `[:=]["'*` + answer.SpaceClass + `]*(knight|knave|spy)`

var (
	bareRole   = regexp.MustCompile(`(?i)(?:^|[^` + answer.WordClass + `])role["'*` + answer.SpaceClass + `]*` + giving)
	quotedRole = regexp.MustCompile(`"role"` + blank + `:` + blank + `"(knight|knave|spy)"`)
)

// namedRole returns the role in a reply about one player that has no readable object.
func namedRole(reply, player string) (string, bool) {
	reply = boundReply(reply)
	if m := quotedRole.FindStringSubmatch(reply); m != nil {
		return m[1], true
	}
	if r, ok := pairOf(reply, player); ok {
		return r, true
	}
	return lastRole(bareRole, reply)
}

// lastRole returns the last role that a pattern finds as a whole word.
func lastRole(pattern *regexp.Regexp, reply string) (string, bool) {
	for _, m := range slices.Backward(pattern.FindAllStringSubmatchIndex(reply, -1)) {
		if answer.Alone(reply, m[2], m[3]) {
			return strings.ToLower(reply[m[2]:m[3]]), true
		}
	}
	return "", false
}

// sentences returns the roles in lines such as "Rachel is a knight."
func sentences(reply string, players []string) []string {
	roles := make([]string, len(players))
	for i, player := range players {
		pattern := `(?im)^` + blank + regexp.QuoteMeta(player) + ` is an? (knight|knave|spy)\.?` + blank + `$`
		roles[i], _ = lastRole(compileOnce(pattern), boundReply(reply))
	}
	return roles
}
