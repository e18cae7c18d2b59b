package task

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestReadBy: our readers read the right answers of every public file, and what they read from the target itself,
// stated as an answer, is right.
func TestReadBy(t *testing.T) {
	files := 0
	err := filepath.WalkDir(datatest.Public(t), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".md" {
			return err
		}
		r, err := Inspect(path)
		if err != nil {
			return nil // no task
		}
		files++
		ours, err := r.Task.ReadBy(answer.Reader)
		if err != nil {
			t.Errorf("%s is read by the newest reader: got %v, want no error", path, err)
			return nil
		}
		if ours.Family == "knights" {
			return nil // whose solutions are sentences
		}
		bad, at := 0, ""
		for _, q := range ours.Questions {
			target := q.Target
			if len(q.Accepted) > 0 {
				target = q.Accepted[0]
			}
			if a := ours.Reader(q)("The answer is " + target + "."); ours.Score(q, a) != Right {
				bad, at = bad+1, q.ID+": "+target+", read "+a.String()+", right "+q.Truth.Text
			}
		}
		if t.Logf("%s: %s, %s, %d of %d are read otherwise; %.200s", path, ours.Family, ours.Rule, bad,
			len(ours.Questions),
			at); bad*50 > len(ours.Questions) {
			t.Errorf("%s: of %d targets 1 in 50 or fewer are not read as right: got %d",
				path, len(ours.Questions), bad)
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d public files are tasks: %v, want at least 20 and no error", files, err)
	}
}
