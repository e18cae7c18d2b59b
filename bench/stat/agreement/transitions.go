package agreement

// Correctness says whether an answer is right.
type Correctness int

// What an answer can be.
const (
	Wrong Correctness = iota
	Right
	Unread // the answer could not be parsed
	nCorrectness
)

// correctnessOf compares an answer with the right one.
func correctnessOf(answer, truth int) Correctness {
	return Key{truth}.Mark(answer)
}

// Transitions counts what became of answers, [before][after]. Transitions[Wrong][Right] are corrections,
// Transitions[Right][Wrong] are answers that the debate spoiled.
type Transitions [nCorrectness][nCorrectness]int
