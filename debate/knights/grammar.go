package knights

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxTextLetters bounds a text in a reply that follows a grammar, in characters; that is about 100 words.
const maxTextLetters = 600

// The functions below return the form of each kind of reply twice: as a grammar in GBNF, and as an example for the
// prompt. In the grammars white space is fixed, and texts are bounded and contain nothing that JSON would escape, so
// that every reply ends and can be read. They do not use package grammar, which spells the same forms differently: a
// grammar is part of a generation's key, so that recorded replies would not be found again.

// solutionGrammar returns the grammar of a reply that gives each player a role, in the order of the game.
func solutionGrammar(players []string, confidence bool) string {
	var roles []string
	for _, player := range players {
		roles = append(roles, literal(quote(player)+": ")+" role")
	}
	root := literal(`{"players": {`) + " " + strings.Join(roles, ` ", " `) + " " + literal(`}, "explanation": `) +
		" text"
	if confidence {
		root += " " + literal(`, "confidence": `) + " " + `([1-9] | "10")`
	}
	return "root ::= " + root + ` "}"` + "\n" + choiceRule("role", PlayerRoles) + textRule
}

// solutionForm returns the form of the same reply as prompts show it. It must stay in step with solutionGrammar.
func solutionForm(players []string, confidence bool) string {
	var roles []string
	for _, player := range players {
		roles = append(roles, quote(player)+`: "knight, knave or spy"`)
	}
	form := `{"players": {` + strings.Join(roles, ", ") + `}, "explanation": "why"`
	if confidence {
		form += `, "confidence": 1 to 10`
	}
	return form + "}"
}

// stanceGrammar returns the grammar of a stance on one player. It names only other agents as agreed or disagreed with.
func stanceGrammar(others []string) string {
	root := literal(`{"role": `) + " role " + literal(`, "agree_with": `) + " agents " +
		literal(`, "agree_reasoning": `) + " text " +
		literal(`, "disagree_with": `) + " agents " + literal(`, "disagree_reasoning": `) + ` text "}"`
	rules := "root ::= " + root + "\n" + choiceRule("role", PlayerRoles) + textRule
	if len(others) == 0 {
		return rules + "agents ::= \"[]\"\n"
	}
	more := ""
	if len(others) > 1 {
		more = fmt.Sprintf(` (", " agent){0,%d}`, len(others)-1)
	}
	return rules + `agents ::= "[" (agent` + more + `)? "]"` + "\n" + choiceRule("agent", others)
}

const stanceForm = `{"role": "knight, knave or spy", "agree_with": ["names of agents"], "agree_reasoning": "why", ` +
	`"disagree_with": ["names of agents"], "disagree_reasoning": "why"}`

// orderGrammar returns the grammar of a list with as many names as there are players; a name may stand in it twice.
func orderGrammar(players []string) string {
	names := strings.Repeat(` ", " player`, len(players)-1)
	return "root ::= " + literal(`{"order": [`) + " player" + names + ` "]}"` + "\n" + choiceRule("player", players)
}

const orderForm = `{"order": ["all players by name, the first to be debated first"]}`

// settlingGrammar returns the grammar of the supervisor's reply on one player.
func settlingGrammar(roles []string) string {
	root := literal(`{"role": `) + " role " + literal(`, "explanation": `) + ` text "}"`
	return "root ::= " + root + "\n" + choiceRule("role", roles) + textRule
}

// settlingForm returns the form of the same reply as prompts show it.
func settlingForm(roles []string) string {
	return `{"role": ` + quote(strings.Join(roles, " or ")) + `, "explanation": "why"}`
}

var textRule = fmt.Sprintf("text ::= \"\\\"\" [^\"\\\\\\x00-\\x1F\\x7F]{0,%d} \"\\\"\"\n", maxTextLetters)

// choiceRule returns a rule for one of several texts as JSON strings.
func choiceRule(name string, texts []string) string {
	var options []string
	for _, text := range texts {
		options = append(options, literal(quote(text)))
	}
	return name + " ::= " + strings.Join(options, " | ") + "\n"
}

// quote returns a text as a JSON string.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // strings can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// literal returns a text as a literal in GBNF.
func literal(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
