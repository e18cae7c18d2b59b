#!/bin/sh
# Computes or resumes one shard: shard.sh I, with I from 1 to {{.Shards}}.
cd {{.Directory}} || exit
exec {{.Command}} --shard="$1/{{.Shards}}"
