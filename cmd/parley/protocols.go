package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/debate"
)

func newProtocols() *cobra.Command {
	var asJSON, parts bool
	cmd := &cobra.Command{
		Use:   "protocols",
		Short: "List the protocols and their settings, with sources",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := struct {
				Protocols []debate.Protocol `json:"protocols"`
				Forms     []debate.Form     `json:"forms"`
				Parts     []debate.Part     `json:"parts"`
			}{debate.Protocols(), debate.Forms(), debate.Parts()}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(all)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			if !parts {
				for _, p := range all.Protocols {
					fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Meaning, p.Source)
				}
				return w.Flush()
			}
			for _, f := range all.Forms {
				fmt.Fprintf(w, "form\t%s\t%s\n\t\treads %s\n", f.Name, f.Meaning, strings.Join(f.Reads, ", "))
			}
			for _, p := range all.Parts {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.Setting, p.Value, p.Meaning)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	cmd.Flags().BoolVar(&parts, "parts", false, "list the forms with the settings that each reads, and the values "+
		"of settings")
	return cmd
}
