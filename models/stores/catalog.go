// Package stores finds model files by the names that users give: the embedded model, files in the directories that are
// searched, and what Hugging Face's libraries, Ollama, LM Studio, llama.cpp and Parley itself have downloaded. It reads
// directories and manifests, and writes nothing but the embedded model's file.
package stores

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/unknown"
	"github.com/parley-debate/parley/models"
)

// dirs returns the directories that are searched for models by file name: those of $PARLEY_MODELS, the current
// directory, and the user's cache.
func dirs() []string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PARLEY_MODELS")),
		func(dir string) bool { return dir == "" })
	dirs = append(dirs, ".")
	if cache := cacheDir(); cache != "" {
		dirs = append(dirs, cache)
	}
	return dirs
}

// cacheDir returns the directory for models in the user's cache, "" if the user has none.
func cacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "parley", "models")
}

// Entry is a model in a list.
type Entry struct {
	models.Info
	From string `json:"from"` // the program that keeps it, or the directory
}

// List describes the embedded model and all GGUF files in dirs, sorted by directory and name; a model in parts is
// listed by its first part. Files and directories that cannot be read are reported in errs; the others are listed.
func List(dirs ...string) (list []Entry, errs []error) {
	if path, err := models.Embedded(""); err != nil {
		errs = append(errs, err)
	} else if info, err := models.Inspect(path); err != nil {
		errs = append(errs, err)
	} else {
		list = append(list, Entry{info, "parley"})
	}
	paths, unread := files(dirs)
	found := make([]Found, len(paths))
	for i, path := range paths {
		found[i] = Found{Name: models.NameOf(path), From: filepath.Dir(path), Path: path}
	}
	return describe(list, append(errs, unread...), found)
}

// All describes the models of List(Dirs()...) and those that Elsewhere finds, each file once.
func All() (list []Entry, errs []error) {
	list, errs = List(dirs()...)
	found, unread := Elsewhere()
	return describe(list, append(errs, unread...), found)
}

// describe reads the headers of files, and adds those that are not in the list yet. The embedded model has a copy in
// the cache, which keeps its own name.
func describe(list []Entry, errs []error, found []Found) ([]Entry, []error) {
	var known []os.FileInfo
	for _, e := range list {
		if file, err := os.Stat(e.Path); err == nil {
			known = append(known, file)
		}
	}
	for _, f := range found {
		file, err := os.Stat(f.Path)
		if err == nil && slices.ContainsFunc(known, func(k os.FileInfo) bool { return os.SameFile(k, file) }) {
			continue
		}
		info, err := models.Inspect(f.Path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !info.Embedded {
			info.Name = f.Name
		}
		list, known = append(list, Entry{info, f.From}), append(known, file)
	}
	return list, errs
}

// Names returns the names that Resolve finds: the embedded model, the files in Dirs, and the models of Elsewhere. No
// file is opened.
func Names() []string {
	names := []string{models.EmbeddedName}
	paths, _ := files(dirs())
	for _, path := range paths {
		names = append(names, models.NameOf(path))
	}
	found, _ := Elsewhere()
	for _, f := range found {
		names = append(names, f.Name)
	}
	return names
}

// files returns the GGUF files in dirs, without later parts of models. The user's cache may be missing.
func files(dirs []string) (paths []string, errs []error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !(dir == cacheDir() && errors.Is(err, os.ErrNotExist)) {
			errs = append(errs, fmt.Errorf("models in %q: %w; name a directory, or correct $PARLEY_MODELS", dir, err))
		}
		for _, e := range entries { // sorted by name
			path := filepath.Join(dir, e.Name())
			if !e.IsDir() && models.HasExtension(path) && !models.IsLaterPart(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, errs
}

// Resolve finds what a user names: the embedded model ("" or "tiny"), a path, a file in Dirs with or without .gguf, or
// a model of Elsewhere, such as hf:OWNER/REPO:QUANTIZATION or ollama:NAME:TAG.
func Resolve(name string) (path string, err error) {
	if models.IsEmbeddedName(name) {
		return models.Embedded("")
	}
	if _, err := os.Stat(name); err == nil {
		return name, nil
	} else if hasSource(name) {
		return resolveElsewhere(name)
	} else if !errors.Is(err, os.ErrNotExist) || strings.ContainsRune(name, filepath.Separator) {
		return name, nil // Inspect says what is wrong with it
	}
	names := []string{models.EmbeddedName}
	paths, _ := files(append(dirs(), OwnDir())) // a directory that cannot be read is skipped
	for _, path := range paths {
		base := filepath.Base(path)
		if name == base || name == models.NameOf(base) || name == strings.TrimSuffix(base, filepath.Ext(base)) {
			return path, nil
		}
		names = append(names, models.NameOf(base))
	}
	return "", fmt.Errorf("model %q%s: no such file, and none of that name in %s; there are %s; parley models lists "+
		"those of other programs too", name, unknown.Meant(unknown.Near(name, names)), strings.Join(dirs(), ", "),
		strings.Join(names, ", "))
}
