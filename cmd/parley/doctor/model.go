package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/inference"
	replyending "github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/models"
)

// selfTest is a question that the embedded model was trained on; other models only have to reply something that can be
// used.
const selfTest = "Can you answer the following question as accurately as possible? The following paragraphs each " +
	"describe a set of three objects arranged in a fixed order. The statements are logically consistent within each " +
	"paragraph. On a shelf, there are three books: a red book, a gray book, and a white book. The white book is to " +
	"the left of the gray book. The red book is the second from the left.\nOptions:\n(A) The red book is the " +
	"leftmost\n(B) The gray book is the leftmost\n(C) The white book is the leftmost Explain your answer. Make sure " +
	"putting the answer in the form (X) at the end of your response."

// selfTestAnswer is right, and selfTestTokens are those that a reply can have.
const (
	selfTestAnswer = "(C)"
	selfTestTokens = 200
)

// examineReply asks the test question.
func examineReply(cmd command.Line, engine *inference.Local, embedded bool) finding {
	reply, err := engine.Predict(cmd.Context, []inference.Message{{Role: "user", Content: selfTest}},
		inference.Sampling{}, selfTestTokens, nil)
	switch {
	case errors.Is(err, cmd.Context.Err()) && err != nil:
		return finding{"self-test", "failed", "interrupted"}
	case err != nil:
		return finding{"self-test", "failed", err.Error()}
	case embedded && !strings.HasSuffix(reply.Text, "The answer is: "+selfTestAnswer+"."):
		return finding{"self-test", "failed", fmt.Sprintf("the build computes wrongly: the answer to the test "+
			"question "+
			"is %s, and the model said %q", selfTestAnswer, reply.Text)}
	}
	said, wrong := judgeReply(reply)
	if wrong != "" {
		return finding{"self-test", "warning", fmt.Sprintf("the reply to a question of multiple choice %s: %.200q",
			wrong, reply.Text)}
	}
	s := engine.Stats()
	return finding{"self-test", "ok", fmt.Sprintf("%s, where %s is right; %d tokens at %.0f tokens/s: %.60q", said,
		selfTestAnswer, reply.Tokens, float64(s.Decoded)/max(1e-3, s.DecodeDuration.Seconds()), reply.Text)}
}

// judgeReply reads the answer of a reply to the test question, or says why debates could not use such a reply.
func judgeReply(reply inference.Reply) (said, wrong string) {
	if strings.TrimSpace(reply.Text) == "" {
		return "", "is empty"
	}
	extract, err := reader.RuleFor(answer.KindChoice.Reader(), answer.Question{Text: selfTest})
	if err != nil {
		return "", err.Error()
	}
	var faults []string
	if _, _, repeats := replyending.Repeats(reply.Text); repeats || reply.Stop == inference.StopLooped {
		faults = append(faults, "repeats itself")
	} else if reply.Stop == inference.StopLength {
		faults = append(faults, fmt.Sprintf("is cut at its limit of %d tokens", selfTestTokens))
	}
	if replyending.Echo(reply.Text, selfTest) {
		faults = append(faults, "is an echo of the question")
	}
	read := debate.ReadReply(reply, extract)
	if !read.Stated() {
		faults = append(faults, "states no answer")
	}
	return read.Text, english.OxfordWordSeries(faults, "and")
}

// examineVocabulary checks how texts become tokens.
func examineVocabulary(engine *inference.Local, path string) finding {
	failed := func(err error) finding { return finding{"vocabulary", "failed", err.Error()} }
	merges, err := models.ReadBytePairs(path)
	if err != nil {
		return failed(err)
	}
	vocabulary, err := engine.Vocabulary("")
	if err != nil {
		return failed(err)
	}
	found, err := vocabulary.Examine(merges)
	if err != nil {
		return failed(err)
	}
	return vocabularyFinding(found)
}

// vocabularyFinding words what was found out about a vocabulary.
func vocabularyFinding(e inference.Examined) finding {
	verdict, parts := "ok", []string{"a text comes back from its tokens"}
	if e.Back != "" {
		verdict, parts[0] = "warning", fmt.Sprintf("%q comes back from its tokens as %q", inference.ExaminedText,
			e.Back)
	}
	switch {
	case len(e.Differ) > 0:
		verdict, parts = "warning", append(parts, fmt.Sprintf("the tokens of %d of %d words are not those that the "+
			"file's merges give (%s): convert the model again", len(e.Differ), e.Words, strings.Join(e.Differ, ", ")))
	case e.Words > 0:
		parts = append(parts, fmt.Sprintf("%s have the tokens that the file's merges give",
			english.Plural(e.Words, "word", "")))
	default:
		parts = append(parts, "no merges to check it by")
	}
	if len(e.Lost) > 0 {
		parts = append(parts, fmt.Sprintf("without a token, and lost from texts: %q", string(e.Lost)))
	}
	if strings.ContainsFunc(string(e.Lost), func(r rune) bool {
		return r >= ' ' && r < 127 || r == '\n' ||
			r == '\t'
	}) {
		verdict = "warning"
	}
	return finding{"vocabulary", verdict, strings.Join(parts, "; ")}
}
