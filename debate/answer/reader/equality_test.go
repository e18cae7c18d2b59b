package reader

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// TestEquality: two spellings are the same answer where math-verify 0.9.0 says so
// (tools/differential/spellings.py), but for what has its reason in the file.
func TestEquality(t *testing.T) {
	var file struct {
		Pairs []struct {
			A, B   string
			Theirs bool
			Why    string // ours differs
		}
	}
	text, err := os.ReadFile("../testdata/equality.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Pairs) < 60 {
		t.Fatal(len(file.Pairs), err)
	}
	for _, p := range file.Pairs {
		a, errA := ReadTarget(answer.KindMath.Reader(), p.A, answer.Question{})
		b, errB := ReadTarget(answer.KindMath.Reader(), p.B, answer.Question{})
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		ours := symbolic.Same(a.Text, b.Text)
		if (ours != p.Theirs) != (p.Why != "") {
			t.Errorf("%q and %q are the same: %v, theirs %v, want theirs but for the reason %q", p.A, p.B, ours,
				p.Theirs, p.Why)
		}
	}
}
