package relation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/roles"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
)

// standing is true of agents whose first answer stood so in the team.
func standing(s agreement.Standing) func(Agent) bool {
	return func(a Agent) bool { return a.Standing == s }
}

func everyone(Agent) bool { return true }

func (a Agent) wasRight() bool  { return a.First.Right }
func (a Agent) wasWrong() bool  { return !a.First.Right } // an unread answer is wrong
func (a Agent) endsRight() bool { return a.Last.Right }
func (a Agent) endsWrong() bool { return !a.Last.Right }

// agents counts, of the agents that answered again and are of a kind, those that did something.
func agents(kind, did func(Agent) bool) func(Debate) Tally {
	return func(d Debate) (t Tally) {
		for _, a := range d.Again() {
			if kind(a) {
				t.Of++
				t.Part += stat.One[float64](did(a))
			}
		}
		return t
	}
}

// each counts every debate that has a number once.
func each(number func(Debate) (float64, bool)) func(Debate) Tally {
	return func(d Debate) Tally {
		if x, has := number(d); has {
			return Tally{Part: x, Of: 1}
		}
		return Tally{}
	}
}

// AnyRight reports whether some agent that answered again is right at last.
func (d Debate) AnyRight() bool {
	for _, a := range d.Again() {
		if a.Last.Right {
			return true
		}
	}
	return false
}

// Decided reports whether the decision is right.
func (d Debate) Decided() bool { return d.IsRight(d.Transcript.Decision.Answer) }

func oracleGap(d Debate) Tally {
	if len(d.Again()) == 0 {
		return Tally{}
	}
	return Tally{Part: stat.One[float64](d.AnyRight()) - stat.One[float64](d.Decided()), Of: 1}
}

// rounds are those until the decision, as the tables count them.
func rounds(d Debate) (float64, bool) {
	held := d.Transcript.RoundsHeld()
	return float64(held), held > 0
}

// tokens are those that were generated; imported logs do not count them.
func tokens(d Debate) (float64, bool) {
	c := outcome.CostOf(d.Debate)
	return float64(c.Tokens), c.Tokens > 0 || c.PromptTokens > 0
}

// asked counts, of the panelists who were shown the final answer and are of a kind, those that did something.
func asked(kind, did func(Debate, debate.Challenged) bool) func(Debate) Tally {
	return func(d Debate) (t Tally) {
		for _, said := range d.Transcript.Challenges {
			if kind(d, said) {
				t.Of++
				t.Part += stat.One[float64](did(d, said))
			}
		}
		return t
	}
}

func anybody(Debate, debate.Challenged) bool { return true }

func agrees(_ Debate, said debate.Challenged) bool    { return said.Agrees != nil && *said.Agrees }
func disagrees(_ Debate, said debate.Challenged) bool { return said.Agrees != nil && !*said.Agrees }

// becameRight and becameWrong compare a panelist's answer with the one that it was shown, by right and wrong alone, as
// in MALLM's program, which counts one panelist. Who was shown nothing else was shown the decision.
func becameRight(d Debate, said debate.Challenged) bool {
	return d.IsRight(said.Answer) && !d.IsRight(shownTo(d, said))
}
func becameWrong(d Debate, said debate.Challenged) bool {
	return !d.IsRight(said.Answer) && d.IsRight(shownTo(d, said))
}

func shownTo(d Debate, said debate.Challenged) answer.Answer {
	if said.Shown != nil {
		return *said.Shown
	}
	return d.Transcript.Decision.Answer
}

// wonBy is whether a side won the debate, or "neither"; only debates between sides have it.
func wonBy(side string) func(Debate) Tally {
	return sided(titfortat.Winner, side)
}

// chosen is whether the last answer of a side became the decision, by titfortat.Chosen.
func chosen(side string) func(Debate) Tally {
	return sided(titfortat.Chosen, side)
}

// judgedWith is whether a debate whose agents were assigned sides is decided right, of those in which one of the sides
// is right or of the others.
func judgedWith(right bool) func(Debate) (float64, bool) {
	return func(d Debate) (float64, bool) {
		sides := d.Transcript.Assigned
		of := len(sides) > 0 && right == slices.ContainsFunc(sides, func(side string) bool {
			return d.IsRight(answer.Of(side))
		})
		return stat.One[float64](d.Solved()), of
	}
}

