package chat

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Marks are how the models of a family mark the reasoning in their replies.
type Marks struct {
	Family string
	begin  []string // reasoning, or the head of a part in which the family names it
	head   string   // ends such a head; "" if parts have none
	end    []string // the answer follows
	// spelled is what templates have in the place of the first mark, if they make that; else ""
	spelled string
	around  string // begins what the answer stands in, which the template of such a family spells; else ""
	words   bool   // the first mark is words, with which a reply of any model may begin
	answer  string // of a family whose parts have names: the name of the answer
	none    string // what an answer without reasoning begins with, if it is not the first mark with an end behind it
	usual   int    // tokens of reasoning that suffice for most questions of GSM8K and MATH
}

// usualThought is the usual length where no other is known of a family: DeepSeek-R1-Distill-Qwen-7B takes 2,463 tokens
// on GSM8K in the mean (github.com/Muqi1029/NoThink-project), and the logs of docs/reading.md have 670 to 5,300 words
// on MATH-500. Harder questions take more: 13,258 tokens on AIME and 19,828 on GPQA-Diamond there, and the cards of
// Qwen3 advise replies of 32,768 tokens for most questions.
const usualThought = 4096

// families are known by what their templates spell. The first one that a template fits is taken. gpt-oss takes, on AIME
// and GPQA at medium effort, less than half of what DeepSeek-R1's distillation does (its model card, arXiv 2508.10925,
// figure 3), and Seed-OSS was trained on budgets of 512 times powers of two (its card).
var families = []*Marks{
	{Family: "harmony", begin: []string{"<|channel|>", "<|start|>"}, head: "<|message|>",
		end: []string{"<|end|>", "<|return|>", "<|call|>"}, answer: "final", none: "<|channel|>final<|message|>",
		usual: usualThought / 2},
	{Family: "gemma", begin: []string{"<|channel>"}, head: "\n", end: []string{"<channel|>"},
		none: "<|channel>thought\n<channel|>", usual: usualThought},
	{Family: "mistral", begin: []string{"[THINK]"}, end: []string{"[/THINK]"}, none: "[THINK][/THINK]",
		usual: usualThought},
	{Family: "minimax", begin: []string{"<mm:think>"}, end: []string{"</mm:think>"}, usual: usualThought},
	{Family: "hunyuan", begin: []string{"<think:opensource>"}, end: []string{"</think:opensource>"},
		spelled: "<think{}>'.format(", usual: usualThought},
	{Family: "seed", begin: []string{"<seed:think>"}, end: []string{"</seed:think>"}, usual: usualThought},
	{Family: "command", begin: []string{"<|START_THINKING|>"}, end: []string{"<|END_THINKING|>"}, usual: usualThought},
	{Family: "kimi", begin: []string{"◁think▷"}, end: []string{"◁/think▷"}, usual: usualThought},
	{Family: "apriel", begin: []string{"Here are my reasoning steps:"}, words: true,
		end: []string{"[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"}, usual: usualThought},
	// Granite 3.2 is told to write these words; quantized it writes the others, by the note in vLLM's parser
	{Family: "granite", begin: []string{"Here is my thought process:", "Here's my thought process:"}, words: true,
		end: []string{"Here is my response:", "Here's my response:"}, usual: usualThought},
	{Family: "openthinker", begin: []string{"<|begin_of_thought|>"}, end: []string{"<|end_of_thought|>",
		"<|begin_of_solution|>", "<|end_of_solution|>"}, usual: usualThought},
	// Granite 3.3 and Ernie, and Hunyuan A13B
	{Family: "response", begin: []string{"<think>"}, end: []string{"</think>", "<response>", "</response>"},
		around: "<response>", usual: usualThought},
	{Family: "answer", begin: []string{"<think>"}, end: []string{"</think>", "<answer>", "</answer>"},
		around: "<answer>", usual: usualThought},
	{Family: "think", begin: []string{"<think>"}, end: []string{"</think>"}, usual: usualThought},
	{Family: "thinking", begin: []string{"<thinking>"}, end: []string{"</thinking>"}, usual: usualThought},
	{Family: "thought", begin: []string{"<thought>"}, end: []string{"</thought>"}, usual: usualThought}, // EXAONE Deep
	{Family: "reasoning", begin: []string{"<reasoning>"}, end: []string{"</reasoning>"}, usual: usualThought},
}

// tagged matches the tags by which prompts ask for reasoning, in whatever letters; their first group begins them.
var tagged = regexp.MustCompile(`(?i)(</?)(?:think|thinking|reasoning|thoughts?|analysis|scratchpad)>`)

