// Package live serves the report of a run to browsers on this machine while the run goes on. It is the only package
// that opens a port, and only reads the run.
//
// Lifecycle: Listen opens a port on a loopback address, New makes the server of a directory, and Serve answers requests
// until its context ends. There are two things to ask for: the page, and its version, which the page's script asks for
// every second to load the page anew when the run has recorded more.
package live

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/watch"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/escape"
)

//go:embed live.js
var script string

// waiting is the page of a run of which there is no report.
var waiting = template.Must(template.New("waiting").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Directory}}</title></head>
<body><h1>{{.Directory}}</h1><p>{{.Why}}</p><p id="live" role="status"></p>
<script>{{.Script}}</script></body>
</html>
`))

// Listen opens a port. The address is HOST:PORT; HOST has to be localhost or a loopback address, so that nobody on
// another machine can connect, and port 0 is any that is free.
func Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address such as 127.0.0.1:8080: %w", address, err)
	}
	if host == "localhost" { // not looked up: a name can lead anywhere
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%q is not on this machine alone: the report is served on a loopback address, such as "+
			"127.0.0.1:%s", address, port)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// Server serves one directory.
type Server struct {
	directory string
	options   report.Options
	port      string // that requests have to name

	mu      sync.Mutex // guards what follows
	watched *watch.Watched
	version string // of page
	page    []byte // it is nil before it was first asked for
	status  int
}

// New makes the server of a run directory, or of an experiment's, on the port of a listener.
func New(directory string, o report.Options, l net.Listener) (*Server, error) {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}
	s := &Server{directory: directory, options: o, port: port, watched: watch.Open(directory)}
	if _, _, err := s.now(); err != nil {
		s.watched.Close()
		return nil, err
	}
	return s, nil
}

// Serve answers requests until the context ends, finishes those that are under way, and closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.watched.Close()
	server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 1 << 16}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, bug.Guarded(func() error {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		return errors.Join(server.Shutdown(last), server.Close())
	}, func(err error) { ended <- err }))
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Content-Security-Policy", "frame-ancestors 'none'")
	switch {
	case !s.ours(r.Host):
		http.Error(w, "this server answers to localhost alone", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		status, page := s.current()
		header.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(page) // the browser has gone if this fails
	case r.URL.Path == "/version":
		s.serveVersion(w)
	default:
		http.NotFound(w, r)
	}
}

// ours reports whether a request names this server by an address or name that can only be this machine. Another name
// may be one that a web page elsewhere has had lead here, to read the report (DNS rebinding).
func (s *Server) ours(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil || port != s.port {
		return false
	}
	ip, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}

// serveVersion answers what the page asks every few seconds: it loads itself anew when the version has changed.
func (s *Server) serveVersion(w http.ResponseWriter) {
	s.mu.Lock()
	version, running, err := s.now()
	s.mu.Unlock()
	if err != nil {
		http.Error(w, escape.Text(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct {
		Version string `json:"version"`
		Running bool   `json:"running"`
	}{version, running})
}

// now is the version of what is recorded, and whether a run is under way. Equal versions have equal pages. The caller
// has the lock.
func (s *Server) now() (version string, running bool, err error) {
	snapshot, err := s.watched.Read(time.Now())
	if err != nil {
		return "", false, err
	}
	for _, r := range snapshot.Runs {
		version += fmt.Sprintf("%s %d/%d %s;", r.Name, r.Debates, r.Expected, r.State)
	}
	return version, snapshot.Running(), nil
}

// current is the page of what is recorded, made anew only if that has changed.
func (s *Server) current() (status int, page []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, _, err := s.now()
	if err == nil && version == s.version && s.page != nil {
		return s.status, s.page
	}
	s.version, s.status = version, http.StatusOK
	quoted, _ := json.Marshal(version) // a string; escapes what would end the script
	code := fmt.Sprintf("const liveVersion = %s;\n%s", quoted, script)
	var b bytes.Buffer
	if err == nil {
		err = report.Page(&b, s.directory, s.options, code)
	}
	if err != nil {
		b.Reset()
		s.status = http.StatusServiceUnavailable
		err = waiting.Execute(&b, map[string]any{"Directory": escape.Text(s.directory), "Why": escape.Text(
			"There is no report yet: " + err.Error()), "Script": template.JS(code)})
	}
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	s.page = b.Bytes()
	return s.status, s.page
}
