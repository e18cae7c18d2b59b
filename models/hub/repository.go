package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// repository is what Hugging Face says about a model at one commit.
type repository struct {
	Name    string
	Commit  string
	Licence string // as its page states it
	Gated   bool   // its conditions have to be accepted on its page
	Files   []repositoryFile
}

// repositoryFile is a file at that commit.
type repositoryFile struct {
	Path   string // with slashes
	Size   int64
	SHA256 string // "" for a small file, of which Hugging Face gives no such hash
}

// Bounds on a repository.
const (
	mostPages = 50
	mostFiles = 50_000
)

var (
	commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Hash = regexp.MustCompile(`^[0-9a-f]{64}$`)
	nextPage   = regexp.MustCompile(`<([^<>]+)>\s*;\s*rel="next"`)
)

// repository asks for licence, commit and files.
func (c *Client) repository(ctx context.Context, a Address) (repository, error) {
	var info struct {
		SHA   string          `json:"sha"`
		Gated json.RawMessage `json:"gated"` // false, "auto" or "manual"
		Card  struct {
			Licence json.RawMessage `json:"license"` // a name, or a list of them
			Name    string          `json:"license_name"`
			Link    string          `json:"license_link"`
		} `json:"cardData"`
	}
	elements := []string{"api", "models", a.Repository}
	if a.Revision != "" {
		elements = append(elements, "revision", a.Revision)
	}
	u := c.endpoint.JoinPath(elements...)
	if _, err := c.json(ctx, u, &info); err != nil {
		return repository{}, err
	}
	if !commitHash.MatchString(info.SHA) {
		return repository{}, fmt.Errorf("%s: the reply names no commit: %.60q", redactURL(u), info.SHA)
	}
	r := repository{Name: a.Repository, Commit: info.SHA, Gated: len(info.Gated) > 0 && info.Gated[0] == '"'}
	r.Licence = licence(info.Card.Licence, info.Card.Name, info.Card.Link)
	return r, c.tree(ctx, &r)
}

// licence returns what a model's page states: a name or several, and a name and link of a licence of its own.
func licence(encoded json.RawMessage, name, link string) string {
	var one string
	var several []string
	if json.Unmarshal(encoded, &one) == nil {
		several = []string{one}
	} else {
		_ = json.Unmarshal(encoded, &several) // neither: there is none
	}
	several = append(several, name, link)
	several = slices.DeleteFunc(several, func(s string) bool { return s == "" })
	if len(several) == 0 {
		return "none stated"
	}
	text := []rune(strings.Join(several, ", "))
	return string(text[:min(200, len(text))])
}

// tree asks for the list of files, page by page.
func (c *Client) tree(ctx context.Context, r *repository) error {
	u := c.endpoint.JoinPath("api", "models", r.Name, "tree", r.Commit)
	u.RawQuery = "recursive=true"
	for range mostPages {
		var entries []struct {
			Type string `json:"type"`
			Path string `json:"path"`
			Size int64  `json:"size"`
			LFS  *struct {
				OID  string `json:"oid"`
				Size int64  `json:"size"`
			} `json:"lfs"`
		}
		header, err := c.json(ctx, u, &entries)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type != "file" || checkName(e.Path) != nil {
				continue
			}
			f := repositoryFile{Path: e.Path, Size: e.Size}
			if e.LFS != nil {
				f.Size, f.SHA256 = e.LFS.Size, strings.TrimPrefix(strings.ToLower(e.LFS.OID), "sha256:")
			}
			if f.Size < 0 || f.SHA256 != "" && !sha256Hash.MatchString(f.SHA256) {
				return fmt.Errorf("%s: %q has %d bytes and hash %.80q, which cannot be", redactURL(u), e.Path, f.Size,
					f.SHA256)
			}
			r.Files = append(r.Files, f)
		}
		next, err := c.following(u, header)
		if err != nil || next == nil {
			return err
		}
		if u = next; len(r.Files) > mostFiles {
			break
		}
	}
	return fmt.Errorf("%s: has more files than Parley looks at, %d", r.Name, mostFiles)
}

