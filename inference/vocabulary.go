package inference

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/models"
)

// Vocabulary turns texts and conversations into the tokens of one model of an engine, and back. Several goroutines may
// use it. After the engine's Close its methods return step.ErrClosed, or nothing.
type Vocabulary struct {
	local *Local
	model *instance
}

// Vocabulary returns the vocabulary of the model that requests name so (Request.Model).
func (l *Local) Vocabulary(model string) (*Vocabulary, error) {
	m, err := l.modelFor(Request{Model: model})
	if err != nil {
		return nil, err
	}
	return &Vocabulary{l, m}, nil
}

// OpenVocabulary reads the vocabulary and the chat template of a GGUF file, and no weights. cells is how many tokens a
// request can have where it is asked, or 0 if only the file says so. The caller closes it.
func OpenVocabulary(path string, cells int) (*Vocabulary, error) {
	info, _, err := describe(path)
	if err != nil {
		return nil, err
	}
	o := defaults()
	o.model.VocabOnly = true
	m := &instance{info: info, options: o, decoder: &decoder{}}
	if err := m.load(); err != nil {
		return nil, errors.Join(err, m.release())
	}
	if m.plan.cells = cells; cells == 0 {
		m.plan.cells = info.Context
	}
	return &Vocabulary{&Local{models: []*instance{m}, named: map[string]*instance{"": m}}, m}, nil
}

// Close frees a vocabulary that was opened alone. It is idempotent.
func (v *Vocabulary) Close() error {
	v.local.mu.Lock()
	defer v.local.mu.Unlock()
	if v.local.closed {
		return nil
	}
	v.local.closed = true
	return v.local.release()
}

// Survey counts tokens with this vocabulary; see Local.Survey.
func (v *Vocabulary) Survey() *Survey { return v.local.Survey() }

// Able returns the error that a request is bound to get from the model's template; see Local.Able.
func (v *Vocabulary) Able(r Request) error { return v.local.Able(r) }

// Prompt does what Render does, for replies that are drawn so, and tells whether the prompt ends within reasoning.
func (v *Vocabulary) Prompt(ctx context.Context, s Sampling, messages []Message) (tokens []int32, opened bool,
	err error) {
	err = v.whileOpen(func() error {
		template, err := v.model.templateFor(s)
		if err != nil {
			return err
		}
		list, within, err := v.model.tokenize(ctx, template, messages)
		tokens, opened = tokenIDs(list), within
		return err
	})
	return tokens, opened, err
}

// Divide tells the reasoning in a whole reply from its answer; opened is that of Prompt. Without a vocabulary (nil), a
// reply that begins with a mark of reasoning has reasoning.
func (v *Vocabulary) Divide(r *Reply, opened bool) {
	if v == nil {
		r.divide(nil, opened)
		return
	}
	r.divide(v.model.marks, opened)
}

// Tokenize returns a text as tokens. ends adds the tokens that the model's texts begin and end with; control reads
// control tokens in the text as such.
func (v *Vocabulary) Tokenize(text string, ends, control bool) (tokens []int32, err error) {
	err = v.whileOpen(func() error {
		list, err := v.model.model.Tokenize(text, ends, control)
		tokens = tokenIDs(list)
		return err
	})
	return tokens, err
}

// Render returns a conversation as tokens, up to where the reply begins.
func (v *Vocabulary) Render(ctx context.Context, messages []Message) (tokens []int32, err error) {
	tokens, _, err = v.Prompt(ctx, Sampling{}, messages)
	return tokens, err
}

// RenderTurns returns a conversation of another program as tokens like Prompt (chat.Template.RenderTurns).
func (v *Vocabulary) RenderTurns(ctx context.Context, s Sampling, turns []chat.Turn, more chat.Extras) (
	tokens []int32, err error) {
	err = v.whileOpen(func() error {
		template, err := v.model.templateFor(s)
		if err != nil {
			return err
		}
		segments, err := template.RenderTurns(ctx, turns, more)
		if err != nil {
			return err
		}
		list, _, err := v.model.tokensOfSegments(segments)
		tokens = tokenIDs(list)
		return err
	})
	return tokens, err
}

// Splitter tells reasoning from answer in the reply to a prompt, from its texts and marks (Piece.Mark). It is nil of a
// model whose family is not known to reason.
func (v *Vocabulary) Splitter(prompt []int32) (s *chat.Splitter) {
	_ = v.whileOpen(func() error {
		m := v.model
		if m.marks == nil {
			return nil
		}
		tokens, err := m.tokensOf("prompt", prompt)
		s = chat.NewSplitter(m.marks, err == nil && m.opens(tokens))
		return err
	})
	return s
}

