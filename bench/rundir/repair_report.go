package rundir

import (
	"fmt"
	"io"
	"strings"

	"github.com/parley-debate/parley/bench/record"
)

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
