package flags

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/internal/bounds"
)

// FromTags adds a flag for each field of a structure, to which structure points, whose tag flag names one: flag is its
// name and, after a comma, what help shows for its value; help its text; range the numbers that it takes; and usual its
// default, if that is not zero.
func FromTags(set *pflag.FlagSet, structure any) {
	for f, v := range reflect.ValueOf(structure).Elem().Fields() {
		name, place, _ := strings.Cut(f.Tag.Get("flag"), ",")
		if name == "" {
			continue
		}
		help := f.Tag.Get("help")
		switch to := v.Addr().Interface().(type) {
		case *string:
			Text(set, to, name, "", place, f.Tag.Get("usual"), help)
		case *[]string:
			Each(set, to, name, "", place, nil, help)
		case *int:
			usual, _ := strconv.Atoi(f.Tag.Get("usual")) // 0 without one
			Number(set, to, name, "", usual, bounds.MustParse(f.Tag.Get("range")), help)
		case *float64:
			Number(set, to, name, "", 0, bounds.MustParse(f.Tag.Get("range")), help)
		default:
			panic(fmt.Sprintf("%T.%s: no flag has a value of type %s", structure, f.Name, f.Type))
		}
	}
}
