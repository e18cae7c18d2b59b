package offline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// Embedding returns a vector for each text, all of one length, as inference.Embedder.Embed does.
type Embedding func(ctx context.Context, texts []string) ([][]float32, error)

// Similarity is how alike the answers of agents are: the mean cosine of the embeddings of two answers. MALLM (Table
// 1) takes a low similarity for diversity. Cosines of different models or poolings are not comparable, so it records
// what computed them.
type Similarity struct {
	Version    int                   `json:"v"`
	Model      inference.ModelInfo   `json:"model"` // the embedding model
	Method     string                `json:"method"`
	Most       int                   `json:"most_tokens"` // tokens of a text that were embedded at most
	Texts      int                   `json:"texts"`       // different texts
	Truncated  int                   `json:"truncated"`   // texts that were longer than Most
	Conditions []ConditionSimilarity `json:"conditions"`
	// Growth is K* over numbers of agents, by the last answers of conditions that differ in that number alone.
	Growth []peers.Growth `json:"growth,omitempty"`
}

// SimilarityVersion is the version of similarity.json.
const SimilarityVersion = 1

// ConditionSimilarity is the similarity under one condition. A debate that ended before a round does not count in it.
type ConditionSimilarity struct {
	Condition string            `json:"condition"`
	Rounds    []RoundSimilarity `json:"rounds"` // in order, from round 0
	Last      RoundSimilarity   `json:"last"`   // of the last round of each debate
	// Personas compares the descriptions of the agents' personas; it is nil if no debate has two.
	Personas *RoundSimilarity `json:"personas,omitempty"`
}

// RoundSimilarity is the mean over questions of the mean over all pairs of agents. A debate with fewer than two answers
// in the round does not count.
type RoundSimilarity struct {
	N          int     `json:"n"` // questions
	Pairs      int     `json:"pairs"`
	Similarity float64 `json:"similarity"` // from -1 to 1; 0 if N is 0
	// 95 %, over questions, see stat.ByCluster; nil for fewer than two, and where they do not vary
	Interval *stat.Interval `json:"interval,omitempty"`
	// Channels is K*, the effective channels of the texts of a debate by their cosines (team.Channels), mean as in
	// Similarity, or 0 if N is. Debates with more than mostChannels texts have none.
	Channels float64 `json:"channels,omitempty"`
	Agents   int     `json:"agents,omitempty"` // those of the debate with the most answers
}

// worth is what a team is worth by its texts, nil where that is not known.
func (r RoundSimilarity) worth() *peers.Worth {
	if r.Channels == 0 {
		return nil
	}
	return &peers.Worth{Agents: r.Agents, Channels: r.Channels}
}

// mostChannels bounds the debates whose channels are counted: the work grows with the third power of their texts.
const mostChannels = 200

// SimilarityOf embeds each different text of a run once and compares the answers of agents.
func SimilarityOf(ctx context.Context, r rundir.Run, embed Embedding) (Similarity, error) {
	s := Similarity{Version: SimilarityVersion}
	solutions := make([][][]string, len(r.Outcomes))
	personas := make([][]string, len(r.Outcomes))
	for i, o := range r.Outcomes {
		solutions[i], personas[i] = o.Transcript.Solutions(), o.Transcript.Described()
	}
	vectors, err := embedAll(ctx, append(slices.Clone(solutions), personas), embed)
	if err != nil {
		return s, err
	}
	s.Texts = len(vectors)
	var teams []peers.Team
	for _, condition := range r.Header.Conditions {
		c := similarityUnder(condition, r.Outcomes, solutions, personas, vectors)
		s.Conditions, teams = append(s.Conditions, c), append(teams, peers.Team{Condition: condition,
			Worth: c.Last.worth()})
	}
	s.Growth = peers.GrowthOfTexts(teams)
	return s, nil
}

