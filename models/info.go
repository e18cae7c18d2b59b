package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// Info describes a model file.
type Info struct {
	// Name is the file name without .gguf and the numbers of parts, and EmbeddedName for the embedded model. A blob,
	// whose file name is its hash, has the name that its header gives it.
	Name         string `json:"name"`
	Path         string `json:"path"`
	Architecture string `json:"architecture"`
	Quantization string `json:"quantization"` // llama.cpp's name: F16, Q4_0, Q4_K_M, ...
	Parameters   int64  `json:"parameters"`   // number of weights
	SizeBytes    int64  `json:"size_bytes"`   // of all parts
	Context      int    `json:"context"`      // tokens it was trained for
	Embedding    int    `json:"embedding"`
	Layers       int    `json:"layers"`
	Heads        int    `json:"heads"`
	KVHeads      int    `json:"kv_heads"`
	HeadDim      int    `json:"head_dim"`
	VocabSize    int    `json:"vocab_size"`
	// RecurrentLayers have a state for each sequence instead of keys and values for each token. AttentionLayers have
	// these; a layer can have both. They are counted where there is recurrence.
	RecurrentLayers int   `json:"recurrent_layers,omitempty"`
	AttentionLayers int   `json:"attention_layers,omitempty"`
	StateBytes      int64 `json:"state_bytes,omitempty"` // of all states of one sequence
	// StateHeads is into how many heads RWKV and linear attention with gates divide a state; else 0
	StateHeads int  `json:"-"`
	Tied       bool `json:"tied"` // the output layer uses the embedding's weights
	// Experts is the number of experts in a layer, of which a token uses some, or 0 if every token uses all weights
	Experts int `json:"experts,omitempty"`
	// IdleParameters are the weights of the experts that a token does not use, and IdleBytes their size in the file
	IdleParameters int64  `json:"-"`
	IdleBytes      int64  `json:"-"`
	ChatTemplate   string `json:"-"`
	// Advice is how its makers say that replies should be drawn, as far as the file or its card is known; else nil
	Advice   *Advice `json:"-"`
	Embedded bool    `json:"embedded"`
}

// HasChatTemplate reports whether the file has a chat template; a model without one cannot debate.
func (i Info) HasChatTemplate() bool { return i.ChatTemplate != "" }

// KVLayers returns the number of layers that have keys and values for each token.
func (i Info) KVLayers() int {
	if i.RecurrentLayers > 0 {
		return i.AttentionLayers
	}
	return i.Layers
}

// KVBytesPerToken returns the memory for the keys and values of one token, given the size of an element: layers x KV
// heads x head size x bytes, for keys and for values. Recurrent layers have none.
func (i Info) KVBytesPerToken(bytesPerElement int) int64 {
	return 2 * int64(i.KVLayers()) * int64(i.KVHeads) * int64(i.HeadDim) * int64(bytesPerElement)
}

// Inspect reads the header of a GGUF file, and of the other parts if it is the first of several, and checks that all
// weights are there. Errors name the file, what is wrong and what to do.
func Inspect(path string) (Info, error) {
	h, err := readParts(path)
	if err != nil {
		return Info{}, err
	}
	arch := h.text("general.architecture")
	number := func(key string) int {
		n, _ := h.integer(arch + "." + key)
		if list, ok := h.values[arch+"."+key].(array); ok && list.kind != kindString { // one for each layer
			n = int64(max(0, list.most))
		}
		return int(min(n, 1<<31))
	}
	info := Info{
		Name: NameOf(path), Path: path, Architecture: arch, Quantization: h.quantization(),
		SizeBytes: h.size, Context: number("context_length"), Embedding: number("embedding_length"),
		Layers: number("block_count"),
		Heads:  number("attention.head_count"), KVHeads: number("attention.head_count_kv"),
		HeadDim:      number("attention.key_length"),
		Experts:      number("expert_count"),
		ChatTemplate: h.text("tokenizer.chat_template"),
	}
	if blobName.MatchString(info.Name) {
		info.Name = blobTitle(info.Name, h.text("general.name"))
	}
	info.Advice = h.advice(info.Name)
	if tokens, ok := h.values["tokenizer.ggml.tokens"].(array); ok {
		info.VocabSize = int(tokens.count)
	}
	info.Tied = true
	idle := int64(info.Experts - number("expert_used_count")) // of a layer's experts
	for _, t := range h.tensors {
		info.Parameters += t.elements()
		if idle > 0 && strings.HasSuffix(t.name, expertsSuffix) {
			info.IdleParameters += t.elements() / int64(info.Experts) * idle
			info.IdleBytes += t.bytes() / int64(info.Experts) * idle
		}
		if t.name == "output.weight" {
			info.Tied = false
		}
	}
	if info.KVHeads == 0 {
		info.KVHeads = info.Heads
	}
	if info.HeadDim == 0 && info.Heads > 0 {
		info.HeadDim = info.Embedding / info.Heads
	}
	if err := h.plausible(arch); err != nil {
		return Info{}, fmt.Errorf("model %q: %w; copy or download it again", path, err)
	}
	h.addStates(&info)
	info.Embedded = isEmbedded(path)
	if info.Embedded {
		info.Name = EmbeddedName
	}
	return info, nil
}

// Hash returns the SHA-256 of a file in hex; for the first of several parts, that of the hashes of all parts. A process
// reads a file only once unless it changes.
func Hash(path string) (string, error) {
	paths := Parts(path)
	if len(paths) == 1 {
		return hashFile(path)
	}
	all := sha256.New()
	for _, p := range paths {
		sum, err := hashFile(p)
		if err != nil {
			return "", err
		}
		io.WriteString(all, sum)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// version identifies one state of a file without reading it.
type version struct {
	path           string
	size, modified int64 // bytes, nanoseconds
}

var hashes sync.Map // version to its hash

// hashFile hashes a file, or returns the hash that an earlier call found for the same size and time of change.
func hashFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("model %q: %w", path, err)
	}
	key := version{path, info.Size(), info.ModTime().UnixNano()}
	if known, ok := hashes.Load(key); ok {
		return known.(string), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("model %q: %w", path, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("model %q: %w", path, err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	hashes.Store(key, sum)
	return sum, nil
}

// blobName matches the file names of Ollama's blobs.
var blobName = regexp.MustCompile(`^sha256-[0-9a-f]{64}$`)

// blobTitle returns what a model is called whose file name is its hash: what its header says, or the hash in short.
func blobTitle(blob, title string) string {
	const most = 60 // letters
	if letters := []rune(strings.Join(strings.Fields(title), " ")); len(letters) > 0 {
		return string(letters[:min(most, len(letters))])
	}
	return blob[:len("sha256-")+12]
}
