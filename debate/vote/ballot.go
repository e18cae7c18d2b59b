package vote

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// The functions below read ballots from replies as MALLM's code does, its oddities included: they decide which
// ballots are invalid and asked for again. Candidates are numbered from 0.

var digit = regexp.MustCompile(`[0-9]`)

// readSimple joins all digits of the reply into one number: "Solution 1, not 2" is 12.
func readSimple(reply string, candidates int) (debate.Ballot, error) {
	text := strings.Join(digit.FindAllString(reply, -1), "")
	n, err := strconv.Atoi(text)
	if err != nil || n >= candidates {
		return debate.Ballot{}, fmt.Errorf("%q votes for none of %d candidates", text, candidates)
	}
	return debate.Ballot{Ranking: []int{n}}, nil
}

// readApproval splits at commas; each piece must be a number. Numbers of no candidate are dropped, and a repeated
// number counts each time.
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

// readCumulative reads a dictionary from candidates to points, which must add up to total. Names are taken in sorted
// order, so that the first error does not depend on the order of a map. "1" and "01" name one candidate, and which of
// their points should count nobody can say: such a ballot is invalid.
func readCumulative(total int) func(reply string, candidates int) (debate.Ballot, error) {
	return func(reply string, candidates int) (debate.Ballot, error) {
		pairs, ok := answer.Dictionary(reply)
		if !ok {
			return debate.Ballot{}, fmt.Errorf("%q is no dictionary of points", reply)
		}
		b, sum := debate.Ballot{Points: make([]int, candidates)}, 0
		named := make([]bool, candidates)
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			n, err := strconv.Atoi(name)
			points, noPoints := strconv.Atoi(pairs[name])
			if err != nil || noPoints != nil || n < 0 || n >= candidates || points < 0 || points > maxPoints {
				return debate.Ballot{}, fmt.Errorf("%s points to candidate %s of %d", pairs[name], name, candidates)
			}
			if named[n] {
				return debate.Ballot{}, fmt.Errorf("candidate %d has points twice", n)
			}
			b.Points[n], named[n] = points, true
			sum += points
		}
		if sum != total {
			return debate.Ballot{}, fmt.Errorf("%d points, there are %d to share out", sum, total)
		}
		return b, nil
	}
}

// maxPoints bounds the points of one candidate, so that their sum cannot overflow into a valid one.
const maxPoints = math.MaxInt32

// readCumulativeLiteral reads points as MALLM's program does: the whole reply must be the literal of a Python
// dictionary, so that a code fence or a word before it makes the ballot invalid; fractions are truncated, and True is a
// point.
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

// pythonNumbers reads the literal of a Python dictionary whose keys and values int() turns into whole numbers. As in
// Python, the last value of a key counts.
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
		if at, again := places[n]; again {
			pairs[at][1] = points
			continue
		}
		places[n] = len(pairs)
		pairs = append(pairs, [2]int{n, points})
	}
	return pairs, nil
}

var pythonDigits = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*|0+)$`)

// pythonInt is Python's int() of a literal: of a whole number, a fraction, a Boolean, or a string of digits.
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

// quotedText returns the text between two quotes of one kind.
func quotedText(literal string) (string, bool) {
	if n := len(literal); n >= 2 && (literal[0] == '\'' || literal[0] == '"') && literal[n-1] == literal[0] {
		return literal[1 : n-1], true
	}
	return "", false
}

// readRanked splits at white space: at most five numbers, all of candidates. Repeated numbers and an empty reply are
// accepted.
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

var (
	placedResponse = regexp.MustCompile(`\p{Nd}+\.[` + answer.SpaceClass + `]*Response ([A-Z])`)
	response       = regexp.MustCompile(`Response ([A-Z])`)
)

// MostResponses is how many candidates have a letter in readPlaces.
const MostResponses = 26

// readPlaces reads a ranking as karpathy/llm-council does: what follows "FINAL RANKING:", up to the next such line, has
// the candidates by letters, best first, in a numbered list or else anyhow; without that line all of the reply has.
// One that is named again has another place too, and a letter of nobody takes one up.
func readPlaces(reply string, candidates int) (b debate.Ballot, err error) {
	named := [][]string(nil)
	if parts := strings.Split(reply, "FINAL RANKING:"); len(parts) > 1 {
		reply = parts[1]
		named = placedResponse.FindAllStringSubmatch(reply, -1)
	}
	if named == nil {
		named = response.FindAllStringSubmatch(reply, -1)
	}
	known := false
	for _, match := range named {
		i := int(match[1][0] - 'A')
		known, b.Ranking = known || i < candidates, append(b.Ranking, i)
	}
	if !known {
		return debate.Ballot{}, fmt.Errorf("the review ranks none of %d responses", candidates)
	}
	return b, nil
}
