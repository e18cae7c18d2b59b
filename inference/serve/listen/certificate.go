package listen

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate in files, which is read again when they change: whoever renews certificates need not
// restart the server. Files that cannot be read, or do not belong together, as while they are replaced, leave the last
// one in use.
type Certificate struct {
	file, key string

	mu   sync.Mutex // guards what follows
	pair *tls.Certificate
	of   [2]stamp // the files that pair was read from, or that could not be read
}

// stamp tells one version of a file from another.
type stamp struct {
	changed time.Time
	size    int64
}

// Load reads the files of --tls-cert and --tls-key, which are given together or not at all: then there is none.
func Load(file, key string) (*Certificate, error) {
	switch {
	case file == "" && key == "":
		return nil, nil
	case file == "" || key == "":
		return nil, errors.New("TLS needs both --tls-cert and --tls-key")
	}
	c := &Certificate{file: file, key: key, of: stamps(file, key)}
	var err error
	if c.pair, err = c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

func stamps(files ...string) (all [2]stamp) {
	for i, path := range files {
		if info, err := os.Stat(path); err == nil {
			all[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return all
}

func (c *Certificate) read() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.file, c.key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %q with key %q: %w", c.file, c.key, err)
	}
	return &pair, nil
}

// get returns the certificate for a new connection, as tls.Config.GetCertificate does.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := stamps(c.file, c.key); now != c.of {
		if pair, err := c.read(); err == nil {
			c.pair = pair
		}
		c.of = now
	}
	return c.pair, nil
}
