// Package docs holds the project's documents, for those who take the program where nothing can be looked up.
package docs

import "embed"

// Pages are the documents in Markdown.
//
//go:embed *.md guide/*.md
var Pages embed.FS
