package throughput

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/modeltest"
)

func TestWorkloads(t *testing.T) {
	all, err := FindWorkloads("all")
	if err != nil || len(all) != 8 {
		t.Fatalf("%d workloads, %v; want 8 and no error", len(all), err)
	}
	for _, w := range all {
		if len(w.Hash) != 64 || w.Title == "" || w.Full.Reply <= w.Small.Reply || w.Full.Prompt <= w.Small.Prompt {
			t.Errorf("a workload has a title and a hash, and its small version is smaller: got %+v", w)
		}
	}
	if _, err := FindWorkloads("w1", "w9"); err == nil || !strings.Contains(err.Error(), "w3-shared") {
		t.Errorf("an unknown workload is refused with those that there are, w3-shared among them: got %v", err)
	}
	for _, text := range []string{"kind: none", "kind: sweep\nlenght: 3"} {
		t.Run(text, func(t *testing.T) {
			if _, err := parse([]byte(text)); err == nil {
				t.Errorf("%q was accepted, want an error", text)
			}
		})
	}
}

// small are workloads of every kind that take a moment on the embedded model.
var small = []Workload{
	{Name: "independent", Kind: "independent", Small: Sizes{Requests: 5, Prompt: 20, Reply: 6}},
	{Name: "resample", Kind: "independent", Small: Sizes{Prompt: 30, Samples: 40, Reply: 5}},
	{Name: "sweep", Kind: "sweep", Small: Sizes{Prompt: 20, Solution: 10, Closing: 3, Steps: 6, Orders: 3, Samples: 3,
		Reply: 4}},
	{Name: "exact", Kind: "debate", Layout: "exact",
		Small: Sizes{Questions: 2, Agents: 4, Rounds: 3, Prompt: 20, Closing: 3, Reply: 5}},
	{Name: "shared", Kind: "debate", Layout: "shared",
		Small: Sizes{Questions: 2, Agents: 4, Rounds: 3, Prompt: 20, Closing: 3, Reply: 5}},
	{Name: "experiment", Kind: "experiment", Small: Sizes{Questions: 2, Seeds: 2, Agents: 3, Rounds: 2, Prompt: 20,
		Closing: 3, Reply: 5}},
}

// server stands in for a llama-server: it answers what Peer asks for, with tokens that depend on the prompt.
type server struct {
	*httptest.Server
	slots int

	mu       sync.Mutex
	requests []map[string]any
}

func newServer(t *testing.T, slots int) *server {
	s := &server{slots: slots}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/props" {
		fmt.Fprintf(w, `{"total_slots": %d}`, s.slots)
		return
	}
	var request map[string]any
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	prompt := request["prompt"].([]any)
	var replies []map[string]any
	for i := range int(request["n_cmpl"].(float64)) {
		tokens := make([]int, int(request["n_predict"].(float64)))
		for j := range tokens {
			tokens[j] = 300 + (len(prompt)+i+j)%100
		}
		replies = append(replies, map[string]any{"index": i, "tokens": tokens, "id_slot": i,
			"timings": map[string]any{"prompt_n": len(prompt)}})
	}
	if len(replies) == 1 {
		json.NewEncoder(w).Encode(replies[0])
	} else {
		json.NewEncoder(w).Encode(replies)
	}
}

// TestPeerAsUserAndAsExpert sends the same prompts in both ways: every reply by itself, or all of a prompt at once.
func TestPeerAsUserAndAsExpert(t *testing.T) {
	for _, w := range small {
		t.Run(w.Name, func(t *testing.T) {
			var asked [2]int
			for i, expert := range []bool{false, true} {
				s := newServer(t, 8)
				laps, err := run(t.Context(), w, w.Small, &Peer{URL: s.URL, Expert: expert}, false, 768, 1)
				if err != nil {
					t.Fatal(err)
				}
				u := laps[0]
				asked[i] = u.Asked
				replies := 0
				s.requests = s.requests[1:] // the warm-up
				for _, r := range s.requests {
					n := int(r["n_cmpl"].(float64))
					if replies += n; n > 8 || n > 1 && !expert {
						t.Errorf("a request asks for at most 8 replies as an expert, for 1 as a user: got %d", n)
					}
				}
				if replies != u.Requests || u.Generated != replies*w.Small.Reply || u.Wall <= 0 {
					t.Errorf("every request has its reply of %d tokens: got %d replies, %+v",
						w.Small.Reply, replies, u)
				}
				if grouped := len(s.requests) < replies; grouped != (expert && w.Name != "independent") {
					t.Errorf("an expert groups replies into requests, but for what is independent (%s): got %d "+
						"requests for %d replies, expert %v", w.Name, len(s.requests), replies, expert)
				}
			}
			if asked[0] != asked[1] || asked[0] == 0 {
				t.Errorf("user and expert ask for the same prompt tokens: got %d and %d", asked[0], asked[1])
			}
		})
	}
}

