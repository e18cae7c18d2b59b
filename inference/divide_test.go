package inference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/models"
)

// TestDivide: cells get what they want where there is memory, the same share of it where there is not, and several
// models are refused where not even the least fits.
func TestDivide(t *testing.T) {
	const mebibyte = 1 << 20
	two := []demand{{name: "big", cells: 32768, bytes: 64 << 10}, {name: "small", cells: 32768, bytes: 16 << 10}}
	given := []demand{{name: "big", cells: 4096, bytes: 64 << 10, given: true},
		{name: "small", cells: 4096, bytes: 16 << 10, given: true}}
	stated := []demand{{name: "recurrent", cells: 32768, bytes: 64 << 10, states: 3072 * mebibyte}}
	for _, c := range []struct {
		demands []demand
		free    int64
		want    []int
		err     string
	}{
		{two, 0, []int{32768, 32768}, ""}, // nobody knows what is free
		{two, 10_000 * mebibyte, []int{32768, 32768}, ""},
		{two, 1600 * mebibyte, []int{16384, 16384}, ""}, // 1,280 MiB usable of 2,560 wanted
		{two, 201 * mebibyte, []int{2048, 2048}, ""},
		{two, 190 * mebibyte, nil, "the KV cells of 2 models need at least 160 MiB, and 190 MiB are free beside " +
			"their weights: big 128 MiB (2,048 cells), small 32 MiB (2,048 cells); lower --context"},
		{given, 401 * mebibyte, []int{4096, 4096}, ""},
		{given, 390 * mebibyte, nil, "need at least 320 MiB, and 390 MiB are free"},
		{two[:1], 100 * mebibyte, []int{2048}, ""},  // one model is tried
		{stated, 5120 * mebibyte, []int{16384}, ""}, // 4,096 MiB usable, 3,072 of them for states
		{given[:1], 10 * mebibyte, []int{4096}, ""},
	} {
		t.Run(fmt.Sprint(c.free, len(c.demands)), func(t *testing.T) {
			demands := slices.Clone(c.demands)
			err := divide([]memory{{host: true, free: c.free}}, demands)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %q", err, c.err)
				}
				return
			}
			for i, want := range c.want {
				if err != nil || demands[i].cells != want {
					t.Errorf("%s has %d cells, want %d; %v", demands[i].name, demands[i].cells, want, err)
				}
			}
		})
	}
}

// TestDivideDevices: a model that lies on a device does not take from those in the machine's memory, and each memory
// that is short lowers the demands of the models in it only.
func TestDivideDevices(t *testing.T) {
	const mebibyte = 1 << 20
	of := func(device string, offloaded float64) demand { // 2,048 MiB
		return demand{layers: layers{device, offloaded}, name: device, cells: 32768, bytes: 64 << 10}
	}
	memories := func(host, first, second int64) []memory {
		return []memory{{host: true, free: host * mebibyte}, {device: "GPU0", free: first * mebibyte},
			{device: "GPU1", free: second * mebibyte}}
	}
	one, other, half, cpu, whichever := of("GPU0", 1), of("GPU1", 1), of("GPU0", 0.5), of("", 0), of("", 1)
	for name, c := range map[string]struct {
		memories []memory
		demands  []demand
		want     []int
		err      string
	}{
		"room for all":            {memories(3000, 3000, 3000), []demand{cpu, one}, []int{32768, 32768}, ""},
		"the card is short":       {memories(3000, 1280, 1), []demand{cpu, one}, []int{32768, 16384}, ""},
		"the machine is short":    {memories(1280, 3000, 1), []demand{cpu, one}, []int{16384, 32768}, ""},
		"half on a card":          {memories(8000, 640, 1), []demand{cpu, half}, []int{32768, 16384}, ""},
		"two on a card":           {memories(1, 2560, 1), []demand{one, one}, []int{16384, 16384}, ""},
		"a card each":             {memories(1, 2560, 1280), []demand{one, other}, []int{32768, 16384}, ""},
		"nobody knows the card's": {memories(3000, 0, 0), []demand{cpu, one}, []int{32768, 32768}, ""},
		"any card, perhaps that one": {append(memories(8000, 1280, 0), memory{free: 8000 * mebibyte}),
			[]demand{one, whichever}, []int{8192, 8192}, ""},
		"too little on the card": {memories(3000, 100, 1), []demand{cpu, one}, nil, "the KV cells of 1 model need at " +
			"least 128 MiB on GPU0, and 100 MiB are free beside their weights: GPU0 128 MiB (2,048 cells)"},
	} {
		t.Run(name, func(t *testing.T) {
			err := divide(c.memories, c.demands)
			if got := fmt.Sprint(err); c.err != "" && !strings.Contains(got, c.err) || c.err == "" && err != nil {
				t.Fatalf("%s, want %q", got, c.err)
			}
			for i, want := range c.want {
				if got := c.demands[i].cells; got != want {
					t.Errorf("model %d has %d cells, want %d", i, got, want)
				}
			}
		})
	}
}

// TestFit: a model of 1,000 MiB with 20 KiB per cell, and 32,768 cells wanted, of 640 MiB. Four fifths of what the
// weights leave are for cells, and at least 2,048 cells, 40 MiB, are needed.
func TestFit(t *testing.T) {
	const mebibyte = 1 << 20
	model := models.Info{SizeBytes: 1000 * mebibyte, Layers: 10, KVHeads: 4, HeadDim: 128}
	for _, c := range []struct {
		free  int64
		fits  bool
		cells int
	}{{0, true, 32768}, {1800, true, 32768}, {1400, true, 16384}, {1045, true, 2048}, {1039, false, 2048},
		{900, false, 2048}} {
		t.Run(fmt.Sprintf("%v %v", c.free, c.fits), func(t *testing.T) {
			want := Fit{Fits: c.fits, Cells: c.cells, Wanted: 32768, Free: c.free * mebibyte,
				Bytes: 1000*mebibyte + int64(c.cells)*20<<10}
			if got := fitIn(c.free*mebibyte, model); got != want {
				t.Errorf("%d MiB free: %+v, want %+v", c.free, got, want)
			}
		})
	}
}

// TestSequencesOf: states take two fifths of the free memory at most; how many generations run at once follows, unless
// the user says it.
func TestSequencesOf(t *testing.T) {
	const gibibyte = 1 << 30
	for _, c := range []struct {
		parallel        int
		given           bool
		states, free    int64
		live, sequences int
	}{
		{64, false, 0, 10 * gibibyte, 64, 256},              // no states
		{64, false, gibibyte / 16, 0, 64, 256},              // nobody knows what is free
		{64, false, gibibyte / 16, 100 * gibibyte, 64, 256}, // 40 GiB would hold 640
		{64, false, gibibyte / 16, 30 * gibibyte, 64, 192},  // 12 GiB hold 192
		{64, false, gibibyte / 16, 10 * gibibyte, 32, 64},   // 4 GiB hold 64: half of them run
		{64, true, gibibyte / 16, 10 * gibibyte, 64, 64},
		{4, true, gibibyte / 16, 100 * gibibyte, 4, 256},
		{64, false, gibibyte, gibibyte, 1, 2},
	} {
		t.Run(fmt.Sprintf("%v %v", c.parallel, c.given), func(t *testing.T) {
			live, sequences := sequencesOf(c.parallel, c.given, c.states, c.free)
			if live != c.live || sequences != c.sequences {
				t.Errorf("%+v: %d at once, %d sequences; want %v and %v", c, live, sequences, c.live, c.sequences)
			}
		})
	}
}
