#!/bin/sh
# Computes all shards with GNU parallel, then joins them: parallel.sh [OPTIONS], such as --jobs 2, or
# --sshlogin node1,node2 where all see these directories. Given again, it computes what is left.
seq {{.Shards}} | parallel "$@" --line-buffer --tag sh {{.Jobs}}/shard.sh {} && exec sh {{.Jobs}}/finish.sh
