package throughput

import (
	"context"
	"fmt"
	"slices"

	"parley/inference/llamacpp"
	"parley/models"
)

// Measurement is a workload played by our engine and, if there is one, in turns by a peer.
type Measurement struct {
	Workload string  `json:"workload"`
	Title    string  `json:"title"`
	Hash     string  `json:"sha256"` // of the workload's file
	Small    bool    `json:"small"`
	Sizes    Sizes   `json:"sizes"`
	Seed     uint64  `json:"seed"`
	Ours     []Usage `json:"ours"` // one a repeat
	Peer     []Usage `json:"peer,omitempty"`
	PeerName string  `json:"peer_name,omitempty"`
	Ceiling  Ceiling `json:"ceiling"`

	Speed llamacpp.Speed `json:"speed"` // of the machine, the best that was seen before and after the repeats
}

// Ceiling is the least time that a repeat's work needs on a machine: whatever is slower of reading memory and
// multiplying.
type Ceiling struct {
	// weights once a step, keys and values once for all who see them: a lower bound
	Bytes        float64 `json:"bytes"`
	Products     float64 `json:"products"`      // of weights
	Attention    float64 `json:"attention"`     // products with keys and values
	MemoryTime   float64 `json:"memory_s"`      // seconds
	ComputeTime  float64 `json:"compute_s"`     // seconds
	TokensSecond float64 `json:"tokens_second"` // delivered, if all went at that rate
}

// Options of a measurement.
type Options struct {
	Small   bool
	Repeats int
	Seed    uint64
	Model   models.Info
	Speed   func() llamacpp.Speed                   // measures the machine
	Begin   func(workload, side string, repeat int) // called before each run, if set
}

// Measure plays a workload Repeats times on ours and on the peer, if it is not nil, in turns. Each repeat has tokens of
// its own, the same for both, so that nobody profits from the run before. With an error come the repeats that were
// finished.
func Measure(ctx context.Context, w Workload, ours, peer Side, o Options) (Measurement, error) {
	m := Measurement{Workload: w.Name, Title: w.Title, Hash: w.Hash, Small: o.Small, Sizes: w.Full, Seed: o.Seed}
	if o.Small {
		m.Sizes = w.Small
	}
	sides := []Side{ours}
	if peer != nil {
		sides, m.PeerName = append(sides, peer), peer.Name()
	}
	m.Speed = o.Speed()
	for repeat := range o.Repeats {
		used := make([]Usage, len(sides))
		for i, side := range sides {
			if o.Begin != nil {
				o.Begin(w.Name, side.Name(), repeat)
			}
			var err error
			if used[i], err = play(ctx, w, m.Sizes, side, o.Model.VocabSize, o.Seed<<16+uint64(repeat)); err != nil {
				return m, fmt.Errorf("%s, repeat %d, %s: %w", w.Name, repeat+1, side.Name(), err)
			}
		}
		m.Ours = append(m.Ours, used[0])
		m.Peer = append(m.Peer, used[1:]...)
		m.Speed = m.Speed.Best(o.Speed())
		m.Ceiling = ceiling(o.Model, m.Speed, m.Ours[0])
	}
	return m, nil
}

func play(ctx context.Context, w Workload, sizes Sizes, side Side, vocabulary int, run uint64) (Usage, error) {
	if err := side.Start(ctx); err != nil {
		return Usage{}, err
	}
	err := plays[w.Kind](player{Sizes: sizes, layout: w.Layout, vocabulary: vocabulary, run: run, side: side}, ctx)
	u, stopped := side.Stop()
	if err == nil {
		err = stopped
	}
	return u, err
}

// ceiling counts two operations' worth of work: products with weights for every token, the output's only for tokens
// that were drawn, and products with the keys and values that a row sees.
func ceiling(model models.Info, speed llamacpp.Speed, u Usage) Ceiling {
	output := float64(model.VocabSize) * float64(model.Embedding)
	layers := float64(model.Parameters) - output
	if twice := layers - output; !model.Tied { // a table for the input beside the output's
		layers = twice
	}
	c := Ceiling{
		Bytes:     float64(u.Steps) * float64(model.SizeBytes),
		Products:  layers*float64(u.Computed+u.Decoded) + output*float64(u.Decoded),
		Attention: 2 * float64(u.Attended) * float64(model.Layers) * float64(model.Heads) * float64(model.HeadDim),
	}
	if speed.Bytes > 0 {
		c.MemoryTime = c.Bytes / speed.Bytes
		c.ComputeTime = c.Products/speed.ByteProducts + c.Attention/speed.FloatProducts
		c.TokensSecond = float64(u.Generated) / max(c.MemoryTime, c.ComputeTime)
	}
	return c
}

// Ratios are ours by the peer's in delivered tokens a second, pair by pair, sorted.
func (m Measurement) Ratios() (ratios []float64) {
	for i := range m.Peer {
		ratios = append(ratios, m.Ours[i].Rate()/m.Peer[i].Rate())
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

// rate is the median of delivered tokens a second.
func rate(usages []Usage) float64 {
	var rates []float64
	for _, u := range usages {
		rates = append(rates, u.Rate())
	}
	slices.Sort(rates)
	return median(rates)
}
