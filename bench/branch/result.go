package branch

import (
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/inference"
)

// Results are the branches of messages of a run, as branch.json has them.
type Results struct {
	Version  int                 `json:"v"`
	Own      bool                `json:"own_answer,omitempty"` // shown is the answer of a message, not the decision
	Model    inference.ModelInfo `json:"model"`
	Messages []Result            `json:"messages"`
	Work     Work                `json:"work"`
}

// Version is the version of branch.json.
const Version = 1

// Work is what all branches took: prompt tokens of their requests, those of them that were computed, and the tokens
// that were drawn. What an earlier session has drawn counts in neither of the last two.
type Work struct {
	Asked    int `json:"prompt_asked"`
	Computed int `json:"prompt_computed"`
	Drawn    int `json:"decoded"`
}

// Result is how much the sentences of one message changed the decision.
type Result struct {
	Question    string        `json:"question"`
	Repeat      int           `json:"repeat,omitempty"`
	Condition   string        `json:"condition"`
	Round       int           `json:"round"`
	Agent       int           `json:"agent"`
	Role        string        `json:"role"`
	Samples     int           `json:"samples"` // branches from each place
	Seed        uint64        `json:"seed"`
	Temperature *float32      `json:"temperature,omitempty"` // of what was drawn anew; nil: as recorded
	Answer      answer.Answer `json:"answer"`                // of the message, as recorded
	Decision    answer.Answer `json:"decision"`              // of the debate, as recorded
	Target      string        `json:"target,omitempty"`
	Sentences   []Sentence    `json:"sentences"`
	// Whole compares branches that keep the whole message with those that begin before it and say something else.
	Whole Sentence `json:"whole"`
}

// Sentence is one sentence of a message, or all of it, with what was decided with it and without it.
type Sentence struct {
	Text string `json:"text"` // with the white space before it
	// Kept are the branches that begin behind the sentence, Anew those that begin before it, and Without those of them
	// whose sentence at this place has other words.
	Kept    Told `json:"kept"`
	Anew    Told `json:"anew"`
	Without Told `json:"without"`
	// Effects compares Kept with Without; nil where the sentence came again in all branches.
	*Effects
	// Resampling are the divergences of Anew from Kept: resampling importance.
	Resampling Divergences `json:"resampling"`
	Instead    *Instead    `json:"instead,omitempty"` // nil where nothing was put in the place of the sentence
}

// Instead is what was decided with a text in the place of a sentence.
type Instead struct {
	Text     string `json:"text"` // "" left the sentence out
	Told     `json:"branches"`
	*Effects // compares the branches that keep the sentence with these
}

// Told counts branches by what came of them.
type Told struct {
	N         int     `json:"n"`
	Right     int     `json:"right"` // in which the decision is right
	Failed    int     `json:"failed,omitempty"`
	Decisions []Count `json:"decisions"` // of the debate, the most frequent first
	Answers   []Count `json:"answers"`   // that the message states
}

// Count is how often something was decided, or stated.
type Count struct {
	Answer answer.Answer `json:"answer"`
	N      int           `json:"n"`
}