// TestPeerThatIsNone says what is wrong.
func TestPeerThatIsNone(t *testing.T) {
	short := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "m"}]}`)
		case "/v1/completions":
			fmt.Fprint(w, `{"choices": [{}], "usage": {"prompt_tokens": 20, "completion_tokens": 2}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer short.Close()
	for url, want := range map[string]string{short.URL: "ignore_eos", "http://127.0.0.1:1": "start a llama-server"} {
		t.Run(url, func(t *testing.T) {
			if _, err := run(t.Context(), small[0], small[0].Small, &Peer{URL: url}, false, 768, 1); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %v", url, err, want)
			}
		})
	}
}

// TestOurs runs every kind on the embedded model beside the fake peer: both are asked the same prompt tokens, ours
// computes the fewest that any tree could, and the report can be drawn.
func TestOurs(t *testing.T) {
	path := modeltest.Embedded(t)
	info, err := models.Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	ours := &Local{Open: func() (*inference.Local, error) {
		return inference.Open(path, inference.Parallel(16), inference.Context(4096))
	}}
	report := Report{Machine: "test"}
	speed := llamacpp.Speed{Bytes: 1e10, FloatProducts: 1e11, ByteProducts: 1e11}
	var order []string
	for _, w := range small {
		peer := &Peer{URL: newServer(t, 8).URL}
		m, err := Measure(t.Context(), w, ours, peer, Options{Small: true, Warm: true, Repeats: 2, Seed: 7, Model: info,
			Speed: func() llamacpp.Speed { return speed }, Begin: func(workload, system string, repeat int) {
				order = append(order, fmt.Sprint(system, repeat))
			}})
		if errors.Is(err, llamacpp.ErrNoCgo) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range m.Ours {
			if u.Asked != m.Peer[i].Asked || u.Generated != m.Peer[i].Generated || u.Computed != u.Least ||
				u.Least == 0 {
				t.Errorf("%s: ours and the peer ask and generate the same, and ours computes the least: got %+v "+
					"and %+v", w.Name, u, m.Peer[i])
			}
		}
		if w.Name == "resample" && m.Ours[0].Computed != w.Small.Prompt {
			t.Errorf("a prompt of %d tokens that is asked again is computed once: got %d tokens",
				w.Small.Prompt, m.Ours[0].Computed)
		}
		for i, u := range m.Warm {
			// The last token of each prompt is computed again, since a reply begins with what follows from it.
			if u.Asked != m.Ours[i].Asked || u.Generated != m.Ours[i].Generated || u.Computed >= m.Ours[i].Computed ||
				u.Computed > u.Least+u.Requests {
				t.Errorf("%s, warm: %+v, cold %+v: want the same prompts, with fewer tokens computed", w.Name, u,
					m.Ours[i])
			}
		}
		if len(m.Warm) != 2 {
			t.Errorf("%d warm runs, want 2", len(m.Warm))
		}
		if w.Kind == "experiment" && m.Ours[0].Generations >= m.Ours[0].Requests {
			t.Errorf("requests with something in common take fewer generations than the %d requests: got %d",
				m.Ours[0].Requests, m.Ours[0].Generations)
		}
		if r := m.ratios(); len(r) != 2 || r[0] <= 0 || r[0] > r[1] || m.Ceiling.TokensSecond <= 0 {
			t.Errorf("both engines have a speed, ours below its ceiling: got ratios %v, ceiling %+v", r, m.Ceiling)
		}
		report.Results = append(report.Results, m)
	}
	if !slices.Equal(order[:4], []string{"parley0", "peer, user0", "parley1", "peer, user1"}) {
		t.Errorf("engines take turns, parley first: got %v", order)
	}
	var svg strings.Builder
	if err := report.svg(&svg); err != nil || !strings.Contains(svg.String(), "<svg") ||
		!strings.Contains(report.table().String(), "experiment") {
		t.Errorf("the report is drawn and has the experiment in its table: %v, got %s", err, report.table().String())
	}
}

// openEmbedded opens the embedded model with a small cache; a test is skipped where the build cannot compute.
func openEmbedded(t *testing.T) func() (*inference.Local, error) {
	path := modeltest.Embedded(t)
	open := func() (*inference.Local, error) { return inference.Open(path, inference.Context(1024)) }
	engine, err := open()
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	return open
}

