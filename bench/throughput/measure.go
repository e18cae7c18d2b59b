package throughput

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// Measurement is a workload run by our engine and, if there is one, by a peer, in turns.
type Measurement struct {
	Workload string  `json:"workload"`
	Title    string  `json:"title"`
	Hash     string  `json:"sha256"` // of the workload's file
	Small    bool    `json:"small"`
	Sizes    Sizes   `json:"sizes"`
	Seed     uint64  `json:"seed"`
	Ours     []Usage `json:"ours"` // one for each repeat
	Peer     []Usage `json:"peer,omitempty"`
	PeerName string  `json:"peer_name,omitempty"`
	Ceiling  Ceiling `json:"ceiling"`

	Speed llamacpp.Speed `json:"speed"` // of the CPU that computes: the best of those before and after each repeat
}

// Ceiling is what a run's work needs at least on a machine: the time to read memory or the time to multiply, whichever
// is longer.
type Ceiling struct {
	Bytes        float64 `json:"bytes"`         // read from memory: the weights, once a step
	Products     float64 `json:"products"`      // with weights
	Attention    float64 `json:"attention"`     // products with keys and values
	MemoryTime   float64 `json:"memory_s"`      // seconds
	ComputeTime  float64 `json:"compute_s"`     // seconds
	TokensSecond float64 `json:"tokens_second"` // delivered tokens a second in that time
}

// Options of a measurement.
type Options struct {
	Small   bool
	Repeats int
	Seed    uint64
	Model   models.Info
	Speed   func() llamacpp.Speed                     // measures the machine; zero where a GPU computes
	Begin   func(workload, system string, repeat int) // called before each run, if set
}

// Measure kinds a workload Repeats times on ours and on the peer, if it is not nil, in turns. Each repeat has tokens of
// its own, the same for both, so that nobody profits from the run before. With an error come the repeats that were
// finished.
func Measure(ctx context.Context, w Workload, ours, peer System, o Options) (Measurement, error) {
	if o.Model.VocabSize <= fewestTokens {
		return Measurement{}, fmt.Errorf("%s: a vocabulary of %d tokens is too small, since workloads leave out the "+
			"first and the last 300; measure another model", w.Name, o.Model.VocabSize)
	}
	m := Measurement{Workload: w.Name, Title: w.Title, Hash: w.Hash, Small: o.Small, Sizes: w.Full, Seed: o.Seed}
	if o.Small {
		m.Sizes = w.Small
	}
	systems := []System{ours}
	if peer != nil {
		systems, m.PeerName = append(systems, peer), peer.Name()
	}
	m.Speed = o.Speed()
	for repeat := range o.Repeats {
		used := make([]Usage, len(systems))
		for i, system := range systems {
			if o.Begin != nil {
				o.Begin(w.Name, system.Name(), repeat)
			}
			var err error
			if used[i], err = run(ctx, w, m.Sizes, system, o.Model.VocabSize, o.Seed<<16+uint64(repeat)); err != nil {
				return m, fmt.Errorf("%s, repeat %d, %s: %w", w.Name, repeat+1, system.Name(), err)
			}
		}
		m.Ours = append(m.Ours, used[0])
		m.Peer = append(m.Peer, used[1:]...)
		m.Speed = m.Speed.Best(o.Speed())
		m.Ceiling = ceiling(o.Model, m.Speed, m.Ours[0])
	}
	return m, nil
}

// run runs a workload once. number makes its tokens differ from those of other runs.
func run(ctx context.Context, w Workload, sizes Sizes, system System, vocabulary int, number uint64) (Usage, error) {
	if err := system.Start(ctx); err != nil {
		return Usage{}, err
	}
	err := kinds[w.Kind](generator{sizes, w.Layout, vocabulary, number, system}, ctx)
	u, stopped := system.Stop()
	if err == nil {
		err = stopped
	}
	return u, err
}

// ceiling counts the products of a run: with weights for every token, where the output layer is needed only for tokens
// that were drawn, and with the keys and values that each row sees. Each token that is drawn reads and writes the
// states of recurrent layers. Of experts, those count that a token uses, and a step reads them as if all of its tokens
// used the same.
func ceiling(model models.Info, speed llamacpp.Speed, u Usage) Ceiling {
	output := float64(model.VocabSize) * float64(model.Embedding)
	layers := float64(model.Parameters-model.IdleParameters) - output
	if twice := layers - output; !model.Tied { // the input has a table of its own
		layers = twice
	}
	c := Ceiling{
		Bytes: float64(u.Steps)*float64(model.SizeBytes-model.IdleBytes) +
			2*float64(u.Decoded)*float64(model.StateBytes),
		Products:  layers*float64(u.Computed+u.Decoded) + output*float64(u.Decoded),
		Attention: 2 * float64(u.Attended) * float64(model.KVLayers()) * float64(model.Heads) * float64(model.HeadDim),
	}
	if speed.Bytes > 0 && speed.ByteProducts > 0 && speed.FloatProducts > 0 {
		c.MemoryTime = c.Bytes / speed.Bytes
		c.ComputeTime = c.Products/speed.ByteProducts + c.Attention/speed.FloatProducts
		if least := max(c.MemoryTime, c.ComputeTime); least > 0 {
			c.TokensSecond = float64(u.Generated) / least
		}
	}
	return c
}

// Bound is the most tokens a second that a machine can generate with a model when some rows, each of another
// generation, share a step: what ceiling says of such a step, without attention. It is 0 if the speed of the machine is
// unknown, and for a mixture of experts, whose step reads a part of the weights that depends on the text.
func Bound(model models.Info, speed llamacpp.Speed, rows int) (tokensSecond float64) {
	if model.Experts > 0 {
		return 0
	}
	return ceiling(model, speed, Usage{Steps: 1, Generated: rows, Decoded: rows}).TokensSecond
}

// ratios are our delivered tokens a second divided by the peer's, for each repeat in which both have some, sorted.
func (m Measurement) ratios() (ratios []float64) {
	for i := range m.Peer {
		if ours, peer := m.Ours[i].rate(), m.Peer[i].rate(); ours > 0 && peer > 0 {
			ratios = append(ratios, ours/peer)
		}
	}
	slices.Sort(ratios)
	return ratios
}

// median of a sorted list.
func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// rate is the median of delivered tokens a second over runs.
func rate(usages []Usage) float64 {
	var rates []float64
	for _, u := range usages {
		rates = append(rates, u.rate())
	}
	slices.Sort(rates)
	return median(rates)
}
