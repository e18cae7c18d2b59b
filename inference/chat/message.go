// Package chat has conversations and what models make of them: it renders messages with a model's own chat template, as
// its authors do, and tells the reasoning in a reply from the answer. It knows texts, and neither tokens nor engines.
package chat

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"` // "system", "user" or "assistant"
	Content string `json:"content"`
}
