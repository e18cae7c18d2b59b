package models

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
)

func TestEmbedded(t *testing.T) {
	dir := t.TempDir()
	path, err := Embedded(dir)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(path); err != nil || !bytes.Equal(content, tiny) {
		t.Fatalf("the embedded model is written whole, %d bytes: got %d, %v", len(tiny), len(content), err)
	}
	datatest.Write(t, path, "damaged")
	if again, err := Embedded(dir); err != nil || again != path {
		t.Fatalf("the embedded model is written once: got %s, %v, want %s", again, err, path)
	}
	if content, _ := os.ReadFile(path); !bytes.Equal(content, tiny) {
		t.Errorf("a damaged copy of the embedded model is written anew, %d bytes: got %d", len(tiny), len(content))
	}
	if _, err := Embedded(filepath.Join(path, "below")); err == nil || !strings.Contains(err.Error(), "bytes of disk") {
		t.Errorf("where there can be no directory the error says how many bytes of disk are needed: got %v", err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(path, "no directory"))
	t.Setenv("TMPDIR", dir)
	if fallback, err := Embedded(""); err != nil || !strings.HasPrefix(fallback, dir) {
		t.Errorf("without a cache the model is written below %s: got %q, %v", dir, fallback, err)
	}
}

// TestInspect: a file's architecture, sizes, template and hash are read from it.
func TestInspect(t *testing.T) {
	path, err := Embedded(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	if !got.HasChatTemplate() || got.KVBytesPerToken(2) != 2048 {
		t.Errorf("the embedded model has a chat template and 2,048 bytes a token: got %q and %d",
			got.ChatTemplate, got.KVBytesPerToken(2))
	}
	want := Info{
		Name: "tiny", Path: path, Architecture: "qwen2", Quantization: "F16", Parameters: got.Parameters,
		SizeBytes: int64(len(tiny)), Context: 4096,
		Embedding: 256, Layers: 4, Heads: 8, KVHeads: 4, HeadDim: 32, VocabSize: 768, Tied: true,
		ChatTemplate: got.ChatTemplate, Embedded: true,
	}
	if diff := cmp.Diff(want, got); diff != "" || got.Parameters < 2_500_000 || got.Parameters > 2_600_000 {
		t.Errorf("the embedded model has 2.5 to 2.6 million parameters, and these sizes: got %d (-want +got):\n%s",
			got.Parameters, diff)
	}
	if hash, err := Hash(path); err != nil || hash != tinyHash() {
		t.Errorf("the embedded model has the hash %s: got %s, %v", tinyHash(), hash, err)
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.gguf")
	arch := []byte("\x05\x00\x00\x00\x00\x00\x00\x00qwen2")
	heads := []byte("qwen2.attention.head_count\x04\x00\x00\x00\x08\x00\x00\x00")
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":         {nil, "is empty"},
		"text":          {[]byte("hello"), `begins with "hell"`},
		"a magic alone": {[]byte("GGUF"), "ends within its header"},
		"half":          {tiny[:len(tiny)/2], "not within the file bounds"},
		"half a header": {tiny[:5000], "items are announced at byte"},
		"old": {append([]byte("GGUF\x01\x00\x00\x00"), tiny[8:]...),
			"GGUF version 1: only versions 2 and 3 can be read; convert"},
		"big-endian": {append([]byte("GGUF\x00\x00\x00\x03"), tiny[8:]...), "big-endian"},
		"no weights": {file(t, nil), "has no weights"},
		"endless weights": {file(t, []tensor{{name: "a", kind: 77, dims: []int64{math.MaxInt32, math.MaxInt32}}}),
			"not within the file bounds"},
		"one on another": {file(t, []tensor{{name: "a", dims: []int64{8}}, {name: "b", dims: []int64{8}}}),
			"what comes before it ends"},
		"part of a block": {file(t, []tensor{{name: "a", kind: 2, dims: []int64{33}}}), "not a whole number of blocks"},
		"no dimensions":   {file(t, []tensor{{name: "a"}}), "not a whole number of blocks"},
		"many tensors": {append([]byte("GGUF\x03\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"), tiny[16:]...),
			"items are announced"},
		"no architecture": {bytes.Replace(tiny, []byte("general.architecture"), []byte("general.architectuer"), 1),
			"it names no architecture"},
		"long string": {bytes.Replace(tiny, arch, []byte("\x05\x00\x00\x00\x00\x00\x00\x70qwen2"), 1),
			"items are announced"},
		"no heads": {bytes.Replace(tiny, heads,
			bytes.Replace(heads, []byte("\x08\x00\x00\x00"), make([]byte, 4), 1), 1), "head_count is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			datatest.Write(t, path, c.content)
			if _, err := Inspect(path); err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("a bad file is refused with its path and %q: got %v", c.want, err)
			}
		})
	}
	for bad, want := range map[string]string{dir: "is a directory", filepath.Join(dir, "none.gguf"): "no such file",
		"/dev/null": "not a regular file"} {
		t.Run(bad, func(t *testing.T) {
			if _, err := Inspect(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", bad, err, want)
			}
		})
	}
}

