package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models/modeltest"
)

// A workload is some debates: rounds of requests in which agents hear their own and others' last replies. It is a
// function of its seed and of the replies.
type workload struct {
	seed     uint64
	debates  int
	rounds   int
	agents   int
	samples  int // requests of an agent in round 0 that differ in nothing but their seeds
	longest  int // tokens of a reply
	sampling inference.Sampling
	grammar  string
	scored   bool // another request of each round has continuations scored
	stops    []string
	loops    bool // end a reply
}

func randomWorkload(seed uint64) workload {
	r := rand.New(rand.NewPCG(seed, 1))
	w := workload{seed: seed, debates: 1 + r.IntN(4), rounds: 1 + r.IntN(3), agents: 1 + r.IntN(4),
		samples: 1 + r.IntN(3), longest: 8 + r.IntN(90)}
	w.sampling.Temperature = []float32{0, 0.3, 1, 1, 1.5}[r.IntN(5)]
	w.sampling.TopK = []int{0, 0, 0, 5}[r.IntN(4)]
	w.sampling.TopP = []float32{0, 0, 0.9}[r.IntN(3)]
	w.sampling.MinP = []float32{0, 0, 0, 0.05}[r.IntN(4)]
	w.sampling.RepeatPenalty = []float32{0, 0, 0, 1.1}[r.IntN(4)]
	if w.sampling.RepeatPenalty != 0 {
		w.sampling.FrequencyPenalty = 0.7
		w.sampling.Bias = []inference.TokenBias{{Token: 300, Bias: 3}, {Token: 310, Bias: -100}}
	}
	w.sampling.Alternatives = r.IntN(3)
	w.grammar = []string{"", "", "", steps}[r.IntN(4)]
	w.scored = r.IntN(3) == 0
	w.stops, w.loops = [][]string{nil, nil, {" the"}, {"Step 2", " is"}}[r.IntN(4)], r.IntN(2) == 0
	return w
}

