package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"strings"

	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/scheduler"
)

// Key names a generation by what was asked for, and by which engine computes it. Equal keys are one generation, whoever
// asks for it in whatever protocol; runs, their forks, servers and their batches know their replies by it. The name of
// the debate, its number of agents and the round are not part of it. Requests at temperature 0 whose keys differ in the
// seed alone are one generation too, with a record for each key.
type Key struct {
	Asked [sha256.Size]byte // what is sent, how replies are drawn, and what ends or shapes them
	By    [sha256.Size]byte // see Identity.Digest
}

// keyVersion stands in each key. Keys of version 1 have neither it nor what follows it: beside such records, the header
// of their run says what computed them.
const keyVersion = 2

// String returns what records show: the first 16 bytes of what was asked for, which are all of a key of version 1, a
// hyphen, the version, and 8 bytes of by what.
func (k Key) String() string {
	return hex.EncodeToString(k.Asked[:16]) + "-" + hex.EncodeToString(append([]byte{keyVersion}, k.By[:8]...))
}

// AskedIn returns the part of a recorded key, of any version, that says what was asked for.
func AskedIn(key string) string {
	asked, _, _ := strings.Cut(key, "-")
	return asked
}

// shared returns the key as the scheduler compares it.
func (k Key) shared() scheduler.Key { return sha256.Sum256(append(k.Asked[:], k.By[:]...)) }

// Identity is what decides a reply besides the request: which model computes it, how, and by what. It is part of every
// key, so that a reply is never taken for that of another configuration.
type Identity struct {
	Model     string // SHA-256 of the file, hex; of a remote model see Remote
	Template  string // SHA-256 of the chat template, hex; "" if there is none
	Tokenizer string // SHA-256 of the file whose vocabulary makes token ids, where that is not the model's own; else ""
	Mode      string // Fast, Reproducible or Elsewhere
	Library   string // llama.cpp with its compiler and CPU features; of a remote model, what its server says of that
	Kernels   string // see Kernels; of a remote model, the program
	KV        string // see KV
	Device    string // see ModelInfo
	GPULayers int    // see GPULayers
}

// Identity returns the identity of a model that a library computes (llamacpp.BuildInfo), unless servers do.
func (m ModelInfo) Identity(library string) Identity {
	i := Identity{Model: m.Hash, Template: m.Template, Mode: m.Mode, Library: library, Kernels: m.Kernels, KV: m.KV,
		Device: m.Device, GPULayers: m.GPULayers}
	if r := m.Remote; r != nil {
		i.Library, i.Tokenizer = r.Fingerprint, r.Vocabulary
	}
	return i
}

// Digest returns the SHA-256 of the identity.
func (i Identity) Digest() [sha256.Size]byte {
	k := keyed{sha256.New()}
	k.mark("parley engine")
	for _, text := range []string{i.Model, i.Template, i.Tokenizer, i.Mode, i.Library, i.Kernels, i.KV, i.Device} {
		k.text(text)
	}
	k.number(uint64(i.GPULayers))
	return k.sum()
}

// KeyOf returns the key of a request for a reply, or for the scores of Request.Forced, to an engine of that identity.
// prompt are the token ids that are sent.
func KeyOf[T ~int32](by Identity, r Request, prompt []T) Key {
	if r.Forced != nil {
		drawn := Sampling{Alternatives: r.Sampling.Alternatives}
		return Key{askedScores(by.Model, prompt, r.Forced, drawn, "forced"), by.Digest()}
	}
	asked := keyed{sha256.New()}
	writeRequest(asked, by.Model, prompt, r.Sampling, r.ends())
	return Key{asked.sum(), by.Digest()}
}

// scoresKey returns the key of a request for the scores of continuations, and keys are those of each of them.
func scoresKey(by Identity, prompt []step.Token, continuations [][]step.Token) (key Key, keys []Key) {
	digest := by.Digest()
	var all []byte
	for _, tokens := range continuations {
		one := askedScores(by.Model, prompt, tokens, Sampling{}, "given")
		keys, all = append(keys, Key{one, digest}), append(all, one[:]...)
	}
	return Key{sha256.Sum256(all), digest}, keys
}

// askedScores returns what is asked for by tokens whose scores are wanted; how says by which of two requests.
func askedScores[T, F ~int32](model string, prompt []T, forced []F, s Sampling, how string) [sha256.Size]byte {
	all := make([]int32, 0, len(prompt)+len(forced))
	for _, t := range prompt {
		all = append(all, int32(t))
	}
	for _, t := range forced {
		all = append(all, int32(t))
	}
	asked := keyed{sha256.New()}
	writeRequest(asked, model, all, s, ends{maxTokens: len(forced)})
	sum := asked.sum()
	return sha256.Sum256(append(sum[:], how...))
}

// ends are what ends or shapes a generation besides its sampling.
type ends struct {
	maxTokens int
	stops     []string
	loops     bool
	grammar   string
	tool      string
}

func (r Request) ends() ends { return ends{r.maxTokens(), r.Stop, r.EndLoops, r.Grammar, r.Tool} }

// keyed is what a part of a key is made of. What is written, and in which order, belongs to the version.
type keyed struct{ hash.Hash }

func (k keyed) sum() [sha256.Size]byte { return [sha256.Size]byte(k.Sum(nil)) }
func (k keyed) number(n uint64)        { k.Write(binary.LittleEndian.AppendUint64(nil, n)) }
func (k keyed) float(f float32)        { k.number(uint64(math.Float32bits(f))) }

func (k keyed) text(text string) {
	k.number(uint64(len(text)))
	k.Write([]byte(text))
}

func (k keyed) mark(name string) { k.Write([]byte(name)) }

// writeRequest writes a request with its prompt in token ids. What a request need not have is marked: without it, keys
// are what they were before there was any.
func writeRequest[T ~int32](k keyed, model string, prompt []T, s Sampling, e ends) {
	k.text(model)
	k.number(uint64(len(prompt)))
	ids := make([]byte, 0, 4*len(prompt))
	for _, t := range prompt {
		ids = binary.LittleEndian.AppendUint32(ids, uint32(t))
	}
	k.Write(ids)
	k.float(s.Temperature)
	k.number(uint64(s.TopK))
	k.float(s.TopP)
	k.float(s.MinP)
	k.float(s.RepeatPenalty)
	k.number(uint64(s.RepeatLastN))
	k.number(s.Seed)
	k.number(uint64(s.Alternatives))
	k.number(uint64(e.maxTokens))
	if s.IgnoreEnd {
		k.number(1)
	}
	if s.FrequencyPenalty != 0 || s.PresencePenalty != 0 {
		k.mark("penalties")
		k.float(s.FrequencyPenalty)
		k.float(s.PresencePenalty)
	}
	if len(s.Bias) > 0 {
		k.mark("bias")
		k.number(uint64(len(s.Bias)))
		for _, b := range s.Bias {
			k.number(uint64(b.Token))
			k.float(b.Bias)
		}
	}
	for _, p := range s.Marked() {
		k.mark(p.Name)
		k.number(math.Float64bits(p.Of(s)))
	}
	if len(e.stops) > 0 {
		k.mark("stop")
		k.number(uint64(len(e.stops)))
		for _, text := range e.stops {
			k.text(text)
		}
	}
	if e.loops {
		k.mark("loops 1") // the rule of package ending that decides
	}
	if e.grammar != "" {
		k.mark("grammar")
		k.mark(e.grammar)
	}
	if e.tool != "" {
		k.mark("tool 1") // what calls it, and how it answers
		k.text(e.tool)
	}
}
