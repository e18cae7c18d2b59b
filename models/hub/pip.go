package hub

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/ini.v1"
)

// defaultIndex is the index of Python packages, unless pip's settings name another one.
const defaultIndex = "https://pypi.org/simple"

// pipSetting returns a setting of pip: an environment variable such as PIP_INDEX_URL or, if that is not set, a line of
// the first configuration file that has one, in a section for downloads or for all commands ("User Guide,
// Configuration" of pip's documentation).
func pipSetting(name string) (string, error) {
	if value := os.Getenv("PIP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); value != "" {
		return value, nil
	}
	for _, path := range pipFiles() {
		file, err := ini.LoadSources(ini.LoadOptions{IgnoreInlineComment: true, AllowPythonMultilineValues: true}, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("pip's settings in %q: %w", path, err)
		}
		for _, section := range []string{"download", "install", "global"} {
			if value := file.Section(section).Key(name).String(); value != "" {
				return value, nil
			}
		}
	}
	return "", nil
}

// pipFiles returns the places of pip's settings, the ones that count most first.
func pipFiles() (paths []string) {
	if path := os.Getenv("PIP_CONFIG_FILE"); path != "" {
		if paths = append(paths, path); path == os.DevNull {
			return nil // pip reads no file then
		}
	}
	if venv := os.Getenv("VIRTUAL_ENV"); venv != "" {
		paths = append(paths, filepath.Join(venv, "pip.conf"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
		paths = append(paths, filepath.Join(config, "pip", "pip.conf"), filepath.Join(home, ".pip", "pip.conf"))
	}
	return append(paths, "/etc/xdg/pip/pip.conf", "/etc/pip.conf")
}

// asPip has the client use the proxy and the certificates that pip would, and returns the index.
func (c *Client) asPip() (index *url.URL, err error) {
	values := make(map[string]string)
	for _, name := range []string{"index-url", "proxy", "cert"} {
		if values[name], err = pipSetting(name); err != nil {
			return nil, err
		}
	}
	index, err = url.Parse(strings.TrimRight(cmp.Or(values["index-url"], defaultIndex), "/"))
	if err != nil || index.Host == "" || index.Scheme != "https" && index.Scheme != "http" {
		return nil, errors.New("pip's index-url (PIP_INDEX_URL) is not a URL such as " + defaultIndex)
	}
	transport := c.http.Transport.(*http.Transport).Clone()
	if values["proxy"] != "" {
		proxy, err := url.Parse(values["proxy"])
		if err != nil || proxy.Host == "" {
			return nil, errors.New("pip's proxy (PIP_PROXY) is not a URL such as http://proxy.example:3128")
		}
		transport.Proxy = http.ProxyURL(proxy)
	}
	if values["cert"] != "" {
		text, err := os.ReadFile(values["cert"])
		if err != nil {
			return nil, fmt.Errorf("pip's cert (PIP_CERT): %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("pip's cert (PIP_CERT): %q has no certificate", values["cert"])
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	c.http.Transport = transport
	return index, nil
}
