package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/parley-debate/parley/internal/platform"
)

const (
	// largestWindow bounds the memory that a bundle can ask its reader for; Write needs 4 MiB.
	largestWindow = 64 << 20
	// unpackingName is locked in the directory of an unpacking, and tells it from one of somebody else.
	unpackingName = ".parley-unpacking"
	// longestEnd bounds what may follow the last part: tar fills its last record with zeros.
	longestEnd = 1 << 20
	// smallParts and mostInflation bound what a bundle fills a disk with: tables become a tenth of their size at best,
	// zeros a thousandth.
	smallParts    = 64 << 20
	mostInflation = 100
)

// Unpack checks the bundle in the file from and writes its parts below the directory to, which must not exist or be
// empty. Until all of them are checked, they are in a directory beside it with the ending .part; what an unpacking that
// was killed left there is removed. progress is told how many bytes of the bundle have been read.
func Unpack(ctx context.Context, from, to string, progress func(bytes int64)) (m Manifest, err error) {
	entries, err := os.ReadDir(to)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return m, err
	case len(entries) > 0:
		return m, fmt.Errorf("directory %q is not empty", to)
	}
	file, err := os.Open(from)
	if err != nil {
		return m, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return m, err
	}
	part := filepath.Clean(to) + ".part"
	claim, err := claimed(part)
	if err != nil {
		return m, err
	}
	defer func() {
		claim.Close()
		os.RemoveAll(part)
	}()
	if m, err = unpack(reader{ctx, file, progress}, info.Size(), part); ctx.Err() != nil {
		return m, context.Cause(ctx)
	} else if err != nil {
		return m, err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return m, err
	}
	if err := platform.Remove(claim); err != nil {
		return m, err
	}
	return m, os.Rename(part, to)
}

// claimed makes a directory for what is unpacked, or empties the one that an unpacking has left. The file that it
// returns is locked for as long as this process uses the directory.
func claimed(part string) (claim *os.File, err error) {
	flags := os.O_RDWR
	if left, err := os.ReadDir(part); len(left) == 0 && (err == nil || errors.Is(err, os.ErrNotExist)) {
		flags |= os.O_CREATE
	}
	if err := os.Mkdir(part, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if claim, err = platform.OpenOwn(filepath.Join(part, unpackingName), flags, 0o600); err != nil {
		return nil, fmt.Errorf("%s is not what an interrupted unpacking has left: remove it: %w", part, err)
	}
	if err = platform.Lock(claim); errors.Is(err, platform.ErrLocked) {
		err = fmt.Errorf("another parley is unpacking in %s", part)
	}
	left, _ := os.ReadDir(part)
	for _, entry := range left {
		if err == nil && entry.Name() != unpackingName {
			err = os.RemoveAll(filepath.Join(part, entry.Name()))
		}
	}
	if err != nil {
		claim.Close()
	}
	return claim, err
}

func unpack(from io.Reader, packed int64, to string) (m Manifest, err error) {
	plain, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
	if err != nil {
		return m, damageError("%w", err)
	}
	defer plain.Close()
	archive := tar.NewReader(plain)
	text, err := summary(archive, manifestName, to)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, damageError("%s: %w", manifestName, err)
	}
	if err := m.check(); err != nil {
		return m, err
	}
	if most := smallParts + mostInflation*packed; m.Size() > most {
		return m, damageError("parts of %d bytes in a file of %d: at most %d are unpacked, %d and %d for each byte of "+
			"the file", m.Size(), packed, most, int64(smallParts), int64(mostInflation))
	}
	sums, err := summary(archive, sumsName, to)
	if err != nil {
		return m, err
	}
	if string(sums) != m.sums() {
		return m, damageError("%s differs from %s", sumsName, manifestName)
	}
	for _, e := range m.Parts {
		if err := e.unpack(archive, to); err != nil {
			return m, err
		}
	}
	switch extra, err := archive.Next(); {
	case err == nil:
		return m, damageError("%.100q is not in its manifest", extra.Name)
	case !errors.Is(err, io.EOF):
		return m, damageError("after its last part: %w", err)
	}
	// zstd compares its own checksum at the very end
	n, err := io.Copy(io.Discard, io.LimitReader(plain, longestEnd))
	if err == nil && n == longestEnd {
		err = fmt.Errorf("at least %d bytes", n)
	}
	if err != nil {
		return m, damageError("after its last part: %w", err)
	}
	return m, nil
}

// next moves to the next file of the archive, which must have the given name, and returns its size.
func next(archive *tar.Reader, name string) (size int64, err error) {
	header, err := archive.Next()
	switch {
	case err != nil:
		return 0, damageError("%s is missing: %w", name, err)
	case header.Name != name || header.Typeflag != tar.TypeReg:
		return 0, damageError("%.100q instead of the file %s", header.Name, name)
	}
	return header.Size, nil
}

// summary reads and writes the manifest or the checksums.
func summary(archive *tar.Reader, name, to string) ([]byte, error) {
	size, err := next(archive, name)
	if err != nil {
		return nil, err
	}
	if size > largestSummary {
		return nil, damageError("%s has %d bytes; there can be %d", name, size, largestSummary)
	}
	text, err := io.ReadAll(archive)
	if err != nil {
		return nil, damageError("%s: %w", name, err)
	}
	return text, os.WriteFile(filepath.Join(to, name), text, 0o644)
}

// unpack writes one part and compares its size and hash.
func (e Entry) unpack(archive *tar.Reader, to string) error {
	size, err := next(archive, e.Path)
	if err != nil {
		return err
	}
	if size != e.Size {
		return damageError("%s has %d bytes, %d in the manifest", e.Path, size, e.Size)
	}
	path := filepath.Join(to, filepath.FromSlash(e.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(e.What.mode()))
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), archive); errors.As(err, new(*fs.PathError)) {
		return err // of the disk
	} else if err != nil {
		return damageError("%s: %w", e.Path, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != e.SHA256 {
		return damageError("%s has the SHA-256 %s, in the manifest %s", e.Path, sum, e.SHA256)
	}
	return errors.Join(file.Sync(), file.Close())
}
