// Command parley runs multi-agent debates on local GGUF models.
package main

import "github.com/parley-debate/parley/cmd/parley/internal/cli"

func main() { cli.Main() }
