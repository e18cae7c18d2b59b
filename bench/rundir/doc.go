// Package rundir is the directory of a run: two journals, generations.jsonl.zst with every generation as it finishes
// and debates.jsonl.zst with every debate and its outcome; result.json at the end; engine.json with what the engine
// did; and a lock. docs/format.md describes them.
//
// Lifecycle: OpenDirectory or ForkDirectory locks and reads a directory. Begin says which run it is to hold, and
// refuses a different one (AnotherRun). Generation and Outcome journal while the run goes on, Finish writes the result,
// and Close frees the lock. An interrupted run resumes in its directory: Reply returns what it has already generated,
// and Outcome compares each debate with its record instead of journalling it again. ReadRun and ReadStatus read without
// the lock, also while the run is under way. RepairDirectory rewrites damaged journals.
//
// What holds: debates are journalled in an order that depends on the work alone, each after its generations, so the
// same command can compute again whatever a crash cuts off. The messages of a debate are in its generations, under the
// keys of its replies; an imported run has no generations, so its debates keep their messages. Records may come from a
// stranger and are validated before they are used (records.go).
package rundir
