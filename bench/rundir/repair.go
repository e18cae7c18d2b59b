package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"parley/bench/record"
	"parley/inference"
)

// Repair is the record at the end of a journal that was written anew from what was intact of it.
type Repair struct {
	Version     int    `json:"v"`
	Kind        string `json:"kind"` // "repair"
	Time        string `json:"time"`
	Kept        int    `json:"kept"`                    // records
	Spans       int    `json:"damaged_spans,omitempty"` // of bytes that are no frame
	LostBytes   int64  `json:"lost_bytes,omitempty"`    // in these
	LostRecords int    `json:"lost_records,omitempty"`  // that were not what had been written
	Dropped     int    `json:"dropped,omitempty"`       // debates behind damage, which follow from the generations
	Unverified  bool   `json:"unverified,omitempty"`    // the records had no hashes, and were taken as they were
}

// Repaired says what was done to a journal.
type Repaired struct {
	Journal string  `json:"journal"`
	Torn    int64   `json:"torn_bytes"`       // cut off its end
	Repair  *Repair `json:"repair"`           // null if it was not written anew
	Backup  string  `json:"backup,omitempty"` // what the file was before
}

// RepairDirectory makes the journals of a run readable again. A torn end is cut off. A journal that is damaged
// elsewhere, or is of the version that had no hashes, is written anew from what is intact, and kept beside it under
// another name. Generations that are lost are computed again by the same command. Debates follow from generations, and
// are recorded in order: those behind damage are dropped, to be counted again.
func RepairDirectory(path, now string) (done []Repaired, err error) {
	if !holdsRun(path) {
		return nil, fmt.Errorf("directory %q holds no run, or nothing of it is intact", path)
	}
	held, err := lock(filepath.Join(path, lockFile))
	if err != nil {
		return nil, fmt.Errorf("run directory %q: %w", path, err)
	}
	defer held.Close()
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
	reader   Directory // what it holds so far
	begun    bool      // a header is there
	gap      bool      // something was lost since the last header
	imported bool      // nothing can be computed again
	copier
}

func (r *repairing) run() error {
	path := filepath.Join(r.directory, r.name)
	r.done.Journal = path
	check := Directory{replies: make(map[string]inference.Reply)}
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

// rewrite writes the journal anew, and puts it in its place at once.
func (r *repairing) rewrite(path string) (err error) {
	fresh := path + ".repaired"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) { // of a repair that was killed
		return err
	}
	if r.to, err = record.Create(fresh); err != nil {
		return err
	}
	err = errors.Join(r.copy(path), r.to.Close())
	if err == nil {
		r.done.Backup, err = backup(path)
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	record.SyncDirectory(r.directory)
	return nil
}

// backup gives the file a second name, and says which.
func backup(path string) (string, error) {
	for i := 1; ; i++ {
		name := path + ".damaged"
		if i > 1 {
			name += fmt.Sprintf("-%d", i)
		}
		switch err := os.Link(path, name); {
		case err == nil || sameFile(path, name): // of a repair that was killed
			return name, nil
		case !errors.Is(err, os.ErrExist):
			return "", fmt.Errorf("keep the damaged journal: %w", err)
		}
	}
}

func (r *repairing) copy(path string) error {
	r.repair = Repair{Version: record.Version, Kind: kindRepair, Time: r.now}
	torn, old, err := record.Salvage(path, r.take, func(l record.Loss) error {
		r.lose(l)
		return nil
	})
	if err == nil && !r.begun {
		err = r.begin()
	}
	r.done.Torn, r.repair.Unverified, r.done.Repair = torn, old, &r.repair
	return errors.Join(err, r.addRecord(r.repair), r.flush())
}

func (r *repairing) lose(l record.Loss) {
	r.gap = true
	r.repair.LostRecords += l.Records
	if r.repair.LostBytes += l.Bytes; l.Bytes > 0 {
		r.repair.Spans++
	}
}

// take copies a record that is intact, if it can be of the run.
func (r *repairing) take(line []byte) error {
	line = renumbered(line)
	var is kind
	if err := json.Unmarshal(line, &is); err == nil && is.Kind == kindDebate && r.gap && !r.imported {
		r.repair.Dropped++
		return nil
	}
	if is.Kind != kindHeader && !r.begun {
		if err := r.begin(); err != nil {
			return err
		}
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

// read enters a record into what the journal holds.
func (r *repairing) read(line []byte) error {
	if r.name == debatesFile {
		err := r.reader.readOutcome(line)
		r.imported = r.reader.header != nil && r.reader.header.Imported != nil
		return err
	}
	return visitor{}.visit(line)
}

// begin writes the header that was lost, which both journals have.
func (r *repairing) begin() error {
	h := firstHeader(filepath.Join(r.directory, debatesFile))
	if r.name == debatesFile {
		h = lastHeader(filepath.Join(r.directory, generationsFile))
	}
	if h == nil {
		return fmt.Errorf("run directory %q: no journal has its header any more, so that nobody knows by which "+
			"model and how its generations were made: begin the run anew, with another --out", r.directory)
	}
	r.begun = true
	line, err := record.Marshal(h)
	return errors.Join(err, r.read(line), r.add(line))
}

// firstHeader is that of a journal, whatever of it is damaged; nil if there is none.
func firstHeader(path string) *Header { return someHeader(path, true) }

// lastHeader is the same at its end.
func lastHeader(path string) *Header { return someHeader(path, false) }

func someHeader(path string, first bool) (found *Header) {
	_, _, _ = record.Salvage(path, func(line []byte) error { // what cannot be read has none
		line = renumbered(line)
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

// renumbered is a record of the version before as one of this one, from which it differs by its lack of a hash.
func renumbered(line []byte) []byte {
	if rest, ok := strings.CutPrefix(string(line), `{"v":1,`); ok {
		return []byte(fmt.Sprintf(`{"v":%d,%s`, record.Version, rest))
	}
	return line
}

// Write says what was found and done.
func (r Repaired) Write(w io.Writer) error {
	var parts []string
	if r.Repair != nil {
		parts = append(parts, r.Repair.String())
	}
	if r.Torn > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes at its end, which a crash tore, cut off", r.Torn))
	}
	if parts == nil {
		parts = append(parts, "intact")
	}
	if r.Backup != "" {
		parts = append(parts, "the file as it was is "+r.Backup)
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
		text += fmt.Sprintf("; %d records left out that were not as they had been written", r.LostRecords)
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %d debates behind them left out, which follow from the generations", r.Dropped)
	}
	return text
}
