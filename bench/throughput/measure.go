package throughput

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
)

// Measurement is a workload run by our engine and, if there is one, by a peer, in turns.
type Measurement struct {
	Workload  string    `json:"workload"`
	Title     string    `json:"title"`
	Hash      string    `json:"sha256,omitempty"` // of the workload's file
	Small     bool      `json:"small"`
	Sizes     Sizes     `json:"sizes"`
	Prompts   bool      `json:"rate_of_prompts,omitempty"` // rates count the tokens of prompts, not those delivered
	Seed      uint64    `json:"seed"`
	Settings  []Setting `json:"settings,omitempty"` // that differ within the report
	Model     string    `json:"model"`
	ModelHash string    `json:"model_sha256"`
	Flags     string    `json:"flags"`
	Plan      string    `json:"plan"`           // what our engine chose where the flags leave a choice
	Ours      []Usage   `json:"ours"`           // one for each repeat; no prompt was in the cache
	Warm      []Usage   `json:"warm,omitempty"` // of the same prompts again, with other seeds
	Peer      []Usage   `json:"peer,omitempty"`
	PeerName  string    `json:"peer_name,omitempty"`
	Ceiling   Ceiling   `json:"ceiling"`

	Speed  llamacpp.Speed   `json:"speed"`  // of the CPU that computes: the best of those measured
	Speeds []llamacpp.Speed `json:"speeds"` // before the first repeat, and after each
}

// Setting is a flag with its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Ceiling is what a run's work needs at least on a machine: the time to read memory or the time to multiply, whichever
// is longer.
type Ceiling struct {
	Bytes        float64 `json:"bytes"`         // read from memory: the weights, once a step
	Products     float64 `json:"products"`      // with weights
	Attention    float64 `json:"attention"`     // products with keys and values
	MemoryTime   float64 `json:"memory_s"`      // seconds
	ComputeTime  float64 `json:"compute_s"`     // seconds
	TokensSecond float64 `json:"tokens_second"` // counted tokens a second in that time
}

// Options of a measurement.
type Options struct {
	Small   bool
	Warm    bool // run each repeat a second time, with its prompts in the cache
	Repeats int
	Seed    uint64
	Model   models.Info
	Speed   func() llamacpp.Speed                     // measures the machine; zero where a GPU computes
	Begin   func(workload, system string, repeat int) // called before each run, if set
}

// warmUp is what a run computes first, which does not count: memory is touched and threads are there.
var warmUp = Sizes{Requests: 1, Prompt: 16, Reply: 2}

// Measure runs a workload Repeats times on ours and on the peer, if it is not nil, in turns. Each repeat has tokens of
// its own, the same for both, so that nobody profits from the run before. With an error come the repeats that were
// finished.
func Measure(ctx context.Context, w Workload, ours *Local, peer System, o Options) (Measurement, error) {
	if o.Model.VocabSize <= fewestTokens {
		return Measurement{}, fmt.Errorf("%s: a vocabulary of %d tokens is too small, since workloads leave out the "+
			"first and the last 300; measure another model", w.Name, o.Model.VocabSize)
	}
	m := Measurement{Workload: w.Name, Title: w.Title, Hash: w.Hash, Small: o.Small, Sizes: w.Full, Prompts: w.Prompts,
		Seed: o.Seed, Model: o.Model.Name, Flags: ours.Flags}
	if o.Small {
		m.Sizes = w.Small
	}
	systems := []System{ours}
	if peer != nil {
		systems, m.PeerName = append(systems, peer), peer.Name()
	}
	m.Speed = o.Speed()
	m.Speeds = append(m.Speeds, m.Speed)
	for repeat := range o.Repeats {
		used := make([][]Usage, len(systems))
		for i, system := range systems {
			if o.Begin != nil {
				o.Begin(w.Name, system.Name(), repeat)
			}
			var err error
			used[i], err = run(ctx, w, m.Sizes, system, o.Warm && i == 0, o.Model.VocabSize, o.Seed<<16+uint64(repeat))
			if err != nil {
				return m, fmt.Errorf("%s, repeat %d, %s: %w", w.Name, repeat+1, system.Name(), err)
			}
		}
		m.Ours, m.Warm = append(m.Ours, used[0][0]), append(m.Warm, used[0][1:]...)
		if peer != nil {
			m.Peer = append(m.Peer, used[1][0])
		}
		m.Speeds = append(m.Speeds, o.Speed())
		m.Speed = m.Speed.Best(m.Speeds[repeat+1])
		m.Ceiling = ceiling(o.Model, m.Speed, m.Ours[0], m.Prompts)
		m.Plan = ours.Plan
	}
	return m, nil
}

// run runs a workload once after a warm-up, and a second time where that is asked for. number makes its tokens differ
// from those of other runs.
func run(ctx context.Context, w Workload, sizes Sizes, system System, twice bool, vocabulary int,
	number uint64) (laps []Usage, err error) {
	if err := system.Start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, system.Stop()) }()
	warming := generator{Sizes: warmUp, vocabulary: vocabulary, run: ^number, system: system}
	if err := warming.independent(ctx); err != nil {
		return nil, fmt.Errorf("warm-up: %w", err)
	}
	g := generator{Sizes: sizes, layout: w.Layout, vocabulary: vocabulary, run: number, system: system,
		recorded: w.recorded}
	passes := []uint64{0}
	if twice {
		passes = append(passes, 1<<48) // seeds of other replies to the same prompts
	}
	for _, g.seeds = range passes {
		system.Begin()
		if err := kinds[w.Kind](g, ctx); err != nil {
			return nil, err
		}
		laps = append(laps, system.Lap())
	}
	return laps, nil
}

// ceiling counts the products of a run: with weights for every token, where the output layer is needed only for tokens
// that were drawn, and with the keys and values that each row sees. Each token that is drawn reads and writes the
// states of recurrent layers. Of experts, those count that a token uses, and a step reads them as if all of its tokens
// used the same.
func ceiling(model models.Info, speed llamacpp.Speed, u Usage, prompts bool) Ceiling {
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
			c.TokensSecond = float64(u.counted(prompts)) / least
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
	return ceiling(model, speed, Usage{Steps: 1, Generated: rows, Decoded: rows}, false).TokensSecond
}

// ratios are our tokens a second divided by the peer's, for each repeat in which both have some, sorted.
func (m Measurement) ratios() []float64 { return quotients(m.rates(m.Ours), m.rates(m.Peer)) }

// quotients are those of pairs in which both are there, sorted.
func quotients(these, those []float64) (ratios []float64) {
	for i := range min(len(these), len(those)) {
		if these[i] > 0 && those[i] > 0 {
			ratios = append(ratios, these[i]/those[i])
		}
	}
	slices.Sort(ratios)
	return ratios
}

// median of a list.
func median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// rates are tokens a second over runs, of what the measurement counts.
func (m Measurement) rates(usages []Usage) (rates []float64) {
	for _, u := range usages {
		rates = append(rates, m.rateOf(u))
	}
	return rates
}

func (m Measurement) rateOf(u Usage) float64 { return perSecond(u.counted(m.Prompts), u.Wall) }

// rate is the median of tokens a second over our runs.
func (m Measurement) rate() float64 { return median(m.rates(m.Ours)) }
