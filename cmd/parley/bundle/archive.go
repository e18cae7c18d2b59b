package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/parley-debate/parley/internal/outfile"
)

const (
	readmeName = "README.txt" // first in the archive
	sumsName   = "SHA256SUMS" // last, for sha256sum -c
)

// part is a file of the archive.
type part struct {
	path    string // relative, with slashes
	from    string // the file to copy, if there is no content
	content []byte
	mode    int64 // permission bits
}

// output is the file of a bundle. It replaces an earlier bundle, and nothing else.
func output(path string) outfile.File {
	return outfile.File{Path: path, Kind: outfile.Kind{Name: "bundle",
		Ours: outfile.Opening(`(?s)README\.txt\x00.{501}The experiment [^\n]+, packed by parley `)}}
}

// write packs the parts and their checksums into a tar archive; the same parts give the same bytes. progress is told
// how many bytes have been read.
func write(ctx context.Context, to io.Writer, parts []part, progress func(bytes int64)) error {
	archive := tar.NewWriter(to)
	var sums strings.Builder
	for _, p := range parts {
		if !fs.ValidPath(p.path) || strings.ContainsAny(p.path, "\\:\x00\n\r") {
			return fmt.Errorf("a file that is called %.100q cannot be unpacked everywhere: rename it", p.path)
		}
		sum, err := p.pack(ctx, archive, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, p.path)
	}
	list := part{path: sumsName, content: []byte(sums.String()), mode: 0o644}
	if _, err := list.pack(ctx, archive, func(int64) {}); err != nil {
		return err
	}
	return archive.Close()
}

// pack appends a part and returns its SHA-256.
func (p part) pack(ctx context.Context, archive *tar.Writer, progress func(int64)) (sum []byte, err error) {
	from, size, err := p.open()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if err := archive.WriteHeader(&tar.Header{Name: p.path, Size: size, Mode: p.mode,
		Format: tar.FormatPAX}); err != nil {
		return nil, err
	}
	hash := sha256.New()
	n, err := io.Copy(archive, io.TeeReader(reader{ctx, from, progress}, hash))
	if errors.Is(err, tar.ErrWriteTooLong) || err == nil && n != size {
		return nil, errors.New("the file changed while it was packed")
	}
	return hash.Sum(nil), err
}

// open opens what the part holds; size is in bytes.
func (p part) open() (from io.ReadCloser, size int64, err error) {
	if p.from == "" {
		return io.NopCloser(bytes.NewReader(p.content)), int64(len(p.content)), nil
	}
	file, err := os.Open(p.from)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// reader stops when its context does, and tells how much was read.
type reader struct {
	ctx      context.Context
	from     io.Reader
	progress func(bytes int64)
}

// Read implements io.Reader.
func (r reader) Read(into []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	n, err := r.from.Read(into)
	r.progress(int64(n))
	return n, err
}
