package debate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/inference"
)

// ErrSilence is the error of a debate in which no agent could reply.
var ErrSilence = errors.New("no agent could speak")

// ErrPrior is the error of a debate that cannot build on the earlier debate on its question (Case.Prior).
var ErrPrior = errors.New("nothing to build on")

// Asker asks the agents of one debate: it holds what all of its requests have in common. It is made by Asking.For.
type Asker struct {
	Asking
	speaker Speaker
	caseID  string
	Extract answer.Extractor
	// ExtractFor returns the rule for an agent that was asked in a way of its own; nil: Extract reads all replies.
	ExtractFor func(agent int) answer.Extractor
	ending     Ending

	Continuations []string // if there are any, requests score these instead of generating a reply
}

// Ask sends all turns, which have their messages already, at once and enters the replies with their answers. Turns of
// silent agents, which have an error already, are not sent. If all are silent afterwards, the error is ErrSilence.
func (a Asker) Ask(ctx context.Context, turns []Turn) error {
	if err := a.Try(ctx, turns); err != nil {
		return err
	}
	return Spoken(turns)
}

// Try is Ask without ErrSilence. All requests go out in one Generate, so that what an engine computes together depends
// on the round alone, and not on which agent asks first. Closing turns follow in another.
func (a Asker) Try(ctx context.Context, turns []Turn) error {
	var requests []inference.Request
	var asked []int
	for i, t := range turns {
		if !t.Silent() {
			if a.tool(t) != "" {
				turns[i].Messages = withTool(t.Messages)
				t = turns[i]
			}
			requests, asked = append(requests, a.request(t)), append(asked, i)
		}
	}
	replies, err := a.speaker.Generate(ctx, requests)
	if err != nil {
		return err
	}
	if len(replies) != len(requests) {
		return fmt.Errorf("round %d: %d replies to %d requests", turns[0].Round, len(replies), len(requests))
	}
	for k, i := range asked {
		turns[i].Shares = a.Reasoning == ShareReasoning && replies[k].Reasoning != ""
		turns[i].enterReply(replies[k], a.extractFor(turns[i].Agent))
	}
	return a.close(ctx, turns, asked)
}

func (a Asker) extractFor(agent int) answer.Extractor {
	if a.ExtractFor != nil {
		return a.ExtractFor(agent)
	}
	return a.Extract
}

// repliesOf returns the turns that have a reply, an error, or calls before them. In a round that was broken off some
// turns have none of these.
func repliesOf(turns []Turn) (all []Turn) {
	for _, t := range turns {
		if t.Silent() || t.Reply.Text != "" || t.Reply.Key != "" || t.Before != nil {
			all = append(all, t)
		}
	}
	return all
}

// BrokenOff returns the transcript with an unfinished round, so that nothing that was said is lost. Agents that had not
// been asked get an error, since each agent must keep its place in the round. A round in which nothing was said is left
// out.
func (t Transcript) BrokenOff(turns []Turn) Transcript {
	if len(repliesOf(turns)) == 0 {
		return t
	}
	for i := range turns {
		if len(repliesOf(turns[i:i+1])) == 0 {
			turns[i].Error = "the debate was broken off"
		}
	}
	t.Rounds = append(t.Rounds, turns)
	return t
}

// Spoken returns ErrSilence if all turns are silent.
func Spoken(turns []Turn) error {
	for _, t := range turns {
		if !t.Silent() {
			return nil
		}
	}
	return fmt.Errorf("round %d: %w: %w", turns[0].Round, ErrSilence, turns[0].Reply.Err)
}

// AskUntilRead asks n agents at once, and asks those whose reply read refuses again, up to times times in all. ask
// returns the turn of agent i in an attempt; said is called with the turns of each attempt. If all agents fail in the
// first attempt, the error is ErrSilence.
func (a Asker) AskUntilRead(ctx context.Context, n, times int, ask func(i, attempt int) Turn, said func([]Turn),
	read func(i int, t Turn) error) error {
	missing := make([]int, n)
	for i := range missing {
		missing[i] = i
	}
	for attempt := 0; attempt < times && len(missing) > 0; attempt++ {
		turns := make([]Turn, len(missing))
		for k, i := range missing {
			turns[k] = ask(i, attempt)
		}
		if err := a.Try(ctx, turns); err != nil {
			return err
		}
		// If other agents have replied already, one that fails merely has no reply to read.
		if err := Spoken(turns); err != nil && len(turns) == n {
			return err
		}
		said(turns)
		var again []int
		for k, i := range missing {
			if read(i, turns[k]) != nil {
				again = append(again, i)
			}
		}
		missing = again
	}
	return nil
}

func (a Asker) request(t Turn) inference.Request {
	sampling := a.Sampling
	if own := a.Member(t.Agent).Sampling; own != nil {
		sampling = *own
	}
	sampling.Seed = a.Seeds.Of(a.caseID, t.Agent, t.Round, t.Sample)
	return inference.Request{
		Name: fmt.Sprintf("%s round %d agent %d", a.caseID, t.Round, t.Agent),
		Case: a.caseID, Round: t.Round,
		Messages: t.Messages, Sampling: sampling, MaxTokens: a.MaxTokens, Agent: t.Agent, Sample: t.Sample,
		Stop: a.Stop, EndLoops: a.EndLoops, Tool: a.tool(t),
		Continuations: a.Continuations, Grammar: t.Grammar, Model: a.Member(t.Agent).Model,
		Confidences: a.Confidences, UsualBound: a.UsualBound && sampling.ReasoningTokens == a.Sampling.ReasoningTokens,
	}
}

