package stores

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ollamaManifest is what Parley reads of the file that says which blobs make a model of Ollama's
// (manifests/HOST/NAMESPACE/NAME/TAG).
type ollamaManifest struct {
	Layers []struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
	} `json:"layers"`
}

// mostManifest bounds the size of a manifest in bytes; real ones have about a thousand.
const mostManifest = 1 << 20

var digest = regexp.MustCompile(`^sha256:([0-9a-f]{64})$`)

// readOllama reads Ollama's directory. A model that its manifest does not describe is reported with the others.
func readOllama(s store) (found []Found, errs []error) {
	root := filepath.Join(s.dir, "manifests")
	unread := s.walk(root, func(rel string, d fs.DirEntry) error {
		parts := strings.Split(rel, "/")
		if !d.Type().IsRegular() || len(parts) != 4 || strings.HasPrefix(parts[3], ".") {
			return nil
		}
		path := filepath.Join(root, rel)
		blob, err := blobOf(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: manifest %q: %w", s.from, path, err))
			return nil
		}
		group := ollamaName(parts)
		found = append(found, Found{Name: group + ":" + parts[3], From: s.from,
			Path: filepath.Join(s.dir, "blobs", blob), group: group, file: parts[3]})
		return nil
	})
	return found, append(errs, unread...)
}

// ollamaName returns what users of Ollama call a model, given HOST, NAMESPACE and NAME: what is usual is left out.
func ollamaName(parts []string) string {
	switch {
	case parts[0] != "registry.ollama.ai":
		return ollamaPrefix + strings.Join(parts[:3], "/")
	case parts[1] != "library":
		return ollamaPrefix + parts[1] + "/" + parts[2]
	}
	return ollamaPrefix + parts[2]
}

// blobOf returns the name of the file with the weights of a model.
func blobOf(manifest string) (blob string, err error) {
	file, err := os.Open(manifest)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostManifest+1))
	if err != nil {
		return "", err
	}
	var m ollamaManifest
	if len(text) > mostManifest {
		return "", fmt.Errorf("has more than %d bytes", mostManifest)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return "", fmt.Errorf("is no manifest: %w", err)
	}
	for _, layer := range m.Layers {
		if layer.MediaType != "application/vnd.ollama.image.model" {
			continue
		}
		if blob != "" {
			return "", errors.New("names several files with weights; only models in one file can be read")
		}
		sum := digest.FindStringSubmatch(layer.Digest)
		if sum == nil {
			return "", fmt.Errorf("the digest %.80q is not that of a blob", layer.Digest)
		}
		blob = "sha256-" + sum[1]
	}
	if blob == "" {
		return "", errors.New("names no GGUF file: the model runs elsewhere, or has another format")
	}
	return blob, nil
}
