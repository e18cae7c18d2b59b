package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/parley-debate/parley/inference/step"
)

// Key names a generation by its content: SHA-256 over the model file's hash, the token ids of the prompt, the sampling
// settings with the seed, the bound on its length, and its grammar if there is one. Equal keys are one generation,
// whoever asks for it in whatever protocol. The name of the debate, its number of agents and the round are not part of
// the key.
type Key [sha256.Size]byte

// String returns the first 16 bytes in hex, which is what records show.
func (k Key) String() string { return hex.EncodeToString(k[:16]) }

func keyOf(modelHash string, prompt []step.Token, s Sampling, maxTokens int, grammar string) Key {
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
	number(uint64(maxTokens))
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
	if grammar != "" {
		h.Write([]byte("grammar"))
		h.Write([]byte(grammar))
	}
	return Key(h.Sum(nil))
}
