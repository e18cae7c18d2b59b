package flags

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/internal/bounds"
)

// number is the value of a flag with a range. pflag names the flag in errors; the help text ends with the range.
type number[T int | float32 | float64 | uint64] struct {
	to *T
	in bounds.Range
}

// Number adds a numeric flag. Its default may lie outside the range: 0 stands for a choice made later.
func Number[T int | float32 | float64 | uint64](set *pflag.FlagSet, to *T, name, short string, usual T,
	in bounds.Range, usage string) {
	*to = usual
	set.VarP(number[T]{to, in}, name, short, usage+" ("+in.String()+")")
}

// String implements pflag.Value.
func (n number[T]) String() string { return fmt.Sprint(*n.to) }

// Type implements pflag.Value: what help shows in the place of the value.
func (n number[T]) Type() string {
	switch any(*n.to).(type) {
	case int, uint64:
		return "N"
	}
	return "X"
}

// Range is the range of the flag.
func (n number[T]) Range() bounds.Range { return n.in }

// Set implements pflag.Value.
func (n number[T]) Set(text string) error {
	whole := ""
	var err error
	var value T
	switch to := any(&value).(type) {
	case *int:
		whole = "a whole number: "
		*to, err = strconv.Atoi(text)
	case *uint64:
		whole = "a whole number: "
		*to, err = strconv.ParseUint(text, 10, 64)
	case *float32:
		var exact float64
		exact, err = strconv.ParseFloat(text, 64)
		if *to = float32(exact); *to == 0 && exact != 0 {
			err = strconv.ErrRange // 0 may switch something off; a tiny number must not
		}
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	}
	if err != nil || !n.in.Has(float64(value)) {
		return fmt.Errorf("must be %s%s", whole, n.in)
	}
	*n.to = value
	return nil
}

// numbers is the value of a flag that is a list of numbers with a range.
type numbers struct {
	to *[]int
	in bounds.Range
}

// Numbers adds a flag that is a list of numbers.
func Numbers(set *pflag.FlagSet, to *[]int, name string, in bounds.Range, usage string) {
	set.Var(numbers{to, in}, name, usage)
}

// String implements pflag.Value.
func (n numbers) String() string { return strings.Join(n.GetSlice(), ",") }

// Type implements pflag.Value: what help shows in the place of the value.
func (n numbers) Type() string { return "N,N" }

// Range is the range of each number.
func (n numbers) Range() bounds.Range { return n.in }

// Set implements pflag.Value: it adds to the list.
func (n numbers) Set(text string) error {
	for _, word := range strings.Split(text, ",") {
		value, err := strconv.Atoi(word)
		if err != nil || !n.in.Has(float64(value)) {
			return fmt.Errorf("each must be %s", n.in)
		}
		*n.to = append(*n.to, value)
	}
	return nil
}

// GetSlice implements part of pflag.SliceValue.
func (n numbers) GetSlice() (texts []string) {
	for _, value := range *n.to {
		texts = append(texts, strconv.Itoa(value))
	}
	return texts
}

// duration is the value of a flag that is a time with a range.
type duration struct {
	to *time.Duration
	in bounds.Range
}

// Duration adds a flag that is a time within a range of seconds. Its default is what to points at.
func Duration(set *pflag.FlagSet, to *time.Duration, name string, in bounds.Range, usage string) {
	set.Var(duration{to, in}, name, usage)
}

// String implements pflag.Value.
func (d duration) String() string { return d.to.String() }

// Type implements pflag.Value.
func (d duration) Type() string { return "TIME" }

// Range is in seconds.
func (d duration) Range() bounds.Range { return d.in }

// Set implements pflag.Value.
func (d duration) Set(text string) error {
	value, err := time.ParseDuration(text)
	if err != nil || !d.in.Has(value.Seconds()) {
		return fmt.Errorf("must be a duration such as 90s or 2m, %s seconds", d.in)
	}
	*d.to = value
	return nil
}

// SeedRange is every number of 64 bits.
var SeedRange = bounds.From(0, 1<<64)
