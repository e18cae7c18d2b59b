// Package parley has no code: it is where the documentation of the module begins. The program is cmd/parley, which
// README.md introduces. Go programs import
//
//   - bench, to hold an experiment and to compare its conditions (bench.Record, bench.Compare),
//   - debate and the packages below it, to hold single debates or to add a form of debate,
//   - inference, to open a model and to ask it; it needs the environment that `make env` prints,
//   - inference/serve, to serve a model by the protocols of OpenAI.
//
// The directories of examples are programs that do so. docs/structure.md follows one request through the packages.
package parley
