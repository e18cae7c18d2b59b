package llamacpp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	steps "github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestBadFiles gives for each kind of bad file an error that names it and says what is wrong. It runs in a process of
// its own, so that a crash and anything written to stderr are seen.
func TestBadFiles(t *testing.T) {
	if os.Getenv("PARLEY_BAD_FILES") != "" {
		badFiles(t)
		return
	}
	load(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestBadFiles$", "-test.v")
	cmd.Env = append(os.Environ(), "PARLEY_BAD_FILES=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("a process that opens broken files ended with %v, want no crash:\n%s\n%s", err, out, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		t.Errorf("opening broken files wrote to stderr, want nothing:\n%s", stderr.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "mutated") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func badFiles(t *testing.T) {
	model := datatest.Read(t, tiny)
	dir := t.TempDir()
	write := func(content []byte) string {
		path := filepath.Join(dir, "model.gguf")
		datatest.Write(t, path, content)
		return path
	}
	fails := func(path, want string) {
		t.Helper()
		m, err := llamacpp.LoadModel(path, llamacpp.ModelOptions{})
		if err == nil {
			m.Close()
			t.Errorf("loaded; want %q", want)
		} else if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v; want %q and the path", err, want)
		}
	}
	fails(filepath.Join(dir, "none.gguf"), "no such file")
	fails(dir, "is a directory")
	fails(write(nil), "is empty")
	fails(write([]byte("hello world, this is no model")), "it begins with \"hell\"")
	fails(write(model[:6]), "ends within its header, after 6 bytes")
	fails(write(model[:len(model)/2]), "not within the file bounds")
	fails(write(append([]byte("GGUF\x09\x00\x00\x00"), model[8:]...)), "GGUF version 9")
	fails(write(bytes.Replace(model, []byte("\x05\x00\x00\x00\x00\x00\x00\x00qwen2"),
		[]byte("\x05\x00\x00\x00\x00\x00\x00\x00qwenX"), 1)), `unknown architecture "qwenX"`)

	random, loaded := rand.New(rand.NewPCG(1, 2)), 0
	const mutants = 400
	for i := range mutants {
		m, err := llamacpp.LoadModel(write(mutate(random, model)), llamacpp.ModelOptions{})
		if err != nil {
			continue
		}
		loaded++
		if c, err := m.NewContext(llamacpp.ContextOptions{Cells: 64, Threads: 1}); err == nil {
			c.Close()
		}
		if err := m.Close(); err != nil {
			t.Error(i, err)
		}
	}
	fmt.Printf("%d of %d mutated files were loaded, the others refused\n", loaded, mutants)
}

// mutate damages the head of a file, where the metadata are, or cuts it.
func mutate(random *rand.Rand, model []byte) []byte {
	head := 32 << 10
	out := bytes.Clone(model)
	switch random.IntN(4) {
	case 0:
		return out[:random.IntN(len(out))]
	case 1:
		from := random.IntN(head)
		clear(out[from : from+random.IntN(200)])
	default:
		for range 1 + random.IntN(8) {
			out[random.IntN(head)] = byte(random.IntN(256))
		}
	}
	return out
}

// TestContextTooLarge is refused with numbers before memory is touched.
func TestContextTooLarge(t *testing.T) {
	m := load(t)
	_, err := m.NewContext(llamacpp.ContextOptions{Cells: 2_000_000_000})
	if err == nil || !strings.Contains(err.Error(), "GiB are free") {
		t.Errorf("2,000,000,000 cells got the error %v, want one with the memory that is free", err)
	}
	for _, o := range []llamacpp.ContextOptions{{Sequences: 257}, {Cells: 2, Sequences: 3}, {Threads: 1000},
		{Poll: 101}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			if _, err := m.NewContext(o); err == nil {
				t.Errorf("%+v was accepted, want an error", o)
			}
		})
	}
}

