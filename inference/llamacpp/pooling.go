package llamacpp

import "fmt"

// Pooling turns the states of all tokens of a text into one vector. The numbers are those of llama.cpp and of GGUF
// files.
type Pooling int32

// The kinds of pooling that give embeddings.
const (
	PoolingMean Pooling = 1 + iota // of all tokens
	PoolingCLS                     // the first token, whose state stands for the whole text in BERT
	PoolingLast                    // the last token, which has seen all others where attention looks back only
)

// String returns the name that llama.cpp gives it.
func (p Pooling) String() string {
	if p < PoolingMean || p > PoolingLast {
		return fmt.Sprintf("pooling %d", int32(p))
	}
	return [...]string{"mean", "cls", "last"}[p-1]
}

// PoolingOf returns the pooling that a file's metadata name, 0 if they name none. Files of other models, such as those
// that rank pairs of texts, are refused.
func PoolingOf(metadata map[string]string) (Pooling, error) {
	key := metadata["general.architecture"] + ".pooling_type"
	switch metadata[key] {
	case "", "0":
		return 0, nil
	case "1":
		return PoolingMean, nil
	case "2":
		return PoolingCLS, nil
	case "3":
		return PoolingLast, nil
	}
	return 0, fmt.Errorf("%s is %s: 1 (mean), 2 (cls) and 3 (last) give embeddings; name an embedding model", key,
		metadata[key])
}
