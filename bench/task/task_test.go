package task

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/datatest"
)

// reading is a puzzle read back from its text by a parser that knows nothing of the generator.
type reading struct {
	objects []string
	facts   []func(place map[string]int) bool
	asked   func(n int) int // position that the options are about
	options []string        // object of (A), (B), ...
}

var ranks = func() map[string]func(n int) int {
	m := map[string]func(n int) int{}
	for i, words := range [][]string{
		{"leftmost", "newest", "most expensive", "first"},
		{"second from the left", "second-newest", "second-most expensive", "second"},
		{"third from the left", "third-newest", "third-most expensive", "third"},
		{"fourth from the left", "fourth-newest", "fourth-most expensive", "fourth"},
	} {
		for _, w := range words {
			m[w] = func(int) int { return i }
		}
	}
	for i, words := range [][]string{
		{"rightmost", "oldest", "cheapest", "last"},
		{"second from the right", "second-oldest", "second-cheapest", "second-to-last"},
		{"third from the right", "third-oldest", "third-cheapest", "third-to-last"},
		{"fourth from the right", "fourth-oldest", "fourth-cheapest", "fourth-to-last"},
	} {
		for _, w := range words {
			m[w] = func(n int) int { return n - 1 - i }
		}
	}
	return m
}()

var (
	lists   = regexp.MustCompile(`(?:there are|there were|sells) \w+ \w+: (.*?)\. `)
	article = regexp.MustCompile(`^(?:an|a|The|the) `)
)

func read(text string) (r reading, err error) {
	body, options, ok := strings.Cut(text, "Options:")
	m := lists.FindStringSubmatchIndex(body)
	if !ok || m == nil {
		return r, fmt.Errorf("no list or no options")
	}
	for _, item := range regexp.MustCompile(`, and |, `).Split(body[m[2]:m[3]], -1) {
		r.objects = append(r.objects, bare(item))
	}
	for _, sentence := range strings.Split(strings.TrimSpace(body[m[1]:]), ".") {
		if sentence = strings.TrimSpace(sentence); sentence == "" {
			continue
		}
		f, err := r.fact(sentence)
		if err != nil {
			return r, err
		}
		r.facts = append(r.facts, f)
	}
	for _, line := range regexp.MustCompile(`[\n ]\(`).Split(options, -1) {
		line = strings.TrimSpace(line)
		if len(line) < 4 {
			continue
		}
		object, rank, err := r.position(line[3:])
		if err != nil {
			return r, err
		}
		r.options, r.asked = append(r.options, object), rank
	}
	return r, nil
}

func bare(name string) string {
	return strings.TrimSuffix(article.ReplaceAllString(strings.TrimSpace(name), ""), " book")
}

func (r reading) position(sentence string) (string, func(int) int, error) {
	for _, verb := range []string{" is the ", " are the ", " finished "} {
		if object, rank, ok := strings.Cut(sentence, verb); ok && ranks[rank] != nil &&
			slices.Contains(r.objects, bare(object)) {
			return bare(object), ranks[rank], nil
		}
	}
	return "", nil, fmt.Errorf("no position: %q", sentence)
}

func (r reading) fact(sentence string) (func(map[string]int) bool, error) {
	for relation, sign := range map[string]int{
		" to the left of ": 1, " to the right of ": -1, " more expensive than ": 1, " less expensive than ": -1,
		" above ": 1, " below ": -1, " newer than ": 1, " older than ": -1,
	} {
		if a, b, ok := strings.Cut(sentence, relation); ok {
			a, b := bare(regexp.MustCompile(` (is|are|finished)$`).ReplaceAllString(a, "")), bare(b)
			if !slices.Contains(r.objects, a) || !slices.Contains(r.objects, b) {
				return nil, fmt.Errorf("unknown object: %q", sentence)
			}
			return func(place map[string]int) bool { return sign*(place[b]-place[a]) > 0 }, nil
		}
	}
	object, rank, err := r.position(sentence)
	n := len(r.objects)
	return func(place map[string]int) bool { return place[object] == rank(n) }, err
}