// TestCloseIsChecked refuses to free a model in use, and forgives being called twice.
func TestCloseIsChecked(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 64})
	if err := m.Close(); err == nil {
		t.Error("a model was closed under an open context, want an error")
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := c.Step(t.Context(), &llamacpp.Batch{}, nil); !errors.Is(err, steps.ErrClosed) {
		t.Errorf("a step after close: %v, want the error %q", err, steps.ErrClosed)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.NewContext(llamacpp.ContextOptions{}); !errors.Is(err, steps.ErrClosed) {
		t.Errorf("a context after close: %v, want the error %q", err, steps.ErrClosed)
	}
}

// TestQuantize writes a smaller file that loads, and refuses unknown types.
func TestQuantize(t *testing.T) {
	load(t)
	to := filepath.Join(t.TempDir(), "q8.gguf")
	if err := llamacpp.Quantize(t.Context(), tiny, to, "q8_0", 2); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(tiny)
	after, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if after.Size() > before.Size()*2/3 {
		t.Errorf("a q8_0 file has %d of %d bytes, want at most two thirds", after.Size(), before.Size())
	}
	m, err := llamacpp.LoadModel(to, llamacpp.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Metadata()["general.file_type"] != "7" {
		t.Errorf("file type %q, want \"7\"", m.Metadata()["general.file_type"])
	}
	if err := llamacpp.Quantize(t.Context(), tiny, to, "q3_x", 2); err == nil ||
		!strings.Contains(err.Error(), "q4_k_m") {
		t.Errorf("the quantisation q3_x got the error %v, want one that lists q4_k_m", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := llamacpp.Quantize(cancelled, tiny, to+"2", "q8_0", 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, want the error %q", err, context.Canceled)
	}
}

// TestNothingLeaks opens, decodes and closes hundreds of times; memory stays where it was.
// Loading a model leaves 10 KiB behind in this llama.cpp (the buffers with which weight_buft_supported tries where a
// tensor could go; seen with heaptrack), making contexts leaves nothing. One context in ten has two threads: these wait
// for each other by spinning, which beside other tests takes a hundred times as long as the decoding.
func TestNothingLeaks(t *testing.T) {
	kept, cycles := load(t), 0
	cycle := func(t *testing.T, m *llamacpp.Model) {
		threads := 1
		if cycles++; cycles%10 == 0 {
			threads = 2
		}
		c, err := m.NewContext(llamacpp.ContextOptions{Cells: 256, Sequences: 4, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		step(t, c, prompt([]llamacpp.Token{5, 6, 7, 8}, 0, 0,
			llamacpp.Start{Sampling: llamacpp.Sampling{TopK: 5, Temperature: 1, Alternatives: 2}}))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("contexts", func(t *testing.T) {
		grows(t, 1<<10, func() { cycle(t, kept) })
	})
	t.Run("models", func(t *testing.T) {
		mmap := false
		grows(t, 4<<10, func() {
			mmap = !mmap
			m, err := llamacpp.LoadModel(tiny, llamacpp.ModelOptions{NoMmap: !mmap})
			if err != nil {
				t.Fatal(err)
			}
			cycle(t, m)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// grows fails if memory grows by more than allowed, in KiB, in each of three stretches of 150 cycles: a leak grows in
// all of them, what the allocator keeps for a thread that it meets late grows once. It is content with the first that
// does not grow.
func grows(t *testing.T, allowed int64, cycle func()) {
	t.Helper()
	runtime.LockOSThread() // the allocator keeps memory for each thread that calls it
	defer runtime.UnlockOSThread()
	resident := func() int64 {
		debug.FreeOSMemory()
		text, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip(err)
		}
		var total, pages int64
		fmt.Sscan(string(text), &total, &pages)
		return pages * int64(os.Getpagesize()) >> 10
	}
	run := func(cycles int) int64 {
		for range cycles {
			cycle()
		}
		return resident()
	}
	before := run(100)
	var grown []int64
	for range 3 {
		after := run(150)
		grown, before = append(grown, after-before), after
		if slices.Min(grown) <= allowed {
			break
		}
	}
	t.Logf("resident in the end %d KiB; 150 cycles each added %+d KiB", before, grown)
	if least := slices.Min(grown); least > allowed {
		t.Errorf("each 150 cycles leave %d KiB behind, want at most %v", least, allowed)
	}
}
