package puzzle

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/internal/bounds"
)

// maxTextBytes bounds the text of a game.
const maxTextBytes = 1 << 16

var (
	playerName = lazily(`^[\p{L}\p{N}_-]+$`)
	block      = lazily(`^\s*Player name: *(.+?) *\r?\n\s*Player statement: *((?s:.+?))\s*$`)
	hints      = lazily(`^\s*Message from the game manager: [^:]*:\s*((?s:.+?))\s*$`)
	hint       = lazily(`(?m)^ *\d+\. (.+?) *$`)
	oneOfTwo   = lazily(`^Among the following two statements, exactly one is true:` +
		`\s*\(1\)\.? (.+?)\s*\n\s*\(2\)\.? (.+)$`)
)

// form is a sentence of the grammar. Its groups are named by what they hold: set, n, role, truth, parity.
type form struct {
	kind    Kind
	pattern func() *regexp.Regexp
}

// forms are tried in this order: the first that fits is meant.
var forms = []form{
	{CountRole, sentence(`Among (?P<set>.+), there (?:is|are) exactly (?P<n>\w+) (?P<role>knight|knave|spy|spie)s?`)},
	{CountTruth, sentence(`Among (?P<set>.+), exactly (?P<n>\w+) (?:person is|people are) (?P<truth>.+)`)},
	{TruthParity, sentence(`Among (?P<set>.+), the number of people who are (?P<truth>.+) is (?P<parity>odd|even)`)},
	{RoleParity, sentence(`Among (?P<set>.+), the number of (?P<role>knight|knave|spie)s is (?P<parity>odd|even)`)},
	{SameTruth, sentence(`(?P<set>.+) are either (?:both|all) telling truth or (?:both|all) lying`)},
	{Different, sentence(`(?P<set>.+) do not all have the same role`)},
	{Different, sentence(`(?P<set>.+) have different roles`)},
	{SameRole, sentence(`(?P<set>.+?)(?: all)? have the same role`)},
	{CountRole, sentence(`(?P<set>.+?) are(?: both| all)? (?P<role>knight|knave|spie)s`)},
	{CountTruth, sentence(`(?P<set>.+?) are(?: both| all)? (?P<truth>telling the truth|lying)`)},
	{CountRole, sentence(`(?P<set>.+) (?:is|am) a (?P<role>knight|knave|spy)`)},
	{CountTruth, sentence(`(?P<set>.+) (?:is|am) (?P<truth>telling the truth|lying)`)},
}

func sentence(pattern string) func() *regexp.Regexp { return lazily(`^` + pattern + `\.$`) }

// lazily compiles a pattern when it is first needed, so that programs that read no puzzle do not wait for it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Parse reads the text of a game. Its errors name the player whose statement is of no known form.
func Parse(game string) (p Puzzle, err error) {
	if len(game) > maxTextBytes {
		return Puzzle{}, fmt.Errorf("the game has %d bytes: at most %d", len(game), maxTextBytes)
	}
	parts := strings.Split(game, "---\n")
	statements := make([]string, 0, len(parts))
	manager := ""
	for _, part := range parts {
		if m := block().FindStringSubmatch(part); m != nil {
			if err := p.checkName(m[1]); err != nil {
				return Puzzle{}, err
			}
			p.Players = append(p.Players, m[1])
			statements = append(statements, m[2])
		} else if m := hints().FindStringSubmatch(part); m != nil && manager == "" {
			manager = m[1]
		} else if strings.TrimSpace(part) != "" {
			return Puzzle{}, fmt.Errorf("neither a player with a statement nor the manager's message: %.80q", part)
		}
	}
	if err := bounds.Check("players", len(p.Players), PlayersRange); err != nil {
		return Puzzle{}, err
	}
	for i, text := range statements {
		s, err := p.read(i, text)
		if err != nil {
			return Puzzle{}, fmt.Errorf("statement of %s: %w", p.Players[i], err)
		}
		p.Statements = append(p.Statements, s)
	}
	return p, p.readHints(manager)
}

