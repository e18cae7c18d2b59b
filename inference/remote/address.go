package remote

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"unicode"
)

// IsAddress reports whether a text is the address of a remote model, where the name of a file could stand.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// address is what a user writes: URLs of servers, separated by commas, and perhaps the name of the model after a #.
type address struct {
	servers []string // without a final slash or /v1, in the order given
	model   string   // "" for the only one that is served
}

// parseAddress reads an address. It refuses what might be a secret in a URL, since records have the URL, and errors
// leave it out.
func parseAddress(text string) (a address, err error) {
	text, a.model, _ = strings.Cut(text, "#")
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		switch {
		case err != nil:
			// url.Error repeats the URL, in which a password may stand
			return a, errors.New("a server's URL cannot be read: write it as http://HOST:PORT")
		case u.User != nil:
			return a, fmt.Errorf("the URL of %s has a name or password in it: put the key into %s instead, since "+
				"records have the URL", u.Host, commonKey)
		case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return a, fmt.Errorf("server %q: must be a URL such as http://HOST:PORT", u.Redacted())
		case u.RawQuery != "" || u.ForceQuery:
			return a, fmt.Errorf("the URL of %s has a ? with more behind it: leave that out, since records have the "+
				"URL", u.Host)
		}
		base := strings.TrimSuffix(strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), "/v1")
		if seen[base] {
			return a, fmt.Errorf("server %s is named twice", base)
		}
		seen[base] = true
		a.servers = append(a.servers, base)
	}
	return a, nil
}

// Variables of the environment that hold keys.
const (
	commonKey = "PARLEY_API_KEY" // for any server that has none of its own
	openAIKey = "OPENAI_API_KEY" // for hosts of openai.com alone
)

// keyVariable returns the name of the variable for one server: PARLEY_API_KEY_ and its host and port.
func keyVariable(server string) string {
	_, host, _ := strings.Cut(server, "://")
	host, _, _ = strings.Cut(host, "/")
	return commonKey + "_" + strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToUpper(r)
		}
		return '_'
	}, host)
}

// keyFor returns the key to show to a server, "" for none. The key of OpenAI goes to no other host.
func keyFor(server string) (string, error) {
	variables := []string{keyVariable(server), commonKey}
	if ofOpenAI(server) {
		variables = append(variables, openAIKey)
	}
	for _, name := range variables {
		key := strings.TrimSpace(os.Getenv(name))
		if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return "", fmt.Errorf("%s is no key: it has spaces or other characters that no header can have", name)
		}
		if key != "" {
			return key, nil
		}
	}
	return "", nil
}

// ofOpenAI reports whether a server is OpenAI's own.
func ofOpenAI(server string) bool {
	u, err := url.Parse(server)
	return err == nil && u.Scheme == "https" && (u.Hostname() == "openai.com" ||
		strings.HasSuffix(u.Hostname(), ".openai.com"))
}