// counted enters an answer.
func counted(list []Count, a answer.Answer) []Count {
	i := slices.IndexFunc(list, func(c Count) bool { return c.Answer.Same(a) })
	if i < 0 {
		i, list = len(list), append(list, Count{Answer: answer.Answer{Text: a.Text, Parsed: a.Parsed}})
	}
	list[i].N++
	for ; i > 0 && list[i].N > list[i-1].N; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

// partOf counts an answer among others.
func partOf(list []Count, a answer.Answer) (p Part) {
	for _, c := range list {
		p.Of += c.N
		p.Same += stat.One[int](c.Answer.Same(a)) * c.N
	}
	return p
}

// Effects are what a sentence does to the decision of the debate, to the answer that its own message states, and to how
// often the decision is right; nil where no right answer is known.
type Effects struct {
	Decision Effect   `json:"decision"`
	Answer   Effect   `json:"answer"`
	Right    *float64 `json:"right,omitempty"`
}

// Effect is the share of branches with the recorded answer, with a sentence minus without it.
type Effect struct {
	With       Part          `json:"with"`
	Without    Part          `json:"without"`
	Difference float64       `json:"difference"`
	Interval   stat.Interval `json:"interval"` // 95 %, see stat.Difference
	P          float64       `json:"p"`        // Fisher's exact test
	// PHolm is P, corrected for all that the message was compared in.
	PHolm float64 `json:"p_holm"`
	// Divergence is that of the answers without the sentence from those with it, in nats: counterfactual importance.
	Divergence float64 `json:"divergence"`
}

// Part is how many of some branches have the recorded answer.
type Part struct {
	Same int `json:"same"`
	Of   int `json:"of"`
}

// asked is the part as package stat counts.
func (p Part) asked() stat.Asked { return stat.Asked{Right: p.Same, Times: p.Of} }

// Divergences are those of decisions, and of the answers that the message states.
type Divergences struct {
	Decision float64 `json:"decision"`
	Answer   float64 `json:"answer"`
}

// effectOf compares how often an answer was recorded.
func effectOf(with, without []Count, recorded answer.Answer) Effect {
	e := Effect{With: partOf(with, recorded), Without: partOf(without, recorded), Divergence: divergence(without, with)}
	kept, other := e.With.asked(), e.Without.asked()
	e.Difference, e.Interval = stat.Difference([]stat.Asked{kept}, []stat.Asked{other}, analysis.Level)
	e.P = stat.Fisher(kept, other)
	return e
}

// effectsOf compares the branches that keep a sentence with others; nil without any.
func (r Result) effectsOf(kept, without Told) *Effects {
	if kept.N == 0 || without.N == 0 {
		return nil
	}
	e := &Effects{Decision: effectOf(kept.Decisions, without.Decisions, r.Decision),
		Answer: effectOf(kept.Answers, without.Answers, r.Answer)}
	if r.Target != "" {
		right := stat.Share(kept.Right, kept.N) - stat.Share(without.Right, without.N)
		e.Right = &right
	}
	return e
}

// measure compares, for each sentence, what was decided with it and without it.
func (r *Result) measure() {
	var tested []*Effects
	test := func(kept, without Told) *Effects {
		e := r.effectsOf(kept, without)
		if e != nil {
			tested = append(tested, e)
		}
		return e
	}
	measured := []*Sentence{&r.Whole}
	for i := range r.Sentences {
		measured = append(measured, &r.Sentences[i])
	}
	for _, s := range measured {
		s.Resampling = Divergences{divergence(s.Anew.Decisions, s.Kept.Decisions),
			divergence(s.Anew.Answers, s.Kept.Answers)}
		if s.Effects = test(s.Kept, s.Without); s.Instead != nil {
			s.Instead.Effects = test(s.Kept, s.Instead.Told)
		}
	}
	for _, of := range []func(*Effects) *Effect{decision, ownAnswer} {
		p := make([]float64, len(tested))
		for i, e := range tested {
			p[i] = of(e).P
		}
		for i, corrected := range stat.Holm(p) {
			of(tested[i]).PHolm = corrected
		}
	}
}

func decision(e *Effects) *Effect  { return &e.Decision }
func ownAnswer(e *Effects) *Effect { return &e.Answer }

// divergence is that of Kullback and Leibler of the first distribution from the second, in nats, with one added to each
// count of an answer that either has, as the program of Thought Anchors smooths them on request.
func divergence(first, second []Count) (nats float64) {
	counts := make(map[answer.Answer][2]float64)
	totals := [2]float64{}
	var order []answer.Answer // sums repeat to the bit
	for side, list := range [][]Count{first, second} {
		for _, c := range list {
			n, known := counts[c.Answer]
			if !known {
				order = append(order, c.Answer)
			}
			n[side] += float64(c.N)
			counts[c.Answer] = n
			totals[side] += float64(c.N)
		}
	}
	for _, class := range order {
		p := (counts[class][0] + 1) / (totals[0] + float64(len(order)))
		q := (counts[class][1] + 1) / (totals[1] + float64(len(order)))
		nats += p * math.Log(p/q)
	}
	return max(0, nats)
}

// resultFile is what the branches of a run are called in its directory.
const resultFile = "branch.json"

// CheckPlace refuses a run directory in which Save would take the place of a file that it has not written.
func CheckPlace(directory string) error { return rundir.CheckJSON(directory, resultFile, "v") }

// Save writes branch.json into a run directory.
func (r Results) Save(directory string) error { return rundir.WriteJSON(directory, resultFile, r) }
