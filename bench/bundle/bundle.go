// Package bundle packs what a run needs into one file for a machine without a network, and checks the file there: the
// program, models, task files, the experiment and documentation, with the SHA-256 of each.
//
// Lifecycle: Write makes the file of Parts; Unpack checks it and writes its parts below a directory. A bundle is a tar
// archive compressed with zstd, so tar and sha256sum can unpack and check one where no parley is at hand. Its first
// entry is the Manifest.
//
// What holds: a directory has a bundle's parts completely, with the hashes of the manifest, or does not exist. A bundle
// is not trusted: paths, sizes and the number of parts are bounded before anything is written.
package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Manifest describes a bundle.
type Manifest struct {
	Format     int      `json:"format"`     // 1
	Experiment string   `json:"experiment"` // its name
	Command    []string `json:"command"`    // runs the experiment in the unpacked directory
	Program    Program  `json:"program"`
	Parts      []Entry  `json:"parts"`
}

// Program describes the program in a bundle.
type Program struct {
	Version  string   `json:"version"`
	Platform string   `json:"platform"` // as linux/amd64
	Features []string `json:"features"` // vector units that the CPU must have
}

// Entry describes one part of a bundle.
type Entry struct {
	Path   string `json:"path"` // relative, with slashes
	What   Kind   `json:"what"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // hex
}

// Kind is what a part is for.
type Kind string

// Kinds of parts.
const (
	ProgramFile    Kind = "program"
	ModelFile      Kind = "model"
	TaskFile       Kind = "data"
	ExperimentFile Kind = "experiment"
	Documentation  Kind = "documentation"
)

const (
	manifestName = "MANIFEST.json"
	sumsName     = "SHA256SUMS"

	formatVersion  = 1
	mostParts      = 10_000
	largestSummary = 8 << 20 // bytes of the manifest, and of the checksums
)

// ErrDamaged means that a file is no bundle, or not the bundle that was written.
var ErrDamaged = errors.New("no bundle, or a damaged one")

func damageError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// check refuses a manifest with parts that may not be written below a directory.
func (m Manifest) check() error {
	if m.Format != formatVersion {
		return damageError("format %d; this program reads %d", m.Format, formatVersion)
	}
	if len(m.Parts) > mostParts {
		return damageError("%d parts; there can be %d", len(m.Parts), mostParts)
	}
	seen := make(map[string]bool)
	for _, p := range m.Parts {
		folded := strings.ToLower(p.Path)
		switch {
		case !fs.ValidPath(p.Path) || p.Path == "." || strings.ContainsAny(p.Path, "\\:\x00\n\r"):
			return damageError("the path %.100q", p.Path)
		case seen[folded] || folded == strings.ToLower(manifestName) || folded == strings.ToLower(sumsName):
			return damageError("the path %.100q appears twice", p.Path)
		case p.Size < 0 || p.Size > 1<<49 || len(p.SHA256) != 64:
			return damageError("%.100q: %d bytes, SHA-256 %.70q", p.Path, p.Size, p.SHA256)
		}
		seen[folded] = true
	}
	for name := range seen {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if seen[dir] {
				return damageError("%.100q is a file and a directory", dir)
			}
		}
	}
	return nil
}

// Size is the number of bytes of all parts.
func (m Manifest) Size() (bytes int64) {
	for _, p := range m.Parts {
		bytes += p.Size
	}
	return bytes
}

// sums is a list of hashes that sha256sum -c reads.
func (m Manifest) sums() string {
	var b strings.Builder
	for _, p := range m.Parts {
		fmt.Fprintf(&b, "%s  %s\n", p.SHA256, p.Path)
	}
	return b.String()
}
