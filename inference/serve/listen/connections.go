package listen

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Spare is how many connections may be open beyond Options.MaxConnections, to be told that they are too many: a
// connection that is closed at once looks like a server that is down.
const Spare = 256

// Listener accepts connections. When as many are open as may be, the one that has been idle for longest is closed for
// a new one, as web servers do: who only holds connections open shuts nobody out. Where all have requests under way, a
// new one is marked as surplus; beyond Spare of these, it is closed.
//
// The server calls State with what becomes of a connection, as http.Server.ConnState does.
type Listener struct {
	net.Listener
	outer net.Listener // with TLS; nil without
	most  int          // 0 for no bound

	mu   sync.Mutex // guards what follows
	open map[*conn]bool
	idle []*conn // those without a request under way, the one that has been for longest first
}

// conn is a connection of a listener.
type conn struct {
	net.Conn
	of      *Listener
	surplus bool // never changes
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
	c = &conn{Conn: plain, of: l}
	if l.most > 0 && len(l.open) >= l.most {
		switch {
		case len(l.idle) > 0:
			victim = l.idle[0]
			l.forget(victim)
		case len(l.open) >= l.most+Spare:
			return nil, nil
		default:
			c.surplus = true
		}
	}
	l.open[c] = true
	l.idle = append(l.idle, c)
	return c, victim
}

// forget counts a connection no longer. The caller holds mu.
func (l *Listener) forget(c *conn) {
	delete(l.open, c)
	l.busy(c)
}

// busy takes a connection out of those that are idle. The caller holds mu.
func (l *Listener) busy(c *conn) {
	for i, other := range l.idle {
		if other == c {
			l.idle = append(l.idle[:i], l.idle[i+1:]...)
			return
		}
	}
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
