// Package benchtest has the helpers that tests of several packages share: scripted engines (engine.go), runs on them in
// a directory (run.go), and journals with forged records (files.go). Only tests import it.
package benchtest
