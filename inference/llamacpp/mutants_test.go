package llamacpp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models/modeltest"
)

// Bounds of the test: mutants of a short run, mutants that one process loads, and what one may take.
const (
	shortMutants  = 1500
	mutantsAtOnce = 500
	mutantTime    = 20 * time.Second // also on a machine that is busy
	mutantsMemory = 1 << 20          // KiB of one process
)

// TestMutants loads files that are wrong in one to three ways, tokenizes and generates with those that are accepted,
// and looks for crashes, endless loops and memory, in processes of its own. PARLEY_MUTANTS=n loads those from number n
// on in the process of the test itself.
func TestMutants(t *testing.T) {
	if first, is := ofProcess(); is {
		loadMutants(t, first)
		return
	}
	load(t)
	first, accepted, crashes := 0, 0, 0
	if soak.On() {
		first = int(time.Now().Unix()) // other mutants each time
	}
	next := first
	for more := soak.More(t, shortMutants); crashes < 20 && more(next-first); {
		last, ok, problem := runMutants(t, next)
		if problem != "" {
			t.Errorf("mutant %d: %s, want a file that opens or an error", last, problem)
			crashes++
		}
		next, accepted = last+1, accepted+ok
	}
	t.Logf("%d mutants from number %d on, of which %d generated; %d crashed", next-first, first, accepted, crashes)
}

// ofProcess is the number of the first mutant of a process that runMutants has started.
func ofProcess() (first int, is bool) {
	from := os.Getenv("PARLEY_MUTANTS")
	first, _ = strconv.Atoi(from)
	return first, from != ""
}

// runMutants has a process of its own load mutants. It returns the last one, how many were accepted, and what went
// wrong.
func runMutants(t *testing.T, first int) (last, accepted int, problem string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PARLEY_MUTANTS=%d", first))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(mutantTime, cancel)
	last = first
	what, peak := "", 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		late.Reset(mutantTime)
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 3 && fields[0] == "mutant":
			last, _ = strconv.Atoi(fields[1])
			what = fields[2]
		case len(fields) == 2 && fields[0] == "peak":
			peak, _ = strconv.Atoi(fields[1])
		case lines.Text() == "accepted":
			accepted++
		case len(fields) > 0 && fields[0] == "unnamed":
			t.Errorf("file %d, %s, is refused without its name: %s, want it named", last, what, lines.Text())
		}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		problem = fmt.Sprintf("of %s took over %v", what, mutantTime)
	case err != nil:
		text := stderr.String()
		problem = fmt.Sprintf("of %s: %v: %.1500s", what, err, text)
	case peak > mutantsMemory:
		problem = fmt.Sprintf("and those before it took %d MiB", peak>>10)
	}
	return last, accepted, problem
}

// seeds are the files that are mutated, by name.
func seeds(t *testing.T) (names []string, files []*modeltest.File) {
	t.Helper()
	add := func(name string, f *modeltest.File) { names, files = append(names, name), append(files, f) }
	content := datatest.Read(t, tiny)
	vocabulary := modeltest.Parse(content)
	for _, architecture := range modeltest.Architectures {
		f := modeltest.Small(architecture, "llama")
		add(architecture, f)
		bytePairs := f.Clone()
		tokens := vocabulary.Get("tokenizer.ggml.tokens").([]string)[:320]
		for _, key := range []string{"model", "pre", "merges", "bos_token_id", "eos_token_id", "padding_token_id"} {
			bytePairs.Set("tokenizer.ggml."+key, vocabulary.Get("tokenizer.ggml."+key))
		}
		for _, key := range []string{"eos_token_id", "padding_token_id", "unknown_token_id"} {
			bytePairs.Set("tokenizer.ggml."+key, uint32(319))
		}
		bytePairs.Set("tokenizer.ggml.tokens", tokens).Set("tokenizer.ggml.scores", nil)
		bytePairs.Set("tokenizer.ggml.token_type", vocabulary.Get("tokenizer.ggml.token_type").([]int32)[:320])
		add(architecture+"-bpe", bytePairs)
	}
	for _, tokenizer := range modeltest.Tokenizers {
		add("llama-"+tokenizer, modeltest.Small("llama", tokenizer))
	}
	add("bert", modeltest.Parse(modeltest.Encoder()))
	add("tiny", vocabulary)
	return names, files
}

