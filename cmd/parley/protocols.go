package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

func newProtocols() *cobra.Command {
	var asJSON, parts bool
	cmd := &cobra.Command{
		Use:   "protocols",
		Short: "List the protocols and their settings, with sources",
		Long: `Lists the debate protocols, what each one does and where it is from. parley debate --protocol and
parley compare --protocols take their names, or a .yaml file of your own with the same settings.
--parts lists the settings: the forms of debate, what each form reads, and the possible values.

Sources that are named by numbers:
  source 0  Key Decision-Makers in Multi-Agent Debates (MADC)
  source 1  an agents-lab lesson on the debate loop of Du et al. 2023
  source 2  Can LLM Agents Really Debate? (knights and knaves)
  source 3  Liang et al., Encouraging Divergent Thinking (tit for tat)
  source 4  Kaesberg et al., Voting or Consensus? (MALLM)`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := struct {
				Protocols []protocol.Protocol `json:"protocols"`
				Forms     []debate.Form       `json:"forms"`
				Parts     []debate.Part       `json:"parts"`
			}{protocol.Protocols(), protocol.Forms(), protocol.Parts()}
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
