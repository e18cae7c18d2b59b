package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference"
)

// ForkDirectory makes the directory of a run that begins with the generations of another run. Begin reads the other
// directory, and nothing writes to it.
func ForkDirectory(from, path string) (*Directory, error) {
	if _, err := os.Stat(filepath.Join(from, generationsFile)); err != nil {
		return nil, notRun(from, err)
	}
	d, err := OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	if d.header != nil || sameFile(from, path) {
		return nil, errors.Join(fmt.Errorf("run directory %q holds a run already; resume it with --out %s and "+
			"without --fork, or name a new directory", path, path), d.Close())
	}
	d.forkOf = from
	return d, nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}

// Forked returns how many intact generations the other directory has, how many of them this run can use if it asks for
// the same, and how many damaged parts lie between them.
func (d *Directory) Forked() (recorded, usable, damaged int) {
	return d.offered, len(d.replies), d.unusable
}

// inherit copies the generations that this run would compute in the same way, with their headers, which say what keys
// of older programs do not. Damaged parts are not copied.
func (d *Directory) inherit(h Header) error {
	if d.forkOf == "" {
		return nil
	}
	f := inheriting{Directory: d, wanted: h, copier: copier{to: d.generations},
		missing: firstHeader(filepath.Join(d.forkOf, debatesFile))}
	_, _, err := record.Salvage(filepath.Join(d.forkOf, generationsFile), f.copyRecord, func(record.Loss) error {
		d.unusable++
		return nil
	})
	return errors.Join(err, f.flush())
}

// inheriting copies another run's generations.
type inheriting struct {
	*Directory
	copier
	wanted  Header
	missing *Header // stands in for the header of the first generations if that is damaged; nil once a header is read
	last    *Header // the header of the generations that come; nil if none of them is wanted
}

// applies reports whether a model of a run computes as one of the wanted run does.
func (f *inheriting) applies(h Header) bool {
	return slices.ContainsFunc(h.Model.All(), func(m inference.ModelInfo) bool { return h.computesAs(m, f.wanted) })
}

// copyRecord copies a record, if it applies.
func (f *inheriting) copyRecord(line []byte) error {
	var copied error
	err := visitor{header: func(h Header) {
		if f.missing, f.last = nil, nil; f.applies(h) {
			f.last, copied = &h, f.add(line)
		}
	}, generation: func(g Generation) error {
		copied = f.takeGeneration(g, line)
		return nil
	}}.visit(line)
	if errors.Is(err, record.ErrDamaged) {
		f.unusable++
		err = nil
	}
	return errors.Join(err, copied)
}

// takeGeneration copies a generation. If no header precedes it, the one that stands in is copied first.
func (f *inheriting) takeGeneration(g Generation, line []byte) error {
	if f.missing != nil {
		if f.applies(*f.missing) {
			f.last = f.missing
			if err := f.addRecord(f.missing); err != nil {
				return err
			}
		}
		f.missing = nil
	}
	f.offered++
	if f.last == nil {
		return nil
	}
	if made, known := f.last.ModelOf(g.Reply); !known || !f.last.computesAs(made, f.wanted) {
		return nil // another model of a team
	}
	f.addReply(g)
	return f.add(line)
}

// copier appends records to a journal in batches, because each append waits for the disk. Its owner calls flush at the
// end.
type copier struct {
	to    *record.Journal
	lines []any
	bytes int
}

// Bounds of a batch: whichever is reached first ends it.
const (
	batchRecords = 32
	batchBytes   = 1 << 20
)

// add appends a copy of a line, which its reader may overwrite.
func (c *copier) add(line []byte) error {
	c.lines = append(c.lines, json.RawMessage(bytes.Clone(line)))
	if c.bytes += len(line); len(c.lines) < batchRecords && c.bytes < batchBytes {
		return nil
	}
	return c.flush()
}

// addRecord is add for a record of this program: its line is made here.
func (c *copier) addRecord(r any) error {
	line, err := record.Marshal(r)
	if err != nil {
		return err
	}
	return c.add(line)
}

// flush appends what is left of a batch. Records that were added are not in the journal before.
func (c *copier) flush() (err error) {
	if len(c.lines) > 0 {
		err = c.to.Append(c.lines...)
	}
	c.lines, c.bytes = nil, 0
	return err
}
