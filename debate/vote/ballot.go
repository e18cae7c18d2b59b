package vote

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/debate"
	"parley/debate/answer"
)

// Election is a rule that counts ballots.
type Election struct {
	Name    string
	Source  string
	Meaning string
	// Read makes a ballot of a reply, as source 4's code does: what it takes for invalid is an error. Where it is nil,
	// the numbers of the candidates are scored instead, so that no ballot is invalid.
	Read     func(reply string, candidates int) (debate.Ballot, error)
	count    func(ballots []debate.Ballot, candidates int) []float64
	outright bool // only who beats all others wins
	Points   int  // to share out
}

// Elections lists the rules. A strictly highest score wins; a tie leaves it open, as in source 4's code.
func Elections() []Election {
	const mallm = "source 4, Voting or Consensus?"
	return []Election{
		{"simple", mallm, "one vote each", readSimple, countFirst, false, 0},
		{"approval", mallm, "a vote for each candidate that one approves of", readApproval, countPoints, false, 0},
		{"cumulative", mallm, fmt.Sprintf("%d points to share out", cumulativePoints), readCumulative(cumulativePoints),
			countPoints, false, cumulativePoints},
		{"ranked", mallm, "up to five in order: the k-th of n gets min(5, n) - k points, from k = 0", readRanked,
			countRanks, false, 0},
		{"borda", "Borda 1781", "all in order: a point for everyone that one ranks lower", readRanked, countBorda,
			false, 0},
		{"condorcet", "Condorcet 1785", "who beats each other candidate in pairs; the score is the number beaten",
			readRanked, countCondorcet, true, 0},
		{"run-off", "instant run-off",
			"whoever has the fewest first places is struck out, until one has more than half",
			readRanked, countRunOff, false, 0},
		{"soft", "none of the sources", "each voter's probabilities of naming the candidates, added up", nil,
			countWeights, false, 0},
	}
}

// Count counts the valid ballots.
func (e Election) Count(ballots []debate.Ballot, candidates int) debate.Tally {
	valid := slices.DeleteFunc(slices.Clone(ballots), func(b debate.Ballot) bool { return b.Invalid != "" })
	t := debate.Tally{Scores: e.count(valid, candidates), Winner: -1, Rule: e.Name}
	if len(valid) == 0 {
		return t
	}
	for i, score := range t.Scores {
		t.Scores[i] = Rounded(score)
	}
	best := slices.Max(t.Scores)
	for i, score := range t.Scores {
		if score == best && t.Winner >= 0 {
			t.Winner = -1 // a tie
			break
		} else if score == best {
			t.Winner = i
		}
	}
	if e.outright && best < float64(candidates-1) {
		t.Winner = -1 // nobody beats all others
	}
	return t
}

// Points to share out: those of source 4's code and prompts, and of its text.
const (
	cumulativePoints      = 10
	cumulativePointsPaper = 25
)

// As reads an election the way a reading does: of the cumulative one the points differ, and what is taken for a
// dictionary of them.
func (e Election) As(reading string) Election {
	switch {
	case e.Points == 0:
	case reading == debate.ReadingPaper:
		e.Points, e.Read = cumulativePointsPaper, readCumulative(cumulativePointsPaper)
	default:
		e.Read = readCumulativeLiteral(cumulativePoints)
	}
	return e
}

var digit = regexp.MustCompile(`[0-9]`)

// readSimple joins all digits of the reply to one number: "Solution 1, not 2" is 12.
func readSimple(reply string, candidates int) (debate.Ballot, error) {
	text := strings.Join(digit.FindAllString(reply, -1), "")
	n, err := strconv.Atoi(text)
	if err != nil || n >= candidates {
		return debate.Ballot{}, fmt.Errorf("%q votes for none of %d candidates", text, candidates)
	}
	return debate.Ballot{Ranking: []int{n}}, nil
}

// readApproval splits at commas; each piece must be a number. Those that name nobody are dropped, repeated ones count
// again.
func readApproval(reply string, candidates int) (debate.Ballot, error) {
	b, approved := debate.Ballot{Points: make([]int, candidates)}, 0
	for piece := range strings.SplitSeq(reply, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(piece))
		if err != nil {
			return debate.Ballot{}, fmt.Errorf("%q is no list of numbers", reply)
		}
		if n >= 0 && n < candidates {
			b.Points[n]++
			approved++
		}
	}
	if approved == 0 {
		return debate.Ballot{}, fmt.Errorf("%q approves of none of %d candidates", reply, candidates)
	}
	return b, nil
}

// readCumulative reads a dictionary of candidates and points, which must add up to so many.
func readCumulative(total int) func(reply string, candidates int) (debate.Ballot, error) {
	return func(reply string, candidates int) (debate.Ballot, error) {
		pairs, ok := answer.Dictionary(reply)
		if !ok {
			return debate.Ballot{}, fmt.Errorf("%q is no dictionary of points", reply)
		}
		b, sum := debate.Ballot{Points: make([]int, candidates)}, 0
		for name, text := range pairs {
			n, err := strconv.Atoi(name)
			points, noPoints := strconv.Atoi(text)
			if err != nil || noPoints != nil || n < 0 || n >= candidates || points < 0 {
				return debate.Ballot{}, fmt.Errorf("%s points to candidate %s of %d", text, name, candidates)
			}
			b.Points[n] = points
			sum += points
		}
		if sum != total {
			return debate.Ballot{}, fmt.Errorf("%d points, there are %d to share out", sum, total)
		}
		return b, nil
	}
}

