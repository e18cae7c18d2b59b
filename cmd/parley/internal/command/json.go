package command

import "encoding/json"

// PrintEach prints one line of JSON for each of the items of a list.
func PrintEach[T any](out *json.Encoder, list []T) error {
	for _, item := range list {
		if err := out.Encode(item); err != nil {
			return err
		}
	}
	return nil
}