// unknown are the marks of a reply that begins with none: an end that nothing began, such as servers leave where the
// prompt has the beginning.
var unknown = func() *Marks {
	m := new(Marks)
	for _, f := range families {
		if f.answer == "" && !f.spoken() {
			m.end = append(m.end, f.end[0])
		}
	}
	return m
}()

// spoken reports whether the end is words too, with which the answer of any model may begin.
func (m *Marks) spoken() bool { return m.words && strings.HasSuffix(m.end[0], ":") }

// spokenIn returns the family whose words a reply of an unknown model has at its beginning and at its answer's, nil if
// there is none.
func spokenIn(text string) *Marks {
	text = strings.TrimSpace(text)
	begins := func(mark string) bool { return strings.HasPrefix(text, mark) }
	within := func(mark string) bool { return strings.Contains(text, mark) }
	for _, m := range families {
		if m.words && slices.ContainsFunc(m.begin, begins) && slices.ContainsFunc(m.end, within) {
			return m
		}
	}
	return nil
}

// MarksOf returns the marks of the family that a chat template belongs to, nil if it is none that is known to reason.
func MarksOf(template string) *Marks {
	for _, m := range families {
		if !strings.Contains(template, m.around) {
			continue
		}
		if strings.Contains(template, m.begin[0]) && strings.Contains(template, m.head) ||
			strings.Contains(template, m.end[0]) && m.answer == "" ||
			m.spelled != "" && strings.Contains(template, m.spelled) {
			return m
		}
	}
	return nil
}

// Texts returns all marks. Where they are control tokens, which are no part of a model's text, a Splitter must see them
// all the same.
func (m *Marks) Texts() []string {
	if m == nil {
		return nil
	}
	texts := slices.Concat(m.begin, m.end)
	if strings.TrimSpace(m.head) != "" {
		texts = append(texts, m.head)
	}
	return texts
}

// Ends reports whether a mark is one that the answer follows.
func (m *Marks) Ends(mark string) bool { return slices.Contains(m.end, mark) }

// Opened reports whether a prompt ends within reasoning, so that the reply goes on with it.
func (m *Marks) Opened(prompt string) bool {
	if m == nil || m.answer != "" {
		return false
	}
	prompt = strings.TrimRightFunc(prompt, unicode.IsSpace)
	return strings.HasSuffix(prompt, m.begin[0])
}

// Reply is a reply with its reasoning apart.
type Reply struct {
	Answer    string
	Reasoning string // without marks and names of parts; parts are separated by an empty line
	Reasons   bool   // there is reasoning, or a mark of it
	Cut       bool   // it ends within its reasoning
}

// Split tells the reasoning in a whole reply from the answer: see Splitter.
func Split(m *Marks, opened bool, text string) Reply {
	if m == nil {
		m = spokenIn(text)
	}
	s := NewSplitter(m, opened)
	s.Push(text)
	s.End()
	return s.Reply()
}

// SplitRecorded is Split for a reply in a log, of a model that is not known. Where it begins with a tag for reasoning
// that is no family's, that counts as one.
func SplitRecorded(text string) Reply {
	if begun := tagged.FindStringIndex(text); begun != nil && strings.TrimSpace(text[:begun[0]]) == "" {
		text = tagged.ReplaceAllString(text, "${1}think>")
	}
	for _, m := range families {
		if m.answer == "" {
			continue
		}
		at := strings.LastIndex(text, m.begin[0]+m.answer+m.head)
		if at < 0 || strings.HasPrefix(text, m.begin[0]) {
			continue
		}
		r := Split(m, false, text[at:]) // its first mark was dropped
		r.Reasoning = strings.TrimSpace(text[:at])
		return r
	}
	if before, reasoning, answer := behindText(text); answer != "" {
		return Reply{Answer: before + "\n\n" + answer, Reasoning: reasoning, Reasons: true}
	}
	return Split(nil, false, text)
}

// behindText splits a reply that reasons between marks behind other text, with its answer behind that; answer is ""
// if it does not. Marks around two words or less are what it speaks of.
func behindText(text string) (before, reasoning, answer string) {
	for _, m := range families {
		if begin, rest, ok := strings.Cut(text, m.begin[0]); ok && m.answer == "" && m.head == "" && !m.words {
			if inside, behind, ok := strings.Cut(rest, m.end[0]); ok {
				before, reasoning, answer = begin, inside, behind
				break
			}
		}
	}
	if at := tagged.FindAllStringIndex(text, 2); answer == "" && len(at) == 2 && text[at[0][0]+1] != '/' &&
		text[at[1][0]+1] == '/' {
		before, reasoning, answer = text[:at[0][0]], text[at[0][1]:at[1][0]], text[at[1][1]:]
	}
	before, answer = strings.TrimSpace(before), strings.TrimSpace(answer)
	if before == "" || len(strings.Fields(reasoning)) < 3 {
		return "", "", ""
	}
	return before, strings.TrimSpace(reasoning), answer
}

