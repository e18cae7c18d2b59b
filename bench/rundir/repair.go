package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-debate/parley/bench/record"
)

// RepairDirectory makes the journals of a run readable again; now is the time that the records of the repairs get. It
// cuts off a torn end. It rewrites a journal that is damaged elsewhere, or of the version without hashes, from its
// intact records, and keeps the damaged file under another name.
//
// The command that made the run then computes lost generations again. Debates are recorded in order and follow from the
// generations, so those after damage are dropped: the command records them again at their places.
func RepairDirectory(path, now string) (done []Repaired, err error) {
	if !IsRun(path) {
		return nil, fmt.Errorf("nothing to repair: %w", notRun(path, fs.ErrNotExist))
	}
	locked, err := takeLock(path, false)
	if err != nil {
		return nil, fmt.Errorf("run directory %q: %w", path, err)
	}
	defer locked.Close()
	for _, name := range []string{generationsFile, debatesFile} {
		r := repairing{directory: path, name: name, now: now}
		if err := r.run(); err != nil {
			return done, err
		}
		done = append(done, r.done)
	}
	return done, nil
}

// repairing is the repair of one journal.
type repairing struct {
	directory, name, now string

	done     Repaired
	repair   Repair
	debates  contents // the debates copied so far; not used for generations
	begun    bool     // a header was copied
	gap      bool     // something was lost since the last header
	imported bool     // no generation can be computed again, so no debate is dropped
	copier
}

// run checks the journal, and repairs it as far as necessary.
func (r *repairing) run() error {
	path := filepath.Join(r.directory, r.name)
	r.done.Journal = path
	check := newContents()
	read := check.readOutcome
	if r.name == generationsFile {
		read = check.readGeneration
	}
	torn, err := record.Read(path, read)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err == nil && torn == 0:
		return nil
	case err == nil:
		r.done.Torn = torn
		j, _, err := record.Continue(path, func([]byte) error { return nil })
		if err != nil {
			return err
		}
		return j.Close()
	case errors.Is(err, record.ErrDamaged), errors.Is(err, record.ErrVersion):
		return r.rewrite(path)
	}
	return err
}

// rewrite writes the intact records to a new file in the place of the damaged one, which is kept.
func (r *repairing) rewrite(path string) (err error) {
	r.done.Backup, err = record.Rewrite(path, func(to *record.Journal) error {
		r.to = to
		return r.copy(path)
	})
	return err
}

// copy appends the intact records of the damaged journal to the new one, and the record of the repair.
func (r *repairing) copy(path string) error {
	r.repair = Repair{Version: record.Version, Kind: kindRepair, Time: r.now}
	torn, old, err := record.Salvage(path, r.copyRecord, func(l record.Loss) error {
		r.lose(l)
		return nil
	})
	if err == nil && !r.begun {
		err = r.restoreHeader()
	}
	r.done.Torn, r.repair.Unverified, r.done.Repair = torn, old, &r.repair
	return errors.Join(err, r.addRecord(r.repair), r.flush())
}

// lose counts a damaged part.
func (r *repairing) lose(l record.Loss) {
	r.gap = true
	r.repair.Lose(l)
}

// copyRecord copies an intact record, unless it is a debate after damage or cannot be one of the run.
func (r *repairing) copyRecord(line []byte) error {
	line = upgrade(line)
	var is kind
	_ = json.Unmarshal(line, &is) // read returns the error
	if is.Kind != kindHeader && !r.begun {
		if err := r.restoreHeader(); err != nil { // which tells whether the run is imported
			return err
		}
	}
	if is.Kind == kindDebate && r.gap && !r.imported {
		r.repair.Dropped++
		return nil
	}
	if err := r.read(line); errors.Is(err, record.ErrDamaged) {
		r.lose(record.Loss{Records: 1})
		return nil
	} else if err != nil {
		return err
	}
	if is.Kind == kindHeader {
		r.begun, r.gap = true, false
	}
	r.repair.Kept++
	return r.add(line)
}

// read validates a record against those before it.
func (r *repairing) read(line []byte) error {
	if r.name == debatesFile {
		err := r.debates.readOutcome(line)
		r.imported = r.debates.header != nil && r.debates.header.Imported != nil
		return err
	}
	return visitor{}.visit(line)
}