// loadMutants is what runs in a process of its own.
func loadMutants(t *testing.T, first int) {
	names, files := seeds(t)
	useMutants(t, first, func(i int) mutant {
		which := i % len(files)
		if names[which] == "tiny" && i/len(files)%16 != 0 { // it is large
			which = 0
		}
		return mutant{names[which], modeltest.Mutate(files[which], rand.New(rand.NewPCG(uint64(i), 7))), ""}
	})
}

// mutant is a file. An error about it must have the text about, if there is one.
type mutant struct {
	name    string
	content []byte
	about   string
}

// useMutants uses files from number first on. What is printed is for runMutants.
func useMutants(t *testing.T, first int, file func(i int) mutant) {
	path := filepath.Join(t.TempDir(), "mutant.gguf")
	for i := first; i < first+mutantsAtOnce; i++ {
		m := file(i)
		if m.name == "" {
			break
		}
		fmt.Printf("\nmutant %d %s\n", i, strings.ReplaceAll(m.name, " ", "-"))
		datatest.Write(t, path, m.content)
		if err := useModel(path); err == nil {
			fmt.Printf("\naccepted\n")
		} else if damaged := "a logit that is not a number"; // of weights that are read in another type: nobody's fault
		!strings.Contains(err.Error(), m.about) && !strings.Contains(err.Error(), damaged) {
			fmt.Printf("\nunnamed %q\n", err)
		}
	}
	status, _ := os.ReadFile("/proc/self/status")
	if _, text, ok := strings.Cut(string(status), "VmHWM:"); ok {
		fmt.Printf("\npeak %s\n", strings.Fields(text)[0])
	}
}

// useModel does what a debate does with a model: loads it, tokenizes, computes a prompt and two tokens.
func useModel(path string) error {
	m, err := llamacpp.LoadModel(path, llamacpp.ModelOptions{})
	if err != nil {
		return err
	}
	defer m.Close()
	m.ControlTokens()
	m.Detokenize([]llamacpp.Token{m.BOS(), m.EOS(), 0, 5}, true)
	m.Description()
	var prompt []llamacpp.Token
	for _, text := range []string{"", "the cat 77 字。\n é <|im_end|> aaaa", strings.Repeat("a", 2000),
		strings.Repeat(" ", 300) + "2+2?"} {
		tokens, err := m.Tokenize(text, true, true)
		if err != nil {
			return err
		}
		m.Detokenize(tokens, false)
		prompt = append(prompt, tokens[:min(8, len(tokens))]...)
	}
	if len(prompt) == 0 {
		return fmt.Errorf("no tokens")
	}
	if m.Metadata()["general.architecture"] == "bert" {
		return useEmbedder(m, prompt[:min(8, len(prompt))])
	}
	return useContext(m, prompt)
}

func useContext(m *llamacpp.Model, prompt []llamacpp.Token) error {
	c, err := m.NewContext(llamacpp.ContextOptions{Cells: 64, Batch: 32, Threads: 1})
	if err != nil {
		return err
	}
	defer c.Close()
	b := &llamacpp.Batch{}
	for i, token := range prompt {
		b.Rows = append(b.Rows, llamacpp.Row{Token: token, Pos: int32(i)})
	}
	for i := range 3 {
		out := make([]llamacpp.Sampled, 1)
		s := &llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: float32(i), TopK: 40, TopP: 0.9,
			RepeatPenalty: 1.1, RepeatLastN: 8, Alternatives: 3}, History: prompt}
		b.Samples = []llamacpp.Sample{{Row: int32(len(b.Rows) - 1), Start: s}}
		if err := c.Step(context.Background(), b, out); err != nil {
			return err
		}
		b = &llamacpp.Batch{Rows: []llamacpp.Row{{Token: out[0].Token, Pos: int32(len(prompt) + i)}}}
	}
	return nil
}

func useEmbedder(m *llamacpp.Model, text []llamacpp.Token) error {
	e, err := m.NewEmbedder(llamacpp.ContextOptions{Batch: 64, Sequences: 2, Threads: 1}, llamacpp.PoolingMean)
	if err != nil {
		return err
	}
	defer e.Close()
	_, err = e.Embed(context.Background(), [][]llamacpp.Token{text, text})
	return err
}

// TestSeedsOfMutants are right: they generate.
func TestSeedsOfMutants(t *testing.T) {
	load(t)
	names, files := seeds(t)
	for i, f := range files {
		path := datatest.File(t, "seed.gguf", f.Bytes())
		if err := useModel(path); err != nil {
			t.Errorf("the unchanged file %s is refused: %v, want no error", names[i], err)
		}
	}
}
