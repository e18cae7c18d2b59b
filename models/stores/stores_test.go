package stores

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/internal/datatest"
)

// home is the home directory of a user who has all of the programs. Paths below it can be written to.
func home(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("HOME", dir)
	for _, variable := range []string{"PARLEY_MODELS", "XDG_DATA_HOME", "HF_HOME", "HF_HUB_CACHE",
		"HUGGINGFACE_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"} {
		t.Setenv(variable, "")
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	t.Chdir(dir)
	return dir
}

func put(t *testing.T, dir, name string, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	datatest.Write(t, path, content)
	return path
}

func link(t *testing.T, dir, name, to string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// tinyFile has the embedded model.
var tinyFile = func() []byte {
	content, err := os.ReadFile("../tiny/tiny.gguf")
	if err != nil {
		panic(err)
	}
	return content
}()

const (
	newer = "1111111111111111111111111111111111111111"
	older = "2222222222222222222222222222222222222222"
	blob  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	// of a model that also has a licence, as ollama pull writes it
	manifest = `{"schemaVersion":2,"layers":[` +
		`{"mediaType":"application/vnd.ollama.image.license","digest":"sha256:b"},{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:` + blob + `","size":1}]}`
)

// furnish puts models where the programs have them.
func furnish(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, ".local/share/parley/models/own.gguf", tinyFile)
	put(t, dir, ".local/share/parley/models/a/b/m-Q8_0.gguf", tinyFile)
	put(t, dir, ".local/share/parley/models/a/b/m-Q4_0.gguf.part", tinyFile[:100])
	hub := ".cache/huggingface/hub/models--a--b/"
	put(t, dir, hub+"blobs/x", tinyFile)
	put(t, dir, hub+"blobs/y", append(slices.Clone(tinyFile), 0))
	put(t, dir, hub+"refs/main", []byte(newer+"\n"))
	link(t, dir, hub+"snapshots/"+newer+"/m-q4_k_m.gguf", "../../blobs/x")
	link(t, dir, hub+"snapshots/"+older+"/m-q4_k_m.gguf", "../../blobs/y")
	link(t, dir, hub+"snapshots/"+older+"/m-copy.gguf", "../../blobs/x") // is listed once
	link(t, dir, hub+"snapshots/"+newer+"/mmproj-f16.gguf", "../../blobs/x")
	put(t, dir, ".cache/huggingface/hub/models--c--d/snapshots/"+older+"/Q4_0/x.gguf", tinyFile)
	put(t, dir, ".cache/huggingface/hub/models--c--d/snapshots/"+older+"/Q8_0/x.gguf", []byte("GGUF"))
	put(t, dir, ".ollama/models/blobs/sha256-"+blob, tinyFile)
	library := ".ollama/models/manifests/registry.ollama.ai/"
	for _, name := range []string{"library/qwen2.5/7b", "library/qwen2.5/latest", "me/x/1b", "library/.DS_Store"} {
		put(t, dir, library+name, []byte(manifest))
	}
	put(t, dir, library+"library/evil/latest", []byte(strings.Replace(manifest, blob, "../../../../x", 1)))
	put(t, dir, library+"library/far/latest", []byte(`{"layers":[]}`))
	put(t, dir, ".ollama/models/manifests/hf.co/a/b/q8", []byte(manifest))
	put(t, dir, ".lmstudio/models/e/f/x-00001-of-00002.gguf", tinyFile)
	put(t, dir, ".lmstudio/models/e/f/x-00002-of-00002.gguf", tinyFile)
	put(t, dir, ".cache/llama.cpp/e_f_y-Q2_K.gguf", tinyFile)
	put(t, dir, ".cache/llama.cpp/manifest=e=f=latest.json", []byte("{}"))
}

// TestElsewhere: each program's models are found under names that Resolve finds again.
func TestElsewhere(t *testing.T) {
	dir := home(t)
	furnish(t, dir)
	found, errs := Elsewhere()
	got := make(map[string]string)
	for _, f := range found {
		if got[f.Name] != "" {
			t.Errorf("a model is found once: got %s twice", f.Name)
		}
		rel, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = f.From + " " + filepath.ToSlash(rel)
		if path, err := Resolve(f.Name); err != nil || path != f.Path {
			t.Errorf("%s is resolved to %s, %v; want %v and no error", f.Name, path, err, f.Path)
		}
	}
	ab := "huggingface .cache/huggingface/hub/models--a--b/snapshots/"
	ollama := "ollama .ollama/models/blobs/sha256-" + blob
	want := map[string]string{
		"own":                   "parley .local/share/parley/models/own.gguf",
		"hf:a/b:Q8_0":           "parley .local/share/parley/models/a/b/m-Q8_0.gguf",
		"hf:a/b:Q4_K_M":         ab + newer + "/m-q4_k_m.gguf",
		"hf:a/b@2222222:Q4_K_M": ab + older + "/m-q4_k_m.gguf",
		"hf:c/d:Q4_0":           "huggingface .cache/huggingface/hub/models--c--d/snapshots/" + older + "/Q4_0/x.gguf",
		"hf:c/d:Q8_0":           "huggingface .cache/huggingface/hub/models--c--d/snapshots/" + older + "/Q8_0/x.gguf",
		"ollama:qwen2.5:7b":     ollama, "ollama:qwen2.5:latest": ollama, "ollama:me/x:1b": ollama,
		"ollama:hf.co/a/b:q8":  ollama,
		"lm-studio:e/f:x":      "lm-studio .lmstudio/models/e/f/x-00001-of-00002.gguf",
		"llama.cpp:e_f_y-Q2_K": "llama.cpp .cache/llama.cpp/e_f_y-Q2_K.gguf",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models of other programs have these names (-want +got):\n%s", diff)
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	if all := strings.Join(texts, "\n"); len(errs) != 2 || !strings.Contains(all, `the digest "sha256:../../`) ||
		!strings.Contains(all, "names no GGUF file") {
		t.Errorf("2 files are refused, for a digest and for naming no GGUF file: got %d: %s", len(errs), all)
	}
}

// TestNamesElsewhere: what may be left out of a name, and what is refused.
func TestNamesElsewhere(t *testing.T) {
	dir := home(t)
	furnish(t, dir)
	for name, want := range map[string]string{
		"hf:A/B:q8_0":             "a/b/m-Q8_0.gguf", // case does not matter
		"hf:a/b":                  "a/b/m-Q8_0.gguf", // the only one of Parley's own, which come first
		"hf:a/b:m-q4_k_m.gguf":    newer + "/m-q4_k_m.gguf",
		"hf:a/b@2222222":          older + "/m-q4_k_m.gguf",
		"hf:c/d:Q4_0/x.gguf":      "Q4_0/x.gguf",
		"ollama:qwen2.5":          "sha256-" + blob, // latest
		"lm-studio:e/f":           "x-00001-of-00002.gguf",
		"lm-studio:e/f:x":         "x-00001-of-00002.gguf",
		"own":                     "own.gguf",
		"own.gguf":                "own.gguf",
		"hf:c/d":                  "there are several: hf:c/d:Q4_0, hf:c/d:Q8_0",
		"hf:c/d:Q5_0":             "there are hf:c/d:Q4_0, hf:c/d:Q8_0, parley models pull hf:c/d:Q5_0",
		"hf:none/none":            "parley models pull hf:none/none downloads it",
		"ollama:nothing":          "parley models lists what is",
		"hf:c/d:x":                "there are several",
		"hf:../../../etc:passwd":  "not on this machine",
		"llama.cpp:e_f_y-q2_k":    "e_f_y-Q2_K.gguf",
		"llama.cpp:none":          "not on this machine",
		"lm-studio:e/f:x-Q8_0":    "not on this machine",
		"ollama:hf.co/a/b:latest": "not on this machine",
	} {
		t.Run(name, func(t *testing.T) {
			path, err := Resolve(name)
			if err != nil {
				path = err.Error()
			}
			if !strings.Contains(path, want) || err == nil && !strings.HasSuffix(path, want) {
				t.Errorf("%s: %s, want %s", name, path, want)
			}
		})
	}
	put(t, dir, "hf:c", tinyFile) // a file of that name comes first
	if path, err := Resolve("hf:c"); err != nil || path != "hf:c" {
		t.Errorf("an address is no name in a store and stays: got %s, %v", path, err)
	}
}

// TestAll: every file is described once, under its name, and what is broken is reported beside the rest.
func TestAll(t *testing.T) {
	dir := home(t)
	furnish(t, dir)
	put(t, dir, "here.gguf", tinyFile)
	link(t, dir, "there.gguf", filepath.Join(dir, ".local/share/parley/models/own.gguf"))
	list, errs := All()
	var got []string
	for _, e := range list {
		got = append(got, e.From+" "+e.Name)
		if e.Architecture != "qwen2" || e.Quantization != "F16" {
			t.Errorf("a listed model says what it is, qwen2 in F16: got %s, %s", e.Architecture, e.Quantization)
		}
	}
	want := []string{"parley tiny", ". here", ". there", "parley hf:a/b:Q8_0", "huggingface hf:a/b:Q4_K_M",
		"huggingface hf:a/b@2222222:Q4_K_M", "huggingface hf:c/d:Q4_0", "ollama ollama:hf.co/a/b:q8",
		"llama.cpp llama.cpp:e_f_y-Q2_K", "lm-studio lm-studio:e/f:x"}
	slices.Sort(want[3:])
	slices.Sort(got[3:])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each file is described once, and what is broken is reported (-want +got):\n%s", diff)
	}
	if len(errs) != 3 { // the two manifests and the file of four bytes
		t.Errorf("errors: %v, want 3 of them", errs)
	}
	names := Names()
	for _, name := range []string{"tiny", "here", "own", "ollama:qwen2.5:7b"} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(names, name) {
				t.Errorf("%s is among the models: got %v", name, names)
			}
		})
	}
}