// restoreHeader replaces a lost first header by one of the other journal. The generations may belong to several
// headers, and their first ones to the first; the debates that are kept are those of the last.
func (r *repairing) restoreHeader() error {
	h := firstHeader(filepath.Join(r.directory, debatesFile))
	if r.name == debatesFile {
		h = lastHeader(filepath.Join(r.directory, generationsFile))
	}
	if h == nil {
		return fmt.Errorf("run directory %q: no journal has an intact header, so the model and the settings of its "+
			"generations are unknown: begin the run again in another directory", r.directory)
	}
	r.begun = true
	line, err := record.Marshal(h)
	return errors.Join(err, r.read(line), r.add(line))
}

// firstHeader returns the first intact header of a journal, nil if there is none or the file cannot be read.
func firstHeader(path string) *Header { return someHeader(path, true) }

// lastHeader returns the last one.
func lastHeader(path string) *Header { return someHeader(path, false) }

// someHeader returns the first or the last intact header. Damage around it is no error here: repair reports it
// elsewhere.
func someHeader(path string, first bool) (found *Header) {
	_, _, _ = record.Salvage(path, func(line []byte) error {
		line = upgrade(line)
		if is, err := kindOf(line, kinds...); err != nil || is != kindHeader || first && found != nil {
			return nil
		}
		if h, err := readHeader(line); err == nil {
			found = h
		}
		return nil
	}, func(record.Loss) error { return nil })
	return found
}

// upgrade returns a record of the previous version as one of this version: only the number differs, and the hash that
// the journal adds.
func upgrade(line []byte) []byte {
	if rest, ok := strings.CutPrefix(string(line), `{"v":1,`); ok {
		return []byte(fmt.Sprintf(`{"v":%d,%s`, record.Version, rest))
	}
	return line
}

// Repair is the last record of a journal that was rewritten from its intact records.
type Repair struct {
	Version     int    `json:"v"`
	Kind        string `json:"kind"` // "repair"
	Time        string `json:"time"`
	Kept        int    `json:"kept"`                    // records
	Spans       int    `json:"damaged_spans,omitempty"` // of bytes that are not a frame
	LostBytes   int64  `json:"lost_bytes,omitempty"`    // in these spans
	LostRecords int    `json:"lost_records,omitempty"`  // of whole frames, that were altered or cannot be of a run
	Dropped     int    `json:"dropped,omitempty"`       // intact debates after damage, to be recorded again
	Unverified  bool   `json:"unverified,omitempty"`    // the records had no hashes and were accepted unchecked
}

// Lose counts a damaged part.
func (r *Repair) Lose(l record.Loss) {
	r.LostRecords += l.Records
	if r.LostBytes += l.Bytes; l.Bytes > 0 {
		r.Spans++
	}
}

// Repaired says what RepairDirectory did to a journal.
type Repaired struct {
	Journal string  `json:"journal"`
	Torn    int64   `json:"torn_bytes"`       // cut off its end
	Repair  *Repair `json:"repair"`           // null if the journal was not rewritten
	Backup  string  `json:"backup,omitempty"` // path of the damaged file, "" if the journal was not rewritten
}

// Write prints what was found and done.
func (r Repaired) Write(w io.Writer) error {
	var parts []string
	if r.Repair != nil {
		parts = append(parts, r.Repair.String())
	}
	if r.Torn > 0 {
		parts = append(parts, fmt.Sprintf("a torn last record of %d bytes cut off", r.Torn))
	}
	if parts == nil {
		parts = append(parts, "intact")
	}
	if r.Backup != "" {
		parts = append(parts, "the damaged file is kept as "+r.Backup)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", r.Journal, strings.Join(parts, "; "))
	return err
}

// String says what was kept and lost.
func (r Repair) String() string {
	text := fmt.Sprintf("%d records kept", r.Kept)
	if r.Unverified {
		text += ", which had no hashes: nothing shows whether they were changed"
	}
	if r.Spans > 0 {
		text += fmt.Sprintf("; %d bytes lost in %d places", r.LostBytes, r.Spans)
	}
	if r.LostRecords > 0 {
		text += fmt.Sprintf("; %d altered records left out", r.LostRecords)
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %d debates after them left out, to be recorded again from the generations", r.Dropped)
	}
	return text
}
