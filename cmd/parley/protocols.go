package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/debate"
)

func newProtocols() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "protocols",
		Short: "List the protocols, with their sources",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(debate.Protocols())
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range debate.Protocols() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Meaning, p.Source)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
