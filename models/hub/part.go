package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/parley-debate/parley/internal/platform"
)

// Names of a file that is not complete, and of what is known about it. Together they let another process go on.
const (
	partSuffix  = ".part"
	stateSuffix = ".part.json"
)

// part is a file that is being downloaded. Only one process has it open.
type part struct {
	path  string // of the complete file
	file  *os.File
	hash  hash.Hash // of the bytes that are there
	done  int64     // their number
	state state
}

// state is what the server has said about the file of which a part is there.
type state struct {
	ETag   string `json:"etag"`
	SHA256 string `json:"sha256,omitempty"` // that is wanted
}

// openPart opens or creates the part of a file, and hashes what is there. A part of a file with another hash is
// discarded.
func openPart(ctx context.Context, f File) (_ *part, err error) {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return nil, err
	}
	known, begun, err := readState(f.Path + stateSuffix)
	if err != nil {
		return nil, err
	}
	name := f.Path + partSuffix
	file, err := platform.OpenOwn(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	p := &part{path: f.Path, file: file, hash: sha256.New(), state: known}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	if err := p.claim(); err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.Size() > 0 && !begun { // a download says first what it is of
		return nil, p.foreign()
	}
	if p.state.SHA256 != f.SHA256 && p.state.SHA256 != "" {
		return p, p.reset()
	}
	p.done, err = io.Copy(p.hash, &readers{ctx, file})
	return p, err
}

// readState reads what is known of a part; begun is false if there is none. It refuses what no download has written.
func readState(path string) (s state, begun bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(&s); err != nil || !bytes.Contains(text, []byte(`"etag"`)) {
		return s, false, foreign(path)
	}
	return s, true, nil
}

// claim makes sure that no other process writes the file, and that it is one of its own.
func (p *part) claim() error {
	if err := platform.Lock(p.file); err != nil {
		if errors.Is(err, platform.ErrLocked) {
			return fmt.Errorf("%q: another process is downloading this file; wait for it", p.path)
		}
		return fmt.Errorf("lock %q: %w", p.file.Name(), err)
	}
	opened, err := p.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(p.file.Name())
	if err != nil || !os.SameFile(opened, there) {
		return fmt.Errorf("%q: another process has just downloaded this file; try again", p.path)
	}
	if !opened.Mode().IsRegular() || platform.Links(p.file) > 1 {
		return p.foreign()
	}
	return nil
}

func (p *part) foreign() error { return foreign(p.file.Name()) }

// foreign returns the error of a path at which there is something of somebody else.
func foreign(path string) error {
	return fmt.Errorf("%q: is no part of a download, but something else of that name; remove it", path)
}

// Write appends to the file.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.WriteAt(b, p.done)
	p.hash.Write(b[:n])
	p.done += int64(n)
	if platform.DiskFull(err) {
		err = permanentError{fmt.Errorf("%w after %d bytes of %q (%w); free some and repeat the command, which goes "+
			"on from there", ErrSpace, p.done, p.path, err)}
	} else if err != nil {
		err = permanentError{err}
	}
	return n, err
}

// reset discards what is there.
func (p *part) reset() error {
	p.hash.Reset()
	p.done, p.state = 0, state{}
	return p.file.Truncate(0)
}

// remember records which version of the file the part is of.
func (p *part) remember(etag, sha256 string) error {
	if now := (state{ETag: etag, SHA256: sha256}); now != p.state {
		p.state = now
		text, err := json.Marshal(now)
		if err != nil {
			return err
		}
		return platform.WriteFile(p.path+stateSuffix, append(text, '\n'), 0o644)
	}
	return nil
}

// sum returns the SHA-256 of what is there.
func (p *part) sum() string { return hex.EncodeToString(p.hash.Sum(nil)) }

// finish gives the file its name. It must have been checked.
func (p *part) finish() error {
	if err := p.file.Sync(); err != nil {
		return err
	}
	if err := platform.Move(p.file, p.path); err != nil {
		return err
	}
	_ = os.Remove(p.path + stateSuffix) // of no use any more
	return nil
}

// discard removes the part.
func (p *part) discard() error {
	_ = os.Remove(p.path + stateSuffix)
	return platform.Remove(p.file)
}

// close keeps the part for another time, unless finish or discard has closed it.
func (p *part) close() error {
	if err := errors.Join(p.file.Sync(), p.file.Close()); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// readers is a reader that a context ends.
type readers struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (r *readers) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}
