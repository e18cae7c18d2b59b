package flags

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/internal/bounds"
)

// amount is the value of a flag that is a large whole number, which may end in k, M or G.
type amount struct {
	to *int
	in bounds.Range
}

// Amount adds a flag that is a large whole number.
func Amount(set *pflag.FlagSet, to *int, name string, in bounds.Range, usage string) {
	set.Var(amount{to, in}, name, usage)
}

// String implements pflag.Value.
func (a amount) String() string { return strconv.Itoa(*a.to) }

// Type implements pflag.Value.
func (a amount) Type() string { return "N" }

// Range is the range of the flag.
func (a amount) Range() bounds.Range { return a.in }

// Set implements pflag.Value.
func (a amount) Set(text string) error {
	factor := 1.0
	for suffix, by := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if number, cut := strings.CutSuffix(text, suffix); cut {
			text, factor = number, by
		}
	}
	number, err := strconv.ParseFloat(text, 64)
	if number *= factor; err != nil || !a.in.Has(number) || number != math.Trunc(number) {
		return fmt.Errorf("must be a whole number such as 500k or 5M, %s", a.in)
	}
	*a.to = int(number)
	return nil
}
