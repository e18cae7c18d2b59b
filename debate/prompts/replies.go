package prompts

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
)

// Replies is what a set says of the replies that it asks for.
type Replies struct {
	// Rules are the answer rules that read what the texts ask for, of our readers without their version. None: it is
	// not known which do.
	Rules []string `yaml:"rules"`
	// Stop are texts that end a reply, such as the one that separates a set's worked examples: a model that goes on
	// behind its answer begins the next example with it.
	Stop []string `yaml:"stop"`
	// File is the SHA-256, hex, of the file that the set was read from; "" for a set in the program.
	File string `yaml:"-"`
}

func (r *Replies) readFrom(file []byte) { r.File = fmt.Sprintf("%x", sha256.Sum256(file)) }

// maxStops bounds the stop texts of a set, which every token of a reply is compared with.
const maxStops = 16

func (r Replies) check() error {
	for _, rule := range r.Rules {
		if _, err := reader.Rule(rule); err != nil && answer.KindOf(rule) == answer.KindText { // not among, of a task
			return fmt.Errorf("rules: %w", err)
		}
	}
	if len(r.Stop) > maxStops || slices.Contains(r.Stop, "") {
		return fmt.Errorf("stop: %d texts: there may be up to %d, and none that is empty", len(r.Stop), maxStops)
	}
	return nil
}

// suit reports whether an answer rule reads what the set asks for. It is true where that is not known.
func (r Replies) suit(rule string) bool {
	return len(r.Rules) == 0 || slices.ContainsFunc(r.Rules, func(own string) bool {
		return own == rule ||
			answer.IsReader(own) && answer.IsReader(rule) && answer.KindOf(own) == answer.KindOf(rule)
	})
}

// Forms say how an answer is to be stated, by its kind: {form} stands for it in the texts of a set.
type Forms map[answer.Kind]string

func (f Forms) check() error {
	for _, kind := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(answer.Kinds(), kind) {
			return fmt.Errorf("forms: %q is no kind of answers; there are %v", kind, answer.Kinds())
		}
	}
	return nil
}

// of returns the form for a kind. No kind is that of a choice, and usual is the form of a set that has none.
func (f Forms) of(kind answer.Kind, usual string) (string, error) {
	switch form, ok := f[kind]; {
	case ok:
		return form, nil
	case kind == "" && f[answer.KindChoice] != "":
		return f[answer.KindChoice], nil
	case kind == "":
		return usual, nil
	case len(f) == 0:
		return "", fmt.Errorf("the set asks for all answers alike: leave out :%s", kind)
	}
	return "", fmt.Errorf("the set has no form for answers of the kind %s; it has %v", kind,
		slices.Sorted(maps.Keys(f)))
}

// ofKind takes a name apart: a set that has forms can be named with a kind of answers behind it, as in plain:number.
func ofKind(name string) (set string, kind answer.Kind) {
	if i := strings.LastIndexByte(name, ':'); i >= 0 && slices.Contains(answer.Kinds(), answer.Kind(name[i+1:])) {
		return name[:i], answer.Kind(name[i+1:])
	}
	return name, ""
}

// Asking returns the name under which a set of a society asks for answers of a kind. A set without a form for it, or
// that is named with a kind already, keeps its name; so does one of which the kind is that of its plain name.
func Asking(name string, kind answer.Kind) string {
	return askForAnswer(name, kind, readSet[Set](Load))
}

// AskingInDiscussion is Asking for the set of a discussion.
func AskingInDiscussion(name string, kind answer.Kind) string {
	return askForAnswer(name, kind, readSet[Discussion](LoadDiscussion))
}

// readSet returns the forms of a set by its name, nil of one that cannot be read.
func readSet[T interface{ forms() Forms }](load func(string) (T, error)) func(string) Forms {
	return func(name string) Forms {
		set, err := load(name)
		if err != nil {
			return nil
		}
		return set.forms()
	}
}

func askForAnswer(name string, kind answer.Kind, formsOf func(string) Forms) string {
	if _, named := ofKind(name); named != "" || kind == answer.KindChoice || formsOf(name)[kind] == "" {
		return name
	}
	return name + ":" + string(kind)
}

// Agree refuses an answer rule that does not read what a set of a society asks for, and says what fits. A set that
// cannot be loaded, or that does not say which rules read it, is not refused here.
func Agree(name, rule string) error {
	set, err := Load(name)
	_, kind := ofKind(name)
	wanted := answer.KindOf(rule)
	same := len(set.Forms) == 0 || cmp.Or(set.Forms[kind], set.Forms[answer.KindChoice]) == set.Forms[wanted]
	if err != nil || set.suit(rule) && same {
		return nil
	}
	reading := set.Rules
	if len(set.Forms) > 0 {
		reading = []string{cmp.Or(kind, answer.KindChoice).Reader()}
	}
	return fmt.Errorf("the answer rule %s does not read what the prompts %s ask for: name prompts that fit the rule, "+
		"such as %s, or a rule that fits these prompts, such as %s", rule, name, Fitting(rule),
		strings.Join(reading, ", "))
}

// neutral are the sets that ask any question in our words, the most general first.
var neutral = []string{"plain", "solution", "bare"}

// Fitting returns the neutral set that asks for what an answer rule reads.
func Fitting(rule string) string {
	kind := answer.KindOf(rule)
	for _, name := range neutral {
		set, err := Load(name)
		if err != nil {
			panic(err) // embedded
		}
		if set.suit(rule) {
			return Asking(name, kind)
		}
	}
	return Asking(neutral[0], kind)
}

// restate puts a form into all texts below a value, which must be addressable. The Forms of a set, which say what
// stands for {form}, stay as they are.
func restate(v reflect.Value, form string) {
	if v.Type() == reflect.TypeFor[Forms]() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fill(v.String(), "{form}", form))
	case reflect.Struct:
		for i := range v.NumField() {
			restate(v.Field(i), form)
		}
	case reflect.Slice:
		for i := range v.Len() {
			restate(v.Index(i), form)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			own := reflect.New(v.Type().Elem()).Elem() // elements of maps cannot be set in place
			own.Set(v.MapIndex(key))
			restate(own, form)
			v.SetMapIndex(key, own)
		}
	}
}
