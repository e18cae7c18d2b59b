//go:build !cgo || llama_none

package llamacpp

import (
	"context"
	"math"

	"github.com/parley-debate/parley/models"
)

// Model, in a build without llama.cpp, is never made: LoadModel returns ErrNoCgo.
type Model struct{}

// Context, in a build without llama.cpp, is never made.
type Context struct{}

// Embedder, in a build without llama.cpp, is never made.
type Embedder struct{}

// TextStream, in a build without llama.cpp, is never made.
type TextStream struct{}

// The functions of this file have the signatures of the binding and do nothing.

func LoadModel(path string, _ ModelOptions) (*Model, error) {
	if _, err := models.Inspect(path); err != nil {
		return nil, err
	}
	return nil, ErrNoCgo
}

func (*Model) Close() error                     { return nil }
func (*Model) Metadata() map[string]string      { return nil }
func (*Model) Description() string              { return "" }
func (*Model) ChatTemplate() string             { return "" }
func (*Model) ParameterCount() int64            { return 0 }
func (*Model) SizeBytes() int64                 { return 0 }
func (*Model) TrainContext() int                { return 0 }
func (*Model) EmbeddingSize() int               { return 0 }
func (*Model) Layers() int                      { return 0 }
func (*Model) VocabSize() int                   { return 0 }
func (*Model) MaxSequences() int                { return maxSequences }
func (*Model) MaxThreads() int                  { return math.MaxInt }
func (*Model) Recurrent() bool                  { return false }
func (*Model) StateBytes() int64                { return 0 }
func (*Model) KVBytesPerCell(_, _ KVType) int64 { return 0 }
func (*Model) CheckInvariance(context.Context, ContextOptions) (Invariance, error) {
	return Invariance{}, ErrNoCgo
}
func (*Model) QuickInvariance(context.Context, ContextOptions) (Invariance, error) {
	return Invariance{}, ErrNoCgo
}
func (*Model) NewContext(ContextOptions) (*Context, error) { return nil, ErrNoCgo }

func (*Model) Tokenize(string, bool, bool) ([]Token, error)    { return nil, ErrNoCgo }
func (*Model) Lines(text string) []string                      { return []string{text} }
func (*Model) TokenizeLines([]string, bool) ([][]Token, error) { return nil, ErrNoCgo }
func (*Model) Piece(Token, bool) []byte                        { return nil }
func (*Model) Detokenize([]Token, bool) string                 { return "" }
func (*Model) IsEnd(Token) bool                                { return false }
func (*Model) IsControl(Token) bool                            { return false }
func (*Model) BOS() Token                                      { return -1 }
func (*Model) EOS() Token                                      { return -1 }
func (*Model) Ends() (_, _ []Token, _ error)                   { return nil, nil, ErrNoCgo }
func (*Model) ControlTokens() []string                         { return nil }
func (*Model) NewTextStream() *TextStream                      { return &TextStream{} }
func (*TextStream) Push(Token) string                          { return "" }
func (*TextStream) Flush() string                              { return "" }

func (*Context) Close() error                                  { return nil }
func (*Context) Cells() int                                    { return 0 }
func (*Context) Sequences() int                                { return 0 }
func (*Context) Threads() int                                  { return 0 }
func (*Context) Work() Work                                    { return Work{} }
func (*Context) Operations() []Operation                       { return nil }
func (*Context) MemoryBytes() int64                            { return 0 }
func (*Context) StateBytes() int64                             { return 0 }
func (*Context) Memory() Memory                                { return Memory{} }
func (*Context) Logits(int) []float32                          { return nil }
func (*Context) Step(context.Context, *Batch, []Sampled) error { return ErrNoCgo }

func (*Model) NewEmbedder(ContextOptions, Pooling) (*Embedder, error)   { return nil, ErrNoCgo }
func (*Embedder) Embed(context.Context, [][]Token) ([][]float32, error) { return nil, ErrNoCgo }
func (*Embedder) Size() int                                             { return 0 }
func (*Embedder) Close() error                                          { return nil }

func Backends() []BackendInfo   { return nil }
func Devices() []DeviceInfo     { return nil }
func DeviceMemory(string) int64 { return 0 }
func SystemInfo() string        { return "" }
func Build() BuildInfo          { return BuildInfo{Llama: "none"} }

func Knows(string) (bool, error) { return false, ErrNoCgo }

func Quantize(context.Context, string, string, string, int) error { return ErrNoCgo }