// Calls returns how the model writes calls of tools, nil if that is not known.
func (v *Vocabulary) Calls() (calls *chat.Calls) {
	_ = v.whileOpen(func() error {
		calls = chat.CallsOf(v.model.templateText)
		return nil
	})
	return calls
}

// Bytes returns the bytes of a token, perhaps a part of a character; those of a control token are its name.
func (v *Vocabulary) Bytes(token int32) (bytes []byte) {
	_ = v.whileOpen(func() error {
		bytes = v.model.model.Piece(step.Token(token), true)
		return nil
	})
	return bytes
}

// Size returns the number of tokens there are.
func (v *Vocabulary) Size() (n int) {
	_ = v.whileOpen(func() error {
		n = v.model.model.VocabSize()
		return nil
	})
	return n
}

// Examined is what Examine found wrong with a vocabulary.
type Examined struct {
	Back   string   // what came back of ExaminedText from its tokens, if that was something else
	Words  int      // compared with the merges; 0 without any
	Differ []string // the words whose tokens are not those that the merges give
	Lost   []rune   // ASCII characters that have no token: they vanish from texts
}

// ExaminedText is a text with letters of several scripts, digits, signs, blanks and lines.
const ExaminedText = "The water boils at 100 degrees; naïve café, 東京 and Москва, αβγ 🦜!\n\tif (x[1] != 0x2f) { " +
	"return " +
	"\"it's\"; }\n\n  Therefore the answer is (B), 3,141.59 or \\frac{1}{2}."

// examinedWords are words that every known way of cutting texts into words leaves whole.
const examinedWords = " the water because between therefore question answering argument reasoning explanation " +
	"disagree " +
	"thoroughly mathematics probability statements multiplication international photosynthesis government several"

// Examine tokenizes a fixed text, which has to come back, and words, whose tokens have to be those that the merges
// give; the result is nil if they are not known. A blank that the tokenizer puts before texts is not looked at.
func (v *Vocabulary) Examine(merges *models.BytePairs) (e Examined, err error) {
	back, err := v.thereAndBack(ExaminedText)
	if text := strings.Join(back, ""); strings.TrimPrefix(text, " ") != ExaminedText {
		e.Back = text
	}
	for r := rune(1); r < 128 && err == nil; r++ {
		if back, err = v.thereAndBack("a" + string(r) + "a"); !strings.ContainsRune(strings.Join(back, ""), r) {
			e.Lost = append(e.Lost, r)
		}
	}
	for _, word := range strings.Fields(examinedWords) {
		if merges == nil || err != nil {
			break
		}
		e.Words++
		word = " " + word
		back, err = v.thereAndBack(word)
		if whole := len(back) == 1 && back[0] == word; !whole && !slices.Equal(back, merges.Tokens(word)) {
			e.Differ = append(e.Differ, word[1:]) // some vocabularies look for whole words before they merge
		}
	}
	return e, err
}

// thereAndBack returns the texts of the tokens of a text.
func (v *Vocabulary) thereAndBack(text string) (pieces []string, err error) {
	tokens, err := v.Tokenize(text, false, false)
	for _, t := range tokens {
		pieces = append(pieces, string(v.Bytes(t)))
	}
	return pieces, err
}

// Ends returns the texts of the tokens that texts begin and end with, or "" where there is none.
func (v *Vocabulary) Ends() (bos, eos string) {
	_ = v.whileOpen(func() error {
		bos = v.model.model.Detokenize([]step.Token{v.model.model.BOS()}, true)
		eos = v.model.model.Detokenize([]step.Token{v.model.model.EOS()}, true)
		return nil
	})
	return bos, eos
}

// Room returns how many tokens a request can have, including its reply; trained tells that the model's training bounds
// it, and not the context (--context).
func (v *Vocabulary) Room() (tokens int, trained bool) {
	tokens, _ = v.model.room()
	return tokens, tokens == v.model.info.Context
}

// Reasoning returns how many tokens the reply to a request may have besides those of its answer, where its reasoning
// has a bound of its own.
func (v *Vocabulary) Reasoning(r Request) int { return v.model.most(r) - r.maxTokens() }

// Parallel returns how many generations run at once.
func (v *Vocabulary) Parallel() int { return v.model.options.parallel }

// Model describes the model.
func (v *Vocabulary) Model() ModelInfo { return v.model.about() }

// Identity returns the identity of the engine with this model.
func (v *Vocabulary) Identity() Identity { return v.model.identity }

// whileOpen calls a function while the model cannot be freed.
func (v *Vocabulary) whileOpen(f func() error) error {
	v.local.mu.RLock()
	defer v.local.mu.RUnlock()
	if v.local.closed {
		return step.ErrClosed
	}
	return f()
}

func tokenIDs(tokens []step.Token) []int32 {
	list := make([]int32, len(tokens))
	for i, t := range tokens {
		list[i] = int32(t)
	}
	return list
}
