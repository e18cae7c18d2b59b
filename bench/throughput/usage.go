package throughput

import "time"

// Usage is what a run asked for and what it took.
type Usage struct {
	Asked    int `json:"prompt_tokens_asked"`
	Computed int `json:"prompt_tokens_computed"`
	// Least is what any engine with a prefix tree must compute; 0 for a peer, whose requests are not counted so.
	Least       int           `json:"prompt_tokens_least"`
	Requests    int           `json:"requests"`
	Generations int           `json:"generations"` // computed; equal requests may share one
	Generated   int           `json:"tokens_delivered"`
	Decoded     int           `json:"tokens_generated"`
	Steps       int           `json:"steps,omitempty"`
	Wall        time.Duration `json:"wall_ns"`
	Outside     time.Duration `json:"outside_steps_ns,omitempty"` // time in Go: scheduling, waking debates
	// Rates within steps, shared out by rows; 0 where there were none. The first token of a generation comes with the
	// last row of its prompt, and is no decoded one.
	PrefillRate float64 `json:"prefill_tokens_per_second,omitempty"`
	DecodeRate  float64 `json:"decode_tokens_per_second,omitempty"`
	PeakMemory  int64   `json:"peak_memory_bytes,omitempty"` // of the process
	Attended    int     `json:"cells_attended,omitempty"`    // cells seen, summed over all rows

	// FirstToken is from a request to its first token, BetweenTokens from a token to the next of the same reply. A
	// peer, whose replies come whole, has neither.
	FirstToken    *Percentiles `json:"first_token,omitempty"`
	BetweenTokens *Percentiles `json:"between_tokens,omitempty"`
	// Joules are of the processor's package and the GPUs, where the machine counts them: of all that runs on it.
	Joules float64 `json:"joules,omitempty"`
}

// counted are the tokens that a rate counts: those of prompts, or those delivered.
func (u Usage) counted(prompts bool) int {
	if prompts {
		return u.Asked
	}
	return u.Generated
}

// perSecond is a rate, or 0, which stands for none, where nothing was done or took no time.
func perSecond(n int, took time.Duration) float64 {
	if n <= 0 || took <= 0 {
		return 0
	}
	return float64(n) / took.Seconds()
}

// tree counts the prompt tokens that must be computed: those of all prompts, with common prefixes counted once, except
// tokens that were computed when they were generated in the same place.
type tree struct {
	next map[edge]int
	kind []byte // of each node: asked, generated or both
}

type edge struct {
	node  int
	token int32
}

const (
	asked     = 1
	generated = 2
)

func newTree() *tree { return &tree{next: map[edge]int{}, kind: []byte{0}} }

// add enters a prompt and its reply, whose last token was drawn and never computed.
func (t *tree) add(prompt, reply []int32) {
	node := t.walk(0, prompt, asked)
	if len(reply) > 0 {
		t.walk(node, reply[:len(reply)-1], generated)
	}
}

func (t *tree) walk(node int, tokens []int32, kind byte) int {
	for _, token := range tokens {
		child, known := t.next[edge{node, token}]
		if !known {
			child = len(t.kind)
			t.next[edge{node, token}] = child
			t.kind = append(t.kind, 0)
		}
		t.kind[child] |= kind
		node = child
	}
	return node
}

// least is the number of tokens that are in prompts alone.
func (t *tree) least() (n int) {
	for _, kind := range t.kind {
		if kind == asked {
			n++
		}
	}
	return n
}
