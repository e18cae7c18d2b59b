package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sources are those of one llama.cpp in a directory.
type sources struct {
	dir       string // with its CMakeLists.txt
	version   string
	tree      string
	temporary string // what is removed at the end; "" for a directory by hand
}

func (s sources) remove() { os.RemoveAll(s.temporary) }

// parts are what is built and hashed: crates carry these of every version, and leave out tests and documents.
var parts = []string{"CMakeLists.txt", "LICENSE", "cmake", "ggml", "include", "src", "vendor"}

// mostUnpacked bounds what an archive unpacks to, in bytes: version 0.8.0 has 45 MB.
const mostUnpacked = 1 << 30

// byHand returns the sources of a directory or an archive that somebody names.
func byHand(name, cache string) (sources, error) {
	info, err := os.Stat(name)
	if err != nil {
		return sources{}, fmt.Errorf("no such directory or archive: %w", err)
	}
	if info.IsDir() {
		return examine(name, "")
	}
	return unpack(name, cache)
}

// unpack takes the sources out of a tar.gz, in which they may lie deeper, into a directory beside the cache's others.
func unpack(archive, cache string) (s sources, err error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return s, err
	}
	dir, err := os.MkdirTemp(cache, "source-")
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if err := extract(archive, dir); err != nil {
		return s, fmt.Errorf("%s: no tar.gz that can be read: %w", archive, err)
	}
	return examine(dir, dir)
}

// extract writes the files of a tar.gz into dir; links and names that lead out of it are refused.
func extract(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	members := tar.NewReader(io.LimitReader(z, mostUnpacked))
	for {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.FromSlash(path.Clean(h.Name))
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := writeFile(root, name, members); err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, text io.Reader) error {
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	return errors.Join(err, f.Close())
}

var (
	project = regexp.MustCompile(`(?m)^project\("llama.cpp"`)
	number  = regexp.MustCompile(`(?m)^set\(LLAMA_VERSION_(MAJOR|MINOR|PATCH) +(\d+)\)`)
)

// examine finds llama.cpp in a directory or, not deeper than four levels, below it.
func examine(dir, temporary string) (sources, error) {
	s := sources{temporary: temporary}
	var text []byte
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(dir, name)
		depth := strings.Count(filepath.ToSlash(below), "/")
		if entry.IsDir() && depth > 3 {
			return fs.SkipDir
		}
		if entry.Name() != "CMakeLists.txt" || s.dir != "" && depth > strings.Count(s.dir[len(dir):], "/") {
			return nil
		}
		content, err := os.ReadFile(name)
		if err == nil && project.Match(content) {
			s.dir, text = filepath.Dir(name), content
		}
		return err
	})
	if err != nil {
		return s, err
	}
	if s.dir == "" {
		return s, fmt.Errorf("%s has no sources of llama.cpp: no CMakeLists.txt of the project \"llama.cpp\"", dir)
	}
	numbers := make(map[string]string)
	for _, m := range number.FindAllSubmatch(text, -1) {
		numbers[string(m[1])] = string(m[2])
	}
	s.version = fmt.Sprintf("%s.%s.%s", cmp.Or(numbers["MAJOR"], "0"), cmp.Or(numbers["MINOR"], "0"),
		cmp.Or(numbers["PATCH"], "0"))
	s.tree, err = treeHash(s.dir)
	return s, err
}

// treeHash returns the SHA-256 of one line for each file of parts, sorted by name: its SHA-256, two spaces, its name.
// It is what `find CMakeLists.txt LICENSE cmake ggml include src vendor -type f ! -name '.*' | LC_ALL=C sort | xargs -d
// '\n' sha256sum | sha256sum` prints.
func treeHash(dir string) (string, error) {
	var names []string
	for _, part := range parts {
		err := filepath.WalkDir(filepath.Join(dir, part), func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
				name, err = filepath.Rel(dir, name)
				names = append(names, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	slices.Sort(names)
	all := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%x  %s\n", sha256.Sum256(text), name)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

var (
	named        = regexp.MustCompile(`(?s)LLM_ARCH_NAMES = \{(.*?)\};`)
	architecture = regexp.MustCompile(`\{ *LLM_ARCH_\w+, *"([^"]+)" *\}`)
)

// architectures returns the families of GGUF files that the sources know, one a line, sorted: LLM_ARCH_NAMES without
// "clip", which llama.cpp does not run as a model, and its word for unknown ones.
func (s sources) architectures() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, "src", "llama-arch.cpp"))
	if err != nil {
		return "", err
	}
	list := named.FindSubmatch(text)
	if list == nil {
		return "", fmt.Errorf("src/llama-arch.cpp of version %s has no LLM_ARCH_NAMES", s.version)
	}
	var names []string
	for _, m := range architecture.FindAllSubmatch(list[1], -1) {
		if name := string(m[1]); name != "clip" && !strings.Contains(name, "unknown") {
			names = append(names, name+"\n")
		}
	}
	slices.Sort(names)
	return strings.Join(names, ""), nil
}
