package models

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// part is the name of one file of a model that llama.cpp's gguf-split has divided: PREFIX-00001-of-00003.gguf.
// llama.cpp gets the first part and finds the others by name (llama_split_path in its source), and so do we.
type part struct {
	prefix    string
	no, count int // from 1
}

var partPattern = regexp.MustCompile(`(?s)^(.+)-([0-9]{5})-of-([0-9]{5})\.gguf$`)

// parsePart reads the name of a part. It does not look at the file: a name may claim parts that the header denies.
func parsePart(path string) (p part, ok bool) {
	m := partPattern.FindStringSubmatch(path)
	if m == nil {
		return part{}, false
	}
	p.prefix = m[1]
	p.no, _ = strconv.Atoi(m[2]) // five digits each
	p.count, _ = strconv.Atoi(m[3])
	return p, true
}

// path returns the path of another part of the same model.
func (p part) path(no int) string { return fmt.Sprintf("%s-%05d-of-%05d.gguf", p.prefix, no, p.count) }

// IsLaterPart reports whether a file is a later part of a model whose first part exists.
func IsLaterPart(path string) bool {
	p, ok := parsePart(path)
	if !ok || p.no < 2 {
		return false
	}
	_, err := os.Stat(p.path(1))
	return err == nil
}

// Parts returns the files of the model that begins with path: path alone, unless its name and its header both name
// parts.
func Parts(path string) []string {
	p, ok := parsePart(path)
	if !ok || p.no != 1 {
		return []string{path}
	}
	h, err := readHeader(path)
	if err != nil {
		return []string{path}
	}
	if count, _ := h.part(); count != p.count {
		return []string{path}
	}
	var paths []string
	for no := range p.count {
		paths = append(paths, p.path(no+1))
	}
	return paths
}

// part returns the number of parts and the number of this one, from 1, as the header gives them.
func (h *header) part() (count, no int) {
	n, _ := h.integer("split.count")
	i, _ := h.integer("split.no")
	return int(max(1, min(n, 1<<17))), int(min(i, 1<<17)) + 1
}

// readParts reads the header of a file, and adds the tensors and sizes of the other parts of its model.
func readParts(path string) (*header, error) {
	h, err := readHeader(path)
	if err != nil {
		return nil, err
	}
	count, no := h.part()
	if count == 1 {
		return h, nil
	}
	p, ok := parsePart(path)
	if !ok || p.count != count || p.no != no {
		return nil, fmt.Errorf("model %q: is part %d of %d, but its name does not end in -%05d-of-%05d.gguf, by "+
			"which the other parts are found; give it its original name", path, no, count, no, count)
	}
	if no != 1 {
		return nil, fmt.Errorf("model %q: is part %d of %d; name the first, %q", path, no, count, p.path(1))
	}
	for i := 2; i <= count; i++ {
		more, err := readHeader(p.path(i))
		if err != nil {
			return nil, fmt.Errorf("part %d of %d of a model is needed: %w", i, count, err)
		}
		if c, n := more.part(); n != i || (c != count && c != 1) {
			return nil, fmt.Errorf("model %q: says that it is part %d of %d; copy or download it again", p.path(i), n,
				c)
		}
		h.tensors, h.size = append(h.tensors, more.tensors...), h.size+more.size
	}
	return h, nil
}

// PartOf reads the name of one file of a model in several parts, such as PREFIX-00001-of-00003.gguf; no is counted
// from 1.
func PartOf(path string) (prefix string, no, count int, ok bool) {
	p, ok := parsePart(path)
	return p.prefix, p.no, p.count, ok
}

// HasExtension reports whether a path ends as those of GGUF files do, in letters of any case.
func HasExtension(path string) bool { return strings.EqualFold(filepath.Ext(path), ".gguf") }

// NameOf returns the name of the model in a file: the file name without extension and number of parts.
func NameOf(path string) string {
	base := filepath.Base(path)
	if p, ok := parsePart(base); ok {
		return p.prefix
	}
	if HasExtension(base) {
		return base[:len(base)-len(".gguf")]
	}
	return base
}