// hold holds all debates of a workload on an engine and returns the replies by the names of their requests.
func (w workload) hold(t *testing.T, l *inference.Local) map[string]inference.Reply {
	t.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	replies := make(map[string]inference.Reply)
	var members []inference.Participant
	for i := range w.debates {
		members = append(members, l.Join(i))
	}
	for i, p := range members {
		group.Go(func() {
			defer p.Leave()
			histories := make([][]inference.Message, w.agents)
			last := make([]string, w.agents)
			for round := range w.rounds {
				requests := w.round(i, round, histories, last)
				got, err := p.Generate(t.Context(), requests)
				if err != nil {
					t.Error(err)
					return
				}
				for k, reply := range got {
					if reply.Err != nil {
						t.Errorf("%s: %v, want nil", requests[k].Name, reply.Err)
					}
					if r := requests[k]; r.Sample == 0 {
						last[r.Agent] = reply.Text
						histories[r.Agent] = append(r.Messages, inference.Message{Role: "assistant",
							Content: reply.Text})
					}
					mu.Lock()
					replies[requests[k].Name] = reply
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return replies
}

// round is what the agents of a debate are asked: the question, and later to look at what some others have said.
func (w workload) round(debate, round int, histories [][]inference.Message,
	last []string) (requests []inference.Request) {
	puzzle := puzzles[rand.New(rand.NewPCG(w.seed, uint64(debate))).IntN(len(puzzles))]
	r := rand.New(rand.NewPCG(w.seed, uint64(100*debate+round)))
	for agent := range w.agents {
		messages := ask(puzzle)
		if round > 0 {
			var others strings.Builder
			for k := range last {
				if k != agent || w.agents == 1 {
					fmt.Fprintf(&others, "One agent solution: %s\n\n", last[k])
				}
			}
			messages = append(histories[agent][:len(histories[agent]):len(histories[agent])],
				inference.Message{Role: "user", Content: others.String() +
					"Using these, answer again, in the form (X)."})
		}
		for sample := range w.samples {
			request := inference.Request{
				Messages: messages, Sampling: w.sampling, MaxTokens: w.longest, Grammar: w.grammar, Agent: agent,
				Sample: sample, Stop: w.stops, EndLoops: w.loops,
				Name: fmt.Sprintf("debate %d round %d agent %d sample %d", debate, round, agent, sample),
			}
			request.Sampling.Seed = r.Uint64()
			requests = append(requests, request)
		}
		if w.scored {
			requests = append(requests, inference.Request{
				Messages: messages, Continuations: []string{"(A)", "Step 1: The options", "The answer is: (B)."},
				Agent: agent, Sample: w.samples,
				Name: fmt.Sprintf("debate %d round %d agent %d scored", debate, round, agent),
			})
		}
	}
	return requests
}

// A way is how an engine is set up, in all that may change no bit.
type way struct {
	parallel, context, threads int
	stepCost                   float64 // of drafts; 0: none
}

func (w way) String() string {
	return fmt.Sprintf("--parallel %d --context %d --threads %d, drafts as if a step cost %g rows", w.parallel,
		w.context, w.threads, w.stepCost)
}

var (
	allParallel  = []int{1, 2, 3, 4, 5, 7, 8, 16, 33, 64}
	allThreads   = []int{1, 2, 3}
	allStepCosts = []float64{0, 0.5, 2, 8, 30, 1000}
)

func randomWay(r *rand.Rand, least int) way {
	return way{
		parallel: allParallel[r.IntN(len(allParallel))],
		context:  []int{least, least * 3 / 2, 2 * least, 8192}[r.IntN(4)],
		threads:  []int{1, 1, 1, 1, 2, 3}[r.IntN(6)], // more threads than cores mostly wait for each other
		stepCost: allStepCosts[r.IntN(len(allStepCosts))],
	}
}

func (w way) open(t *testing.T, kv string, more ...inference.Option) *inference.Local {
	t.Helper()
	path := modeltest.Embedded(t)
	return w.openModel(t, path, kv, more...)
}

func (w way) openModel(t *testing.T, path, kv string, more ...inference.Option) *inference.Local {
	t.Helper()
	options := []inference.Option{inference.KV(kv), inference.Parallel(w.parallel), inference.Context(w.context),
		inference.Threads(w.threads)}
	if w.stepCost > 0 {
		options = append(options, inference.Speculate(true), inference.StepCost(w.stepCost))
	}
	return openModel(t, path, append(options, more...)...)
}

// TestInvariance holds random debates on engines that are set up at random: how many generations run at once, how many
// cells there are, how many threads, which drafts are tried. All log-probabilities are equal to the bit to those of one
// generation at a time without drafts, and so are those of each generation that is made again alone.
func TestInvariance(t *testing.T) {
	more, met := soak.More(t, len(fewWorkloads)), make(map[string]int)
	var sum inference.Stats
	ways, replayed := 0, 0
	for done := 0; more(done); done++ {
		seed := uint64(done + 1)
		if !soak.On() {
			seed = fewWorkloads[done]
		}
		w, r := randomWorkload(seed), rand.New(rand.NewPCG(seed, 0))
		kv := []string{"f16", "f16", "q8_0"}[r.IntN(3)]
		w.count(met)
		met["--kv "+kv]++
		var made []inference.Generation
		plain := way{parallel: 1, context: 8192, threads: 1}
		l := plain.open(t, kv, inference.OnGeneration(func(g inference.Generation) error {
			made = append(made,
				g)
			return nil
		}))
		want := w.hold(t, l)
		least := longest(want, w.longest)
		l.Close()
		for range 8 {
			setup := randomWay(r, least)
			met[fmt.Sprint("--parallel ", setup.parallel)]++
			met[fmt.Sprint("--threads ", setup.threads)]++
			met[fmt.Sprint("a step for ", setup.stepCost)]++
			l := setup.open(t, kv)
			compare(t, fmt.Sprintf("workload %d (%+v), %v, --kv %s", seed, w, setup, kv), want, w.hold(t, l))
			s := l.Stats()
			l.Close()
			ways++
			sum.Accepted, sum.Drafted, sum.Preempted = sum.Accepted+s.Accepted, sum.Drafted+s.Drafted,
				sum.Preempted+s.Preempted
			sum.PromptAsked, sum.PromptComputed = sum.PromptAsked+s.PromptAsked, sum.PromptComputed+s.PromptComputed
		}
		again := randomWay(r, least)
		l = again.open(t, kv)
		for _, g := range made {
			alone := generate(t, l, w.request(g))[0]
			compare(t, fmt.Sprintf("workload %d, replayed by %v", seed, again),
				map[string]inference.Reply{g.Name: g.Reply}, map[string]inference.Reply{g.Name: alone})
			replayed++
		}
		l.Close()
		if t.Failed() {
			return
		}
	}
	t.Logf("%d ways; %d of %d drafted tokens accepted, %d times preempted, %d of %d prompt tokens computed; %d "+
		"generations replayed",
		ways, sum.Accepted, sum.Drafted, sum.Preempted, sum.PromptComputed, sum.PromptAsked, replayed)
	if ways < 8*len(fewWorkloads) { // the soak was too short to meet everything
		return
	}
	checkMet(t, met)
	if sum.Accepted == 0 || sum.Accepted == sum.Drafted || sum.Preempted == 0 ||
		sum.PromptComputed >= sum.PromptAsked || replayed == 0 {
		t.Error("the engines did nothing that could have made a difference")
	}
}

// fewWorkloads are seeds of small workloads that have all there is between them, as checkMet counts.
var fewWorkloads = []uint64{70010, 70018, 70050, 70149}

// checkMet fails where something was in no workload and in no way.
func checkMet(t *testing.T, met map[string]int) {
	t.Helper()
	kinds := []string{"grammar", "scored", "greedy", "drawn", "several samples", "several debates", "later rounds",
		"stop texts", "loops",
		"--kv f16", "--kv q8_0"}
	for _, n := range allParallel {
		kinds = append(kinds, fmt.Sprint("--parallel ", n))
	}
	for _, n := range allThreads {
		kinds = append(kinds, fmt.Sprint("--threads ", n))
	}
	for _, cost := range allStepCosts {
		kinds = append(kinds, fmt.Sprint("a step for ", cost))
	}
	for _, kind := range kinds {
		if met[kind] == 0 {
			t.Errorf("%s was not tried: take other seeds", kind)
		}
	}
}

// count notes what a workload has.
func (w workload) count(met map[string]int) {
	for kind, has := range map[string]bool{"grammar": w.grammar != "", "scored": w.scored,
		"greedy": w.sampling.Temperature == 0, "drawn": w.sampling.Temperature > 0, "several samples": w.samples > 1,
		"several debates": w.debates > 1, "later rounds": w.rounds > 1,
		"stop texts": w.stops != nil, "loops": w.loops} {
		if has {
			met[kind]++
		}
	}
}

// request is what a generation was an answer to.
func (w workload) request(g inference.Generation) inference.Request {
	return inference.Request{
		Messages: g.Messages, Sampling: g.Sampling, MaxTokens: w.longest, Grammar: g.Grammar,
		Continuations: g.Continuations, Name: g.Name, Stop: g.Stop, EndLoops: g.EndLoops,
	}
}

// longest is the least context in which each reply can be made.
func longest(replies map[string]inference.Reply, reply int) int {
	n := 0
	for _, r := range replies {
		n = max(n, r.PromptTokens+reply)
	}
	return n
}

func compare(t *testing.T, how string, want, got map[string]inference.Reply) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens")); diff != "" {
		t.Errorf("a reply does not depend on its neighbours, %s (-want +got):\n%s", how, diff)
	}
}
