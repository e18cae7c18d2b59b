package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"golang.org/x/net/netutil"
)

// Listen opens a port, and returns the URL that clients ask. The address is HOST:PORT; HOST is localhost or an IP
// address, and port 0 is any that is free. An address that other machines can reach needs keys. Requests on connections
// beyond Options.MaxConnections get status 503, and with spare of these open, others wait to be accepted.
func Listen(address string, o Options) (l net.Listener, url string, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, "", fmt.Errorf("%q is not an address such as 127.0.0.1:8080: %w", address, err)
	}
	if host == "localhost" { // not looked up: a name can lead anywhere
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil, "", fmt.Errorf("%q: the host must be localhost or an IP address, such as 0.0.0.0 for all of this "+
			"machine's", address)
	}
	if !ip.IsLoopback() && len(o.Keys) == 0 {
		return nil, "", fmt.Errorf("%q can be reached from other machines: name a file of API keys with "+
			"--api-key-file, or listen on 127.0.0.1:%s", address, port)
	}
	if l, err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
		return nil, "", err
	}
	url = "http://" + l.Addr().String()
	if o.MaxConnections > 0 {
		l = &counting{Listener: netutil.LimitListener(l, o.MaxConnections+spare), most: int64(o.MaxConnections)}
	}
	if o.Certificate != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*o.Certificate},
			MinVersion: tls.VersionTLS12})
		url = "https" + url[len("http"):]
	}
	return l, url, nil
}

// Certificate reads the files of --tls-cert and --tls-key, which are given together or not at all.
func Certificate(certificate, key string) (*tls.Certificate, error) {
	switch {
	case certificate == "" && key == "":
		return nil, nil
	case certificate == "" || key == "":
		return nil, errors.New("TLS needs both --tls-cert and --tls-key")
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %q with key %q: %w", certificate, key, err)
	}
	return &pair, nil
}

// spare is how many connections may be open beyond Options.MaxConnections, to be told that they are too many.
const spare = 256

// counting counts the open connections of a listener, and marks those that are too many when they are accepted. They
// are accepted at all so that they can be told: a refused connection looks like a server that is down.
type counting struct {
	net.Listener
	most        int64
	connections atomic.Int64
}

// counted is a connection of such a listener. Its end counts once, however often it is closed.
type counted struct {
	net.Conn
	surplus bool
	end     func() // at the first Close
}

// Accept implements net.Listener.
func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{conn, c.connections.Add(1) > c.most, sync.OnceFunc(func() { c.connections.Add(-1) })}, nil
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.end()
	return c.Conn.Close()
}

// surplus reports whether a connection is one too many.
func surplus(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, ok := c.(*counted)
	return ok && own.surplus
}