// sidesKept counts the replies of agents that were assigned sides, and those that answer with theirs.
func sidesKept(d Debate) (t Tally) {
	for _, turn := range slices.Concat(d.Transcript.Rounds...) {
		if side, assigned := d.Transcript.SideOf(turn.Agent); assigned && !turn.Silent() {
			t.Of++
			t.Part += stat.One[float64](turn.Answer.Equal(answer.Of(side)))
		}
	}
	return t
}

func sided(of func(debate.Transcript) string, side string) func(Debate) Tally {
	return each(func(d Debate) (float64, bool) {
		if !d.Transcript.HasSides() {
			return 0, false
		}
		return stat.One[float64](of(d.Transcript) == side), true
	})
}

// disagreement is a mean over the rounds in which there are pairs. Liang et al. report it by the level of tit for tat.
func disagreement(d Debate) (float64, bool) {
	var shares []float64
	for _, answers := range d.IDs().Rounds {
		if same, known := agreement.PairAgreement(answers); known {
			shares = append(shares, 1-same)
		}
	}
	return stat.Mean(shares), len(shares) > 0
}

// entropy is that of the answers of a debate. Where none was read, it is 0 beside debates of which some was, and
// undefined without them: that of nothing would look like agreement.
func entropy(r agreement.Reading) func(Debate) Tally {
	return func(d Debate) Tally {
		ids := d.IDs().Answered()
		if len(ids.Rounds) == 0 {
			return Tally{}
		}
		of := []agreement.Debate{ids}
		read, _ := r.Counted(of)
		return Tally{Part: agreement.MeanEntropy(of, r), Of: 1, Empty: !read}
	}
}

// personaDiversity is 1 minus the share of words of two descriptions that both have (Jaccard), mean over pairs. MALLM's
// program computes a score of that name by embeddings, see offline.Similarity.
func personaDiversity(d Debate) (float64, bool) {
	var pairs []float64
	personas := d.Transcript.Described()
	for i, one := range personas {
		for _, other := range personas[i+1:] {
			pairs = append(pairs, 1-sharedWords(one, other))
		}
	}
	return stat.Mean(pairs), len(pairs) > 0
}

// sharedWords is the share of the different words of two texts that both have. Words are runs of letters and digits,
// whatever their case.
func sharedWords(one, other string) float64 {
	words := func(text string) map[string]bool {
		set := make(map[string]bool)
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			set[word] = true
		}
		return set
	}
	first, second := words(one), words(other)
	both := 0
	for word := range first {
		if second[word] {
			both++
		}
	}
	return stat.Share(both, len(first)+len(second)-both)
}

func swayed(d Debate) (t Tally) {
	for _, round := range d.Rounds() {
		for _, turn := range round.Turns {
			if len(turn.Probes) > 0 {
				t.Of++
				t.Part += stat.One[float64](turn.Swayed())
			}
		}
	}
	return t
}

func factsJudged(d Debate) Tally {
	f, _ := d.Transcript.Facts()
	return Tally{Part: float64(f.Yes), Of: float64(f.Yes + f.No)}
}

// inPuzzles is a number of the solutions of a puzzle at some time of the debate on it.
func inPuzzles(at func(*roles.Played) (roles.Round, bool), number func(roles.Round) float64) func(Debate) Tally {
	return each(func(d Debate) (float64, bool) {
		p := d.Puzzle()
		if p == nil {
			return 0, false
		}
		round, known := at(p)
		return number(round), known
	})
}

func initial(p *roles.Played) (roles.Round, bool) { return p.Initial(), true }
func final(p *roles.Played) (roles.Round, bool)   { return p.Final(), true }

// degreeOf is how right the decision is by a degree of the task's measure.
func degreeOf(name string) func(Debate) Tally {
	return each(func(d Debate) (float64, bool) {
		if d.Partial == nil {
			return 0, false
		}
		return *d.Partial, true
	})
}

// PluralityRight reports whether the last answer of most agents that answered again is right.
func (d Debate) PluralityRight() bool {
	var last []int
	for _, a := range d.Again() {
		last = append(last, a.Last.ID)
	}
	return d.IDs().Key.Mark(agreement.Plurality(last)) == agreement.Right
}
