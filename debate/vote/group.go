package vote

import (
	"math"
	"slices"
)

// DeepConf's confidences of a reply, from those of its tokens (inference.Reply.Confidences), each the mean over some of
// them (Fu et al. 2025, arXiv 2508.15260, section 3.1). A group is a window of so many consecutive tokens; a reply that
// is shorter is one group. The numbers are those of the paper's program (facebookresearch/deepconf, utils.py).
const (
	// TailConfidence is the mean of the last tokens, as many as a group has.
	TailConfidence = "tail"
	// BottomGroups is the mean of the tenth of the groups that is lowest, rounded down, of one at least.
	BottomGroups = "bottom-groups"
	// LowestGroup is the lowest group.
	LowestGroup = "lowest-group"
)

// GroupConfidences are all of them.
func GroupConfidences() []string { return []string{TailConfidence, BottomGroups, LowestGroup} }

// bottomShare is the share of the groups that BottomGroups takes.
const bottomShare = 0.1

// GroupConfidence returns one of GroupConfidences of the tokens of a reply. Of no tokens it is 0.
func GroupConfidence(name string, tokens []float64, window int) float64 {
	window = min(window, len(tokens))
	if window == 0 {
		return 0
	}
	sums := make([]float64, len(tokens)+1) // of the tokens before each
	for i, c := range tokens {
		sums[i+1] = sums[i] + c
	}
	groups := make([]float64, len(tokens)-window+1)
	for i := range groups {
		groups[i] = (sums[i+window] - sums[i]) / float64(window)
	}
	switch name {
	case TailConfidence:
		return Round(groups[len(groups)-1])
	case LowestGroup:
		return Round(slices.Min(groups))
	}
	slices.Sort(groups)
	lowest := groups[:max(1, int(math.Floor(float64(len(groups))*bottomShare)))]
	sum := 0.0
	for _, g := range lowest {
		sum += g
	}
	return Round(sum / float64(len(lowest)))
}
