package chat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// templateDay is the day that templates are told: that of Llama 3.1's own fallback. A clock would make two runs of one
// experiment ask different things.
var templateDay = time.Date(2024, time.July, 26, 0, 0, 0, 0, time.UTC)

// dateFormats are the directives of Python's strftime that are known, as layouts of package time.
var dateFormats = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'B': "January", 'b': "Jan", 'A': "Monday", 'a': "Mon", 'H': "15",
	'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'j': "002", 'f': "000000", 'F': "2006-01-02", 'T': "15:04:05",
	'D': "01/02/06", 'R': "15:04", 'e': "_2", 'x': "01/02/06", 'X': "15:04:05", 'c': "Mon Jan _2 15:04:05 2006",
}

// strftime is transformers' strftime_now, on templateDay.
func strftime(format string) (string, error) {
	var text strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			text.WriteByte(format[i])
			continue
		}
		i++
		layout, known := dateFormats[format[i]]
		switch {
		case format[i] == '%':
			text.WriteByte('%')
		case known:
			text.WriteString(templateDay.Format(layout))
		default:
			return "", fmt.Errorf("strftime_now: %%%c is not known; known are %%%% and %s", format[i],
				strings.Join(directives(), " "))
		}
	}
	return text.String(), nil
}

// directives lists what strftime_now knows, for its error.
func directives() (all []string) {
	for _, c := range slices.Sorted(maps.Keys(dateFormats)) {
		all = append(all, "%"+string(c))
	}
	return all
}
