package scheduler

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/parley-debate/parley/inference/step"
)

// fakeEngine keeps the cells of each sequence as llama.cpp does, checks that llama.cpp could carry out every plan, and
// draws tokens that are a hash of everything before them.
type fakeEngine struct {
	t         tester
	cells     int
	sequences map[step.SeqID]map[int32]*cell
	samplers  map[step.SeqID]*fakeSampler
	trace     []string // one line per step
	coupled   int      // cells that rows stored for further sequences
	fail      error

	// of a recurrent model, whose sequences cannot be cut: what the state of each was computed from
	whole  bool
	states map[step.SeqID][]step.Token
	copied int // sequences
}

// tester is what testing.TB and rapid.T have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type cell struct{ token step.Token }

type fakeSampler struct {
	step.Sampling
	drawn int
}

func newFakeEngine(t tester, o Options) *fakeEngine {
	e := &fakeEngine{t: t, cells: o.Cells, sequences: map[step.SeqID]map[int32]*cell{},
		samplers: map[step.SeqID]*fakeSampler{}, whole: o.Whole, states: map[step.SeqID][]step.Token{}}
	for i := range o.Sequences {
		e.sequences[step.SeqID(i)] = map[int32]*cell{}
	}
	return e
}

func (e *fakeEngine) Step(ctx context.Context, p *Plan) ([]step.Sampled, error) {
	if err := ctx.Err(); err != nil || e.fail != nil {
		return nil, fmt.Errorf("%v %w", err, e.fail)
	}
	e.remember(p)
	for _, op := range p.Memory {
		if e.whole {
			e.moveState(op)
		}
		e.move(op)
	}
	contents := make([][]step.Token, len(p.Rows))
	for i, row := range p.Rows {
		contents[i] = e.decode(row, p.AlsoOf(row))
	}
	if used := e.used(); used > e.cells {
		e.t.Fatalf("%d cells are in use, want at most %d", used, e.cells)
	}
	out := make([]step.Sampled, len(p.Samples))
	for i, sample := range p.Samples {
		if sample.Start != nil {
			e.samplers[sample.Seq] = &fakeSampler{Sampling: sample.Start.Sampling, drawn: sample.Start.Drawn}
		} else if sample.Seq == step.NoSeq {
			e.t.Fatal("a sample of no sequence goes on")
		}
		s := e.samplers[sample.Seq]
		if sample.Start != nil && sample.Start.Forced != nil {
			out[i] = step.Sampled{Token: *sample.Start.Forced, LogProb: probability(contents[sample.Row],
				*sample.Start.Forced)}
			continue
		}
		out[i] = draw(contents[sample.Row], s.Sampling, s.drawn)
		s.drawn++
	}
	return out, nil
}

func (e *fakeEngine) move(op step.MemoryOp) {
	dst := e.sequences[op.Dst]
	if op.Kind == step.Remove {
		for pos := range dst {
			if pos >= op.From && (op.To < 0 || pos < op.To) {
				delete(dst, pos)
			}
		}
		return
	}
	for pos := op.From; pos < op.To; pos++ {
		src := e.sequences[op.Src][pos]
		if src == nil || dst[pos] != nil {
			e.t.Fatalf("%+v at %d: source %v, destination %v, want a cell in the first and none in the second", op, pos,
				src, dst[pos])
		}
		dst[pos] = src
	}
}

// moveState refuses to change a part of a sequence.
func (e *fakeEngine) moveState(op step.MemoryOp) {
	src, dst := e.states[op.Src], e.states[op.Dst]
	switch {
	case op.Kind == step.Remove && op.From == 0 && op.To < 0:
		delete(e.states, op.Dst)
	case op.Kind == step.Copy && op.From == 0 && int(op.To) == len(src) && len(src) > 0 && len(dst) == 0:
		e.states[op.Dst] = slices.Clip(src)
		e.copied++
	default:
		e.t.Fatalf("%+v of sequences with %d and %d tokens: a part of a state", op, len(src), len(dst))
	}
}

// advance enters a row into the state of its sequence and returns what the state was computed from.
func (e *fakeEngine) advance(row step.Row, also []step.SeqID) []step.Token {
	state := e.states[row.Seq]
	if len(also) > 0 || int(row.Pos) != len(state) {
		e.t.Fatalf("row %+v, also for %v, of a sequence with a state after %d tokens", row, also, len(state))
	}
	e.states[row.Seq] = append(state, row.Token)
	return slices.Clone(e.states[row.Seq])
}

