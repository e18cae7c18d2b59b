package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/net/netutil"
)

// Listen opens a port, and returns the URL that clients ask. The address is HOST:PORT; HOST is localhost or an IP
// address, and port 0 is any that is free. An address that other machines can reach needs keys. Connections beyond
// Options.MaxConnections wait until others end.
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
		l = netutil.LimitListener(l, o.MaxConnections)
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
