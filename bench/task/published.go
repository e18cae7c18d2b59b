package task

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/parley-debate/parley/internal/strictyaml"
)

// Published is a file of a public benchmark at the address where its authors publish it.
type Published struct {
	Name    string `yaml:"name" json:"name"`
	Family  string `yaml:"family" json:"family"`
	File    string `yaml:"file" json:"file"` // its name, by which experiments find it
	URL     string `yaml:"url" json:"url"`
	SHA256  string `yaml:"sha256,omitempty" json:"sha256,omitempty"` // "" if it is not known
	Licence string `yaml:"licence" json:"licence"`
	Note    string `yaml:"note,omitempty" json:"note,omitempty"`
}

//go:embed published.yaml
var published []byte

// AllPublished lists the files that parley data pull downloads, in the order of published.yaml.
func AllPublished() (list []Published, err error) {
	err = strictyaml.Unmarshal(published, &list)
	return list, err
}

// PublishedNamed finds some of them by their names; what is not there is in unknown.
func PublishedNamed(all []Published, names ...string) (found []Published, unknown []string) {
	for _, name := range names {
		i := slices.IndexFunc(all, func(p Published) bool { return strings.EqualFold(p.Name, name) })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		found = append(found, all[i])
	}
	return found, unknown
}
