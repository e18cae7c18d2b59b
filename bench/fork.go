package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ForkDirectory makes the directory of a run that begins with generations of another one. That one is only read, when the run begins.
func ForkDirectory(from, path string) (*Directory, error) {
	if _, err := os.Stat(filepath.Join(from, "generations.jsonl.zst")); err != nil {
		return nil, notRun(from, err)
	}
	d, err := OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	if d.header != nil || sameFile(from, path) {
		return nil, errors.Join(fmt.Errorf("run directory %q holds a run already; go on with it by --out %s without --fork, or name a new one", path, path), d.Close())
	}
	d.from = from
	return d, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// Forked is how many generations the other directory has, and how many of them this run can use where it asks for the same.
func (d *Directory) Forked() (recorded, usable int) { return d.offered, len(d.replies) }

// batch is how many generations are copied at a time.
const batch = 32

// inherit copies the generations that this run would compute as they were computed, with their headers. Their keys say by what they were asked for, and
// of what they were computed by only the model.
func (d *Directory) inherit(h Header) error {
	if d.from == "" {
		return nil
	}
	var records []any
	flush := func() (err error) {
		if len(records) > 0 {
			err = d.generations.Append(records...)
		}
		records = records[:0]
		return err
	}
	applies := false
	err := readGenerations(d.from, func(old Header) {
		if applies = old.computes(h); applies {
			records = append(records, old)
		}
	}, func(g generation) error {
		if d.offered++; !applies {
			return nil
		}
		d.replies[g.Reply.Key] = g.Reply
		if records = append(records, g); len(records) < batch {
			return nil
		}
		return flush()
	})
	return errors.Join(err, flush())
}
