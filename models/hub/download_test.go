package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/platform"
)

// TestGet: a file is received whole, checked by its hash, and its progress is told.
func TestGet(t *testing.T) {
	content := bytesOf(300_000)
	s := serveFile(t, content)
	c, _ := newClient(t, s.URL)
	f := fileAt(t, s.URL+"/x", sum(content))
	var last int64
	c.Progress = func(done, total int64) {
		if done <= last || total != int64(len(content)) {
			t.Errorf("progress grows, of %d bytes: got %d of %d after %d", len(content), done, total, last)
		}
		last = done
	}
	got, err := c.Get(t.Context(), f)
	if want := (Got{SHA256: sum(content), Bytes: 300_000, Asked: 300_000, Checked: true}); err != nil || got != want {
		t.Fatalf("a file is received whole and checked: %v, got %+v, want %+v", err, got, want)
	}
	sameBytes(t, f, content)
	if last != 300_000 {
		t.Errorf("progress ended at %d, want 300_000", last)
	}
	got, err = c.Get(t.Context(), f) // there is nothing to do
	if err != nil || !got.Before || got.Asked != 0 || got.SHA256 != sum(content) || len(s.gets()) != 1 {
		t.Errorf("a file that is there is not asked for again: got %+v, %v, %d requests", got, err, len(s.gets()))
	}
	f.SHA256 = sum(nil)
	_, err = c.Get(t.Context(), f)
	contains(t, err, "exists with SHA-256", "remove it")
	sameBytes(t, f, content)
}

// TestCuts: connections that break are continued where they broke, by Range with If-Range.
func TestCuts(t *testing.T) {
	content := bytesOf(1_000_000)
	s := serveFile(t, content)
	s.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n == 1 {
			s.cut(w, 400_000)
		}
		if n == 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	}
	c, said := newClient(t, s.URL)
	var pauses []time.Duration
	c.wait = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	f := fileAt(t, s.URL+"/x", "")
	got, err := c.Get(t.Context(), f)
	if err != nil || got.Asked != 1_000_000 || got.Checked {
		t.Errorf("a download that is cut goes on, until all 1,000,000 bytes were asked once: got %+v, %v", got, err)
	}
	sameBytes(t, f, content)
	gets := s.gets()
	if len(gets) != 3 || gets[0].Header.Get("Range") != "" || gets[2].Header.Get("If-Range") != `"one"` {
		t.Fatalf("a first request for all, and a third for the rest if it is the same file: got %d requests, %v",
			len(gets), gets)
	}
	if from := gets[2].Header.Get("Range"); from != "bytes=400000-" || s.bytesSent() != 600_000 {
		t.Errorf("asked for %s, %d bytes sent; want \"bytes=400000-\" and 600_000", from, s.bytesSent())
	}
	if want := []time.Duration{time.Second, 2 * time.Second}; !slices.Equal(pauses, want) || len(*said) != 2 ||
		!strings.Contains((*said)[0], "trying again in 1s") {
		t.Errorf("a failing download is tried again after 1 s and 2 s, and says so: waited %v, said %q",
			pauses, *said)
	}
}

// blind has a server ignore If-Range.
func blind(_ int, _ http.ResponseWriter, r *http.Request) bool {
	r.Header.Del("If-Range")
	return false
}

