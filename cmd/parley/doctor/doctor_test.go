package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/machine"
)

// TestJudgeReply: a reply to the test question can be used if it is complete and states an answer, right or wrong.
func TestJudgeReply(t *testing.T) {
	const loop = "The white book is to the left of the gray book. "
	for _, c := range []struct {
		text string
		stop inference.StopReason
		said string
		want []string
	}{
		{"The red book is in the middle. The answer is: (C).", inference.StopEnd, "(C)", nil},
		{"The answer is (B).", inference.StopEnd, "(B)", nil},
		{" \n", inference.StopEnd, "", []string{"is empty"}},
		{"The red book is the second from the", inference.StopLength, "", []string{"is cut", "200 tokens",
			"states no"}},
		{selfTest, inference.StopEnd, "", []string{"is an echo of the question"}},
		{strings.Repeat(loop, 40), inference.StopLength, "", []string{"repeats itself", "states no answer"}},
		{"It depends on how you look at the shelf.", inference.StopEnd, "", []string{"states no answer"}},
	} {
		t.Run(fmt.Sprintf("%.60s %.60s", c.text, c.said), func(t *testing.T) {
			said, wrong := judgeReply(inference.Reply{Text: c.text, Stop: c.stop})
			if c.want == nil && (wrong != "" || said != c.said) || c.want != nil && wrong == "" {
				t.Errorf("%.40q is judged as %q, wrong for %q, want %q and what is wrong: %q", c.text, said, wrong,
					c.said, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(wrong, part) {
					t.Errorf("%.40q is wrong for %q, want %q in it", c.text, wrong, part)
				}
			}
		})
	}
}

// TestFindings words limits with their sources, and warns of vocabularies that lose what matters.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		got           finding
		verdict, want string
	}{
		{examineThreads(machine.CPUs{Online: 8, Allowed: 4, Cores: 2, Quota: 1.5, Source: "/g/cpu.max"}), "ok",
			"2 physical cores in the affinity mask, which has 4 of 8 CPUs; time of 1.5 CPUs (/g/cpu.max)"},
		{examineMemory(machine.Memory{Available: 1 << 29, Limit: 1 << 30, Used: 1 << 29, Source: "/g/memory.high"}),
			"ok", "512 MiB available; limit of 1.0 GiB (/g/memory.high), of which 512 MiB are in use"},
		{vocabularyFinding(inference.Examined{Words: 20, Lost: []rune{4}}), "ok", `lost from texts: "\x04"`},
		{vocabularyFinding(inference.Examined{Words: 20, Lost: []rune{'\n'}}), "warning", `lost from texts: "\n"`},
		{vocabularyFinding(inference.Examined{}), "ok", "no merges to check it by"},
		{vocabularyFinding(inference.Examined{Back: "x"}), "warning", `as "x"`},
		{vocabularyFinding(inference.Examined{Words: 20, Differ: []string{"water"}}), "warning", "1 of 20 words"},
	} {
		t.Run(c.verdict, func(t *testing.T) {
			if c.got.Verdict != c.verdict || !strings.Contains(c.got.Detail, c.want) {
				t.Errorf("%+v, want %s, %q", c.got, c.verdict, c.want)
			}
		})
	}
}
