package hub

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Address is what a user asks for: a file at a URL, a model in a repository of Hugging Face, or one in a Python
// package.
type Address struct {
	URL        *url.URL // it is nil for a repository or a package
	Repository string   // OWNER/REPO
	Package    string   // name of a package
	Revision   string   // a branch, a tag or a commit; "" for main. Of a package its version; "" for the newest
	Part       string   // the quantization or file; "" for the only model of the repository
}

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
	revision       = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)
)

// Parse reads hf:OWNER/REPO[@REVISION][:FILE|QUANTIZATION], pypi:PACKAGE[@VERSION], or an http or https URL.
func Parse(text string) (a Address, err error) {
	if rest, ok := strings.CutPrefix(text, "pypi:"); ok {
		name, version, given := strings.Cut(rest, "@")
		a.Package, a.Revision = name, version
		if given && !packageVersion.MatchString(version) || !packageName.MatchString(name) {
			return a, fmt.Errorf("%q: is not pypi:PACKAGE or pypi:PACKAGE@VERSION", text)
		}
		return a, nil
	}
	if rest, ok := strings.CutPrefix(text, "hf:"); ok {
		rest, part, colon := strings.Cut(rest, ":")
		a.Part = part
		name, at, given := strings.Cut(rest, "@")
		a.Repository, a.Revision = name, at
		switch {
		case !repositoryName.MatchString(name) || strings.Contains(name, ".."):
			return a, fmt.Errorf("%q: is not hf:OWNER/REPO, hf:OWNER/REPO:QUANTIZATION or hf:OWNER/REPO:FILE", text)
		case given && (!revision.MatchString(at) || strings.Contains(at, "..")):
			return a, fmt.Errorf("%q: the revision is a branch, a tag or a commit of letters, digits and ._-", text)
		case colon && part == "":
			return a, fmt.Errorf("%q: names no quantization or file after the colon", text)
		}
		return a, nil
	}
	if a.URL, err = webAddress(text); err != nil {
		return a, err
	}
	if _, err := a.fileName(); err != nil {
		return a, err
	}
	return a, nil
}

// webAddress reads an absolute http or https URL. Its error does not repeat the URL, which may hold a password.
func webAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("an address is hf:OWNER/REPO[:QUANTIZATION|FILE], pypi:PACKAGE[@VERSION], or a URL " +
			"that begins with https:// or http://")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// fileName returns the last element of a URL.
func (a Address) fileName() (string, error) {
	name := path.Base(a.URL.Path)
	if strings.HasSuffix(a.URL.Path, "/") || name == "." {
		return "", fmt.Errorf("%s: the URL does not end with the name of a file", redactURL(a.URL))
	}
	return name, checkName(name)
}

// redactURL returns a URL without what may be secret: user, password and query.
func redactURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// checkName refuses paths from a server, with slashes, that would lead out of a directory, or that a user would not
// see or could not type.
func checkName(name string) error {
	if len(name) > 512 {
		return fmt.Errorf("the file name %.60q... has more than 512 bytes", name)
	}
	for _, element := range strings.Split(name, "/") {
		bad := strings.ContainsFunc(element, func(r rune) bool {
			return r < ' ' || r == 0x7f || r == '\\' || r == ':' || r == 0xfffd || r >= 0x80 && r <= 0x9f
		})
		if element == "" || element[0] == '.' || len(element) > 200 || bad || strings.HasSuffix(element, partSuffix) {
			return fmt.Errorf("the file name %.80q is not used: it is empty, hidden, too long, leads elsewhere, or "+
				"has odd characters", name)
		}
	}
	return nil
}
