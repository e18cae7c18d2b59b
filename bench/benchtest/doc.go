// Package benchtest has what tests of several packages share: a scripted engine whose agents know some answers, runs on
// it in a directory, and journals with any records. Nothing but tests imports it.
package benchtest