// closeReasoning returns a reply as the model wrote it, with the reasoning that it ends in closed, so that the answer
// follows.
func closeReasoning(m *Marks, opened bool, text string) string {
	s := NewSplitter(m, opened)
	s.Push(text)
	s.End()
	if !s.Reasoning() {
		return text
	}
	return text + s.marks.closing()
}

// closing ends reasoning, so that the answer follows.
func (m *Marks) closing() string {
	if m.answer != "" {
		return m.end[0] + "<|start|>assistant" + m.begin[0] + m.answer + m.head
	}
	return "\n" + m.end[0]
}

// Closing is what ends reasoning at its bound: the blank lines that most templates write behind it belong to it.
func (m *Marks) Closing() string {
	if m.none != "" {
		return m.closing()
	}
	return m.closing() + "\n\n"
}

// skipped is what the answer begins with where there is to be no reasoning; opened tells that the prompt has the first
// mark already.
func (m *Marks) skipped(opened bool) string {
	switch {
	case opened:
		return m.Closing()
	case m.none != "":
		return m.none
	}
	return m.begin[0] + "\n" + m.Closing()
}

// splitState is what a Splitter reads.
type splitState int

const (
	undecided splitState = iota // the first characters of a reply whose family is not known
	inAnswer
	inReasoning
	inHead // the name of a part
)

// Splitter tells the reasoning in a reply from the answer while the reply comes. Everything between the marks of the
// model's family is reasoning, and so is what comes before an end that nothing began. If the family is not known, that
// holds for replies that begin with the mark of some family. Other replies are answers as they are. Blanks around parts
// belong to neither.
type Splitter struct {
	marks   *Marks
	at      splitState
	pending string // may be the beginning of a mark
	head    strings.Builder
	passed  int  // marks
	fresh   bool // nothing but blanks has come since the last mark
	parts   [2]strings.Builder
	gap     string // blanks that belong to the reasoning if more of it follows
}

// NewSplitter returns a splitter for one reply of a model whose marks may be nil; opened is what Marks.Opened says of
// the prompt.
func NewSplitter(m *Marks, opened bool) *Splitter {
	s := &Splitter{marks: m, at: inAnswer}
	switch {
	case m == nil:
		s.at = undecided
	case opened && m.head != "":
		s.at, s.passed = inHead, 1
	case opened:
		s.at, s.passed, s.fresh = inReasoning, 1, true
	}
	return s
}

// Push reads more of the reply, and returns what it adds to the answer and to the reasoning. What is held back because
// it may begin a mark comes with a later call.
func (s *Splitter) Push(text string) (answer, reasoning string) {
	was := [2]int{s.parts[0].Len(), s.parts[1].Len()}
	s.pending += text
	if s.at == undecided && !s.decide(false) {
		return "", ""
	}
	all, from := s.pending, 0
	places := make(map[string]int)
	for {
		at, mark := firstOf(s.activeMarks(), all, from, places)
		if mark == "" {
			break
		}
		s.add(all[from:at])
		from = at + len(mark)
		s.pass(mark)
	}
	s.pending = all[from:]
	keep := s.markPrefix()
	s.add(s.pending[:len(s.pending)-keep])
	s.pending = s.pending[len(s.pending)-keep:]
	return s.since(was)
}

// End ends the reply, and returns what was held back.
func (s *Splitter) End() (answer, reasoning string) {
	was := [2]int{s.parts[0].Len(), s.parts[1].Len()}
	if s.at == undecided {
		s.decide(true)
	}
	s.add(s.pending)
	s.pending = ""
	return s.since(was)
}

// since returns what was added. An end that nothing began makes reasoning of what was the answer: nothing is added
// then.
func (s *Splitter) since(was [2]int) (answer, reasoning string) {
	if s.parts[0].Len() >= was[0] {
		answer = s.parts[0].String()[was[0]:]
	}
	return answer, s.parts[1].String()[min(was[1], s.parts[1].Len()):]
}

// Reasoning reports whether what came last is part of the reasoning, or may be a mark.
func (s *Splitter) Reasoning() bool { return s.at == inReasoning || s.at == inHead }

