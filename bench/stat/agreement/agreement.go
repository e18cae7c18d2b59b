package agreement

// PairAgreement is the share of pairs of agents that gave the same answer to one question, 0 to 1; pairs with an
// unparsed answer are left out. known is false if no pair is left.
func PairAgreement(answers []int) (share float64, known bool) {
	_, counts := tally(answers)
	same, n := 0, 0
	for _, c := range counts {
		same += c * (c - 1)
		n += c
	}
	if n < 2 {
		return 0, false
	}
	return float64(same) / float64(n*(n-1)), true
}

// Alpha is Krippendorff's, of answers that are equal or not, [question][agent]: 1 if agents always agree, 0 if they
// agree as often as answers drawn at random from all that were given, less than 0 if they agree less often
// (Krippendorff, Computing Krippendorff's Alpha-Reliability, University of Pennsylvania, 2011, section C). Unparsed
// answers are missing data, and questions with fewer than two parsed answers are left out. known is false if nothing is
// left or if all answers are the same, when agreement by chance is certain too.
func Alpha(questions [][]int) (alpha float64, known bool) {
	totals := make(map[int]int)
	n, agreed := 0.0, 0.0 // answers that have a partner, and pairs that agree, each weighed by its question
	for _, answers := range questions {
		labels, counts := tally(answers)
		share, paired := PairAgreement(answers)
		if !paired {
			continue
		}
		partners := 0
		for i, c := range counts {
			totals[labels[i]] += c
			partners += c
		}
		n += float64(partners)
		agreed += float64(partners) * share
	}
	same := 0.0
	for _, c := range totals {
		same += float64(c) * float64(c-1)
	}
	byChance := n*(n-1) - same
	if byChance == 0 {
		return 0, false
	}
	return 1 - (n-1)*(n-agreed)/byChance, true
}
