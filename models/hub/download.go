package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-debate/parley/internal/bug"
)

// Got is a file that is there.
type Got struct {
	SHA256  string
	Bytes   int64 // of the file
	Asked   int64 // that were received in this call
	Checked bool  // the hash is the one that was wanted or announced
	Before  bool  // the file was there before
}

// ErrHash means that a file has not the content that was announced.
var ErrHash = errors.New("wrong content")

// Get downloads a file, or what is missing of it. It repeats what fails for a while. An error leaves what has arrived,
// with which the next Get goes on, unless that is wrong.
func (c *Client) Get(ctx context.Context, f File) (got Got, err error) {
	if got, there, err := f.there(ctx); there || err != nil {
		return got, err
	}
	p, err := openPart(ctx, f)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := c.retry(ctx, func() (bool, error) {
		before := got.Asked
		err := c.fetch(ctx, &f, p, &got.Asked)
		return got.Asked > before, err
	}); err != nil {
		return got, err
	}
	got.SHA256, got.Bytes, got.Checked = p.sum(), p.done, f.SHA256 != ""
	if got.Checked && got.SHA256 != f.SHA256 {
		return got, errors.Join(fmt.Errorf("%w: %s arrived with SHA-256 %s, and %s is wanted; what arrived was "+
			"removed. Repeat the command; if that happens again, do not trust the server", ErrHash,
			filepath.Base(f.Path), got.SHA256, f.SHA256), p.discard())
	}
	return got, p.finish()
}

// there looks whether the file is there already. One with another hash is not replaced.
func (f File) there(ctx context.Context) (got Got, there bool, err error) {
	info, err := os.Lstat(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return got, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q exists and is no regular file; remove it, or choose another directory with --to", f.Path)
	}
	if err != nil {
		return got, false, err
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return got, false, err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, &readers{ctx, file}); err != nil {
		return got, false, err
	}
	got = Got{SHA256: hex.EncodeToString(h.Sum(nil)), Bytes: info.Size(), Checked: f.SHA256 != "", Before: true}
	if got.Checked && got.SHA256 != f.SHA256 {
		return got, false, fmt.Errorf("%w: %q exists with SHA-256 %s, and %s is wanted; remove it, or choose another "+
			"directory with --to", ErrHash, f.Path, got.SHA256, f.SHA256)
	}
	return got, true, nil
}

