package listen

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/datatest"
)

// serving has a handler that answers at once serve on a listener.
func serving(t *testing.T, o Options) (l *Listener, url string) {
	t.Helper()
	l, url, err := Open("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ConnState: l.State,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "well") })}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return l, url
}

// TestIdleConnections: however many connections are opened and send nothing, or stay open after a request, another
// client is answered, and no more are open than may be.
func TestIdleConnections(t *testing.T) {
	const most = 20
	l, url := serving(t, Options{MaxConnections: most})
	address := strings.TrimPrefix(url, "http://")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	for i := range 400 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%2 == 0 { // and is then idle
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		if i%40 != 0 {
			continue
		}
		response, err := client.Get(url)
		if err != nil {
			t.Fatalf("a request beside %d idle connections failed: %v, want no error", i, err)
		}
		if response.Body.Close(); response.StatusCode != http.StatusOK {
			t.Errorf("a request beside %d idle connections got %s, want 200", i, response.Status)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) > most || len(l.idle) > len(l.open) {
		t.Errorf("%d connections are open, %d of them idle; want up to %d", len(l.open), len(l.idle), most)
	}
}

// TestAdd: with all connections in use, spares more are marked, and further ones are not taken; what was closed counts
// no longer, however often it is closed.
func TestAdd(t *testing.T) {
	l := &Listener{places: roomFor(2), spare: roomFor(spares), open: make(map[*conn]bool)}
	use := func() *conn {
		plain, _ := net.Pipe()
		c, victim := l.add(plain)
		if victim != nil {
			t.Fatal("a connection in use was to be closed")
		}
		if c != nil {
			l.State(c, http.StateActive)
		}
		return c
	}
	all := []*conn{use(), use()}
	for range spares {
		if c := use(); !Surplus(c) || Surplus(all[0]) {
			t.Fatal("a connection beyond those that may be is not marked, or another one is")
		}
	}
	if use() != nil {
		t.Error("a connection was taken beyond the spare ones")
	}
	all[0].Close()
	all[0].Close()
	if n := len(l.open); n != 1+spares {
		t.Errorf("%d connections count, want %d", n, 1+spares)
	}
	if c := use(); Surplus(c) {
		t.Error("the place that became free is not taken")
	}
	l.State(all[1], http.StateIdle)
	plain, _ := net.Pipe()
	if c, victim := l.add(plain); c == nil || victim != all[1] {
		t.Error("the idle connection is not closed for a new one")
	}
}

// TestOpen refuses addresses that other machines can reach, unless requests need keys or nobody minds.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		address string
		o       Options
		want    string
	}{
		{"0.0.0.0:0", Options{}, "--insecure"}, {"[::]:0", Options{}, "--api-key-file"},
		{"0.0.0.0:0", Options{Keys: true}, ""}, {"0.0.0.0:0", Options{Insecure: true}, ""},
		{"localhost:0", Options{}, ""}, {"8080", Options{}, "is not an address"},
		{"example.com:80", Options{Keys: true}, "localhost or an IP address"},
	} {
		l, _, err := Open(c.address, c.o)
		if err == nil {
			l.Close()
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s %+v: %v, want %q", c.address, c.o, err, c.want)
		}
	}
}

// farAway is a connection from another machine.
type farAway struct {
	net.Conn
	from net.Addr
}

func (f farAway) RemoteAddr() net.Addr { return f.from }

// TestMachinesShare: whoever uses all connections that it can get, from as many addresses of its network as it likes,
// leaves half of them and half of the spare ones to others; its idle ones give way to its own. A proxy on this machine
// has no part.
func TestMachinesShare(t *testing.T) {
	const most = 64
	l := &Listener{places: roomFor(most), spare: roomFor(spares), open: make(map[*conn]bool)}
	from := func(address string) (c, victim *conn) {
		plain, other := net.Pipe()
		t.Cleanup(func() { plain.Close(); other.Close() })
		return l.add(farAway{plain, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))})
	}
	used := func(address string) *conn {
		c, victim := from(address)
		if victim != nil {
			t.Fatalf("%s: a connection in use was to be closed", address)
		}
		if c != nil {
			l.State(c, http.StateActive)
		}
		return c
	}
	taken, surplus := 0, 0
	for i := range 1000 {
		switch c := used(fmt.Sprintf("[2001:db8::%x]:%d", i, 1000+i)); {
		case c == nil:
		case c.surplus:
			surplus++
		default:
			taken++
		}
	}
	if taken != most/2 || surplus != spares/2 {
		t.Errorf("one machine has %d connections and %d spare ones, want %d and %d", taken, surplus, most/2, spares/2)
	}
	other := used("192.0.2.7:80")
	if other == nil || other.surplus {
		t.Fatal("another machine is shut out, want it served")
	}
	l.State(other, http.StateIdle)
	for own := range l.open {
		if own != other && !own.surplus {
			l.State(own, http.StateIdle)
			if c, victim := from("[2001:db8::ffff]:1"); c == nil || c.surplus || victim != own {
				t.Error("an idle connection of its own does not give way to a machine that has its part")
			}
			break
		}
	}
	for c := range l.open {
		l.State(c, http.StateActive)
	}
	for range 4 * most {
		if c := used("127.0.0.1:99"); c != nil && !c.surplus {
			taken++
		}
	}
	if taken < most-2 {
		t.Errorf("a proxy on this machine was held back: %d connections of %d", taken, most)
	}
	for c := range l.open {
		l.mu.Lock()
		l.forget(c)
		l.mu.Unlock()
	}
	if n := len(l.places.from) + len(l.spare.from) + l.places.open + l.spare.open + len(l.idle); n != 0 {
		t.Errorf("%+v, %+v and %d idle ones are left of no connection", l.places, l.spare, len(l.idle))
	}
}

// issue writes a certificate of a number and its key.
func issue(t *testing.T, number int64, file, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		datatest.Write(t, path, pem.EncodeToMemory(block))
		stamp := time.Unix(1_700_000_000+number, 0) // tests are faster than some clocks of files
		if err := os.Chtimes(path, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRenewed: a certificate that is renewed is shown to the next client; while its files do not belong together, the
// old one is.
func TestRenewed(t *testing.T) {
	file, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	if _, err := Load(file, ""); err == nil || !strings.Contains(err.Error(), "--tls-key") {
		t.Errorf("%v, want an error that names --tls-key", err)
	}
	issue(t, 1, file, key)
	certificate, err := Load(file, key)
	if err != nil {
		t.Fatal(err)
	}
	_, url := serving(t, Options{Certificate: certificate})
	shown := func() int64 {
		t.Helper()
		c, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if n := shown(); n != 1 {
		t.Errorf("certificate %d is shown, want 1", n)
	}
	issue(t, 2, file, key+".new")
	if n := shown(); n != 1 {
		t.Errorf("with the key of another one, certificate %d is shown, want 1", n)
	}
	if err := os.Rename(key+".new", key); err != nil {
		t.Fatal(err)
	}
	if n := shown(); n != 2 {
		t.Errorf("certificate %d is shown after it was renewed, want 2", n)
	}
}
