package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/parley-debate/parley/models"
)

// Found is a model file in a place where a program keeps its models.
type Found struct {
	Name string // Resolve finds the file by it
	From string // the program
	Path string // of the file, or of the first of several parts

	group string // the name without what tells the models of a repository apart
	file  string // the path in its repository, with slashes
}

// store is a place where a program keeps models. It is only read, except for Parley's own.
type store struct {
	from string
	dir  string
	read func(s store) (found []Found, errs []error)
}

// Names of models that Resolve looks for in stores begin with one of these.
const (
	hubPrefix      = "hf:"
	ollamaPrefix   = "ollama:"
	lmStudioPrefix = "lm-studio:"
	llamaPrefix    = "llama.cpp:"
)

// hasSource reports whether a name says which store has the model.
func hasSource(name string) bool {
	return slices.ContainsFunc([]string{hubPrefix, ollamaPrefix, lmStudioPrefix, llamaPrefix},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// places returns all places, in the order in which Resolve looks. Where the programs keep models is what their
// documentation says: ollama's envconfig, huggingface_hub's environment variables, LM Studio's "Import Models",
// llama.cpp's fs_get_cache_directory.
func places() (list []store) {
	add := func(from string, read func(store) ([]Found, []error), dirs ...string) {
		for _, dir := range dirs {
			if filepath.IsAbs(dir) {
				list = append(list, store{from, dir, read})
			}
		}
	}
	home, _ := os.UserHomeDir()
	below := func(elements ...string) string { return filepath.Join(append([]string{home}, elements...)...) }
	caches := absolute("XDG_CACHE_HOME", below(".cache"))
	hub := absolute("HF_HOME", filepath.Join(caches, "huggingface"))
	hub = absolute("HF_HUB_CACHE", absolute("HUGGINGFACE_HUB_CACHE", filepath.Join(hub, "hub")))
	llama := filepath.Join(caches, "llama.cpp")
	if runtime.GOOS == "darwin" {
		llama = below("Library", "Caches", "llama.cpp")
	}
	add("parley", readRepositories, OwnDir())
	add("huggingface", readHub, hub)
	if dir := os.Getenv("OLLAMA_MODELS"); dir != "" {
		add("ollama", readOllama, dir)
	} else { // as a user's program, and as the service that its installer sets up on Linux
		add("ollama", readOllama, below(".ollama", "models"), "/usr/share/ollama/.ollama/models")
	}
	add("lm-studio", readRepositories, below(".lmstudio", "models"), filepath.Join(caches, "lm-studio", "models"))
	add("llama.cpp", readFlat, absolute("LLAMA_CACHE", llama))
	return list
}

// absolute returns an environment variable that holds an absolute path, or else a default.
func absolute(variable, usual string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return usual
}

// OwnData returns the directory for files that Parley was asked to download, $XDG_DATA_HOME/parley, or "" if the user
// has no home directory.
func OwnData() string {
	home, _ := os.UserHomeDir()
	dir := absolute("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "parley")
}

// OwnDir returns the directory for models in OwnData. A model of Hugging Face is in OWNER/REPO below it.
func OwnDir() string {
	if dir := OwnData(); dir != "" {
		return filepath.Join(dir, "models")
	}
	return ""
}

// Elsewhere finds the models that Parley, Hugging Face's libraries, Ollama, LM Studio and llama.cpp have downloaded. No
// model file is opened. Places that do not exist are left out; those that cannot be read are in errs.
func Elsewhere() (found []Found, errs []error) {
	for _, s := range places() {
		models, unread := s.read(s)
		found, errs = append(found, models...), append(errs, unread...)
	}
	return found, errs
}

// Bounds on a search: directories of models are small, and a link may lead to anything.
const (
	mostEntries = 100_000
	mostDepth   = 8
)

// errMany ends a search.
var errMany = fmt.Errorf("more than %d files: this is no directory of models", mostEntries)

// ggufs returns the GGUF files below a directory, sorted, as paths from it with slashes; later parts of models and
// projectors of images are left out. Links to directories are not followed.
func (s store) ggufs(dir string) (files []string, errs []error) {
	errs = s.walk(dir, func(rel string, d fs.DirEntry) error {
		if d.IsDir() && strings.Count(rel, "/") >= mostDepth {
			return fs.SkipDir
		}
		if !d.IsDir() && models.HasExtension(rel) && !models.IsLaterPart(filepath.Join(dir, rel)) && !IsProjector(rel) {
			files = append(files, rel)
		}
		return nil
	})
	return files, errs
}

// walk visits what is below a directory, by its path from there with slashes, up to a bound. What cannot be read is
// left out and reported; a directory that is missing is empty.
func (s store) walk(dir string, visit func(rel string, d fs.DirEntry) error) (errs []error) {
	entries := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if entries++; entries > mostEntries {
			return errMany
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("%s: %w", s.from, err))
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(rel), d)
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("%s: %q: %w", s.from, dir, err))
	}
	return errs
}

// readFlat reads a directory of files, as llama.cpp's cache is.
func readFlat(s store) (found []Found, errs []error) {
	files, errs := s.ggufs(s.dir)
	for _, file := range files {
		name := llamaPrefix + models.NameOf(file)
		found = append(found, Found{Name: name, From: s.from, Path: filepath.Join(s.dir, file), group: name,
			file: file})
	}
	return found, errs
}

// readRepositories reads a directory of OWNER/REPO/FILE: LM Studio's and Parley's own. Files that Parley has from
// elsewhere are in no repository.
func readRepositories(s store) (found []Found, errs []error) {
	prefix := hubPrefix
	if s.from == "lm-studio" {
		prefix = lmStudioPrefix
	}
	files, errs := s.ggufs(s.dir)
	repositories, order := make(map[string][]string), []string(nil)
	for _, file := range files {
		parts := strings.SplitN(file, "/", 3)
		if len(parts) < 3 {
			name := prefix + strings.TrimSuffix(file, filepath.Ext(file))
			if s.from == "parley" {
				name = models.NameOf(file)
			}
			found = append(found, Found{Name: name, From: s.from, Path: filepath.Join(s.dir, file), group: name,
				file: file})
			continue
		}
		repository := parts[0] + "/" + parts[1]
		if repositories[repository] == nil {
			order = append(order, repository)
		}
		repositories[repository] = append(repositories[repository], parts[2])
	}
	for _, r := range order {
		found = append(found, inRepository(s.from, prefix+r, filepath.Join(s.dir, r), repositories[r])...)
	}
	return found, errs
}

// inRepository names the files of a repository: by their quantizations, or by their paths where these are not unique.
func inRepository(from, group, dir string, files []string) (found []Found) {
	count := make(map[string]int)
	for _, file := range files {
		count[QuantizationOf(file)]++
	}
	for _, file := range files {
		label := QuantizationOf(file)
		if label == "" || count[label] > 1 {
			label = path.Join(path.Dir(file), models.NameOf(file))
		}
		found = append(found, Found{Name: group + ":" + label, From: from,
			Path: filepath.Join(dir, filepath.FromSlash(file)), group: group, file: file})
	}
	return found
}
