// Package interrupt catches the signals that ask a program to end, from the time when the program is loaded. It knows
// no other package of ours, so that Go initializes it before those that compile patterns and read tables: until they
// are done, which takes longer on a loaded machine, a signal would end the program and not its command.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// early has the signals until Take; it is nil afterwards.
var early = caught()

func caught() chan os.Signal {
	signals := make(chan os.Signal, 2) // as many as matter: one to end, one to end at once
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// Pending reports whether a signal came since the program was loaded, which nobody has taken.
func Pending() bool { return len(early) > 0 }

// Take returns the channel that has had the signals since the program was loaded, and a new one when it is called
// again. SIGINT, SIGTERM and SIGHUP come there, unless the parent process has them ignored, as nohup does. The caller
// stops the channel. One goroutine at a time may call Take and Pending.
func Take() chan os.Signal {
	if signals := early; signals != nil {
		early = nil
		return signals
	}
	return caught()
}
