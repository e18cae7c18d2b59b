package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/inference/serve/batch"
	"github.com/parley-debate/parley/internal/outfile"
	"github.com/parley-debate/parley/internal/platform"
)

// answersFile writes each answer to PATH.partial at once, and all of them to PATH in the end: what is at PATH is always
// complete. A run that is interrupted finds its answers there again.
type answersFile struct {
	path     string
	partial  *os.File // locked while a process uses it
	end      int64    // of its complete lines
	found    map[string]stored
	requests map[string]bool // names of the requests
	lines    []stored        // by line of the input
	earlier  *os.File        // what is at path already; nil for nothing
}

// stored says where an answer is: in text if that is not nil, else at [from, to) in file. Replies stay on the disk, so
// that the memory of a batch does not grow with its output.
type stored struct {
	file     *os.File
	from, to int64
	text     []byte
}

// openAnswers opens the files at a path, with the answers that are there. It refuses what answers other requests than
// these.
func openAnswers(path string, lines [][]byte) (a *answersFile, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("--out %s is no file; use --out - for a pipe", path)
	}
	a = &answersFile{path: path, found: make(map[string]stored), lines: make([]stored, len(lines)),
		requests: make(map[string]bool)}
	for _, line := range lines {
		var request struct {
			CustomID string `json:"custom_id"`
		}
		_ = json.Unmarshal(line, &request) // a line that cannot be read gets an error of its own
		a.requests[request.CustomID] = true
	}
	a.partial, err = platform.OpenOwn(path+".partial", os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if err := platform.Lock(a.partial); err != nil {
		a.partial.Close()
		return nil, fmt.Errorf("--out: %s is in use by another process: %w", a.partial.Name(), err)
	}
	if a.end, err = a.read(a.partial, true); err == nil {
		err = errors.Join(a.partial.Truncate(a.end), a.readEarlier()) // half a line goes
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--out: %w", err), a.close(false))
	}
	return a, nil
}

// readEarlier reads a complete output of an earlier call. Its answers are used again, which makes a second call with
// more requests cheap; requests that failed then are computed anew.
func (a *answersFile) readEarlier() (err error) {
	a.earlier, err = os.Open(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		a.earlier = nil
		return nil
	}
	if err == nil {
		_, err = a.read(a.earlier, false)
	}
	return err
}

// read finds the answers in a file, up to the end of its complete lines. Only in a file that grows can the last line
// be half of one.
func (a *answersFile) read(file *os.File, grows bool) (end int64, err error) {
	text, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if grows && batch.Torn(line) {
			break // the process was killed while it wrote this
		}
		var answer struct {
			ID       string
			CustomID *string `json:"custom_id"`
			Response *struct {
				StatusCode int `json:"status_code"`
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil || answer.ID == "" || !bytes.HasSuffix(line, []byte("\n")) {
			return end, fmt.Errorf("%s, line %d, is no answer of a batch: name another file", file.Name(), number)
		}
		if name := answer.CustomID; name != nil && !a.requests[*name] {
			return end, fmt.Errorf("%s, line %d, answers a request %q, which there is not: name another file",
				file.Name(), number, *name)
		}
		if answer.Response != nil && answer.Response.StatusCode == 200 {
			a.found[answer.ID] = stored{file: file, from: end, to: end + int64(len(line))}
		}
		end += int64(len(line))
	}
	return end, nil
}

// has reports whether the output or the partial file of an earlier run has an answer.
func (a *answersFile) has(id string) bool { return a.found[id].file != nil }

// put takes an answer. Only replies are kept for another run: an error may not come again.
func (a *answersFile) put(answer batch.Answer) error {
	switch {
	case answer.Text == nil:
		a.lines[answer.Line] = a.found[answer.ID]
		return nil
	case !answer.OK:
		a.lines[answer.Line] = stored{text: answer.Text}
		return nil
	}
	n, err := a.partial.WriteAt(answer.Text, a.end)
	if err != nil {
		return fmt.Errorf("%w; the answers so far are kept", err)
	}
	a.lines[answer.Line] = stored{file: a.partial, from: a.end, to: a.end + int64(n)}
	a.end += int64(n)
	return nil
}

// close writes the output, if it is complete, and ends the work on its files.
func (a *answersFile) close(complete bool) (err error) {
	if complete {
		err = a.write()
	}
	if a.earlier != nil {
		a.earlier.Close()
	}
	if err == nil && (complete || a.empty()) {
		return platform.Remove(a.partial)
	}
	return errors.Join(err, a.partial.Close())
}

// empty reports whether the partial file has no answer, so that nothing is lost with it.
func (a *answersFile) empty() bool {
	info, err := a.partial.Stat()
	return err == nil && info.Size() == 0
}

// write writes all answers to a new file, and gives it the path of the output. It replaces only the file that was
// there when the batch began: whoever wrote another one in the meantime would lose it.
func (a *answersFile) write() error {
	before := func(file *os.File) bool {
		if a.earlier == nil {
			return false
		}
		now, err := file.Stat()
		was, wrong := a.earlier.Stat()
		return err == nil && wrong == nil && os.SameFile(now, was)
	}
	out := outfile.File{Kind: outfile.Kind{Name: "output of this batch", Ours: before}, Path: a.path}
	fresh, err := out.Create()
	if err != nil {
		return fmt.Errorf("--out: %w; the answers are kept in %s", err, a.partial.Name())
	}
	defer fresh.Cleanup()
	for _, s := range a.lines {
		var from io.Reader = bytes.NewReader(s.text)
		if s.file != nil {
			from = io.NewSectionReader(s.file, s.from, s.to-s.from)
		}
		if _, err := io.Copy(fresh, from); err != nil {
			return err
		}
	}
	if err := fresh.CloseAtomicallyReplace(); err != nil {
		return err
	}
	record.SyncDirectory(filepath.Dir(a.path))
	return nil
}