// TestPlaces: the variables by which the programs find their models.
func TestPlaces(t *testing.T) {
	dir := home(t)
	for variable, c := range map[string]struct{ value, file, name string }{
		"XDG_DATA_HOME":  {"data", "data/parley/models/a/b/x-Q4_0.gguf", "hf:a/b:Q4_0"},
		"HF_HOME":        {"hf", "hf/hub/models--a--b/snapshots/" + newer + "/x-Q5_0.gguf", "hf:a/b:Q5_0"},
		"HF_HUB_CACHE":   {"hub", "hub/models--a--b/snapshots/" + newer + "/x-Q6_K.gguf", "hf:a/b:Q6_K"},
		"OLLAMA_MODELS":  {"ollama", "ollama/manifests/registry.ollama.ai/library/x/latest", "ollama:x"},
		"LLAMA_CACHE":    {"llama", "llama/x.gguf", "llama.cpp:x"},
		"XDG_CACHE_HOME": {"cache", "cache/lm-studio/models/a/b/x-Q4_0.gguf", "lm-studio:a/b"},
	} {
		t.Run(variable, func(t *testing.T) {
			content := tinyFile
			if variable == "OLLAMA_MODELS" {
				content = []byte(manifest)
			}
			put(t, dir, c.file, content)
			if _, err := Resolve(c.name); err == nil {
				t.Error("the model was found without the variable, want an error")
			}
			t.Setenv(variable, filepath.Join(dir, c.value))
			if _, err := Resolve(c.name); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestQuantizations: a quantization is read from the name of a file.
func TestQuantizations(t *testing.T) {
	for file, want := range map[string]string{"m-Q4_K_M.gguf": "Q4_K_M", "m.q8_0.gguf": "Q8_0",
		"m-IQ2_XXS.gguf":    "IQ2_XXS",
		"m-UD-Q4_K_XL.gguf": "UD-Q4_K_XL", "gpt-oss-20b-mxfp4.gguf": "MXFP4", "m-BF16-00001-of-00003.gguf": "BF16",
		"Q6_K/model.gguf": "Q6_K", "m-fp16.gguf": "FP16", "qwen2.5.gguf": "", "q.gguf": "", "m-Q4_K_M-v2.gguf": "",
		"m-TQ1_0.gguf": "TQ1_0", "Q8_0.gguf": "Q8_0"} {
		t.Run(file, func(t *testing.T) {
			if got := QuantizationOf(file); got != want {
				t.Errorf("%s: %q, want %q", file, got, want)
			}
		})
	}
}

// FuzzManifest: whatever a manifest says, the blob that it names is a file name in the directory of blobs.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(manifest))
	f.Add([]byte(`{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:../x"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := blobOf(put(t, t.TempDir(), "latest", text))
		if err == nil && !digest.MatchString(strings.Replace(got, "-", ":", 1)) {
			t.Errorf("the name of a blob is a digest: got %q", got)
		}
	})
}

func TestCatalogue(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	write := func(name string, content []byte) {
		datatest.Write(t, filepath.Join(dir, name), content)
	}
	none := filepath.Join(dir, "none")
	t.Setenv("PARLEY_MODELS", dir+string(filepath.ListSeparator)+none+string(filepath.ListSeparator))
	write("b.gguf", tinyFile)
	write("a.GGUF", []byte("not one"))
	write("c.txt", tinyFile)
	list, errs := List(dirs()...)
	if len(list) != 2 || list[0].Name != "tiny" || list[1].Name != "b" || list[1].Embedded || len(errs) != 2 ||
		!strings.Contains(errs[0].Error(), none) || !strings.Contains(errs[1].Error(), "a.GGUF") {
		t.Errorf("tiny and b are listed, and what cannot be read (%s, a.GGUF) is told: got %+v, %v", none, list, errs)
	}
	for name, want := range map[string]string{"b": "b.gguf", "b.gguf": "b.gguf", "": "tiny-", "Tiny": "tiny-",
		"./x": "./x"} {
		t.Run(name, func(t *testing.T) {
			if path, err := Resolve(name); err != nil || !strings.Contains(path, want) {
				t.Errorf("%q is %q, %v; want %q in it and no error", name, path, err, want)
			}
		})
	}
	if _, err := Resolve("nothing"); err == nil || !strings.Contains(err.Error(), "there are tiny, a, b") {
		t.Errorf("an unknown name is refused, with tiny, a and b, which there are: got %v", err)
	}
}

// TestNamesOfParts: a model in parts is listed and found by its first part.
func TestNamesOfParts(t *testing.T) {
	dir := filepath.Join(home(t), "searched")
	first := put(t, dir, "big-00001-of-00002.gguf", tinyFile)
	put(t, dir, "big-00002-of-00002.gguf", tinyFile)
	if list, errs := List(dir); len(list) != 2 || list[1].Path != first || len(errs) != 0 {
		t.Errorf("a model in parts is listed once, by its first part %s: got %+v, %v", first, list, errs)
	}
	t.Setenv("PARLEY_MODELS", dir)
	for _, name := range []string{"big", "big-00001-of-00002", "big-00001-of-00002.gguf"} {
		t.Run(name, func(t *testing.T) {
			if path, err := Resolve(name); err != nil || path != first {
				t.Errorf("%q is %q, %v; want %v and no error", name, path, err, first)
			}
		})
	}
}
