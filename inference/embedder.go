package inference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
)

// Embedder turns texts into vectors with any GGUF embedding model, or with the last layer's states of a model that
// generates. It is not an Engine: nothing is scheduled or kept. Several goroutines may use it; they take turns.
type Embedder struct {
	info    ModelInfo
	pooling llamacpp.Pooling
	stated  bool // pooling is what the file says
	most    int  // tokens of a text
	size    int  // numbers of a vector
	batch   llamacpp.ContextOptions

	borrowed bool // the model is an engine's

	mu        sync.Mutex // guards what follows
	model     *llamacpp.Model
	embedder  *llamacpp.Embedder
	truncated int
}

const (
	// embeddedTokens is the default bound on the tokens of a text and of one batch: that of a reply.
	embeddedTokens = DefaultMaxTokens
	embeddedTexts  = 64 // at once
)

// OpenEmbedder loads a GGUF file to embed texts with, pooled as the file says, or else by the mean. It reads the
// options of the model, Threads, and Context, which here bounds the tokens of a text (by default 1,024, or what the
// model was made for).
func OpenEmbedder(path string, opts ...Option) (*Embedder, error) {
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	e := &Embedder{}
	if err := e.open(path, &o); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// Embedder embeds texts with the weights of one of the engine's models, which requests name so (Request.Model). Close
// of the engine closes it.
func (l *Local) Embedder(model string) (*Embedder, error) {
	m, err := l.modelFor(Request{Model: model})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, step.ErrClosed
	}
	o := defaults()
	o.context.Threads = m.options.context.Threads
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	e := &Embedder{info: m.info, model: m.model, borrowed: true}
	if err := e.makeContext(&o); err != nil {
		return nil, errors.Join(err, e.release())
	}
	l.embedders = append(l.embedders, e)
	return e, nil
}

func (e *Embedder) open(path string, o *options) (err error) {
	if e.info, _, err = describe(path); err != nil {
		return err
	}
	if e.model, err = llamacpp.LoadModel(path, o.model); err != nil {
		return err
	}
	return e.makeContext(o)
}

// makeContext makes the context that embeds.
func (e *Embedder) makeContext(o *options) error {
	path := e.info.Path
	pooling, err := llamacpp.PoolingOf(e.model.Metadata())
	if err != nil {
		return fmt.Errorf("model %q: %w", path, err)
	}
	e.pooling, e.stated = cmp.Or(pooling, llamacpp.PoolingMean), pooling != 0
	e.batch = o.context
	e.batch.Batch, e.batch.Sequences = cmp.Or(o.context.Cells, embeddedTokens), embeddedTexts
	if e.most = min(e.batch.Batch, e.model.TrainContext()); e.most < 1 {
		return fmt.Errorf("model %q: damaged: it says that it was made for %d tokens; copy or download it again", path,
			e.model.TrainContext())
	}
	if e.embedder, err = e.model.NewEmbedder(e.batch, e.pooling); err == nil {
		e.size = e.embedder.Size()
	}
	return err
}

// Embed returns a vector of length 1 for each text, in their order. Control tokens in a text count as text. A text
// longer than Most tokens is cut; Truncated counts such texts. Apart from rounding, a vector does not depend on the
// other texts.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.embed(ctx, len(texts), func(i int) ([]step.Token, error) { return e.tokenize(texts[i]) })
}

// EmbedTokens is Embed for texts whose tokens are known, as they are: none is added.
func (e *Embedder) EmbedTokens(ctx context.Context, texts [][]int32) ([][]float32, error) {
	return e.embed(ctx, len(texts), func(i int) ([]step.Token, error) {
		tokens := make([]step.Token, len(texts[i]))
		for k, t := range texts[i] {
			tokens[k] = step.Token(t)
		}
		return e.fit(tokens)
	})
}

// embed returns the vectors of n texts, whose tokens a function returns.
func (e *Embedder) embed(ctx context.Context, n int, tokensOf func(i int) ([]step.Token, error)) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.embedder == nil {
		return nil, fmt.Errorf("embed: %w", step.ErrClosed)
	}
	vectors := make([][]float32, 0, n)
	var batch [][]step.Token
	rows := 0
	flush := func() error {
		more, err := e.embedder.Embed(ctx, batch)
		vectors, batch, rows = append(vectors, more...), batch[:0], 0
		return err
	}
	for i := range n {
		tokens, err := tokensOf(i)
		if err != nil {
			return nil, fmt.Errorf("text %d of %d: %w", i+1, n, err)
		}
		if rows+len(tokens) > e.batch.Batch || len(batch) == e.batch.Sequences {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		batch, rows = append(batch, tokens), rows+len(tokens)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return vectors, nil
}

func (e *Embedder) tokenize(text string) ([]step.Token, error) {
	tokens, err := e.model.Tokenize(text, true, false)
	if err != nil {
		return nil, err
	}
	return e.fit(tokens)
}

// fit cuts texts that are too long. If the model ends texts with a token of its own, that stays at the end: it may be
// the one that is pooled.
func (e *Embedder) fit(tokens []step.Token) ([]step.Token, error) {
	if len(tokens) == 0 {
		return nil, errors.New("it has no tokens, and so no embedding")
	}
	if len(tokens) <= e.most {
		return tokens, nil
	}
	e.truncated++
	if end := tokens[len(tokens)-1]; e.model.IsControl(end) {
		tokens[e.most-1] = end
	}
	return tokens[:e.most], nil
}

// Model describes the loaded file.
func (e *Embedder) Model() ModelInfo { return e.info }

// Most returns the bound on the tokens of a text.
func (e *Embedder) Most() int { return e.most }

// Size returns how many numbers a vector has.
func (e *Embedder) Size() int { return e.size }

// Truncated returns the number of texts so far that were longer than Most.
func (e *Embedder) Truncated() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.truncated
}

// Method describes what is computed, such as "pooling mean of the last layer of tiny, whose file names no pooling".
func (e *Embedder) Method() string {
	why := "whose file names no pooling"
	if e.stated {
		why = "as its file says"
	}
	return fmt.Sprintf("pooling %v of the last layer of %s, %s", e.pooling, e.info.Name, why)
}

// Close frees the model. It is idempotent.
func (e *Embedder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.release()
}

func (e *Embedder) release() (err error) {
	if e.embedder != nil {
		err = e.embedder.Close()
	}
	if e.model != nil && !e.borrowed {
		err = errors.Join(err, e.model.Close())
	}
	e.embedder, e.model = nil, nil
	return err
}
