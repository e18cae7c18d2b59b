package prompts

import "embed"

// Files are the files with every wording in the program, as they are written.
//
//go:embed *.yaml common/*.yaml discussion/*.yaml knights/*.yaml sides/*.yaml
var Files embed.FS