// solve returns the letters that some order allows.
func (r reading) solve() (orders int, letters []string) {
	place := map[string]int{}
	var try func(i int)
	try = func(i int) {
		if i == len(r.objects) {
			if slices.ContainsFunc(r.facts, func(f func(map[string]int) bool) bool { return !f(place) }) {
				return
			}
			orders++
			for k, object := range r.options {
				if letter := fmt.Sprintf("(%c)", 'A'+k); place[object] == r.asked(len(r.objects)) &&
					!slices.Contains(letters, letter) {
					letters = append(letters, letter)
				}
			}
			return
		}
		used := map[int]bool{}
		for _, o := range r.objects[:i] {
			used[place[o]] = true
		}
		for at := range r.objects {
			if !used[at] {
				place[r.objects[i]] = at
				try(i + 1)
			}
		}
		delete(place, r.objects[i])
	}
	try(0)
	return orders, letters
}

// TestGeneratedPuzzlesHaveOneSolution reads them back and tries all orders.
func TestGeneratedPuzzlesHaveOneSolution(t *testing.T) {
	for _, objects := range []int{3, 5, 7} {
		t.Run(fmt.Sprint(objects), func(t *testing.T) {
			task, err := Generate(objects, 200, 7)
			if err != nil {
				t.Fatal(err)
			}
			seen, targets := map[string]bool{}, map[string]int{}
			for _, q := range task.Questions {
				r, err := read(q.Text)
				if err != nil {
					t.Fatalf("a puzzle that was made is read: got %v, want no error\n%s", err, q.Text)
				}
				orders, right := r.solve()
				if orders != 1 || !slices.Equal(right, []string{q.Target}) || len(r.options) != objects ||
					q.Truth.Text != q.Target {
					t.Fatalf("one order makes the target %s alone right: got %d orders, %v right:\n%s",
						q.Target, orders, right, q.Text)
				}
				if n := len(r.facts); seen[q.Text] || n < objects-1 || n > objects || objects == 3 && n != 2 {
					t.Errorf("a puzzle of %d objects is new and has one statement less, or as many (2 of 3): got "+
						"%d, seen before: %t\n%s", objects, n, seen[q.Text], q.Text)
				}
				seen[q.Text] = true
				targets[q.Target]++
			}
			checkUniform(t, targets, objects, len(task.Questions))
		})
	}
}

// checkUniform fails where letters are so uneven that it happens to one fair draw of a thousand.
func checkUniform(t *testing.T, count map[string]int, letters, n int) {
	t.Helper()
	expected, chi := float64(n)/float64(letters), 0.0
	for i := range letters {
		d := float64(count[fmt.Sprintf("(%c)", 'A'+i)]) - expected
		chi += d * d / expected
	}
	if limit := (distuv.ChiSquared{K: float64(letters - 1)}).Quantile(0.999); chi > limit {
		t.Errorf("%d letters come up evenly, with a chi-square of %.1f or less: got %.1f of %v",
			letters, limit, chi, count)
	}
}

// TestWordingIsThatOfBBH: the parser that reads our puzzles reads and solves all public ones too.
func TestWordingIsThatOfBBH(t *testing.T) {
	for _, size := range []string{"three", "five", "seven"} {
		t.Run(size, func(t *testing.T) {
			task, err := Load(datatest.Public(t, "bbh/logical_deduction_"+size+"_objects.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range task.Questions {
				r, err := read(q.Text)
				if err != nil {
					t.Errorf("%s is read: got %v, want no error", q.ID, err)
					continue
				}
				if orders, right := r.solve(); orders != 1 || !slices.Equal(right, []string{q.Target}) {
					t.Errorf("%s: %d orders, %v is right, the target is %s; want 1 and %v",
						q.ID, orders, right, q.Target, []string{q.Target})
				}
			}
		})
	}
}

// TestGenerateMore: more puzzles are the same task with more questions, so that a run can be widened by them.
func TestGenerateMore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		objects, seed := rapid.SampledFrom([]int{3, 5}).Draw(r, "objects"), rapid.Uint64().Draw(r, "seed")
		few := rapid.IntRange(1, 20).Draw(r, "few")
		a, err := Generate(objects, few, seed)
		b, moreErr := Generate(objects, few+rapid.IntRange(1, 20).Draw(r, "more"), seed)
		if err != nil || moreErr != nil {
			r.Fatal(err, moreErr)
		}
		if diff := cmp.Diff(a.Questions, b.Questions[:few]); diff != "" || a.Hash != b.Hash || a.Name != b.Name {
			r.Fatalf("%d puzzles of %s %.12s, more of %s %.12s: %s", few, a.Name, a.Hash, b.Name, b.Hash, diff)
		}
	})
}

