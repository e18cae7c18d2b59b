package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/parley-debate/parley/inference/step"
)

// Key names a generation by its content: SHA-256 over the model file's hash, the token ids of the prompt, the sampling
// settings with the seed, the bound on its length, and what else ends or shapes it, if there is any: stop texts, the
// end of loops, a grammar. Equal keys are one generation,
// whoever asks for it in whatever protocol. The name of the debate, its number of agents and the round are not part of
// the key. Requests at temperature 0 whose keys differ in the seed alone are one generation too, with a record for each
// key.
type Key [sha256.Size]byte

// String returns the first 16 bytes in hex, which is what records show.
func (k Key) String() string { return hex.EncodeToString(k[:16]) }

// ends are what ends or shapes a generation besides its sampling.
type ends struct {
	maxTokens int
	stops     []string
	loops     bool
	grammar   string
}

func (r Request) ends() ends { return ends{r.maxTokens(), r.Stop, r.EndLoops, r.Grammar} }

func keyOf(modelHash string, prompt []step.Token, s Sampling, e ends) Key {
	h := sha256.New()
	number := func(v uint64) { h.Write(binary.LittleEndian.AppendUint64(nil, v)) }
	float := func(v float32) { number(uint64(math.Float32bits(v))) }
	number(uint64(len(modelHash)))
	h.Write([]byte(modelHash))
	number(uint64(len(prompt)))
	binary.Write(h, binary.LittleEndian, prompt)
	float(s.Temperature)
	number(uint64(s.TopK))
	float(s.TopP)
	float(s.MinP)
	float(s.RepeatPenalty)
	number(uint64(s.RepeatLastN))
	number(s.Seed)
	number(uint64(s.Alternatives))
	number(uint64(e.maxTokens))
	if s.IgnoreEnd {
		number(1)
	}
	if s.FrequencyPenalty != 0 || s.PresencePenalty != 0 {
		h.Write([]byte("penalties"))
		float(s.FrequencyPenalty)
		float(s.PresencePenalty)
	}
	if len(s.Bias) > 0 {
		h.Write([]byte("bias"))
		number(uint64(len(s.Bias)))
		for _, b := range s.Bias {
			number(uint64(b.Token))
			float(b.Bias)
		}
	}
	if len(e.stops) > 0 {
		h.Write([]byte("stop"))
		number(uint64(len(e.stops)))
		for _, text := range e.stops {
			number(uint64(len(text)))
			h.Write([]byte(text))
		}
	}
	if e.loops {
		h.Write([]byte("loops 1")) // the rule of package ending that decides
	}
	if e.grammar != "" {
		h.Write([]byte("grammar"))
		h.Write([]byte(e.grammar))
	}
	return Key(h.Sum(nil))
}
