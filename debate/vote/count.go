package vote

import (
	"slices"

	"github.com/parley-debate/parley/debate"
)

// The functions below return the score of each candidate. They are given valid ballots only.

// countFirst gives each ballot's vote to its first choice.
func countFirst(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		if len(b.Ranking) > 0 {
			scores[b.Ranking[0]]++
		}
	}
	return scores
}

// countPoints adds up the points that ballots give each candidate.
func countPoints(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for i, points := range b.Points {
			scores[i] += float64(points)
		}
	}
	return scores
}

// countWeights adds up the weights that ballots give each candidate, in the order of the ballots: the order fixes the
// bits of the sum.
func countWeights(ballots []debate.Ballot, candidates int) []float64 {
	scores := make([]float64, candidates)
	for _, b := range ballots {
		for i, weight := range b.Weights {
			scores[i] += weight
		}
	}
	return scores
}

// countRanks gives the k-th candidate of a ballot min(5, candidates) - k points, from k = 0.
func countRanks(ballots []debate.Ballot, candidates int) []float64 {
	return countRanksFrom(min(mostRanks, candidates))(ballots, candidates)
}

// mostRanks is how many candidates a ballot ranks at most.
const mostRanks = 5

// countRanksFrom gives the k-th candidate of a ballot first - k points, from k = 0.
func countRanksFrom(first int) func([]debate.Ballot, int) []float64 {
	return func(ballots []debate.Ballot, candidates int) []float64 {
		scores := make([]float64, candidates)
		for _, b := range ballots {
			for k, i := range b.Ranking {
				scores[i] += float64(first - k)
			}
		}
		return scores
	}
}

// prefers reports whether a ballot ranks one candidate above another.
func prefers(b debate.Ballot, one, other int) bool {
	i, j := slices.Index(b.Ranking, one), slices.Index(b.Ranking, other)
	return i >= 0 && (j < 0 || i < j)
}

// countBorda gives a candidate a point for each candidate that a ballot ranks lower.
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

// countCondorcet gives a candidate a point for each other one that it beats: that fewer ballots rank above it than
// below.
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

// countRunOff scores each candidate by the round in which it was struck out; the winner has the highest score.
// Candidates that tie for the fewest first places are struck out together, unless nobody would be left.
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

// countPlaces gives a candidate one by its mean place, from 1, over the ballots that name it.
func countPlaces(ballots []debate.Ballot, candidates int) []float64 {
	scores, times := make([]float64, candidates), make([]float64, candidates)
	for _, b := range ballots {
		for k, i := range b.Ranking {
			if i < candidates {
				scores[i], times[i] = scores[i]+float64(k+1), times[i]+1
			}
		}
	}
	for i := range scores {
		if times[i] > 0 {
			scores[i] = times[i] / scores[i]
		}
	}
	return scores
}