// checkName refuses names that could not be told from the words of a statement.
func (p *Puzzle) checkName(name string) error {
	switch {
	case slices.Contains(p.Players, name):
		return fmt.Errorf("two players are called %q", name)
	case !playerName().MatchString(name) || name == "I" || name == "All":
		return fmt.Errorf("a player cannot be called %.40q: a name is one word of letters and digits", name)
	}
	return nil
}

func (p *Puzzle) readHints(text string) error {
	if text == "" {
		return nil
	}
	lines := []string{text}
	if listed := hint().FindAllStringSubmatch(text, -1); listed != nil {
		lines = nil
		for _, m := range listed {
			lines = append(lines, m[1])
		}
	}
	for i, line := range lines {
		s, err := p.read(manager, line)
		if err != nil {
			return fmt.Errorf("hint %d: %w", i+1, err)
		}
		p.Hints = append(p.Hints, s)
	}
	return nil
}

// read reads what a player or the manager says.
func (p *Puzzle) read(speaker int, text string) (s Statement, err error) {
	if m := oneOfTwo().FindStringSubmatch(text); m != nil {
		s.Kind = OneOfTwo
		for _, part := range m[1:] {
			inner, err := p.read(speaker, part)
			if err != nil {
				return Statement{}, err
			}
			s.Parts = append(s.Parts, inner)
		}
		return s, nil
	}
	for _, f := range forms {
		if m := f.pattern().FindStringSubmatch(text); m != nil {
			return p.statement(speaker, f, m)
		}
	}
	return Statement{}, fmt.Errorf("a sentence of no known form: %.120q", text)
}

// statement fills in what the groups of a form hold. Without a number, everybody in the set is meant.
func (p *Puzzle) statement(speaker int, f form, groups []string) (s Statement, err error) {
	s.Kind = f.kind
	numbered := false
	for i, name := range f.pattern().SubexpNames() {
		switch name {
		case "set":
			s.Set, err = p.set(speaker, groups[i])
		case "n":
			s.N, numbered = slices.Index(numbers, groups[i]), true
		case "role":
			s.Role = map[string]Role{"knight": Knight, "knave": Knave, "spy": Spy, "spie": Spy}[groups[i]]
		case "truth":
			s.Lying = groups[i] == "lying"
			if !s.Lying && groups[i] != "telling the truth" {
				err = fmt.Errorf("%.40q: either telling the truth or lying", groups[i])
			}
		case "parity":
			s.Odd = groups[i] == "odd"
		}
		if err != nil {
			return Statement{}, err
		}
	}
	if !numbered && (s.Kind == CountRole || s.Kind == CountTruth) {
		s.N = len(s.Set)
	}
	if s.N < 0 || s.N > len(s.Set) {
		return Statement{}, fmt.Errorf("a count that is no number from zero to %d, the size of its set", len(s.Set))
	}
	return s, p.checkEarlier(speaker, s)
}

// set reads a list of players.
func (p *Puzzle) set(speaker int, list string) (set []int, err error) {
	if list == "all players" || list == "All" {
		for i := range p.Players {
			set = append(set, i)
		}
		return set, nil
	}
	list = strings.ReplaceAll(strings.ReplaceAll(list, ", and ", ", "), " and ", ", ")
	for _, name := range strings.Split(list, ", ") {
		player := slices.Index(p.Players, name)
		if name == "I" {
			player = speaker
		}
		if player < 0 {
			return nil, fmt.Errorf("%.40q is no player", name)
		}
		if slices.Contains(set, player) {
			return nil, fmt.Errorf("%.40q is named twice", name)
		}
		set = append(set, player)
	}
	return set, nil
}

// errLater is the error of statements that could be circular.
var errLater = errors.New("it is about the truth of a statement that is not an earlier one")

func (p *Puzzle) checkEarlier(speaker int, s Statement) error {
	if s.Kind.aboutTruth() && speaker != manager && slices.Max(s.Set) >= speaker {
		return errLater
	}
	return nil
}
