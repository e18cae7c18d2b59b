package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/internal/platform"
)

// Plan is what a download will do.
type Plan struct {
	Source  string // what is downloaded: the repository and its commit, or the URL
	Licence string
	Gated   bool
	Files   []File
}

// File is a file to download.
type File struct {
	URL    *url.URL
	Path   string // its name on this machine
	Size   int64  // bytes; -1 if nobody says
	SHA256 string // "" if nobody says
}

// NewFile returns a file at a URL, with its hash if that is known.
func NewFile(address, path, sha256 string) (File, error) {
	u, err := webAddress(address)
	if err == nil && sha256 != "" && !sha256Hash.MatchString(sha256) {
		err = fmt.Errorf("%q is no SHA-256", sha256)
	}
	return File{URL: u, Path: path, Size: -1, SHA256: sha256}, err
}

// Plan asks what there is to download, for addresses that name no package. Files are to be in the directory to, or, if
// that is "", below own: in OWNER/REPO for a repository.
func (c *Client) Plan(ctx context.Context, a Address, own, to string) (Plan, error) {
	if a.URL != nil {
		name, err := a.fileName()
		if err != nil {
			return Plan{}, err
		}
		f := File{URL: a.URL, Path: filepath.Join(cmp.Or(to, own), name)}
		if err := c.Size(ctx, &f); err != nil {
			return Plan{}, err
		}
		return Plan{Source: redactURL(a.URL), Licence: "not known: see the page that links to the file",
			Files: []File{f}}, nil
	}
	r, err := c.repository(ctx, a)
	if err != nil {
		return Plan{}, err
	}
	chosen, err := r.choose(a.Part)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Source: "hf:" + r.Name + " at commit " + r.Commit, Licence: r.Licence, Gated: r.Gated}
	for _, f := range chosen {
		local := filepath.Join(to, path.Base(f.Path))
		if to == "" {
			directory := r.Name
			if a.Revision != "" {
				directory += "@" + a.Revision
			}
			local = filepath.Join(own, filepath.FromSlash(directory), filepath.FromSlash(f.Path))
		}
		elements := append([]string{r.Name, "resolve", r.Commit}, strings.Split(f.Path, "/")...)
		for i, e := range elements[3:] {
			elements[3+i] = url.PathEscape(e)
		}
		p.Files = append(p.Files, File{URL: c.endpoint.JoinPath(elements...), Path: local, Size: f.Size,
			SHA256: f.SHA256})
	}
	return p, nil
}

// Size asks a server for the size of a file, and for the hash if it gives one. Servers that do not answer such
// questions leave the size at -1.
func (c *Client) Size(ctx context.Context, f *File) error {
	f.Size = -1
	return c.retry(ctx, func() (bool, error) {
		r, err := c.send(ctx, http.MethodHead, f.URL, nil)
		if err != nil {
			return false, err
		}
		r.Body.Close()
		switch r.StatusCode {
		case http.StatusOK:
		case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
			return true, nil // signed addresses and simple servers allow GET only
		default:
			return false, c.statusError(f.URL, r.Response)
		}
		if err := notHTML(f.URL, r.Response); err != nil {
			return false, err
		}
		f.Size = r.ContentLength
		return true, f.setLinkedHash(r.linked)
	})
}

// setLinkedHash takes the hash that Hugging Face announces for a large file; it must be the one that is known already.
func (f *File) setLinkedHash(header http.Header) error {
	announced := strings.ToLower(strings.Trim(header.Get("X-Linked-Etag"), `"`))
	switch {
	case !sha256Hash.MatchString(announced):
	case f.SHA256 == "":
		f.SHA256 = announced
	case f.SHA256 != announced:
		return permanentError{fmt.Errorf("%s: the server announces SHA-256 %s, and %s is wanted: the file has "+
			"changed there", redactURL(f.URL), announced, f.SHA256)}
	}
	return nil
}

// bytesLeft returns how many bytes of a file of known size are still to be written.
func (f File) bytesLeft() int64 {
	for _, path := range []string{f.Path, f.Path + partSuffix} {
		if info, err := os.Stat(path); err == nil {
			return max(0, f.Size-info.Size())
		}
	}
	return max(0, f.Size)
}

// ErrSpace means that a disk has too little space.
var ErrSpace = errors.New("too little disk space")

// CheckSpace refuses a plan that does not fit on the disk. Files of unknown size are checked when they begin.
func (p Plan) CheckSpace() error {
	var left int64
	for _, f := range p.Files {
		left += f.bytesLeft()
	}
	return checkSpace(filepath.Dir(p.Files[0].Path), left)
}

func checkSpace(dir string, bytes int64) error {
	free, err := Free(dir)
	if err != nil || bytes <= free {
		return err
	}
	return fmt.Errorf("%w: %s are needed and %s are free in %q; free some, or choose another directory with --to",
		ErrSpace, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(free)), dir)
}

// Free returns the space on the disk of a directory, which need not exist yet, in bytes.
func Free(dir string) (int64, error) {
	for {
		free, err := platform.FreeSpace(dir)
		parent := filepath.Dir(dir)
		if errors.Is(err, os.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("free space of %q: %w", dir, err)
		}
		return free, nil
	}
}
