package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/unknown"
)

// Dirs are the directories that are searched for models by name: those of $PARLEY_MODELS, the current directory, and
// the user's cache.
func Dirs() []string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PARLEY_MODELS")),
		func(dir string) bool { return dir == "" })
	dirs = append(dirs, ".")
	if cache := cacheDir(); cache != "" {
		dirs = append(dirs, cache)
	}
	return dirs
}

// cacheDir is the directory for models in the user's cache, "" if the user has none.
func cacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "parley", "models")
}

// List describes the embedded model and all GGUF files in dirs, sorted by directory and name; a model in parts is
// listed by its first part. Files and directories that cannot be read are reported in errs; the others are listed.
func List(dirs ...string) (list []Info, errs []error) {
	if path, err := Embedded(""); err != nil {
		errs = append(errs, err)
	} else if info, err := Inspect(path); err != nil {
		errs = append(errs, err)
	} else {
		list = append(list, info)
	}
	paths, unread := files(dirs)
	errs = append(errs, unread...)
	for _, path := range paths {
		info, err := Inspect(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, info)
	}
	return list, errs
}

// files are the GGUF files in dirs, without later parts of models. The user's cache may be missing.
func files(dirs []string) (paths []string, errs []error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !(dir == cacheDir() && errors.Is(err, os.ErrNotExist)) {
			errs = append(errs, fmt.Errorf("models in %q: %w; name a directory, or correct $PARLEY_MODELS", dir, err))
		}
		for _, e := range entries { // sorted by name
			path := filepath.Join(dir, e.Name())
			if !e.IsDir() && hasExtension(path) && !isLaterPart(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, errs
}

func hasExtension(path string) bool { return strings.EqualFold(filepath.Ext(path), ".gguf") }

// nameOf is the name of the model in a file: the file name without extension and number of parts.
func nameOf(path string) string {
	base := filepath.Base(path)
	if p, ok := parsePart(base); ok {
		return p.prefix
	}
	if hasExtension(base) {
		return base[:len(base)-len(".gguf")]
	}
	return base
}

// Resolve finds what a user names: the embedded model ("" or "tiny"), a path, or a file in Dirs, with or without .gguf.
func Resolve(name string) (path string, err error) {
	if isEmbeddedName(name) {
		return Embedded("")
	}
	if _, err := os.Stat(name); err == nil || !errors.Is(err, os.ErrNotExist) ||
		strings.ContainsRune(name, filepath.Separator) {
		return name, nil // Inspect says if something is wrong with it
	}
	names := []string{EmbeddedName}
	paths, _ := files(Dirs()) // a directory that cannot be read is skipped
	for _, path := range paths {
		base := filepath.Base(path)
		if name == base || name == nameOf(base) || name == strings.TrimSuffix(base, filepath.Ext(base)) {
			return path, nil
		}
		names = append(names, nameOf(base))
	}
	return "", fmt.Errorf("model %q%s: no such file, and none of that name in %s; there are %s", name,
		unknown.Meant(unknown.Near(name, names)), strings.Join(Dirs(), ", "), strings.Join(names, ", "))
}
