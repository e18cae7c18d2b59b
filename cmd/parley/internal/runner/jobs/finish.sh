#!/bin/sh
#SBATCH --job-name={{.Name}}-merge
#SBATCH --output={{.Jobs}}/merge.log --open-mode=append
# Joins the shards and writes the result. If some are missing, it says which, and with which commands they are computed.
cd {{.Directory}} || exit
{{.Program}} merge {{.Out}} && exec {{.Command}}
