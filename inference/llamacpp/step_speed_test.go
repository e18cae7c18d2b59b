package llamacpp_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// BenchmarkStep times steps that draw a token for each of some generations, which have cells in common and cells of
// their own: what a step costs beside its rows, and what cells cost. PARLEY_BENCH_MODEL names another model than the
// embedded one, PARLEY_TEST_GPU a device.
func BenchmarkStep(b *testing.B) {
	m := loadWith(b, usual())
	if path := os.Getenv("PARLEY_BENCH_MODEL"); path != "" {
		m = open(b, path, usual())
	}
	for _, common := range []int{256, 4096, 16384} {
		for _, own := range []int{16, 128} {
			for _, rows := range []int{1, 8, 32, 64, 128, 256} {
				b.Run(fmt.Sprintf("common=%d/own=%d/rows=%d", common, own, rows), func(b *testing.B) {
					benchmarkStep(b, m, common, own, rows)
				})
			}
		}
	}
}

func benchmarkStep(b *testing.B, m *llamacpp.Model, common, own, rows int) {
	const batch = 512
	c, err := m.NewContext(llamacpp.ContextOptions{Cells: common + (own+64)*rows, Sequences: rows, Batch: batch})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	out := make([]llamacpp.Sampled, batch)
	take := func(batch *llamacpp.Batch) {
		if err := c.Step(b.Context(), batch, out); err != nil {
			b.Fatal(err)
		}
	}
	row := func(seq, pos int) llamacpp.Row {
		return llamacpp.Row{Token: llamacpp.Token((seq*31 + pos*7) % m.VocabSize()), Pos: int32(pos),
			Seq: llamacpp.SeqID(seq)}
	}
	for pos := 0; pos < common; pos += batch {
		var rows []llamacpp.Row
		for at := pos; at < min(pos+batch, common); at++ {
			rows = append(rows, row(0, at))
		}
		take(&llamacpp.Batch{Rows: rows})
	}
	var first llamacpp.Batch
	for seq := 1; seq < rows; seq++ {
		first.Memory = append(first.Memory, llamacpp.MemoryOp{Kind: llamacpp.MemoryCopy, Dst: llamacpp.SeqID(seq),
			To: -1})
	}
	for at := range own { // all sequences advance together
		next := first
		first = llamacpp.Batch{}
		for seq := range rows {
			next.Rows = append(next.Rows, row(seq, common+at))
		}
		take(&next)
	}
	steps := 0
	for b.Loop() {
		pos := common + own + steps%64
		var next llamacpp.Batch
		if steps++; pos == common+own && steps > 1 { // back to the beginning, as long as the benchmark wants
			for seq := range rows {
				next.Memory = append(next.Memory, llamacpp.MemoryOp{Kind: llamacpp.MemoryRemove,
					Dst: llamacpp.SeqID(seq), From: int32(pos), To: -1})
			}
		}
		for seq := range rows {
			next.Rows = append(next.Rows, row(seq, pos))
			next.Samples = append(next.Samples, llamacpp.Sample{Row: int32(seq), Seq: llamacpp.SeqID(seq),
				Start: &llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 1}}})
		}
		take(&next)
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "tok/s")
}
