package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Published is an accuracy that a paper gives for a condition, from 0 to 1.
type Published struct {
	Condition string  `json:"condition"`
	Accuracy  float64 `json:"accuracy"`
}

// ReadPublished reads numbers of a paper: CSV with the columns condition and accuracy, or a JSON list of objects with
// these fields.
func ReadPublished(text []byte) (numbers []Published, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &numbers)
	} else {
		numbers, err = readPublishedCSV(bytes.NewReader(text))
	}
	if err != nil {
		return nil, fmt.Errorf("published numbers: %w", err)
	}
	for _, n := range numbers {
		if !(n.Accuracy >= 0 && n.Accuracy <= 1) {
			return nil, fmt.Errorf("published numbers: accuracy %g of %q is not between 0 and 1", n.Accuracy,
				n.Condition)
		}
	}
	return numbers, nil
}

func readPublishedCSV(r io.Reader) (numbers []Published, err error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, errors.New("the file is empty")
	}
	condition, accuracy := slices.Index(records[0], "condition"), slices.Index(records[0], "accuracy")
	if condition < 0 || accuracy < 0 {
		return nil, fmt.Errorf("the first line is %q; it must name the columns condition and accuracy", records[0])
	}
	for _, record := range records[1:] {
		number, err := strconv.ParseFloat(record[accuracy], 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, Published{record[condition], number})
	}
	return numbers, nil
}