// TestResume: another client goes on with what one has left, asks for no more than the rest, and gets the same bytes.
func TestResume(t *testing.T) {
	content := bytesOf(500_000)
	other := slices.Clone(content)
	slices.Reverse(other)
	for _, c := range []struct {
		name     string
		hash     string
		change   func(s *fileServer) // between the two attempts
		range_   string              // that the second one asks for
		asked    int64
		says     string
		received []byte
	}{
		{"etag", "", func(*fileServer) {}, "bytes=200000-", 300_000, "", content},
		{"hash", sum(content), func(*fileServer) {}, "bytes=200000-", 300_000, "", content},
		{"no ranges", "", func(s *fileServer) { s.noRanges = true }, "bytes=200000-", 500_000, "beginning anew",
			content},
		{"changed", "", func(s *fileServer) { s.etag, s.content = `"two"`, other[:240_000] }, "bytes=200000-",
			240_000, "beginning anew", other[:240_000]},
		{"ignores If-Range", "", func(s *fileServer) {
			s.etag, s.content = `"two"`, other
			s.before = blind
		}, "bytes=200000-", 500_000, "has changed there", other},
		{"shorter", "", func(s *fileServer) {
			s.content = content[:100_000]
			s.before = blind
		}, "bytes=200000-", 100_000, "shorter", content[:100_000]},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveFile(t, content)
			if c.hash != "" { // is enough to go on
				s.etag = ""
			}
			s.before = func(n int, w http.ResponseWriter, _ *http.Request) bool { s.cut(w, 200_000); return true }
			first, _ := newClient(t, s.URL)
			first.wait = func(context.Context, time.Duration) error { return errors.New("no patience") }
			f := fileAt(t, s.URL+"/x", c.hash)
			_, err := first.Get(t.Context(), f)
			contains(t, err, "no patience")
			noFile(t, f)
			if info, err := os.Stat(f.Path + partSuffix); err != nil || info.Size() != 200_000 {
				t.Fatalf("what was received before the failure stays, 200,000 bytes: got %+v, %v", info, err)
			}
			s.before = nil
			c.change(s)
			second, said := newClient(t, s.URL)
			got, err := second.Get(t.Context(), f)
			if err != nil || got.Asked != c.asked || got.SHA256 != sum(c.received) {
				t.Errorf("a download that goes on asks for %d bytes and has the hash %s: got %+v, %v", c.asked,
					sum(c.received), got, err)
			}
			sameBytes(t, f, c.received)
			if r := s.gets()[1]; r.Header.Get("Range") != c.range_ {
				t.Errorf("asked for %q, want %v", r.Header.Get("Range"), c.range_)
			}
			if !strings.Contains(strings.Join(*said, "\n"), c.says) || c.says == "" && len(*said) > 0 {
				t.Errorf("said %q, want %q", *said, c.says)
			}
		})
	}
}

// TestWeakETag: a part of a file that nobody can identify is not continued.
func TestWeakETag(t *testing.T) {
	content := bytesOf(50_000)
	s := serveFile(t, content)
	s.etag = `W/"one"`
	s.before = func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n == 1 {
			s.cut(w, 20_000)
		}
		return false
	}
	c, said := newClient(t, s.URL)
	f := fileAt(t, s.URL+"/x", "")
	if got, err := c.Get(t.Context(), f); err != nil || got.Asked != 70_000 || s.gets()[1].Header.Get("Range") != "" {
		t.Errorf("behind a weak ETag all 70,000 bytes are asked anew: got %+v, range %q, %v", got,
			s.gets()[1].Header.Get("Range"), err)
	}
	sameBytes(t, f, content)
	contains(t, errors.New(strings.Join(*said, "\n")), "cannot be continued")
}

// TestCompletePart: all bytes had arrived when the process was killed.
func TestCompletePart(t *testing.T) {
	content := bytesOf(50_000)
	for _, hash := range []string{sum(content), ""} {
		t.Run(hash, func(t *testing.T) {
			s := serveFile(t, content)
			c, _ := newClient(t, s.URL)
			f := fileAt(t, s.URL+"/x", hash)
			f.Size = int64(len(content))
			if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{partSuffix: content, stateSuffix: []byte(`{"etag":"\"one\""}`)} {
				datatest.Write(t, f.Path+name, text)
			}
			got, err := c.Get(t.Context(), f)
			if err != nil || got.Asked != 0 || len(s.gets()) != map[bool]int{true: 0, false: 1}[hash != ""] {
				t.Errorf("a complete part is not asked for again, with its hash without any request: got %+v, "+
					"%v, %d requests", got, err, len(s.gets()))
			}
			sameBytes(t, f, content)
		})
	}
}

// TestForeignState: what is at the path of what is known about a part, and says nothing of one, stays as it is.
func TestForeignState(t *testing.T) {
	s := serveFile(t, bytesOf(1000))
	c, _ := newClient(t, s.URL)
	for _, text := range []string{`{"precious":1}`, `{}`, "notes"} {
		t.Run(text, func(t *testing.T) {
			f := fileAt(t, s.URL+"/x", sum(bytesOf(1000)))
			if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
				t.Fatal(err)
			}
			datatest.Write(t, f.Path+stateSuffix, text)
			_, err := c.Get(t.Context(), f)
			contains(t, err, f.Path+stateSuffix, "is no part of a download")
			if got, err := os.ReadFile(f.Path + stateSuffix); err != nil || string(got) != text {
				t.Errorf("a file that is no state of a download stays %q: got %q, %v", text, got, err)
			}
		})
	}
}