// TestRatesOfNothing: replies of one token come with the last rows of their prompts, so that nothing is decoded and
// there is no rate of it. Whatever of a usage is zero, no cell has a number that is none, and JSON can be written.
func TestRatesOfNothing(t *testing.T) {
	ours := &Local{Open: openEmbedded(t)}
	w := Workload{Name: "one token", Kind: "independent", Small: Sizes{Requests: 4, Prompt: 20, Reply: 1}}
	m, err := Measure(t.Context(), w, ours, nil, Options{Small: true, Repeats: 1, Model: models.Info{VocabSize: 700},
		Speed: func() llamacpp.Speed { return llamacpp.Speed{} }})
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil || m.Ours[0].Decoded != 4 || m.Ours[0].DecodeRate != 0 || m.Ours[0].PrefillRate <= 0 {
		t.Fatalf("%+v, %v: want 4 tokens, no rate of decoding and one of prefill", m.Ours, err)
	}
	whole := Usage{Asked: 9, Computed: 8, Least: 8, Requests: 2, Generations: 2, Generated: 6, Decoded: 6, Steps: 5,
		Wall: 3, Outside: 1, PrefillRate: 2, DecodeRate: 2, PeakMemory: 1, Attended: 4, FirstToken: &Percentiles{1, 2},
		BetweenTokens: &Percentiles{1, 2}, Joules: 3}
	fields := reflect.TypeFor[Usage]().NumField()
	for i := range 1 + fields {
		u, peer := whole, whole
		if i < fields {
			reflect.ValueOf(&u).Elem().Field(i).SetZero()
			reflect.ValueOf(&peer).Elem().Field(i).SetZero()
		} else {
			u, peer = Usage{}, Usage{}
		}
		for _, runs := range [][2]Usage{{u, whole}, {whole, peer}, {u, peer}} {
			for _, speed := range []llamacpp.Speed{{}, {Bytes: 1}, {Bytes: 1, FloatProducts: 1, ByteProducts: 1}} {
				r := Report{Results: []Measurement{{Ours: runs[:1], Peer: runs[1:], Speed: speed,
					Ceiling: ceiling(models.Info{}, speed, runs[0], false)}}}
				var svg strings.Builder
				if err := r.svg(&svg); err != nil {
					t.Error(err)
				}
				if _, err := r.JSON(); err != nil {
					t.Error(err)
				}
				for _, none := range []string{"Inf", "NaN", "%!"} {
					if strings.Contains(r.Document().String()+svg.String(), none) {
						t.Errorf("field %d is zero, which is no number to print: got %s in\n%s",
							i, none, r.Document())
					}
				}
			}
		}
	}
}

// TestTree compares with a count by hand.
func TestTree(t *testing.T) {
	tree := newTree()
	tree.add([]int32{1, 2, 3}, []int32{4, 5})
	tree.add([]int32{1, 2, 3}, []int32{6})
	tree.add([]int32{1, 2, 3, 4, 5, 9}, []int32{7}) // 4 was generated and computed, 5 generated only
	if got := tree.least(); got != 5 {              // 1 2 3, 5 9
		t.Errorf("least %d, want 5", got)
	}
}

// TestCeilingOfExperts: a token multiplies with the experts that it uses, and a step reads no others.
func TestCeilingOfExperts(t *testing.T) {
	model := models.Info{Parameters: 1000, VocabSize: 10, Embedding: 10, Tied: true, SizeBytes: 2000, Experts: 8,
		IdleParameters: 600, IdleBytes: 1200}
	got := ceiling(model, llamacpp.Speed{}, Usage{Steps: 3, Computed: 5, Decoded: 2, Generated: 2}, false)
	if got.Products != (400-100)*7+100*2 || got.Bytes != 3*800 {
		t.Errorf("7 tokens take 300 products each and 2 that are drawn 100 more, and 3 steps read 800 bytes "+
			"each: got %g and %g", got.Products, got.Bytes)
	}
}

// TestBound: alone, a step reads 2,000 bytes at 1 MB/s: 500 tokens a second. With 64 rows, 64 times 1,000 products at
// ten million a second take longer than that. A recurrent model with a state of 1,000 bytes reads and writes 2,000
// more: 250 tokens a second.
func TestBound(t *testing.T) {
	model := models.Info{Parameters: 1000, VocabSize: 10, Embedding: 10, Tied: true, SizeBytes: 2000}
	speed := llamacpp.Speed{Bytes: 1e6, ByteProducts: 1e7, FloatProducts: 1e7}
	mixture := model
	mixture.Experts = 8
	recurrent := model
	recurrent.RecurrentLayers, recurrent.StateBytes = 1, 1000
	for _, c := range []struct {
		model models.Info
		speed llamacpp.Speed
		rows  int
		want  float64
	}{{model, speed, 1, 500}, {model, speed, 64, 10_000}, {model, llamacpp.Speed{}, 1, 0}, {mixture, speed, 1, 0},
		{recurrent, speed, 1, 250}} {
		t.Run(fmt.Sprint(c.rows), func(t *testing.T) {
			if got := Bound(c.model, c.speed, c.rows); math.Abs(got-c.want) > 1e-9*c.want {
				t.Errorf("%d rows: %g tokens a second, want %g", c.rows, got, c.want)
			}
		})
	}
}