// enterReply stores a reply and reads its answer. A failed reply has no text and no answer, so that nobody hears or
// counts it.
func (t *Turn) enterReply(reply inference.Reply, extract answer.Extractor) {
	t.Reply = reply
	if t.Silent() {
		t.Reply.Text, t.Error = "", reply.Err.Error()
		return
	}
	t.Answer = ReadReply(reply, extract)
}

// ReadReply reads the answer of a reply, with regard to why it ended.
func ReadReply(reply inference.Reply, extract answer.Extractor) answer.Answer {
	switch reply.Stop {
	case inference.StopLength:
		return reader.ReadUnfinished(extract, reply.Text, answer.Cut)
	case inference.StopLooped:
		return reader.ReadUnfinished(extract, reply.Text, answer.Looped)
	}
	return extract(reply.Text)
}

// Told returns what others are shown of a reply: the answer, behind the reasoning if that is shared. Answers are never
// read from reasoning.
func (t Turn) Told() string {
	if !t.Shares || t.Reply.Reasoning == "" {
		return t.Reply.Text
	}
	return strings.TrimSpace(t.Reply.Reasoning + "\n\n" + t.Reply.Text)
}

// Tells reports whether there is anything to be shown of a reply: a model may end within its reasoning. Nobody is sent
// a reply without a visible character.
func (t Turn) Tells() bool { return !t.Silent() && Visible(t.Told()) }

// Visible reports whether a text has a visible character.
func Visible(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S)
	}) >= 0
}

// Unsaid stands where a message has a place for a reply, and the agent said nothing.
const Unsaid = "(nothing was said)"

// OrUnsaid returns what stands in the place of a reply.
func OrUnsaid(reply string) string {
	if Visible(reply) {
		return reply
	}
	return Unsaid
}

// Silent reports whether the agent said nothing: its request failed, now or in an earlier round.
func (t Turn) Silent() bool { return t.Reply.Err != nil || t.Error != "" }

// NextRound returns the empty turns of the round after last, or of round 0 if last is nil. Silent agents stay silent.
func NextRound(last []Turn, agents int) []Turn {
	turns := make([]Turn, agents)
	for i := range turns {
		turns[i].Agent = i
		if last != nil {
			turns[i].Round, turns[i].Reply.Err, turns[i].Error = last[i].Round+1, last[i].Reply.Err, last[i].Error
		}
	}
	return turns
}

// Conversation returns a system message and a first user message, without those that are empty.
func Conversation(system, user string) (messages []inference.Message) {
	if system != "" {
		messages = append(messages, inference.Message{Role: "system", Content: system})
	}
	if user != "" {
		messages = append(messages, inference.Message{Role: "user", Content: user})
	}
	return messages
}

// ErrUnscored is the error of a debate that needs the probabilities of tokens, where the model's server tells none.
var ErrUnscored = errors.New("the server does not tell how probable the tokens of a reply were, which this protocol " +
	"takes for confidence: ask agents for their confidence instead, or serve the model with llama-server, vLLM or " +
	"parley serve")

// Likelihood returns the geometric mean of the probabilities of a reply's tokens, or 0 if it has none. The error is
// ErrUnscored.
func (t Turn) Likelihood() (float64, error) {
	switch {
	case t.Reply.Tokens == 0:
		return 0, nil
	case t.Reply.Unscored:
		return 0, ErrUnscored
	}
	return math.Exp(t.Reply.LogProb / float64(t.Reply.Tokens)), nil
}

// Texts returns the replies of turns. A silent agent has an empty one.
func Texts(turns []Turn) []string {
	all := make([]string, len(turns))
	for i, t := range turns {
		all[i] = t.Reply.Text
	}
	return all
}

// Seeds derives seeds and random streams from names. They depend on the run, the case and who speaks when, and never on
// the protocol: conditions that ask the same get the same reply, and sample k is the same however many are drawn. Any
// change to what is hashed would change the results of every experiment.
type Seeds struct{ Run uint64 }

// Of returns the seed of one generation.
func (s Seeds) Of(caseID string, agent, round, sample int) uint64 {
	return s.Hash("generation", caseID, agent, round, sample)
}

// Orders returns the random streams from which lists are shuffled in a round, by receiver; -1 is for all receivers.
func (s Seeds) Orders(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("order", caseID, receiver, round), 0))
	}
}

// Options returns the random stream from which it is drawn in which order an agent sees a question's options.
func (s Seeds) Options(caseID string, agent int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Hash("options", caseID, agent), 0))
}

// Sides returns the random stream from which it is drawn which sides agents argue for.
func (s Seeds) Sides(caseID string) *rand.Rand {
	return rand.New(rand.NewPCG(s.Hash("sides", caseID), 0))
}

// Peers returns the random streams from which it is drawn whom a receiver hears in a round.
func (s Seeds) Peers(caseID string, round int) func(receiver int) *rand.Rand {
	return func(receiver int) *rand.Rand {
		return rand.New(rand.NewPCG(s.Hash("peers", caseID, receiver, round), 0))
	}
}

// Ties returns the random stream from which one of several tied answers is drawn.
func (s Seeds) Ties(caseID string) *rand.Rand {
	return rand.New(rand.NewPCG(s.Hash("ties", caseID), 0))
}

// Hash returns the first 8 bytes of the SHA-256 of its arguments, in an encoding in which every string is preceded by
// its length, so that different arguments never encode alike.
func (s Seeds) Hash(kind, caseID string, numbers ...int) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, s.Run)
	for _, text := range []string{kind, caseID} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(int64(n)))
	}
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
