package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sources are those of one llama.cpp in a directory.
type sources struct {
	dir       string // with its CMakeLists.txt
	version   string
	tree      string
	temporary string // what is removed at the end; "" for a directory by hand
}

func (s sources) remove() { os.RemoveAll(s.temporary) }

// parts are what is built and hashed: registries carry these of every version, and leave out tests and documents.
var parts = []string{"CMakeLists.txt", "LICENSE", "cmake", "ggml", "include", "src", "vendor"}

// Bounds on what is downloaded and unpacked, in bytes: version 0.8.0 has 8 MB and 45 MB.
const (
	mostArchive  = 256 << 20
	mostUnpacked = 1 << 30
)

// findSources returns the sources that were given by hand, or else those of the first of the lock's archives that can
// be had, which are checked against the lock.
func findSources(ctx context.Context, l lock, byHand, cache string, stderr io.Writer) (sources, error) {
	if byHand != "" {
		info, err := os.Stat(byHand)
		if err != nil {
			return sources{}, fmt.Errorf("no such directory or archive: %w", err)
		}
		if info.IsDir() {
			return examine(byHand, "")
		}
		return unpack(byHand, cache)
	}
	if len(l.archives) == 0 {
		return sources{}, fmt.Errorf("the lock names no place of version %s; name an archive or a directory with it: "+
			"make build SOURCE=FILE", l.version)
	}
	var failed error
	for _, p := range l.archives {
		fmt.Fprintf(stderr, "llama.cpp %s from %s\n", l.version, p.url)
		s, err := fromArchive(ctx, l, p, cache)
		if err == nil {
			return s, nil
		}
		failed = errors.Join(failed, fmt.Errorf("  %w", err))
	}
	return sources{}, fmt.Errorf("its sources could not be had; without a network, name an archive or a directory "+
		"with version %s: make build SOURCE=FILE\n%w", l.version, failed)
}

// fromArchive downloads an archive. A file that is not the lock's is never unpacked or, where only the tree is known,
// never built.
func fromArchive(ctx context.Context, l lock, p sourceArchive, cache string) (sources, error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return sources{}, err
	}
	f, err := os.CreateTemp(cache, "download-*.tar.gz")
	if err != nil {
		return sources{}, err
	}
	defer os.Remove(f.Name())
	sum, err := download(ctx, p.url, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return sources{}, err
	}
	if p.sha256 != "" && sum != p.sha256 {
		return sources{}, fmt.Errorf("%s: the SHA-256 is %s, and the lock says %s", p.url, sum, p.sha256)
	}
	s, err := unpack(f.Name(), cache)
	if err != nil {
		return sources{}, fmt.Errorf("%s: %w", p.url, err)
	}
	if s.tree != l.tree {
		s.remove()
		return sources{}, fmt.Errorf("%s: the tree of its files is %s, and the lock says %s", p.url, s.tree, l.tree)
	}
	return s, nil
}

// download writes what is at the address into a file, and returns its SHA-256. Proxies are those of the environment.
func download(ctx context.Context, url string, to io.Writer) (sum string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("User-Agent", "parley (https://github.com/parley-debate/parley)") // crates.io asks for one
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", url, reply.Status)
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(reply.Body, mostArchive+1))
	if err == nil && n > mostArchive {
		err = fmt.Errorf("%s: more than %d bytes", url, mostArchive)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
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
