package society

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/soak"
)

// TestHostileTexts: steps, sentences and confidences are found in replies of any content in time.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for _, part := range []string{"confidence", "confidence 1", "confidence\u00a0", "Step 1", "Step ", "Step 1\n", ".",
		". ", "!\u00a0", "\n", " ", "é", "1", "1%", "(A)", "a. (A)\n", "\xff"} {
		t.Run(part, func(t *testing.T) {
			text := strings.Repeat(part, 200<<10/len(part))
			for name, read := range map[string]func(){
				"confidence": func() {
					Society{Confidence: ConfidenceAsked}.confidence(debate.Turn{Reply: inference.Reply{Text: text}})
				},
				"steps": func() { stepsOf(text) },
				"interleaved": func() {
					turns := []debate.Turn{{Reply: inference.Reply{Text: text}}}
					Visibility{Name: ShowInterleaved}.texts([]int{0}, turns, prompts.Set{}, true)
				},
				"reasoning": func() { Visibility{Name: showReasoning}.of(text, answer.Of("(A)")) },
			} {
				start := soak.Processor()
				read()
				if took := soak.Processor() - start; took > 10*time.Second {
					t.Errorf("%s of many %q took %v, want at most 10 s", name, part, took)
				}
			}
		})
	}
}
