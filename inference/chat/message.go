// Package chat has conversations and what models make of them: it renders messages with a model's own chat template, as
// its authors do, and tells the reasoning in a reply from the answer. It knows texts, and neither tokens nor engines.
package chat

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"` // "system", "user" or "assistant", or RoleText
	Content string `json:"content"`
}

// RoleText is the role of a last message that the template does not see: the prompt ends with its content as it is. An
// assistant's message before it is a reply as the model wrote it, with its reasoning, and the content goes on with it.
// Without any other message the content is all of the prompt, which then has no template.
const RoleText = "text"

// splitBegun returns a conversation without its last message of RoleText, that message's text, and the reply that the
// text goes on with, "" if there is none. ok is false if the conversation has no such message.
func splitBegun(messages []Message) (rest []Message, in, text string, ok bool) {
	last := len(messages) - 1
	if last < 0 || messages[last].Role != RoleText {
		return messages, "", "", false
	}
	rest, text = messages[:last], messages[last].Content
	if last > 0 && rest[last-1].Role == "assistant" {
		rest, in = rest[:last-1], rest[last-1].Content
	}
	return rest, in, text, true
}
