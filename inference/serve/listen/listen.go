// Package listen opens the port of a server: on this machine or for others, with or without TLS, for a bounded number
// of connections.
package listen

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
)

// Options say who may connect.
type Options struct {
	MaxConnections int          // at once; 0 for any number
	Certificate    *Certificate // nil for no TLS
	Keys           bool         // requests have to show an API key
	Insecure       bool         // other machines may ask without a key
}

// Open opens a port, and returns the URL that clients ask. The address is HOST:PORT; HOST is localhost or an IP
// address, and port 0 is any that is free. An address that other machines can reach needs keys.
func Open(address string, o Options) (l *Listener, url string, err error) {
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
	if !ip.IsLoopback() && !o.Keys && !o.Insecure {
		return nil, "", fmt.Errorf("%q can be reached from other machines: name a file of API keys with "+
			"--api-key-file, listen on 127.0.0.1:%s, or have anybody ask with --insecure", address, port)
	}
	plain, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, "", err
	}
	url = "http://" + plain.Addr().String()
	l = &Listener{Listener: plain, places: roomFor(o.MaxConnections), spare: roomFor(spares),
		open: make(map[*conn]bool)}
	if o.Certificate != nil {
		l.outer = tls.NewListener(accepting{l}, &tls.Config{GetCertificate: o.Certificate.get,
			MinVersion: tls.VersionTLS12})
		url = "https" + url[len("http"):]
	}
	return l, url, nil
}