// readCumulativeLiteral reads points as source 4's program does: the whole reply is the literal of a Python dictionary,
// so that a fence or a word before it is no ballot; fractions are cut, and True is a point.
func readCumulativeLiteral(total int) func(reply string, candidates int) (debate.Ballot, error) {
	read := readCumulative(total)
	return func(reply string, candidates int) (debate.Ballot, error) {
		literal := strings.TrimSpace(strings.NewReplacer("\n", "", " ", "").Replace(reply))
		pairs, err := pythonNumbers(literal)
		if err != nil {
			return debate.Ballot{}, err
		}
		var b strings.Builder
		for _, p := range pairs {
			fmt.Fprintf(&b, ",%d:%d", p[0], p[1])
		}
		return read("{"+strings.TrimPrefix(b.String(), ",")+"}", candidates)
	}
}

// pythonNumbers reads the literal of a Python dictionary whose names and values int() makes whole numbers of.
func pythonNumbers(literal string) (pairs [][2]int, err error) {
	bad := fmt.Errorf("%.200q is no dictionary of points", literal)
	inner, opened := strings.CutPrefix(literal, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return nil, bad
	}
	inner = strings.TrimSuffix(inner, ",")
	places := make(map[int]int)
	for item := range strings.SplitSeq(inner, ",") {
		name, value, ok := strings.Cut(item, ":")
		n, knownName := pythonInt(name)
		points, knownValue := pythonInt(value)
		if !ok || !knownName || !knownValue {
			return nil, bad
		}
		if at, again := places[n]; again { // the last one of a name counts
			pairs[at][1] = points
			continue
		}
		places[n] = len(pairs)
		pairs = append(pairs, [2]int{n, points})
	}
	return pairs, nil
}

var pythonDigits = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*|0+)$`)

// pythonInt is int() of a literal: of a whole number, a fraction, a truth value, or a text of digits.
func pythonInt(literal string) (int, bool) {
	switch literal {
	case "True":
		return 1, true
	case "False":
		return 0, true
	}
	if text, ok := quotedText(literal); ok {
		n, err := strconv.Atoi(text)
		return n, err == nil
	}
	if pythonDigits.MatchString(literal) {
		n, err := strconv.Atoi(literal)
		return n, err == nil
	}
	x, err := strconv.ParseFloat(literal, 64)
	if err != nil || !strings.ContainsAny(literal, ".eE") || strings.ContainsAny(literal, "xXpP_") ||
		math.Abs(x) > math.MaxInt32 {
		return 0, false
	}
	return int(x), true
}

// quotedText is what stands between quotes of one kind.
func quotedText(literal string) (string, bool) {
	if n := len(literal); n >= 2 && (literal[0] == '\'' || literal[0] == '"') && literal[n-1] == literal[0] {
		return literal[1 : n-1], true
	}
	return "", false
}

// readRanked splits at blanks: at most five numbers, all of candidates. Repeated ones and none at all are accepted.
func readRanked(reply string, candidates int) (debate.Ballot, error) {
	var b debate.Ballot
	for _, field := range strings.Fields(reply) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n >= candidates {
			return debate.Ballot{}, fmt.Errorf("%q ranks something else than %d candidates", reply, candidates)
		}
		b.Ranking = append(b.Ranking, n)
	}
	if len(b.Ranking) > 5 {
		return debate.Ballot{}, fmt.Errorf("%d ranks, at most 5 are counted", len(b.Ranking))
	}
	return b, nil
}

func countFirst(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		if len(b.Ranking) > 0 {
			scores[b.Ranking[0]]++
		}
	}
	return scores
}

func countPoints(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for i, points := range b.Points {
			scores[i] += float64(points)
		}
	}
	return scores
}

func countWeights(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for i, weight := range b.Weights {
			scores[i] += weight
		}
	}
	return scores
}

func countRanks(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for k, i := range b.Ranking {
			scores[i] += float64(min(5, candidates) - k)
		}
	}
	return scores
}

// prefers reports whether a ballot ranks one candidate above another.
func prefers(b debate.Ballot, one, other int) bool {
	i, j := slices.Index(b.Ranking, one), slices.Index(b.Ranking, other)
	return i >= 0 && (j < 0 || i < j)
}

func countBorda(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for i := range candidates {
			for j := range candidates {
				if prefers(b, i, j) {
					scores[i]++
				}
			}
		}
	}
	return scores
}

func countCondorcet(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for i := range candidates {
		for j := range candidates {
			margin := 0
			for _, b := range ballots {
				if prefers(b, i, j) {
					margin++
				} else if prefers(b, j, i) {
					margin--
				}
			}
			if margin > 0 {
				scores[i]++
			}
		}
	}
	return scores
}

// countRunOff scores each candidate by the round in which it was struck out, the winner highest. Those who tie for the
// fewest go together, unless nobody would be left.
func countRunOff(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	out := make([]bool, candidates)
	for round := 1.0; ; round++ {
		first, total := make([]int, candidates), 0
		for _, b := range ballots {
			if i := slices.IndexFunc(b.Ranking, func(c int) bool { return !out[c] }); i >= 0 {
				first[b.Ranking[i]]++
				total++
			}
		}
		fewest, most, left := len(ballots)+1, 0, 0
		for i, n := range first {
			if !out[i] {
				fewest, most, left = min(fewest, n), max(most, n), left+1
			}
		}
		decided := 2*most > total || fewest == most
		for i, n := range first {
			if !out[i] {
				scores[i] = round
				if decided && n == most {
					scores[i]++
				}
			}
		}
		if decided || left <= 1 {
			return scores
		}
		for i, n := range first {
			out[i] = out[i] || n == fewest
		}
	}
}
