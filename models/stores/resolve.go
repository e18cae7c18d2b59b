package stores

import (
	"fmt"
	"path"
	"strings"

	"github.com/parley-debate/parley/models"
)

// resolveElsewhere finds a model of another program, or one that Parley has downloaded. A name without a quantization
// or tag stands for the only model of its repository, or for Ollama's latest. Where several stores have a repository,
// the first one in the order of known counts.
func resolveElsewhere(name string) (string, error) {
	found, _ := Elsewhere()
	var matches []Found
	for _, f := range found {
		if f.answers(name) && (len(matches) == 0 || matches[0].From == f.From) {
			matches = append(matches, f)
		}
	}
	if len(matches) == 1 {
		return matches[0].Path, nil
	}
	var names []string
	for _, f := range matches {
		if strings.EqualFold(f.Name, name) || strings.EqualFold(f.Name, name+":latest") {
			return f.Path, nil
		}
		names = append(names, f.Name)
	}
	if len(matches) > 0 {
		return "", fmt.Errorf("model %q: there are several: %s; name one", name, strings.Join(names, ", "))
	}
	for _, f := range found {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(f.group)+":") {
			names = append(names, f.Name)
		}
	}
	pull := ""
	if strings.HasPrefix(name, hubPrefix) {
		pull = ", parley models pull " + name + " downloads it"
	}
	if len(names) > 0 {
		return "", fmt.Errorf("model %q: not on this machine; there are %s%s", name, strings.Join(names, ", "), pull)
	}
	return "", fmt.Errorf("model %q: not on this machine; parley models lists what is%s", name, pull)
}

// answers reports whether a name stands for the model, perhaps among others: its own name, its repository, or the
// repository with a file. Case does not matter.
func (f Found) answers(name string) bool {
	if strings.EqualFold(name, f.Name) || strings.EqualFold(name, f.group) {
		return true
	}
	label, ok := cutFold(name, f.group+":")
	if !ok {
		return false
	}
	base := path.Base(f.file)
	for _, own := range []string{f.file, base, models.NameOf(base), strings.TrimSuffix(f.file, path.Ext(f.file)),
		QuantizationOf(f.file)} {
		if own != "" && strings.EqualFold(label, own) {
			return true
		}
	}
	return false
}

// cutFold is strings.CutPrefix for ASCII prefixes of any case.
func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}
