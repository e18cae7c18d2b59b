package engine

import (
	"errors"
	"slices"
	"sync"

	"github.com/parley-debate/parley/cmd/parley/internal/command"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/remote"
	"github.com/parley-debate/parley/inference/team"
	"github.com/parley-debate/parley/models"
	"github.com/parley-debate/parley/models/stores"
)

// Recorder takes what engines generate, and knows what is recorded. Its fields may be nil.
type Recorder struct {
	Generation func(inference.Generation) error
	Known      func(key string) (inference.Reply, bool)
}

// options returns what an engine in this process is opened with, so that it records and looks up replies.
func (r Recorder) options() (list []inference.Option) {
	if r.Generation != nil {
		list = append(list, inference.OnGeneration(r.Generation))
	}
	if r.Known != nil {
		list = append(list, inference.Known(r.Known))
	}
	return list
}

// members has the models of a command: that which replies where no member names one, and those of members, by the names
// that requests have for them.
type members struct {
	address string   // of the servers of the first model; "" for one in this process
	files   []string // that members name
	remote  []string // addresses that members name
}

// teamOf visits the members: each calls visit with the name of its model. What cannot be a model is refused as each
// says, with its line.
func teamOf(address string, each func(visit func(name string) error) error) (members, error) {
	t := members{address: address}
	return t, each(func(name string) error {
		switch {
		case slices.Contains(t.files, name) || slices.Contains(t.remote, name):
			return nil
		case remote.IsAddress(name):
			t.remote = append(t.remote, name)
			return nil
		}
		t.files = append(t.files, name)
		path, err := stores.Resolve(name)
		if err == nil {
			_, err = models.Inspect(path)
		}
		return exit.Input(err)
	})
}

// Also returns the options that open further files, and say where all are computed.
func (f *Flags) Also(files []string) (options []inference.Option, err error) {
	if options, err = f.placeOptions(files); err != nil {
		return nil, err
	}
	for _, name := range files {
		path, err := stores.Resolve(name)
		if err != nil {
			return nil, exit.Input(err)
		}
		options = append(options, inference.Also(name, path))
	}
	return options, nil
}

// OpenTeam opens all models of a team, whose members each visits by the names of their models: files in this process,
// addresses at their servers.
func (f *Flags) OpenTeam(cmd command.Line, each func(visit func(name string) error) error,
	r Recorder) (inference.Running, error) {
	t, err := teamOf(f.Address, each)
	if err != nil {
		return nil, err
	}
	if t.address == "" && len(t.remote) == 0 {
		if f.Choices > 1 {
			return nil, exit.Usage(errors.New("--choices joins requests to servers, which --engine names; a model in " +
				"this " +
				"process computes an equal prompt once in any case: leave --choices out"))
		}
		also, err := f.Also(t.files)
		if err != nil {
			return nil, err
		}
		return f.Open(cmd, append(also, r.options()...)...)
	}
	if err := f.checkRemote(cmd, t); err != nil {
		return nil, exit.Usage(err)
	}
	if t.address != "" && len(t.files)+len(t.remote) == 0 {
		return f.openRemote(cmd, t.address, r, false)
	}
	return f.openMixed(cmd, t, r)
}

// openMixed opens a team of which at least one model is remote. Either all engines are open in the end, or those that
// were opened before the error are closed again.
func (f *Flags) openMixed(cmd command.Line, t members, r Recorder) (_ inference.Running, err error) {
	if record := r.Generation; record != nil { // engines finish generations at the same time
		var one sync.Mutex
		r.Generation = func(g inference.Generation) error {
			one.Lock()
			defer one.Unlock()
			return record(g)
		}
	}
	named := make(map[string]inference.Running)
	defer func() {
		for _, engine := range named {
			if err != nil {
				engine.Close()
			}
		}
	}()
	open := func(name, address string) error {
		engine, err := f.openRemote(cmd, address, r, true)
		if err == nil {
			named[name] = engine
		}
		return err
	}
	if t.address != "" {
		if err := open("", t.address); err != nil {
			return nil, err
		}
	}
	for _, address := range t.remote {
		if err := open(address, address); err != nil {
			return nil, err
		}
	}
	if t.address == "" || len(t.files) > 0 {
		local, err := f.openMembers(cmd, t, r)
		if err != nil {
			return nil, err
		}
		for _, name := range t.files {
			named[name] = local
		}
		if t.address == "" {
			named[""] = local
		}
	}
	return team.New(named), nil
}

// openMembers opens the files of a mixed team, and that of --model unless servers compute the first model.
func (f *Flags) openMembers(cmd command.Line, t members, r Recorder) (*inference.Local, error) {
	if t.address != "" {
		own := *f
		own.Model = t.files[0]
		f = &own
	}
	also, err := f.Also(t.files)
	if err != nil {
		return nil, err
	}
	return f.Open(cmd, append(append(also, inference.Member()), r.options()...)...)
}