// file is a GGUF file of 4 KiB of weights with these tensors, at the offsets that they say.
func file(t *testing.T, tensors []tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	w := &ggufWriter{out: bufio.NewWriter(&b)}
	w.metadata(len(tensors), []pair{{"general.architecture", "qwen2"}})
	for _, x := range tensors {
		w.tensorInfo(x, x.offset)
	}
	w.pad()
	w.bytes(make([]byte, 4096))
	if err := errors.Join(w.err, w.out.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNewerTensorTypes are no reason to refuse a file: llama.cpp may know them.
func TestNewerTensorTypes(t *testing.T) {
	path := datatest.File(t, "new.gguf", file(t, []tensor{{name: "a", kind: 77, dims: []int64{128, 8}}}))
	if info, err := Inspect(path); err != nil || info.Parameters != 1024 || info.Quantization != "unknown" {
		t.Errorf("a file with an unknown type of tensors has 1,024 parameters of unknown quantization: got %+v, %v",
			info, err)
	}
}

// TestSparseFile announces more strings than a header holds, in a file that takes no room on disk. Reading stops at the
// bound and not at the end of the file.
func TestSparseFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "sparse.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var end int64
	write := func(b []byte) {
		if _, err := f.WriteAt(b, end); err != nil {
			t.Fatal(err)
		}
		end += int64(len(b))
	}
	write([]byte("GGUF\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x64\x00\x00\x00\x00\x00\x00\x00"))
	for i := range 100 {
		write(fmt.Appendf(nil, "\x02\x00\x00\x00\x00\x00\x00\x00%02d\x08\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00",
			i))
		end += 1 << 24
	}
	if err := f.Truncate(end); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	if _, err := Inspect(f.Name()); err == nil || !strings.Contains(err.Error(), "16777216 items are announced") {
		t.Errorf("a sparse file is refused, as \"16777216 items are announced\": got %v", err)
	}
}

// FuzzInspect reads anything without a panic and without endless memory, and accepts nothing absurd.
func FuzzInspect(f *testing.F) {
	f.Add(tiny[:600])
	f.Add(tiny[:300])
	f.Add([]byte("GGUF\x03\x00\x00\x00"))
	f.Add([]byte("GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x00\x00general.architecture\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00qwen2\x01\x00\x00\x00\x00\x00\x00\x00a\x01\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 64)))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := datatest.File(t, "f.gguf", content)
		info, err := Inspect(path)
		if err == nil && (info.Architecture == "" || info.Parameters < 1 || info.Parameters > 8*int64(len(content)) ||
			info.KVBytesPerToken(4) < 0) {
			t.Errorf("a file that is accepted has an architecture, and no more parameters than its bytes can "+
				"hold: got %+v", info)
		}
	})
}

// TestBlobTitle: a model whose file is named by its hash has the title in its header, without control of the page.
func TestBlobTitle(t *testing.T) {
	name := "sha256-" + strings.Repeat("a", 64)
	for title, want := range map[string]string{"": "sha256-aaaaaaaaaaaa",
		"Qwen2.5  7B\nInstruct": "Qwen2.5 7B Instruct",
		strings.Repeat("é", 70): strings.Repeat("é", 60)} {
		t.Run(title, func(t *testing.T) {
			if got := blobTitle(name, title); got != want {
				t.Errorf("%q: %q, want %v", title, got, want)
			}
		})
	}
}

// TestShapes have the published numbers of parameters (technical reports and model cards, in billions), as exactly as
// these are known.
func TestShapes(t *testing.T) {
	for name, want := range map[string]float64{"qwen2.5-0.5b": 0.49, "qwen2.5-1.5b": 1.54, "qwen2.5-3b": 3.09,
		"qwen2.5-7b": 7.61, "qwen2.5-14b": 14.77, "qwen3-8b": 8.19, "qwen3-30b-a3b": 30.53, "llama-3.1-8b": 8.03,
		"llama-3.2-1b": 1.24, "mistral-7b": 7.25, "phi-4": 14.66, "gemma-2-2b": 2.61, "gemma-3-1b": 1.00,
		"gemma-3-4b": 3.88, "mamba2-2.7b": 2.70, "gpt-oss-20b": 20.91, "gpt-oss-120b": 116.83} {
		checkParameters(t, name, want, 0.011)
	}
	for name, want := range map[string]float64{"mistral-small-24b": 23.6, "gemma-4-31b": 30.7, "qwen3.5-35b-a3b": 35,
		"qwen3-next-80b-a3b": 80} {
		checkParameters(t, name, want, 0.5)
	}
	for _, name := range []string{"half-experts", "half-hybrid"} {
		checkParameters(t, name, 0.5, 0.05)
	}
	if _, err := ShapeNamed("gpt-9"); err == nil || !strings.Contains(err.Error(), "qwen2.5-7b") {
		t.Errorf("an unknown shape is refused with those that there are, qwen2.5-7b among them: got %v", err)
	}
}

// TestFewerLayers have what all layers have but these, and keep the shape's pattern of layers.
func TestFewerLayers(t *testing.T) {
	whole, err := ShapeNamed("qwen3.5-35b-a3b") // attention in each fourth layer
	if err != nil {
		t.Fatal(err)
	}
	fewer := func(n int) int64 {
		s, err := whole.WithLayers(n)
		if err != nil {
			t.Fatal(err)
		}
		return s.Parameters()
	}
	if eight, twelve := fewer(8), fewer(12); whole.Parameters()-twelve != 7*(twelve-eight) {
		t.Errorf("28 layers more than 12 have 7 times the parameters of 4 more than 8: got %d in 40 layers, %d "+
			"in 12, %d in 8", whole.Parameters(), twelve, eight)
	}
	for _, n := range []int{-4, 0, 6, 44} {
		if s, err := whole.WithLayers(n); err == nil {
			t.Errorf("%d layers were taken as %s, want an error", n, s.Name)
		}
	}
}

// TestIdleExperts: a token of the miniature uses 4 of 16 experts in each of 2 layers, of three matrices of 64 x 128.
func TestIdleExperts(t *testing.T) {
	s, err := ShapeNamed("mini-qwen3-moe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "experts.gguf")
	if err := WriteSynthetic(path, Synthetic{Shape: s, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	info, err := Inspect(path)
	const want = 2 * 3 * 12 * 64 * 128
	if err != nil || info.IdleParameters != want || info.IdleBytes != 2*want {
		t.Errorf("%d weights of %d bytes, %v, want %d in F16", info.IdleParameters, info.IdleBytes, err, want)
	}
}

func checkParameters(t *testing.T, name string, want, within float64) {
	t.Helper()
	s, err := ShapeNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(s.Parameters()) / 1e9; math.Abs(got-want) > within {
		t.Errorf("%s has %.3f billion parameters, want %.2f", name, got, want)
	}
}

// TestMiniatures are small files of every family, with whole metadata and the tensors that their shape has.
func TestMiniatures(t *testing.T) {
	met := map[string]bool{}
	for _, s := range Miniatures() {
		met[s.Family] = true
		path := filepath.Join(t.TempDir(), s.Name+".gguf")
		if err := WriteSynthetic(path, Synthetic{Shape: s, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		info, err := Inspect(path)
		if err != nil {
			t.Errorf("%s is read: got %v, want no error", s.Name, err)
			continue
		}
		if info.Architecture != s.Family || info.Parameters != s.Parameters() || info.Layers != s.Layers ||
			info.Context != s.Context || info.SizeBytes > 5<<20 {
			t.Errorf("%s: a miniature keeps its family and %d parameters, at 5 MiB at most: got %+v", s.Name,
				s.Parameters(), info)
		}
	}
	for name := range families {
		if !met[name] {
			t.Errorf("every family has a miniature: got none of %s", name)
		}
	}
}

func TestSynthetic(t *testing.T) {
	shape, err := ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var done, total int64
	write := func(name string, seed uint64) []byte {
		path := filepath.Join(dir, name)
		if err := WriteSynthetic(path, Synthetic{Shape: shape, Seed: seed,
			Progress: func(d, all int64) { done, total = d, all }}); err != nil {
			t.Fatal(err)
		}
		return datatest.Read(t, path)
	}
	a, b, c := write("a.gguf", 1), write("b.gguf", 1), write("c.gguf", 2)
	if !bytes.Equal(a, b) || bytes.Equal(a, c) || done != total || total < shape.Parameters() {
		t.Errorf("equal seeds give equal files, others do not, and progress ends at all bytes: got equal %t, "+
			"other equal %t, %d of %d bytes", bytes.Equal(a, b), bytes.Equal(a, c), done, total)
	}
	info, err := Inspect(filepath.Join(dir, "a.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Parameters != shape.Parameters() || info.VocabSize != shape.Vocab || info.Layers != 2 ||
		info.Quantization != "F16" || !info.HasChatTemplate() {
		t.Errorf("a synthetic model has the shape %+v: got %+v", shape, info)
	}
	h, err := readHeader(filepath.Join(dir, "a.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	last := h.tensors[len(h.tensors)-1]
	if size := last.bytes(); h.data+last.offset+size > h.size || h.size-(h.data+last.offset+size) >= alignment {
		t.Errorf("the last tensor ends at the end of the file, %d, but for its alignment: got %d",
			h.size, h.data+last.offset+size)
	}
	if err := WriteSynthetic(filepath.Join(dir, "none", "x.gguf"), Synthetic{Shape: shape}); err == nil {
		t.Error("a model was written into no directory, want an error")
	}
}

func TestBadShapes(t *testing.T) {
	good, err := ShapeNamed("test")
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Shape){
		"all sizes must be":    func(s *Shape) { *s = Shape{} },
		"width 250 is not":     func(s *Shape) { s.Width = 250 },
		"which must be even":   func(s *Shape) { s.Heads, s.HeadDim, s.Width = 4, 63, 252 },
		"cannot share 3 heads": func(s *Shape) { s.KVHeads = 3 },
		"vocabulary of 258":    func(s *Shape) { s.Vocab = 258 },
		"architecture \"x\"":   func(s *Shape) { s.Family = "x" },
		"3 of 2 experts":       func(s *Shape) { s.Experts = Experts{Count: 2, Used: 3} },
	} {
		t.Run(want, func(t *testing.T) {
			s := good
			change(&s)
			path := filepath.Join(t.TempDir(), "x.gguf")
			if err := WriteSynthetic(path, Synthetic{Shape: s}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("a shape that cannot be is refused with %q: got %v", want, err)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: a file was written", want)
			}
		})
	}
	for _, s := range Shapes {
		if err := s.validate(); err != nil {
			t.Error(err)
		}
	}
	if n := (Shape{}).Parameters(); n != 0 {
		t.Errorf("%d parameters of nothing, want 0", n)
	}
}

// TestVocabulary has every token once, at Qwen's ids, and merges of tokens that are there.
func TestVocabulary(t *testing.T) {
	for _, size := range []int{2048, 151_936, 152_064} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			v := newVocabulary(size)
			seen := make(map[string]bool, size)
			for _, token := range v.tokens {
				if seen[token] {
					t.Fatalf("%d: a token is there once: got %q twice", size, token)
				}
				seen[token] = true
			}
			if len(v.tokens) != size || len(v.kinds) != size || v.tokens[v.end] != "<|im_end|>" ||
				(size > 150_000 && v.end != 151_645) {
				t.Errorf("%d: there are as many tokens and kinds, and the end is <|im_end|>, at 151645 in "+
					"Qwen's: got %d and %d, end %d", size, len(v.tokens), len(v.kinds), v.end)
			}
			for _, m := range v.merges {
				left, right, _ := strings.Cut(m, " ")
				if !seen[left] || !seen[right] || !seen[left+right] {
					t.Fatalf("%d: a merge is of tokens that are there: got %q", size, m)
				}
			}
			if unused := slices.Index(v.kinds, unusedToken); size > 150_000 && unused < 151_646 {
				t.Errorf("%d: words reach up to 151646: they are used up at %d", size, unused)
			}
		})
	}
}

// TestHalf: numbers are rounded to half precision as IEEE 754 has it.
func TestHalf(t *testing.T) {
	for f, want := range map[float32]uint16{0: 0, 1: 0x3C00, -2: 0xC000, 0.5: 0x3800, 65504: 0x7BFF, 1e9: 0x7BFF,
		0.1: 0x2E66, 1e-9: 0} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			if got := half(f); got != want {
				t.Errorf("half(%g) = %#x, want %#x", f, got, want)
			}
		})
	}
}
