package hub

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// statusError is a refusal by a server.
type statusError struct {
	Code  int
	Text  string        // what was refused, why, and what to do
	Pause time.Duration // that the server asks for; 0 for none
}

// Error implements error.
func (e statusError) Error() string { return e.Text }

// permanentError is an error that another attempt would meet again.
type permanentError struct{ error }

// Unwrap gives the error itself.
func (e permanentError) Unwrap() error { return e.error }

// statusError says what a refusal means and what to do.
func (c *Client) statusError(u *url.URL, r *http.Response) error {
	e := statusError{Code: r.StatusCode, Pause: retryAfter(r.Header.Get("Retry-After"), time.Now())}
	hugging := sameOrigin(u, c.endpoint)
	why := http.StatusText(r.StatusCode)
	switch code := r.StatusCode; {
	case code == http.StatusUnauthorized && hugging && c.token == "":
		why = "the repository does not exist, or is private or gated: check the name, or set HF_TOKEN to a token of " +
			"yours"
	case code == http.StatusUnauthorized && hugging:
		why = "HF_TOKEN is refused: it is wrong or has expired"
	case code == http.StatusUnauthorized:
		why = "the server wants a login; HF_TOKEN is for " + redactURL(c.endpoint) + " only"
	case code == http.StatusForbidden && hugging:
		why = "access is refused: if the model is gated, accept its conditions on its page and set HF_TOKEN to a " +
			"token that may read it"
	case code == http.StatusForbidden:
		why = "access is refused"
	case code == http.StatusNotFound:
		why = "nothing is there: check the spelling"
	case code == http.StatusRequestedRangeNotSatisfiable:
		why = "the server does not have the rest of the file that it is asked for"
	case code == http.StatusTooManyRequests:
		why = "too many requests: wait, or set HF_TOKEN, with which more are allowed"
	case code >= 500:
		why += ": the server has a problem; try again later"
	}
	e.Text = fmt.Sprintf("%s: HTTP %d: %s", redactURL(u), r.StatusCode, why)
	if said := r.Header.Get("X-Error-Message"); said != "" {
		e.Text += fmt.Sprintf(" (the server says %.200q)", said)
	}
	return e
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<20)) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// temporary reports whether another attempt may succeed.
func temporary(err error) bool {
	var status statusError
	var name *net.DNSError
	switch {
	case errors.As(err, new(permanentError)), errors.As(err, new(x509.UnknownAuthorityError)),
		errors.As(err, new(x509.HostnameError)), errors.As(err, new(x509.CertificateInvalidError)):
		return false
	case errors.As(err, &name):
		return !name.IsNotFound
	case errors.As(err, &status):
		return status.Code == http.StatusTooManyRequests || status.Code == http.StatusRequestTimeout ||
			status.Code >= 500 && status.Code != http.StatusNotImplemented
	}
	return true
}

// How often and how long to wait before trying again: 1, 2, 4, 8 and 16 seconds, or what the server asks for.
const (
	mostAttempts = 6 // in a row without a new byte
	mostPause    = 5 * time.Minute
)

// retry repeats an attempt that fails for a while. Attempts that got on do not count.
func (c *Client) retry(ctx context.Context, attempt func() (progressed bool, err error)) error {
	failures := 0
	for {
		progressed, err := attempt()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !temporary(err):
			return err
		case progressed:
			failures = 0
		}
		if failures++; failures >= mostAttempts {
			return fmt.Errorf("%w; gave up after %d attempts", err, failures)
		}
		pause := time.Second << (failures - 1)
		var status statusError
		if errors.As(err, &status) && status.Pause > pause {
			pause = status.Pause
		}
		if pause > mostPause {
			return fmt.Errorf("%w; the server asks to wait for %s", err, pause.Round(time.Second))
		}
		c.Notify(fmt.Sprintf("%v; trying again in %s", err, pause.Round(time.Second)))
		if err := c.wait(ctx, pause); err != nil {
			return err
		}
	}
}