// fetch makes one request for what is missing, and appends it to the part.
func (c *Client) fetch(ctx context.Context, f *File, p *part, asked *int64) error {
	if f.Size >= 0 && p.done == f.Size && f.SHA256 != "" {
		return nil // complete; the hash will tell
	}
	header := make(http.Header)
	strong := p.state.ETag != "" && !strings.HasPrefix(p.state.ETag, "W/")
	switch {
	case p.done == 0:
	case f.Size >= 0 && p.done > f.Size, !strong && f.SHA256 == "":
		c.Notify(fmt.Sprintf("%s: what is there cannot be continued; beginning anew", filepath.Base(f.Path)))
		if err := p.reset(); err != nil {
			return permanentError{err}
		}
	default:
		header.Set("Range", fmt.Sprintf("bytes=%d-", p.done))
		if strong {
			header.Set("If-Range", p.state.ETag)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := c.send(ctx, http.MethodGet, f.URL, header)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	total, err := c.accept(f, p, r)
	if total < 0 {
		total = f.Size
	}
	if err != nil || total == p.done {
		return err
	}
	if err := checkSpace(filepath.Dir(f.Path), max(0, total-p.done)); err != nil {
		return permanentError{err}
	}
	if err := p.remember(r.Header.Get("Etag"), f.SHA256); err != nil {
		return permanentError{err}
	}
	return c.receive(ctx, cancel, f, p, r.Body, total, asked)
}

// contentRange is the header of that name in a reply with a part of a file.
var contentRange = regexp.MustCompile(`^bytes (?:(\d+)-\d+|\*)/(\d+|\*)$`)

// accept looks at the head of a reply: whether its body continues the part, which it resets otherwise. total is the
// size of the whole file, -1 if nobody says; it is that of the part if nothing is missing.
func (c *Client) accept(f *File, p *part, r reply) (total int64, err error) {
	name := filepath.Base(f.Path)
	ranges := contentRange.FindStringSubmatch(r.Header.Get("Content-Range"))
	switch r.StatusCode {
	case http.StatusOK:
		if p.done > 0 {
			c.Notify(name + ": the file has changed there, or the server cannot continue; beginning anew")
			if err := p.reset(); err != nil {
				return 0, permanentError{err}
			}
		}
		total = r.ContentLength
	case http.StatusPartialContent:
		if ranges == nil || ranges[1] != strconv.FormatInt(p.done, 10) {
			return 0, permanentError{fmt.Errorf("%s: the server sends %.80q, and the rest from byte %d was asked for",
				redactURL(f.URL), r.Header.Get("Content-Range"), p.done)}
		}
		if etag := r.Header.Get("Etag"); etag != p.state.ETag && f.SHA256 == "" {
			c.Notify(name + ": the file has changed there; beginning anew")
			return 0, c.anew(p)
		}
		total = p.done + r.ContentLength
		if r.ContentLength < 0 {
			total = -1
		}
		if all, err := strconv.ParseInt(ranges[2], 10, 64); err == nil {
			total = all
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if ranges != nil && ranges[2] == strconv.FormatInt(p.done, 10) && p.done > 0 {
			return p.done, nil // all of it is there
		}
		if p.done == 0 {
			return 0, c.statusError(f.URL, r.Response)
		}
		c.Notify(name + ": the file there is shorter than what is here; beginning anew")
		return 0, c.anew(p)
	default:
		return 0, c.statusError(f.URL, r.Response)
	}
	return total, c.checkHead(f, r, total)
}

// anew discards the part, and has the next attempt ask for the whole file.
func (c *Client) anew(p *part) error {
	if err := p.reset(); err != nil {
		return permanentError{err}
	}
	return errors.New("the server does not have the rest of the file")
}

// checkHead compares what a reply says about the file with what is known.
func (c *Client) checkHead(f *File, r reply, total int64) error {
	if err := notHTML(f.URL, r.Response); err != nil {
		return err
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return permanentError{fmt.Errorf("%s: the server sends the file encoded as %.40q, though it was asked not to",
			redactURL(f.URL), coding)}
	}
	if f.Size >= 0 && total >= 0 && total != f.Size {
		return permanentError{fmt.Errorf("%s: the server sends a file of %d bytes, and announced %d", redactURL(f.URL),
			total, f.Size)}
	}
	return f.setLinkedHash(r.linked)
}

// receive appends a body to the part. A connection over which nothing comes counts as cut.
func (c *Client) receive(ctx context.Context, cancel context.CancelFunc, f *File, p *part, body io.Reader, total int64,
	asked *int64) error {
	var stalled atomic.Bool
	watch := time.AfterFunc(c.stall, bug.Lone(func() { stalled.Store(true); cancel() }))
	defer watch.Stop()
	limited := body
	if total >= 0 {
		limited = io.LimitReader(body, total-p.done+1)
	}
	buffer := make([]byte, 1<<17)
	for {
		n, err := (&readers{ctx, limited}).Read(buffer)
		watch.Reset(c.stall)
		*asked += int64(n)
		if total >= 0 && p.done+int64(n) > total {
			return permanentError{fmt.Errorf("%s: the server sends more than the %d bytes that it announced",
				redactURL(f.URL), total)}
		}
		if n > 0 {
			if _, err := p.Write(buffer[:n]); err != nil {
				return err
			}
			c.Progress(p.done, total)
		}
		switch {
		case err == nil:
		case stalled.Load():
			return fmt.Errorf("%s: nothing came for %s", redactURL(f.URL), c.stall)
		case errors.Is(err, io.EOF) && (total < 0 || p.done == total):
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s: the connection ended after %d of %d bytes", redactURL(f.URL), p.done, total)
		default:
			return fmt.Errorf("%s: the connection broke after %d bytes: %w", redactURL(f.URL), p.done, withoutURL(err))
		}
	}
}
