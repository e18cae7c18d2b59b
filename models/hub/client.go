package hub

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// defaultEndpoint is Hugging Face's address, unless HF_ENDPOINT names another one.
const defaultEndpoint = "https://huggingface.co"

// Client downloads files. Its fields are optional.
type Client struct {
	// Progress is told how many bytes of a file are there, of total, which is -1 if nobody knows.
	Progress func(done, total int64)
	// Notify is told what a user should know: that something is tried again, or begun anew.
	Notify func(text string)

	endpoint *url.URL
	token    string
	http     *http.Client
	wait     func(ctx context.Context, d time.Duration) error
	stall    time.Duration // without a byte, after which a connection counts as cut
}

// Bounds on what a server may send beside the file itself.
const (
	mostJSON     = 16 << 20 // bytes of a reply
	mostHeader   = 64 << 10
	mostRedirect = 10
)

// New makes a client by the environment: HF_ENDPOINT, HF_TOKEN, HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
func New() (*Client, error) {
	c := &Client{token: strings.TrimSpace(os.Getenv("HF_TOKEN")), wait: sleep, stall: time.Minute,
		Progress: func(int64, int64) {}, Notify: func(string) {}}
	text := defaultEndpoint
	if given := os.Getenv("HF_ENDPOINT"); given != "" {
		text = given
	}
	endpoint, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" ||
		endpoint.User != nil {
		return nil, errors.New("HF_ENDPOINT is not a URL such as " + defaultEndpoint)
	}
	c.endpoint = endpoint
	if c.token != "" && endpoint.Scheme == "http" && !loopback(endpoint.Hostname()) {
		return nil, fmt.Errorf("HF_TOKEN would go to %s unencrypted: use an https:// address in HF_ENDPOINT, or unset "+
			"HF_TOKEN", redactURL(endpoint))
	}
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	c.http = &http.Client{Transport: &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
		DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    30 * time.Second,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: mostHeader,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		DisableCompression:     true, // a part of a compressed file is not the file's
		ForceAttemptHTTP2:      true,
	}}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sleep waits, or returns the error of a context that ends before.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reply is a response after all redirects. linked has the header of the first response that says what is behind it:
// Hugging Face gives hash and size of a large file there, and redirects to where it is.
type reply struct {
	*http.Response
	linked http.Header
}

// send makes one request. The token goes to the endpoint alone, also after redirects; neither token nor query is in an
// error.
func (c *Client) send(ctx context.Context, method string, u *url.URL, header http.Header) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return reply{}, withoutURL(err)
	}
	if header != nil {
		request.Header = header
	}
	request.Header.Set("User-Agent", "parley")
	request.Header.Set("Accept-Encoding", "identity")
	if c.token != "" && sameOrigin(u, c.endpoint) {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	var r reply
	away := false
	client := *c.http
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		next.Header.Del("Referer")                                  // has the query, which may be secret
		if away = away || !sameOrigin(next.URL, c.endpoint); away { // for good: who redirects back chose the path
			next.Header.Del("Authorization")
		}
		if next.Response != nil && r.linked == nil && next.Response.Header.Get("X-Linked-Etag") != "" {
			r.linked = next.Response.Header
		}
		switch before := via[len(via)-1]; {
		case next.URL.Scheme != "https" && before.URL.Scheme == "https":
			return permanentError{fmt.Errorf("the server redirects from https to %s, which is refused",
				redactURL(next.URL))}
		case next.URL.Scheme != "https" && next.URL.Scheme != "http" || next.URL.Host == "":
			return permanentError{fmt.Errorf("the server redirects to %s, which is no address of the web",
				redactURL(next.URL))}
		case len(via) > mostRedirect:
			return permanentError{fmt.Errorf("more than %d redirects", mostRedirect)}
		}
		return nil
	}
	if r.Response, err = client.Do(request); err != nil {
		err = fmt.Errorf("%s: %w", redactURL(u), withoutURL(err))
		if strings.Contains(err.Error(), "failed to parse Location") { // net/http has no other name for it
			err = permanentError{err}
		}
		return r, err
	}
	if r.linked == nil {
		r.linked = r.Header
	}
	return r, nil
}

// sameOrigin reports whether two URLs have scheme, host and port in common.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// withoutURL takes the URL out of an error of net/http.
func withoutURL(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// json gets a JSON text of up to mostJSON bytes, decodes it, and returns the header that came with it.
func (c *Client) json(ctx context.Context, u *url.URL, to any) (header http.Header, err error) {
	var text []byte
	if err := c.retry(ctx, func() (bool, error) {
		r, err := c.send(ctx, http.MethodGet, u, nil)
		if err != nil {
			return false, err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return false, c.statusError(u, r.Response)
		}
		if err := notHTML(u, r.Response); err != nil {
			return false, err
		}
		if text, err = io.ReadAll(io.LimitReader(r.Body, mostJSON+1)); err != nil {
			return false, fmt.Errorf("%s: %w", redactURL(u), err)
		}
		if int64(len(text)) > mostJSON {
			return false, permanentError{fmt.Errorf("%s: the reply has more than %d bytes", redactURL(u), mostJSON)}
		}
		header = r.Header
		return true, nil
	}); err != nil {
		return header, err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return header, fmt.Errorf("%s: the reply is not what Hugging Face's interface sends: %w", redactURL(u), err)
	}
	return header, nil
}

// notHTML refuses a web page in place of a file, as a login page or a proxy sends it.
func notHTML(u *url.URL, r *http.Response) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return permanentError{fmt.Errorf("%s: the server sends a web page (%s) instead of a file; is this the address "+
			"of a page about the file, or does the network ask for a login?", redactURL(u), kind)}
	}
	return nil
}
