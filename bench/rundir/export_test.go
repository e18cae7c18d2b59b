package rundir

import (
	"github.com/parley-debate/parley/bench/trial"
)

// What the tests of this package write and look for in directories that no run would make.
const (
	GenerationsFile = generationsFile
	DebatesFile     = debatesFile
	LockFile        = lockFile
	KindGeneration  = kindGeneration
)

// Kind is what all records have.
type Kind = kind

// DebateRecord is an outcome as a journal has it.
func DebateRecord(version int, o trial.Outcome) any { return debateRecord{version, kindDebate, o} }

// Differs lists what makes this another run.
func (h Header) Differs(other Header) []Difference { return h.differs(other) }