func TestGenerateIsDeterministic(t *testing.T) {
	a, err := Generate(3, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Generate(3, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Generate(3, 20, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.Questions[:10], b.Questions); diff != "" {
		t.Errorf("the first puzzles do not depend on how many are asked for (-want +got):\n%s", diff)
	}
	if a.Questions[0].Text == c.Questions[0].Text || a.Hash == c.Hash {
		t.Errorf("another seed makes other puzzles, with another hash: got %q and %q",
			a.Questions[0].Text, c.Questions[0].Text)
	}
	const want = "The following paragraphs each describe a set of three objects arranged in a fixed order. The " +
		"statements are logically " +
		"consistent within each paragraph. A fruit stand sells three fruits: watermelons, plums, and loquats. The " +
		"loquats are more expensive " +
		"than the watermelons. The loquats are less expensive than the plums. Options: (A) The watermelons are the " +
		"second-most expensive " +
		"(B) The plums are the second-most expensive (C) The loquats are the second-most expensive"
	if a.Questions[0].Text != want {
		t.Errorf("the first puzzle of seed 1 is\n%q, want\n%q", a.Questions[0].Text, want)
	}
	for _, objects := range []int{0, 4, 9} {
		t.Run(fmt.Sprint(objects), func(t *testing.T) {
			if _, err := Generate(objects, 1, 1); err == nil {
				t.Errorf("puzzles of %d objects were made, want an error", objects)
			}
		})
	}
	if _, err := Generate(3, 0, 1); err == nil {
		t.Error("a request for 0 puzzles was taken, want an error")
	}
}

func TestPublicFiles(t *testing.T) {
	for file, want := range map[string]struct {
		questions int
		rule      string
	}{
		"bbh/logical_deduction_three_objects.json": {250, "choice"},
		"bbh/logical_deduction_seven_objects.json": {250, "choice"},
		"bbh/geometric_shapes.json":                {250, "choice"}, "math500/test.jsonl": {500, "math"},
	} {
		task, err := Load(datatest.Public(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if len(task.Questions) != want.questions || task.Rule != want.rule || len(task.Hash) != 64 || task.Guess <= 0 ||
			task.Guess > 0.6 {
			t.Errorf("%s has %d questions, the rule %s, a hash and a guess up to 0.6: got %d, %s, %q, %.2f",
				file, want.questions, want.rule, len(task.Questions), task.Rule, task.Hash, task.Guess)
		}
		for _, q := range task.Questions {
			if task.Score(q, q.Truth) != Right {
				t.Errorf("%s: the truth is right: got %s of %+v", q.ID, task.Score(q, q.Truth), q.Truth)
			}
		}
	}
	shapes, err := Load(datatest.Public(t, "bbh/geometric_shapes.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(shapes.Questions, func(q Question) bool { return q.Truth.Text == "(K)" }) {
		t.Error("a shape has the answer (K), the eleventh option: got none")
	}
	task, err := Load(datatest.Public(t, "math500/test.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	solution := task.Extract(`so it is $\boxed{\left( 3, \frac{\pi}{2} \right)}$.`)
	if got := task.Score(task.Questions[0], solution); got != Right {
		t.Errorf("the reference solution of question 1 is %s, want %v", got, Right)
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ content, want string }{
		{"", "is empty"},
		{"hello", "neither JSON, JSON lines, CSV nor parquet"},
		{"{}", "has no questions"},
		{`{"examples": [{"input": "x"}]}`, "example 1"},
		{`{"examples": [{"input": "x\nOptions:\n(A) a", "target": "(A) "}, {"input": "y", "target": "A"}]}`,
			"example 2"},
		{`{"examples": [{"input": "x", "target": "(Z)"}]}`,
			"example 1: the answer is (Z), but the question has no option (Z)"},
		{"{\"problem\": \"p\", \"answer\": \"1\"}\n{\"problem\": \"p\"", "line 2"},
		{"{\"problem\": \"p\", \"answer\": \"\"}", "line 1"},
		{"{\"problem\": \"p\", \"answer\"\n", "line 1"},
		{"\n{\"problem\": \" \", \"answer\": \"1\"}", "line 2"},
		{`{"examples": [{"input": " \n", "target": "(A)"}]}`, "example 1"},
		{`{"examples": [{"input": "Options: (A)", "target": "(A)"}, {"input": "x", "target": "(5)"}]}`, "example 2"},
		{`{"examples": [{"input": "Options: (A)", "target": "(A)"}, {"input": "x", "target": "(A) or (B)"}]}`,
			"example 2"},
	} {
		t.Run(fmt.Sprintf("%.60s", c.content), func(t *testing.T) {
			content, want := c.content, c.want
			path := filepath.Join(dir, "task.json")
			datatest.Write(t, path, content)
			if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("%q: %v, want %q", content, err, want)
			}
		})
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory is refused, as it \"is a directory\": got %v", err)
	}
	if _, err := Load(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing file was read, want an error")
	}
}

// TestSubset: a subset depends on the seed, and a smaller one is part of a larger one.
func TestSubset(t *testing.T) {
	all, err := Generate(3, 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	few, more := all.Subset(10, 3), all.Subset(20, 3)
	if len(few.Questions) != 10 || len(more.Questions) != 20 || len(all.Subset(0, 3).Questions) != 50 ||
		len(all.Subset(99, 3).Questions) != 50 {
		t.Errorf("subsets have 10, 20 and, of 0 and 99, all 50 questions: got %d and %d of %d",
			len(few.Questions), len(more.Questions), len(all.Questions))
	}
	ids := func(task Task) (ids []string) {
		for _, q := range task.Questions {
			ids = append(ids, q.ID)
		}
		return ids
	}
	for _, id := range ids(few) {
		if !slices.Contains(ids(more), id) {
			t.Errorf("the smaller subset is part of the larger: %s is in the smaller alone", id)
		}
	}
	if slices.Equal(ids(few), ids(all.Subset(10, 4))) || few.Source == all.Source {
		t.Errorf("another seed gives another subset, and a subset says so in its source: got %q and %q",
			ids(few), few.Source)
	}
}

// FuzzParse reads anything without a panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{", "prompt,gold\nq,1", "question\tA\tB\tanswer\nq\tx\ty\tB",
		`{"prompt":"q","options":{"A":"x","B":"y"},"label":"B"}`, `{"problem":"q","solution":"\\boxed{2}"}`, `{"examples":[{"input":"x","target":"(A)"}]}`, `{"problem":"p","answer":"1"}`,
		"[]", "null",
		`{"question":"q","answer":"#### 1"}`, `{"question":"q","choices":["a","b","c","d"],"answer":1}`, "q,a,b,c,d,A",
		`{"question":"q","options":["a","b"],"answer":"B"}`,
		`{"context":"c","question":"q","choices":["a","b"],"answer":0}`,
		`{"context":"c","question":"q","answers":["a"]}`,
		`[{"question":"q","answer":["1/2"],"incorrect answer":[]}]`,
		`{"source":"s","correct_reference":"a","incorrect_reference":"b"}`,
		`{"text_game":"Player name: A\nPlayer name: B","text_solution":"A is a spy.\nB is a spy."}`,
		"Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\nq,a,b,c,d"} {
		f.Add([]byte(s))
	}
	for _, table := range parquetSeeds(f) {
		f.Add(table)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		_ = frugally(t, content)
		r, err := parse("t", content, Mapping{})
		if err != nil {
			return
		}
		if len(r.Task.Questions)+len(r.Problems) == 0 || r.Task.Extract == nil {
			t.Errorf("%q: each file has questions or problems, and a rule for answers: got %+v", content, r)
		}
		for _, q := range r.Task.Questions {
			if r.Task.Score(q, q.Truth) != Right {
				t.Errorf("%q: the truth is right: got %s of %+v", content, r.Task.Score(q, q.Truth), q)
			}
		}
	})
}

// TestPick: what was picked is said with ranges, in the order in which it was asked for.
func TestPick(t *testing.T) {
	all, err := Generate(3, 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, numbers := range map[string][]int{", questions 1..9": {1, 2, 3, 4, 5, 6, 7, 8, 9},
		", questions 2, 4..5, 9, 8, 1..3": {2, 4, 5, 9, 8, 1, 2, 3}} {
		t.Run(want, func(t *testing.T) {
			some, err := all.Pick(numbers)
			if err != nil || len(some.Questions) != len(numbers) || some.Source != all.Source+want {
				t.Errorf("questions %v are picked and the source says so: want %d, %q; got %d, %q, %v", numbers,
					len(numbers), all.Source+want, len(some.Questions), some.Source, err)
			}
		})
	}
	want := fmt.Sprintf("task %s: no question 10; there are 9", all.Name)
	if _, err := all.Pick([]int{10}); err == nil || err.Error() != want {
		t.Errorf("a question that there is not is refused: got %v, want %s", err, want)
	}
}