// following returns the next page of a list, nil after the last one.
func (c *Client) following(u *url.URL, header http.Header) (*url.URL, error) {
	link := nextPage.FindStringSubmatch(header.Get("Link"))
	if link == nil {
		return nil, nil
	}
	next, err := u.Parse(link[1])
	if err != nil || !sameOrigin(next, c.endpoint) {
		return nil, fmt.Errorf("%s: the list goes on at another server, which is refused", redactURL(u))
	}
	return next, nil
}

// modelFiles is a model in a repository: one file, or several parts.
type modelFiles struct {
	label string
	files []repositoryFile
	whole bool
}

// choose finds the files of the model that part means: a quantization, a file with or without its directory and
// extension, or "" for the only model. The error lists what there is.
func (r repository) choose(part string) ([]repositoryFile, error) {
	all := r.choices()
	var found []modelFiles
	for _, c := range all {
		if c.means(part) {
			found = append(found, c)
		}
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("hf:%s has no GGUF file; look for a repository with GGUF in its name", r.Name)
	case len(found) == 1 && !found[0].whole:
		return nil, fmt.Errorf("hf:%s: %s is incomplete there: not all of its parts exist", r.Name, found[0].label)
	case len(found) == 1:
		return found[0].files, nil
	case len(found) == 0:
		return nil, fmt.Errorf("hf:%s has no %s; there are %s", r.Name, part, describeChoices(all))
	case part == "":
		return nil, fmt.Errorf("hf:%s has several models; add one of them as in hf:%s:%s: %s", r.Name, r.Name,
			found[0].label, describeChoices(found))
	}
	return nil, fmt.Errorf("hf:%s: %s could be several files: %s", r.Name, part, describeChoices(found))
}

// choices returns the models of a repository in the order of their paths. Labels are quantizations where these are
// unique.
func (r repository) choices() (list []modelFiles) {
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f repositoryFile) bool {
		return !strings.HasSuffix(strings.ToLower(f.Path), ".gguf") || stores.IsProjector(f.Path)
	})
	slices.SortFunc(files, func(a, b repositoryFile) int { return strings.Compare(a.Path, b.Path) })
	parts, labels := make(map[string]int), make(map[string]int)
	for _, f := range files {
		prefix, no, count, split := models.PartOf(f.Path)
		key := fmt.Sprintf("%s\x00%d", prefix, count)
		if at, ok := parts[key]; split && ok {
			c := &list[at]
			c.files = append(c.files, f)
			c.whole = c.whole && no == len(c.files)
			continue
		}
		c := modelFiles{label: stores.QuantizationOf(f.Path), files: []repositoryFile{f}, whole: !split || no == 1}
		labels[c.label]++
		if split {
			parts[key] = len(list)
		}
		list = append(list, c)
	}
	for i := range list {
		c := &list[i]
		if _, _, count, split := models.PartOf(c.files[0].Path); split && len(c.files) != count {
			c.whole = false
		}
		if c.label == "" || labels[c.label] > 1 {
			c.label = c.files[0].Path
		}
	}
	return list
}

// means reports whether a user's words stand for a model.
func (c modelFiles) means(part string) bool {
	file := c.files[0].Path
	base := file[strings.LastIndexByte(file, '/')+1:]
	for _, own := range []string{c.label, stores.QuantizationOf(file), file, base,
		strings.TrimSuffix(file, ".gguf"), strings.TrimSuffix(base, ".gguf")} {
		if own != "" && strings.EqualFold(part, own) {
			return true
		}
	}
	prefix, _, _, split := models.PartOf(base)
	return part == "" || split && strings.EqualFold(part, prefix)
}

func describeChoices(list []modelFiles) string {
	var texts []string
	for _, c := range list {
		var size int64
		for _, f := range c.files {
			size += f.Size
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", c.label, humanize.IBytes(uint64(size))))
	}
	return strings.Join(texts, ", ")
}
