// Package rundir is the directory of a run: two journals, generations.jsonl.zst with every generation as it finishes
// and debates.jsonl.zst with every debate and its outcome, result.json at the end, engine.json with what the engine
// did, and a lock. docs/format.md describes them.
//
// Lifecycle: OpenDirectory (or ForkDirectory) locks and reads a directory; Begin says which run it is to hold, and
// refuses another one (AnotherRun); Generation and Outcome journal while the run goes on; Finish writes the result;
// Close frees the lock. A run that was interrupted begins in its directory again: Reply gives what it has generated,
// and Outcome compares each debate with the record in place of journalling it. ReadRun and ReadStatus read without the
// lock, also while the run is under way; RepairDirectory writes damaged journals anew.
//
// What holds: debates are journalled in an order that depends on the work alone, each after its generations, so that
// what a crash cuts off can be computed again. A debate's messages are in the generations, under the keys of its
// replies; of imported runs, which have none, they are with the debate. Everything that is read may come from a
// stranger: records are validated before they are used (records.go).
package rundir