// Marks returns how many marks were passed, one that the prompt ends with included.
func (s *Splitter) Marks() int { return s.passed }

// Reply returns what was read, after End.
func (s *Splitter) Reply() Reply {
	return Reply{Answer: s.parts[0].String(), Reasoning: s.parts[1].String(), Reasons: s.passed > 0,
		Cut: s.Reasoning()}
}

// decide finds the family of a reply by what the reply begins with, and reports whether it is known.
func (s *Splitter) decide(ended bool) bool {
	begun := strings.TrimLeftFunc(s.pending, unicode.IsSpace)
	for _, m := range families {
		if m.words || m.around != "" { // the last is known by its template
			continue
		}
		if strings.HasPrefix(begun, m.begin[0]) {
			s.marks, s.at = m, inAnswer
			return true
		}
		if !ended && strings.HasPrefix(m.begin[0], begun) {
			return false
		}
	}
	s.marks, s.at = unknown, inAnswer
	return true
}

// activeMarks returns the marks that can come next.
func (s *Splitter) activeMarks() []string {
	switch {
	case s.at == inHead && s.marks.answer == "":
		return append(slices.Clone(s.marks.end), s.marks.head)
	case s.at == inHead:
		return s.marks.Texts()
	case s.at == inReasoning && s.marks.around != "":
		return s.marks.end[:1]
	}
	return append(slices.Clone(s.marks.begin), s.marks.end...)
}

// firstOf finds the first of several marks in a text from a place on; the result is "" if there is none. places has
// where marks were found before, so that a text is searched once for each, however many others it has.
func firstOf(marks []string, text string, from int, places map[string]int) (at int, mark string) {
	for _, m := range marks {
		place, known := places[m]
		if !known || place < from {
			if place = strings.Index(text[from:], m) + from; place < from {
				place = len(text)
			}
			places[m] = place
		}
		if place < len(text) && (mark == "" || place < at) {
			at, mark = place, m
		}
	}
	return at, mark
}

// markPrefix returns how many bytes at the end of the pending text may begin a mark.
func (s *Splitter) markPrefix() (most int) {
	for _, m := range s.activeMarks() {
		for n := min(len(m)-1, len(s.pending)); n > most; n-- {
			if strings.HasSuffix(s.pending, m[:n]) {
				most = n
			}
		}
	}
	return most
}

// pass goes past a mark.
func (s *Splitter) pass(mark string) {
	first := s.passed == 0
	s.passed, s.fresh, s.gap = s.passed+1, true, ""
	switch {
	case slices.Contains(s.marks.begin, mark):
		if s.at = inReasoning; s.marks.head != "" {
			s.at = inHead
			s.head.Reset()
		}
		if first && strings.TrimSpace(s.parts[0].String()) == "" {
			s.parts[0].Reset()
		}
	case mark == s.marks.head:
		s.at = inReasoning
		if name := strings.TrimSpace(s.head.String()); s.marks.answer != "" && (name == s.marks.answer ||
			name == "assistant") {
			s.at = inAnswer
		}
	case first && s.marks == unknown && begun(s.parts[0].String(), mark): // text about marks
		s.passed, s.fresh = 0, false
		s.parts[0].WriteString(mark)
	case first && s.marks.answer == "": // an end that nothing began
		said := strings.TrimSpace(s.parts[0].String())
		s.parts[0].Reset()
		s.parts[1].WriteString(said)
		if s.at = inAnswer; s.marks == unknown {
			s.marks = endedBy(mark)
		}
	default:
		s.at = inAnswer
	}
}

// endedBy returns the family whose reasoning a mark ends.
func endedBy(mark string) *Marks {
	return families[slices.IndexFunc(families, func(m *Marks) bool { return m.end[0] == mark && m.around == "" })]
}

// begun reports whether a text has the beginning of what an end ends.
func begun(text, end string) bool {
	return slices.ContainsFunc(families, func(m *Marks) bool {
		return slices.Contains(m.end, end) && strings.Contains(text, m.begin[0])
	})
}

// add adds text to the part that is being read.
func (s *Splitter) add(text string) {
	if s.at == inHead {
		s.head.WriteString(text)
		return
	}
	if s.fresh {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text == "" {
		return
	}
	if s.at == inAnswer {
		s.fresh = false
		s.parts[0].WriteString(text)
		return
	}
	if s.fresh && s.parts[1].Len() > 0 {
		s.gap = "\n\n"
	}
	s.fresh = false
	text = s.gap + text
	kept := strings.TrimRightFunc(text, unicode.IsSpace)
	s.gap = text[len(kept):]
	s.parts[1].WriteString(kept)
}