// decode stores a row and returns the contents of its sequence up to it.
func (e *fakeEngine) decode(row step.Row, also []step.SeqID) []step.Token {
	seq, stored := e.sequences[row.Seq], &cell{row.Token}
	for _, id := range append([]step.SeqID{row.Seq}, also...) {
		other := e.sequences[id]
		if len(other) != int(row.Pos) || other[row.Pos] != nil {
			e.t.Fatalf("row %+v for sequence %d of %d cells", row, id, len(other))
		}
		for pos, c := range other {
			if seq[pos] != c {
				e.t.Fatalf("row %+v: sequence %d has a cell of its own at %d", row, id, pos)
			}
		}
		if id != row.Seq {
			e.coupled++
			other[row.Pos] = stored
		}
	}
	seq[row.Pos] = stored
	content := make([]step.Token, len(seq))
	for pos, c := range seq {
		content[pos] = c.token
	}
	if e.whole {
		if state := e.advance(row, also); !slices.Equal(state, content) {
			e.t.Fatalf("row %+v: cells of %v, state of %v", row, content, state)
		}
	}
	return content
}

func (e *fakeEngine) used() int {
	distinct := map[*cell]bool{}
	for _, seq := range e.sequences {
		for _, c := range seq {
			distinct[c] = true
		}
	}
	return len(distinct)
}

func (e *fakeEngine) remember(p *Plan) {
	line := ""
	for _, op := range p.Memory {
		if op.Kind == step.Remove {
			line += fmt.Sprintf("remove %d[%d:%d] ", op.Dst, op.From, op.To)
		} else {
			line += fmt.Sprintf("copy %d→%d[%d:%d] ", op.Src, op.Dst, op.From, op.To)
		}
	}
	for i := 0; i < len(p.Rows); {
		j := i + 1
		for j < len(p.Rows) && p.Rows[j].Seq == p.Rows[i].Seq &&
			slices.Equal(p.AlsoOf(p.Rows[j]), p.AlsoOf(p.Rows[i])) {
			j++
		}
		who := fmt.Sprint(p.Rows[i].Seq)
		for _, id := range p.AlsoOf(p.Rows[i]) {
			who += fmt.Sprintf("+%d", id)
		}
		line += fmt.Sprintf("decode %s[%d:%d] ", who, p.Rows[i].Pos, p.Rows[j-1].Pos+1)
		i = j
	}
	for _, s := range p.Samples {
		line += fmt.Sprintf("sample %d@%d ", s.Seq, s.Row)
	}
	e.trace = append(e.trace, line)
}

// period is the TopK of requests for which the fake model repeats its last tokens for ever.
const period = 2

// draw is the fake model: one token in eight ends a generation.
func draw(content []step.Token, s step.Sampling, index int) step.Sampled {
	if s.TopK == period {
		return step.Sampled{Token: content[len(content)-period]}
	}
	h := fnv.New64a()
	binary.Write(h, binary.LittleEndian, content)
	binary.Write(h, binary.LittleEndian, s.Seed)
	binary.Write(h, binary.LittleEndian, int64(index))
	sum := h.Sum64()
	return step.Sampled{Token: step.Token(sum >> 8 % 5), End: sum%8 == 0}
}

// probability is a number that depends on everything before a token, and on the token.
func probability(content []step.Token, token step.Token) float32 {
	h := fnv.New32a()
	binary.Write(h, binary.LittleEndian, content)
	binary.Write(h, binary.LittleEndian, token)
	return -float32(h.Sum32()%1000) / 100
}

// alone is the reference: one request on an engine of its own, without a cache.
func alone(r Request) []step.Sampled {
	content := append([]step.Token(nil), r.Prompt...)
	var out []step.Sampled
	for _, token := range r.Forced {
		out = append(out, step.Sampled{Token: token, LogProb: probability(content, token)})
		content = append(content, token)
	}
	if r.Forced != nil {
		return out
	}
	r = limited(r)
	for len(out) < r.MaxTokens {
		s := draw(content, r.Sampling, len(out))
		out = append(out, s)
		until := r.Until != nil && r.Until(s)
		if s.End || until || len(out) == r.MaxTokens {
			break
		}
		content = append(content, s.Token)
		if r.Put == nil {
			continue
		}
		for _, token := range r.Put(s) {
			if len(out) < r.MaxTokens {
				out, content = append(out, step.Sampled{Token: token, Put: true}), append(content, token)
			}
		}
	}
	return out
}