func TestWrongHash(t *testing.T) {
	s := serveFile(t, bytesOf(1000))
	c, _ := newClient(t, s.URL)
	f := fileAt(t, s.URL+"/x", sum(nil))
	_, err := c.Get(t.Context(), f)
	if !errors.Is(err, ErrHash) {
		t.Errorf("a file of another hash is refused as %v: got %v", ErrHash, err)
	}
	contains(t, err, sum(nil), sum(bytesOf(1000)), "was removed")
	if entries, _ := os.ReadDir(filepath.Dir(f.Path)); len(entries) > 0 {
		t.Errorf("left: %v, want none", entries)
	}
	// a server that announces another hash is believed before anything is downloaded
	s.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("X-Linked-Etag", `"`+sum([]byte("x"))+`"`)
		return false
	}
	_, err = c.Get(t.Context(), f)
	contains(t, err, "announces SHA-256 "+sum([]byte("x")), "has changed there")
	// and one that announces the hash without being asked is checked
	f.SHA256 = ""
	_, err = c.Get(t.Context(), f)
	if !errors.Is(err, ErrHash) {
		t.Errorf("a file of another hash is refused as %v: got %v", ErrHash, err)
	}
	noFile(t, f)
}

// TestRefusals: what a server may answer in place of a file, the words that explain it, and how often it was asked.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		header   map[string]string
		status   int
		size     int64
		body     string
		says     string
		requests int
	}{
		"401": {status: 401, says: "set HF_TOKEN", requests: 1},
		"403": {status: 403, says: "accept its conditions", requests: 1},
		"404": {status: 404, says: "check the spelling", requests: 1},
		"416": {status: 416, says: "HTTP 416", requests: 1},
		"429": {status: 429, says: "too many requests", requests: mostAttempts},
		"429, later": {status: 429, header: map[string]string{"Retry-After": "7200"}, says: "wait for 2h0m0s",
			requests: 1},
		"500": {status: 500, says: "gave up after 6 attempts", requests: mostAttempts},
		"501": {status: 501, says: "HTTP 501", requests: 1},
		"a file": {status: 302, header: map[string]string{"Location": "file:///etc/passwd"},
			says: "redirects to file:///etc/passwd, which is no address of the web", requests: 1},
		"ftp":     {status: 307, header: map[string]string{"Location": "ftp://x/y"}, says: "no address", requests: 1},
		"data":    {status: 302, header: map[string]string{"Location": "data:,x"}, says: "no address", requests: 1},
		"mail":    {status: 308, header: map[string]string{"Location": "mailto:x@y"}, says: "no address", requests: 1},
		"no host": {status: 302, header: map[string]string{"Location": "http:///x"}, says: "no address", requests: 1},
		"no URL":  {status: 302, header: map[string]string{"Location": "http://%zz/"}, says: "Location", requests: 1},
		"nowhere": {status: 302, says: "HTTP 302", requests: 1},
		"its words": {status: 403, header: map[string]string{"X-Error-Message": "no \u202eway"}, says: `says "no \u202eway"`,
			requests: 1},
		"a page": {status: 200, header: map[string]string{"Content-Type": "text/html; charset=utf-8"}, body: "<html>",
			says: "web page (text/html)", requests: 1},
		"packed": {status: 200, header: map[string]string{"Content-Encoding": "gzip"}, body: "x", says: `as "gzip"`,
			requests: 1},
		"another size": {status: 200, size: 10, body: "12345", says: "5 bytes, and announced 10", requests: 1},
		"too much": {status: 200, header: map[string]string{"Transfer-Encoding": "chunked"}, size: 3, body: "12345",
			says: "more than the 3 bytes", requests: 1},
		"another part": {status: 206, header: map[string]string{"Content-Range": "bytes 5-9/10"}, body: "56789",
			says: `sends "bytes 5-9/10"`, requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				for key, value := range c.header {
					w.Header().Set(key, value)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			client, _ := newClient(t, s.URL)
			f := fileAt(t, s.URL+"/x?secret=1", "")
			if f.Size = -1; c.size > 0 {
				f.Size = c.size
			}
			_, err := client.Get(t.Context(), f)
			contains(t, err, c.says)
			if requests != c.requests || err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%d requests, want %d: %v", requests, c.requests, err)
			}
			noFile(t, f)
		})
	}
}

