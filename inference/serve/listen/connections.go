package listen

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
)

// spares is how many connections may be open beyond Options.MaxConnections, to be told that they are too many: a
// connection that is closed at once looks like a server that is down.
const spares = 256

// Listener accepts connections. When as many are open as may be, the one that has been idle for longest is closed for
// a new one, as web servers do: who only holds connections open shuts nobody out. Where all have requests under way, a
// new one is marked as surplus; beyond spares of these, it is closed.
//
// No other machine has more than half of the connections that the others leave, and not more than half of spares: at
// its part, a new connection takes the place of an idle one of its own, or is surplus. This machine has no part: a
// proxy on it speaks for many clients.
//
// The server calls State with what becomes of a connection, as http.Server.ConnState does.
type Listener struct {
	net.Listener
	outer net.Listener // with TLS; nil without

	mu     sync.Mutex // guards what follows
	places room       // of connections whose requests are answered
	spare  room       // of surplus ones
	open   map[*conn]bool
	idle   []*conn // those without a request under way, the one that has been for longest first
}

// room counts connections.
type room struct {
	most, open int // most is 0 for no bound
	from       map[netip.Addr]int
}

func roomFor(most int) room { return room{most: most, from: make(map[netip.Addr]int)} }

// full reports whether there is no room for another connection.
func (r *room) full() bool { return r.most > 0 && r.open >= r.most }

// hasPart reports whether another machine has as much room as it may: half of what others leave, and at least one.
func (r *room) hasPart(machine netip.Addr) bool {
	own := r.from[machine]
	return r.most > 0 && machine.IsValid() && own >= max(1, (r.most-r.open+own)/2)
}

// add counts n connections of a machine more, or fewer.
func (r *room) add(machine netip.Addr, n int) {
	if r.open += n; machine.IsValid() {
		if r.from[machine] += n; r.from[machine] == 0 {
			delete(r.from, machine)
		}
	}
}

// conn is a connection of a listener.
type conn struct {
	net.Conn
	of      *Listener
	from    netip.Addr // see machineOf; the zero address from this machine
	surplus bool       // never changes
}

// accepting is the listener below TLS.
type accepting struct{ *Listener }

// Accept implements net.Listener.
func (a accepting) Accept() (net.Conn, error) { return a.accept() }

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	if l.outer != nil {
		return l.outer.Accept()
	}
	return l.accept()
}

func (l *Listener) accept() (net.Conn, error) {
	for {
		plain, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c, victim := l.add(plain); c != nil {
			if victim != nil {
				victim.Close()
			}
			return c, nil
		}
		plain.Close()
	}
}

// add counts a connection, which is idle so far. It returns nil if there is no room, and otherwise the connection that
// is to be closed for it, if there is one.
func (l *Listener) add(plain net.Conn) (c, victim *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c = &conn{Conn: plain, of: l, from: machineOf(plain.RemoteAddr())}
	if hasPart := l.places.hasPart(c.from); hasPart || l.places.full() {
		gives := func(other *conn) bool { return !other.surplus && (!hasPart || other.from == c.from) }
		switch i := slices.IndexFunc(l.idle, gives); {
		case i >= 0:
			victim = l.idle[i]
			l.forget(victim)
		case l.spare.full() || l.spare.hasPart(c.from):
			return nil, nil
		default:
			c.surplus = true
		}
	}
	l.open[c] = true
	l.roomOf(c).add(c.from, 1)
	l.idle = append(l.idle, c)
	return c, victim
}

// roomOf returns where a connection is counted.
func (l *Listener) roomOf(c *conn) *room {
	if c.surplus {
		return &l.spare
	}
	return &l.places
}

// machineOf tells other machines apart: by their address or, of IPv6, by the network of 64 bits, whose addresses one
// machine may choose from. It returns the zero address for this machine, and for what is no address.
func machineOf(address net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(address.String())
	ip := at.Addr().Unmap()
	switch {
	case err != nil || ip.IsLoopback():
		return netip.Addr{}
	case ip.Is6():
		return netip.PrefixFrom(ip.WithZone(""), 64).Masked().Addr()
	}
	return ip
}

// forget counts a connection no longer. The caller holds mu.
func (l *Listener) forget(c *conn) {
	if l.open[c] {
		l.roomOf(c).add(c.from, -1)
		delete(l.open, c)
	}
	l.busy(c)
}

// busy takes a connection out of those that are idle. The caller holds mu.
func (l *Listener) busy(c *conn) {
	l.idle = slices.DeleteFunc(l.idle, func(other *conn) bool { return other == c })
}

// State notes what becomes of a connection.
func (l *Listener) State(c net.Conn, state http.ConnState) {
	own, ok := below(c).(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateActive:
		l.busy(own)
	case http.StateIdle:
		if l.open[own] {
			l.idle = append(l.idle, own)
		}
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// Surplus reports whether a connection is one too many.
func Surplus(c net.Conn) bool {
	own, ok := below(c).(*conn)
	return ok && own.surplus
}

// below returns the connection that TLS is spoken on.
func below(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c
}
