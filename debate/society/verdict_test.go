package society

import (
	"testing"

	"github.com/parley-debate/parley/debate"
)

// TestVerdicts reads verdicts as models write them.
func TestVerdicts(t *testing.T) {
	for reply, want := range map[string]debate.Verdict{
		"Verdict: keep":                                            debate.VerdictKeep,
		"DECISION: REVISE":                                         debate.VerdictRevise,
		"**Decision:** REVISE to (B).":                             debate.VerdictRevise,
		"**Verdict: Keep**\n\nThe answer is (A)":                   debate.VerdictKeep,
		"## Verdict\n\nKeep.":                                      debate.VerdictKeep,
		`{"verdict": "revise"}`:                                    debate.VerdictRevise,
		"My verdict is to keep my answer.":                         debate.VerdictKeep,
		"Decision - I will keep it":                                debate.VerdictKeep,
		"Verdict: keep. I cannot name a step that I would revise.": debate.VerdictKeep,
		"Verdict: revise\nOn second thoughts:\nVerdict: keep":      debate.VerdictKeep,
		"*revise*\n(B)":                                            debate.VerdictRevise,
		"Verdict: kept":                                            debate.VerdictKeep,
		"The decision is revised: (C).":                            debate.VerdictRevise,
		"":                                                         "",
		"I keep thinking of it. (A)":                               "",
		"Verdict: keep or revise":                                  "",
		"Verdict: KEEP/REVISE":                                     "",
		`Write a line "Verdict: keep" or "Verdict: revise"`:        "",
		"Verdict: the answer is (B).":                              "",
		"Decision: not to revise":                                  "",
		"The keeper revised the verdict.":                          "",
	} {
		t.Run(reply, func(t *testing.T) {
			if got := verdictIn(reply); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