// TestStall: a connection over which nothing comes counts as cut.
func TestStall(t *testing.T) {
	content := bytesOf(100_000)
	s := serveFile(t, content)
	s.before = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > 1 {
			return false
		}
		w.Header().Set("Etag", s.etag)
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(content[:1000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	}
	c, said := newClient(t, s.URL)
	c.stall = 50 * time.Millisecond
	f := fileAt(t, s.URL+"/x", "")
	if _, err := c.Get(t.Context(), f); err != nil {
		t.Error(err)
	}
	sameBytes(t, f, content)
	contains(t, errors.New(strings.Join(*said, "\n")), "nothing came for 50ms")
}

// TestInterrupt: a cancelled download keeps its part, and does not try again.
func TestInterrupt(t *testing.T) {
	content := bytesOf(1_000_000)
	s := serveFile(t, content)
	c, said := newClient(t, s.URL)
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(int64, int64) { cancel() }
	f := fileAt(t, s.URL+"/x", "")
	if _, err := c.Get(ctx, f); !errors.Is(err, context.Canceled) || len(*said) > 0 {
		t.Errorf("%v, said %q; want the error %q and none", err, *said, context.Canceled)
	}
	noFile(t, f)
	part, err := os.ReadFile(f.Path + partSuffix)
	if err != nil || len(part) == 0 || !bytes.HasPrefix(content, part) {
		t.Errorf("an interrupted download leaves the beginning of the file: got %d bytes, %v", len(part), err)
	}
	c.Progress = func(int64, int64) {}
	if got, err := c.Get(t.Context(), f); err != nil || got.Asked != int64(len(content)-len(part)) {
		t.Errorf("an interrupted download goes on behind the %d bytes that are there: got %+v, %v", len(part), got,
			err)
	}
	sameBytes(t, f, content)
}

// TestOnePartOneProcess: a part that another process writes, a link and a file with other names are left alone.
func TestOnePartOneProcess(t *testing.T) {
	s := serveFile(t, bytesOf(10))
	c, _ := newClient(t, s.URL)
	f := fileAt(t, s.URL+"/x", "")
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	other, err := os.Create(f.Path + partSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if err := platform.Lock(other); err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(t.Context(), f)
	contains(t, err, "another process is downloading")
	other.Close()
	precious := datatest.File(t, "precious", "mine")
	for i, link := range []func(string, string) error{os.Symlink, os.Link} {
		t.Run([]string{"symbolic link", "hard link"}[i], func(t *testing.T) {
			if err := errors.Join(os.Remove(f.Path+partSuffix), link(precious, f.Path+partSuffix)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Get(t.Context(), f); err == nil {
				t.Error("a file was written through a link, want an error")
			}
		})
	}
	if text, _ := os.ReadFile(precious); string(text) != "mine" {
		t.Errorf("what a link leads to stays \"mine\": got %q", text)
	}
	if err := os.Symlink(precious, f.Path); err != nil {
		t.Fatal(err)
	}
	_, err = c.Get(t.Context(), f)
	contains(t, err, "no regular file")
}

// TestSpace: a file that the disk has no space for is refused before it is fetched.
func TestSpace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	free, err := Free(dir)
	if err != nil || free <= 0 {
		t.Fatalf("there is free space: got %d, %v", free, err)
	}
	f := File{Path: filepath.Join(dir, "x"), Size: 1 << 60}
	err = Plan{Files: []File{f}}.CheckSpace()
	if !errors.Is(err, ErrSpace) {
		t.Errorf("a file larger than the disk is refused as %v: got %v", ErrSpace, err)
	}
	contains(t, err, "1.0 EiB are needed", "--to")
	f.Size = 10
	if err := (Plan{Files: []File{f, f}}).CheckSpace(); err != nil {
		t.Error(err)
	}
	// a server that says so late is believed too
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(int64(1)<<60))
		w.WriteHeader(http.StatusOK)
	}))
	defer s.Close()
	c, _ := newClient(t, s.URL)
	if _, err := c.Get(t.Context(), fileAt(t, s.URL+"/x", "")); !errors.Is(err, ErrSpace) {
		t.Errorf("a file that a server says is larger than the disk is refused as %v: got %v", ErrSpace, err)
	}
}
