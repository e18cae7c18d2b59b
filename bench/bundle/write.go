package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/parley-debate/parley/internal/outfile"
)

// Part is a file to pack.
type Part struct {
	Path    string // in the bundle, relative, with slashes
	What    Kind
	From    string // the file to copy, if there is no Content
	Content []byte
}

// Output is the file of a bundle. It replaces an earlier bundle, and nothing else.
func Output(path string) outfile.File {
	ours := func(file *os.File) bool {
		plain, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
		if err != nil {
			return false
		}
		defer plain.Close()
		first, err := tar.NewReader(plain).Next()
		return err == nil && first.Name == manifestName
	}
	return outfile.File{Kind: outfile.Kind{Name: "bundle", Ours: ours}, Path: path}
}

// Write packs the parts into the file out, which replaces an earlier bundle only when it is complete. m says the rest
// of what the manifest tells; the same parts give the same bytes. progress is told how many bytes have been read: each
// file is read twice, for its hash and to be packed.
func Write(ctx context.Context, out string, m Manifest, parts []Part, progress func(bytes int64)) (Manifest, error) {
	m.Format, m.Parts = formatVersion, nil
	for _, p := range parts {
		e, err := p.entry(ctx, progress)
		if err != nil {
			return m, err
		}
		m.Parts = append(m.Parts, e)
	}
	if err := m.check(); err != nil {
		return m, err
	}
	file, err := Output(out).Create()
	if err != nil {
		return m, err
	}
	defer file.Cleanup()
	if err := m.pack(ctx, file, parts, progress); err != nil {
		return m, err
	}
	return m, file.CloseAtomicallyReplace()
}

// pack writes the archive: the manifest, the checksums, and the parts in their order.
func (m Manifest) pack(ctx context.Context, to io.Writer, parts []Part, progress func(int64)) error {
	compressed, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	for _, p := range []Part{{Path: manifestName, Content: manifest}, {Path: sumsName, Content: []byte(m.sums())}} {
		if err := p.write(ctx, archive, Entry{Path: p.Path, Size: int64(len(p.Content))}, func(int64) {}); err != nil {
			return err
		}
	}
	for i, p := range parts {
		if err := p.write(ctx, archive, m.Parts[i], progress); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func (p Part) contentReader() (io.ReadCloser, error) {
	if p.From == "" {
		return io.NopCloser(bytes.NewReader(p.Content)), nil
	}
	return os.Open(p.From)
}

// entry reads a part for its size and hash.
func (p Part) entry(ctx context.Context, progress func(int64)) (Entry, error) {
	from, err := p.contentReader()
	if err != nil {
		return Entry{}, err
	}
	defer from.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, reader{ctx, from, progress})
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", p.Path, err)
	}
	return Entry{p.Path, p.What, size, hex.EncodeToString(hash.Sum(nil))}, nil
}

// write appends a part. A file that has changed since its hash was taken is an error.
func (p Part) write(ctx context.Context, archive *tar.Writer, e Entry, progress func(int64)) error {
	from, err := p.contentReader()
	if err != nil {
		return err
	}
	defer from.Close()
	if err := archive.WriteHeader(&tar.Header{Name: e.Path, Size: e.Size, Mode: e.What.mode(),
		Format: tar.FormatPAX}); err != nil {
		return err
	}
	hash := sha256.New()
	n, err := io.Copy(archive, io.TeeReader(reader{ctx, from, progress}, hash))
	sum := hex.EncodeToString(hash.Sum(nil))
	if errors.Is(err, tar.ErrWriteTooLong) || err == nil && (n != e.Size || e.SHA256 != "" && sum != e.SHA256) {
		return fmt.Errorf("%s: the file changed while it was packed", p.Path)
	}
	return err
}

// mode is the permission bits of a part.
func (k Kind) mode() int64 {
	if k == ProgramFile {
		return 0o755
	}
	return 0o644
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
