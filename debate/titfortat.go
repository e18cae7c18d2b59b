package debate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// TitForTat is source 3's debate (Liang et al., Encouraging Divergent Thinking, section 2): an affirmative and a negative side argue
// in turns. After each round a moderator says whether the answer is found; if it is not after the last one, a judge extracts it in two
// calls. Each side keeps its own history, in which the other's arguments are what it is told; neither sees the moderator.
type TitForTat struct {
	Asking
	Rounds  int    // most rounds; 0 means 3
	Level   int    // how far the sides may agree: 0 is full consensus, 2 what the source ships, 3 none
	Reading string // ReadingCode or ReadingPaper
	Prompts prompts.Sides
}

// The agents of a TitForTat, in the order in which they speak.
const (
	affirmative = iota
	negative
	moderator
	judge
)

// SideNames are the roles by agent.
var SideNames = []string{"affirmative", "negative", "moderator", "judge"}

// Run holds one debate. In the transcript a round has the turns of the two sides and of the moderator; before them stands the turn
// in which the answer to defend was asked for, if the prompts ask for one, and after them each turn of the judge. The first agent
// that fails ends the debate with its error.
//
// Where paper and code differ: the code ends the debate when the moderator fills in an answer, whatever it says of a preference,
// and its judge sees the arguments of the first round; in the paper a preference ends it, and the judge sees the whole debate.
func (d TitForTat) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	if d.Rounds == 0 {
		d.Rounds = 3
	}
	t := Transcript{Protocol: "tit-for-tat", Case: c.ID, Reading: d.Reading, Roles: SideNames}
	if err := d.check(c); err != nil {
		return t, fmt.Errorf("case %q: %w", c.ID, err)
	}
	stage := &stage{asker: d.Asking.of(speaker, c.ID, c.Extract), t: &t}
	p := d.Prompts

	base := ""
	if p.Base != "" {
		turn, err := stage.say(ctx, affirmative, conversation("", p.BaseFor(c.Question)))
		if err != nil {
			return t, err
		}
		base = turn.Reply.Text
		stage.end()
	}
	debater, chair := p.DebaterFor(c.Question, d.Level), p.ModeratorFor(c.Question)
	sides := [2][]inference.Message{conversation(debater, p.AffirmWith(c.Question, base)), conversation(debater, "")}
	moderation := conversation(chair, "")
	var arguments [2][]string // of each side, round by round
	for round := range d.Rounds {
		for side := range sides {
			switch {
			case round > 0:
				sides[side] = tell(sides[side], p.AgainAfter(last(arguments[1-side])))
			case side == negative:
				sides[side] = tell(sides[side], p.DenyAfter(arguments[affirmative][0]))
			}
			turn, err := stage.say(ctx, side, sides[side])
			if err != nil {
				return t, err
			}
			sides[side] = reply(sides[side], turn)
			arguments[side] = append(arguments[side], turn.Reply.Text)
		}
		moderation = tell(moderation, p.VerdictAfter(round+1, last(arguments[affirmative]), last(arguments[negative])))
		turn, err := stage.say(ctx, moderator, moderation)
		if err != nil {
			return t, err
		}
		moderation = reply(moderation, turn)
		stage.end()
		if v, ok := ReadVerdict(turn.Reply.Text); ok && v.ends(d.Reading) {
			t.Decision = v.decide("the moderator", c.Extract)
			return t, nil
		}
	}

	shown := arguments
	if d.Reading != ReadingPaper {
		shown = [2][]string{arguments[affirmative][:1], arguments[negative][:1]}
	}
	hearing := conversation(chair, p.CandidatesIn(strings.Join(shown[affirmative], "\n\n"), strings.Join(shown[negative], "\n\n")))
	turn, err := stage.say(ctx, judge, hearing)
	if err != nil {
		return t, err
	}
	stage.end()
	if turn, err = stage.say(ctx, judge, tell(reply(hearing, turn), p.Final)); err != nil {
		return t, err
	}
	stage.end()
	v, ok := ReadVerdict(turn.Reply.Text)
	if !ok {
		v.Answer = turn.Reply.Text // what the rule can find in it
	}
	t.Decision = v.decide("the judge", c.Extract)
	return t, nil
}

func (d TitForTat) check(c Case) error {
	switch {
	case d.Rounds < 1:
		return fmt.Errorf("a debate of %d rounds: at least one is needed", d.Rounds)
	case d.Reading != ReadingCode && d.Reading != ReadingPaper:
		return fmt.Errorf("no reading %q; there are %s and %s", d.Reading, ReadingCode, ReadingPaper)
	case d.Level < 0 || d.Level >= len(d.Prompts.Levels):
		return fmt.Errorf("level %d: there are 0 to 3", d.Level)
	case c.Extract == nil:
		return errors.New("no answer rule: set Case.Extract")
	}
	return nil
}

// Verdict is what a moderator or judge replies.
type Verdict struct {
	Preference bool   // "Yes" to whether there is one
	Side       string // the supported one
	Reason     string
	Answer     string // under whatever other name: debate_answer, debate_translation, Correct Translation
}

// ReadVerdict reads a verdict from a reply, as JSON or as the dictionary of a Python program.
func ReadVerdict(reply string) (v Verdict, ok bool) {
	pairs, ok := answer.Dictionary(reply)
	for name, text := range pairs {
		switch name = strings.ToLower(name); {
		case strings.Contains(name, "preference"):
			v.Preference = strings.EqualFold(strings.TrimSpace(text), "yes")
		case strings.Contains(name, "side"):
			v.Side = text
		case strings.Contains(name, "reason"):
			v.Reason = text
		default:
			v.Answer = text
		}
	}
	return v, ok
}

// ends reports whether a moderator's verdict ends the debate.
func (v Verdict) ends(reading string) bool {
	if reading == ReadingPaper {
		return v.Preference
	}
	return v.Answer != ""
}

func (v Verdict) decide(by string, extract answer.Extractor) Decision {
	return Decision{Answer: extract(v.Answer), Votes: []Count{}, Rule: "the answer of " + by, Side: v.Side, Reason: v.Reason}
}
