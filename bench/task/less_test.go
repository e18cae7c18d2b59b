package task

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/internal/datatest"
)

// TestLineEnds: a file has the same questions whichever way its lines end.
func TestLineEnds(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv":   "question,A,B,answer\nWhich is red?,blood,grass,A\n\"Which, then,\nis green?\",blood,grass,B\n",
		"a.tsv":   "question\tanswer\nTwo and two?\t4\nThree and one?\t4\n",
		"a.jsonl": "{\"question\": \"Two and two?\", \"answer\": 4}\n{\"question\": \"3 + 2?\", \"answer\": 5}\n",
		"a.json":  "[{\"question\": \"Two and two?\", \"answer\": 4},\n{\"question\": \"3 + 2?\", \"answer\": 5}]\n",
	} {
		var first string
		for _, end := range []string{"\n", "\r\n", "\r"} {
			path := datatest.File(t, name, strings.ReplaceAll(text, "\n", end))
			read, err := Load(path)
			if err != nil || len(read.Questions) != 2 {
				t.Fatalf("%s, %q: %d questions, %v; want 2 and no error", name, end, len(read.Questions), err)
			}
			got := fmt.Sprint(read.Rule, read.Questions[0].Text, read.Questions[1].Text, read.Questions[1].Target)
			if got = strings.ReplaceAll(got, "\r\n", "\n"); first == "" {
				first = got
			} else if got != first {
				t.Errorf("%s, %q: %s, want %s", name, end, got, first)
			}
		}
	}
}

// TestWhatIsNotAsked: a part of a data set and questions about images say so wherever the task is named; whole files
// and texts that look alike do not. Of no rows, nothing is said about all of them.
func TestWhatIsNotAsked(t *testing.T) {
	told := 0
	for _, c := range []struct{ name, question, says string }{
		{"test-00000-of-00002.jsonl", "Two?", "part 1 of 2 of its data set"},
		{"train-00003-of-00012.json", "Two?", "part 4 of 12 of its data set"},
		{"test-00000-of-00001.jsonl", "Two?", ""},
		{"train-00000-of-00002-a09b74b3ef9c3b56.jsonl", "Two?", "part 1 of 2 of its data set"},
		{"part1of2.jsonl", "Two?", "one of 2 parts of its data set"},
		{"exam_part-1-of-2.jsonl", "Two?", "one of 2 parts of its data set"},
		{"shard_0_of_16.jsonl", "Two?", "one of 16 parts of its data set"},
		{"Part 2 of 3 (new).jsonl", "Two?", "one of 3 parts of its data set"},
		{"mine.chunk03of12.jsonl", "Two?", "one of 12 parts of its data set"},
		{"test-01-of-04.jsonl", "Two?", "one of 4 parts of its data set"},
		{"part1of1.jsonl", "Two?", ""},
		{"counterpart2of3.jsonl", "Two?", ""},
		{"part-of-2.jsonl", "Two?", ""},
		{"test-2-of-3.jsonl", "Two?", ""},
		{"a.jsonl", "Refer to <image 1>: which colour?", "1 of 2 questions show an image"},
		{"a.jsonl", "<image> Which colour?", "1 of 2 questions show an image"},
		{"a.jsonl", "![](data:image/png;base64,iVBORw0KGgo=) Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "![a plot](plot.png) Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "[IMG] Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "See [Image 2]: which?", "1 of 2 questions show an image"},
		{"a.jsonl", "[image: cat.png] Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "[Photo of a cat] Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "[img]cat.png[/img] Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "<|vision_start|><|image_pad|><|vision_end|>Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "<image_placeholder>\nWhich?", "1 of 2 questions show an image"},
		{"a.jsonl", "\\includegraphics[width=3cm]{a} Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "Which [images] of [img_size] are [pictured]?", ""},
		{"a.jsonl", "<img alt='x' src='a.png'> Which?", "1 of 2 questions show an image"},
		{"a.jsonl", "Which tag shows an image, <img> or <pic>?", ""},
		{"a.jsonl", "The image of f is [0, 1]. Is f(x)! (a factorial) one?", ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		text := fmt.Sprintf("{\"question\": %q, \"answer\": 2}\n{\"question\": \"And?\", \"answer\": 3}\n", c.question)
		datatest.Write(t, path, text)
		r, err := Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		if says := strings.TrimPrefix(r.Task.Source, path); c.says == "" && (says != "" || len(r.Problems) > 0) ||
			!strings.Contains(says, c.says) || !strings.Contains(fmt.Sprint(r.Problems), c.says) {
			t.Errorf("%s, %s: what is not asked is said with %q, or nothing is said: got %q, %v",
				c.name, c.question, c.says, says, r.Problems)
		}
		if c.says != "" {
			told++
		}
	}
	if told != 22 {
		t.Errorf("%d of 22 were told, want 22", told)
	}
	path := datatest.File(t, "none.jsonl", "{\"question\": \"\", \"answer\": \"\"}\n")
	if r, err := Inspect(path); err == nil &&
		(len(r.Task.Questions) > 0 || strings.Contains(r.Own.Why, "all answers")) {
		t.Errorf("a row of nothing is no question, for another reason than all answers: got %d questions, %+v",
			len(r.Task.Questions), r.Own)
	}
}
