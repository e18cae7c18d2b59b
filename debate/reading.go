package debate

// The readings of source 0 where its paper and its code differ: the code orders anew for every receiver, from the
// answers of the others alone, with a stable sort; the paper (Algorithm 1) has one order of all agents, and each
// receiver leaves itself out. In the paper's most-frequent-last the first agent with the most frequent answer is last
// and the rest ascend.
const (
	ReadingCode  = "code"
	ReadingPaper = "paper"
)
