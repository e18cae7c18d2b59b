package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Bits is the entropy of shares, in bits: 0 if one has all, log2(k) if k have equal ones (Shannon, Bell System
// Technical Journal 27, 1948, 379-423). Without shares it is 0.
func Bits(shares []float64) (bits float64) {
	for _, share := range shares {
		if share > 0 {
			bits -= share * math.Log2(share)
		}
	}
	return bits
}

// entropy is Bits of the shares of answers, from how many gave each.
func entropy(counts []int) float64 {
	total := 0
	for _, c := range counts {
		if c < 0 {
			panic(fmt.Sprintf("%d answers", c))
		}
		total += c
	}
	shares := make([]float64, len(counts))
	for i, c := range counts {
		shares[i] = float64(c) / float64(max(1, total))
	}
	return Bits(shares)
}

// Reading is one of the two ways to compute the metrics of the paper on consistency order (Zhang et al., arXiv
// 2511.11040), whose text and released program differ.
type Reading int

const (
	// ByPaper takes the last round alone and counts every answer, the unparsed ones as one more answer that is wrong.
	// If nobody is right, the log-likelihood is minus infinity. The formula of the paper begins with a minus that its
	// own worked example lacks; the sign is that of the example. Which rounds count, and unparsed answers, are our
	// reading.
	ByPaper Reading = iota
	// ByCode adds up all rounds, the initial one included, counts parsed answers only, and passes over rounds in which
	// nobody is right, so that total failure costs nothing.
	ByCode
)

// Debate has the answers of one question, [round][agent], and those that are right.
type Debate struct {
	Rounds [][]int
	Key    Key
}

// Answered leaves out rounds in which nobody answers, which would count as rounds without entropy.
func (d Debate) Answered() Debate {
	d.Rounds = slices.DeleteFunc(slices.Clone(d.Rounds), func(answers []int) bool { return len(answers) == 0 })
	return d
}

// LogLikelihood is the sum over debates of log2 of the share of answers that are right, in bits, at most 0. A debate
// without rounds, and a round without answers that count, adds nothing.
func LogLikelihood(debates []Debate, r Reading) float64 {
	sum := 0.0
	for _, d := range debates {
		for _, answers := range r.rounds(d) {
			labels, counts := r.tally(answers)
			right, total := 0, 0
			for i, c := range counts {
				total += c
				if d.Key.Mark(labels[i]) == Right {
					right += c
				}
			}
			if total > 0 && (right > 0 || r == ByPaper) {
				sum += math.Log2(float64(right) / float64(total))
			}
		}
	}
	return sum
}

// MeanEntropy is the entropy of the answers of a round in bits, summed over the rounds that count, divided by the
// number of debates, or 0 if there are none. By the code it grows with the number of rounds.
func MeanEntropy(debates []Debate, r Reading) float64 {
	if len(debates) == 0 {
		return 0
	}
	sum := 0.0
	for _, d := range debates {
		for _, answers := range r.rounds(d) {
			_, counts := r.tally(answers)
			sum += entropy(counts)
		}
	}
	return sum / float64(len(debates))
}

// Most is the most bits that the entropy of a debate with as many answers can have, and that the log-likelihood can be
// below 0: the sum of log2 of the answers over the rounds that count.
func (r Reading) Most(d Debate) (bits float64) {
	for _, answers := range r.rounds(d) {
		_, counts := r.tally(answers)
		total := 0
		for _, c := range counts {
			total += c
		}
		bits += math.Log2(float64(max(1, total)))
	}
	return bits
}

// Counted reports whether the metrics are of anything: whether some answer in the rounds that count was read, and
// whether some answer was right. Where none was, sums of nothing would look like the best values that there are.
func (r Reading) Counted(debates []Debate) (read, right bool) {
	for _, d := range debates {
		for _, answers := range r.rounds(d) {
			for _, a := range answers {
				read, right = read || a != Unparsed, right || d.Key.Mark(a) == Right
			}
		}
	}
	return read, right
}

// rounds are the rounds that count in this reading.
func (r Reading) rounds(d Debate) [][]int {
	d.Key.check()
	switch {
	case r == ByCode || len(d.Rounds) == 0:
		return d.Rounds
	case r == ByPaper:
		return d.Rounds[len(d.Rounds)-1:]
	}
	panic(fmt.Sprintf("reading %d", r))
}

// tally counts the answers that this reading takes into account.
func (r Reading) tally(answers []int) (labels, counts []int) {
	labels, counts = tally(answers)
	parsed := 0
	for _, c := range counts {
		parsed += c
	}
	if unparsed := len(answers) - parsed; r == ByPaper && unparsed > 0 {
		labels, counts = append(labels, Unparsed), append(counts, unparsed)
	}
	return labels, counts
}
