package debate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/grammar"
)

// Ending is what an answer alone looks like, for closing turns. There are none if it is empty.
type Ending struct {
	Options []string // if there are any, one of them
	Texts   []string // of options that are letters; nil: they are words themselves
	Grammar string   // otherwise: in GBNF, what follows closingPhrase
}

// EndingTo returns how an answer to a question ends a reply that a rule reads. It is empty where the rule reads letters
// and the question lists no options, of which nobody knows how many letters they have.
func EndingTo(rule string, q answer.Question) Ending {
	kind, options := answer.KindOf(rule), reader.OptionsOf(q)
	if kind == answer.KindChoice && len(options) == 0 {
		return Ending{}
	}
	return EndingOf(kind, options)
}

// EndingOf returns how an answer of a kind ends a reply; options are the texts of the question's, or none.
func EndingOf(kind answer.Kind, options []string) (end Ending) {
	switch {
	case kind == answer.KindYesNo:
		end.Options = []string{"yes", "no"}
	case kind == answer.KindName && len(options) > 0:
		end.Options = options
	case kind == answer.KindChoice && len(options) > 0 && len(options) <= 26:
		for i := range options {
			end.Options = append(end.Options, answer.OptionName(i))
		}
		end.Texts = options
	case kind == answer.KindChoice:
		end.Grammar = grammar.Between(" (", grammar.Letter(), ")").String()
	case kind == answer.KindNumber:
		end.Grammar = grammar.Between(" ", grammar.Decimal(), "").String()
	default:
		end.Grammar = grammar.Between(" ", grammar.Line(closingChars), "").String()
	}
	return end
}

// ordersFrom returns the orders in which closing turns list the options, from the one that an agent saw on; nil is the
// question's own, as in Turn.Options.
func (e Ending) ordersFrom(seen []int) (orders [][]int) {
	n := len(e.Options)
	if n == 0 {
		return [][]int{nil}
	}
	texts := make([]string, n)
	if seen == nil {
		seen = identity(n)
	}
	for place, option := range seen {
		texts[place] = e.Options[option]
		if e.Texts != nil {
			texts[place] = e.Texts[option]
		}
	}
	for _, places := range reader.Rotations(texts) {
		order := make([]int, n)
		for i, place := range places {
			order[i] = seen[place]
		}
		if slices.IsSorted(order) {
			order = nil
		}
		orders = append(orders, order)
	}
	return orders
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// list writes the options in an order, and returns what each is called there.
func (e Ending) list(order []int) (text string, labels []string) {
	if len(e.Options) == 0 {
		return "", nil
	}
	if order == nil {
		order = identity(len(e.Options))
	}
	if e.Texts != nil {
		for place, option := range order {
			text += e.Options[place] + " " + e.Texts[option] + "\n"
		}
		return text, e.Options
	}
	for _, option := range order {
		labels = append(labels, e.Options[option])
	}
	last := len(labels) - 1
	text = strings.Join(labels[:last], ", ") + " or " + labels[last] + "? "
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:], labels
}