// similarityUnder compares the answers of one condition. solutions[i] has the texts of outcome i, by round and agent,
// personas[i] the descriptions of its agents.
func similarityUnder(condition string, outcomes []trial.Outcome, solutions [][][]string, personas [][]string,
	vectors map[string][]float32) ConditionSimilarity {
	var rounds []roundSum
	var last, described roundSum
	for i, o := range outcomes {
		if o.Condition != condition {
			continue
		}
		described.add(o, personas[i], vectors)
		for k, texts := range solutions[i] {
			if k == len(rounds) {
				rounds = append(rounds, roundSum{})
			}
			rounds[k].add(o, texts, vectors)
			if k == len(solutions[i])-1 {
				last.add(o, texts, vectors)
			}
		}
	}
	c := ConditionSimilarity{Condition: condition, Rounds: []RoundSimilarity{}, Last: last.similarity()}
	if of := described.similarity(); of.N > 0 {
		c.Personas = &of
	}
	for _, a := range rounds {
		c.Rounds = append(c.Rounds, a.similarity())
	}
	return c
}

// embedAll embeds each different text once and returns the vectors by text.
func embedAll(ctx context.Context, solutions [][][]string, embed Embedding) (map[string][]float32, error) {
	vectors := make(map[string][]float32)
	var texts []string
	for _, rounds := range solutions {
		for _, round := range rounds {
			for _, text := range round {
				if _, known := vectors[text]; !known {
					vectors[text] = nil
					texts = append(texts, text)
				}
			}
		}
	}
	embedded, err := embed(ctx, texts)
	if err == nil && len(embedded) != len(texts) {
		err = fmt.Errorf("the model returned %d vectors", len(embedded))
	}
	if err != nil {
		return nil, fmt.Errorf("embedding of %d texts: %w", len(texts), err)
	}
	for i, text := range texts {
		if vectors[text] = embedded[i]; len(embedded[i]) != len(embedded[0]) {
			return nil, fmt.Errorf("embedding of %d texts: vectors of %d and of %d numbers", len(texts),
				len(embedded[0]), len(embedded[i]))
		}
	}
	return vectors, nil
}

// byQuestion collects numbers by question.
type byQuestion struct {
	places   map[string]int // index in values, by question
	values   [][]float64    // of each question, one for each repeat
	clusters []string       // of each question
}

func (b *byQuestion) add(of trial.Outcome, value float64) {
	if b.places == nil {
		b.places = make(map[string]int)
	}
	at, known := b.places[of.Question]
	if !known {
		at = len(b.values)
		b.places[of.Question], b.values, b.clusters = at, append(b.values, nil), append(b.clusters, of.Cluster)
	}
	b.values[at] = append(b.values[at], value)
}

// means has the mean of each question.
func (b byQuestion) means() (list []float64) {
	for _, repeats := range b.values {
		list = append(list, stat.Mean(repeats))
	}
	return list
}

// roundSum collects the similarities of one round under one condition: the means over pairs.
type roundSum struct {
	questions byQuestion
	channels  byQuestion // K*; without debates that have none
	pairs     int
	agents    int // of the debate with the most answers
}

// add enters the answers of one debate, unless there are fewer than two.
func (a *roundSum) add(of trial.Outcome, texts []string, vectors map[string][]float32) {
	sum, pairs := 0.0, 0
	cosines := make([][]float64, len(texts))
	for i := range texts {
		cosines[i] = make([]float64, len(texts))
	}
	for i, one := range texts {
		cosines[i][i] = 1
		for j, other := range texts[i+1:] {
			c := cosine(vectors[one], vectors[other])
			cosines[i][i+1+j], cosines[i+1+j][i] = c, c
			sum += c
			pairs++
		}
	}
	if pairs == 0 {
		return
	}
	if len(texts) <= mostChannels {
		if k, err := team.Channels(cosines); err == nil { // it is one of vectors that are zero
			a.channels.add(of, k)
		}
	}
	a.questions.add(of, sum/float64(pairs))
	a.pairs, a.agents = a.pairs+pairs, max(a.agents, len(texts))
}

func (a roundSum) similarity() RoundSimilarity {
	means := a.questions.means()
	r := RoundSimilarity{N: len(means), Pairs: a.pairs, Agents: a.agents,
		Channels: stat.Mean(a.channels.means())}
	r.Similarity = stat.Mean(means)
	// t alone: texts on one question are never as unlike as the bounds are, which stat.BoundedAt reckons with. Cosines
	// of equal texts differ by the rounding of vectors, which have seven digits.
	if c := stat.ByCluster(means, a.questions.clusters, -1, 1, analysis.Level); c.Error > 1e-6 {
		r.Interval = &c.Interval
	}
	return r
}

// cosine returns the cosine of the angle between two vectors of one length, 0 if one of them is zero.
func cosine(a, b []float32) float64 {
	var both, first, second float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		both += x * y
		first += x * x
		second += y * y
	}
	if first == 0 || second == 0 {
		return 0
	}
	return max(-1, min(1, both/math.Sqrt(first*second)))
}

// similarityFile is what similarities are called in a run directory.
const similarityFile = "similarity.json"

// CheckSimilarity refuses a run directory in which Save would take the place of a file that it has not written.
func CheckSimilarity(directory string) error { return rundir.CheckJSON(directory, similarityFile, "v") }

// Save writes similarity.json into a run directory.
func (s Similarity) Save(directory string) error {
	return rundir.WriteJSON(directory, similarityFile, s)
}

// Document is the table and what computed it.
func (s Similarity) Document() table.Document {
	cut := ""
	if s.Truncated > 0 {
		cut = fmt.Sprintf("; %s were longer than %s tokens and cut", wording.Comma(s.Truncated), wording.Comma(s.Most))
	}
	text := fmt.Sprintf(`mean cosine of the answers of two agents of a debate, over all pairs, then over questions; t interval over questions,
– of fewer than two or where they do not vary;
K*: effective channels of a debate's last answers (Agent-Scaling), 1 where all say the same;
n and pairs are of the last answers; a debate with fewer than two answers does not count; personas: the same of the
descriptions of the agents' personas, where there are any
embedded by %s (%s %s, sha256 %.12s): %s different texts%s
`, s.Method, s.Model.Architecture, s.Model.Quantization, s.Model.Hash, wording.Comma(s.Texts), cut)
	d := table.Document{s.table(), table.Text(text)}
	if len(s.Growth) > 0 { // K* over numbers of agents
		d = append(d, peers.GrowthTable(s.Growth).Titled("")...)
	}
	return d
}

// table has a row for each condition.
func (s Similarity) table() table.Table {
	first := func(c ConditionSimilarity) (r RoundSimilarity) {
		if len(c.Rounds) > 0 {
			r = c.Rounds[0]
		}
		return r
	}
	described := slices.ContainsFunc(s.Conditions, func(c ConditionSimilarity) bool { return c.Personas != nil })
	return table.New([]table.Column[ConditionSimilarity]{
		table.Left("condition", func(c ConditionSimilarity) string { return c.Condition }),
		table.Right("n", func(c ConditionSimilarity) string { return fmt.Sprint(c.Last.N) }),
		table.Right("first answers", func(c ConditionSimilarity) string { return first(c).mean() }),
		table.Right("95 % interval", func(c ConditionSimilarity) string { return first(c).interval() }),
		table.Right("last answers", func(c ConditionSimilarity) string { return c.Last.mean() }),
		table.Right("95 % interval", func(c ConditionSimilarity) string { return c.Last.interval() }),
		table.Right("K*", func(c ConditionSimilarity) string { return c.Last.channels() }),
		table.Right("pairs", func(c ConditionSimilarity) string { return fmt.Sprint(c.Last.Pairs) }),
		{Name: "personas", Hidden: !described, Text: func(c ConditionSimilarity) string { return c.personas().mean() }},
	}, s.Conditions)
}

// personas are alike in no debate that has fewer than two.
func (c ConditionSimilarity) personas() (r RoundSimilarity) {
	if c.Personas != nil {
		r = *c.Personas
	}
	return r
}

func (r RoundSimilarity) mean() string {
	if r.N == 0 {
		return "–"
	}
	return table.Number("%.4f", r.Similarity)
}

func (r RoundSimilarity) channels() string {
	if r.Channels == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", r.Channels)
}

func (r RoundSimilarity) interval() string {
	if r.Interval == nil {
		return "–"
	}
	return table.Span("%.4f", r.Interval.Low, r.Interval.High)
}
