package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Narrow writes what Unicode has in several forms in one: full-width and styled letters, digits of all scripts, and the
// punctuation of Chinese and Japanese as that of English, with its space.
func Narrow(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return text
	}
	return cjk.Replace(strings.Map(plainRune, cjkItem.ReplaceAllString(text, "$1. $2")))
}

// plainRune returns a letter or digit of Unicode's other forms as the plain one.
func plainRune(r rune) rune {
	switch {
	case r <= unicode.MaxASCII:
		return r
	case '！' <= r && r <= '～' && !strings.ContainsRune("，：；！？", r):
		return r - '！' + '!'
	case 0x1d400 <= r && r <= 0x1d7ff, 'Ⓐ' <= r && r <= 'ⓩ': // of mathematics, and in circles
		return []rune(norm.NFKC.String(string(r)))[0]
	case unicode.Is(unicode.Nd, r):
		for _, t := range unicode.Nd.R16 { // each has the digits from zero, once or several times
			if rune(t.Lo) <= r && r <= rune(t.Hi) {
				return '0' + (r-rune(t.Lo))%10
			}
		}
	}
	return r
}

var (
	// cjkItem matches the label of an item before the comma that lists have in Chinese.
	cjkItem = regexp.MustCompile(`(?m)^([ \t　]*[A-ZＡ-Ｚ0-9０-９])、[ \t　]*([^\s、]{2})`)
	cjk     = strings.NewReplacer("。", ". ", "、", ", ", "，", ", ", "；", "; ", "：", ": ", "！", "! ", "？", "? ",
		"「", `"`, "」", `"`, "『", `"`, "』", `"`, "《", `"`, "》", `"`, "【", "[", "】", "]", "〔", "[", "〕", "]",
		"　", " ", "–", "-", "−", "-", "٬", ",", "٫", ".")
)

// tongues match what other languages put before an answer, of which the first group is no part.
var tongues = regexp.MustCompile(`(?i)(^|[^\pL])(?:` + strings.Join([]string{
	`(?:(?:die|meine|unsere|das) )?(?:(?:end(?:gültige)?|richtige|korrekte|finale) ?)?(?:antwort|ergebnis)(?: auf die frage)?` +
		`(?:[*_]* (?:ist|lautet|wäre)(?: also| daher| somit| folglich)?:?|[*_]*:)`,
	`(?:die )?lösung (?:ist|lautet):?`,
	`(?:(?:la|ma|notre) )?(?:bonne )?réponse(?: finale| correcte| exacte)?(?: à la question)?(?:[*_]* (?:est|serait)(?: donc)?(?: ?:)?|[*_]* ?:)`,
	`(?:(?:la|mi|nuestra) )?respuesta(?: final| correcta)?(?: a la pregunta)?(?:[*_]* (?:es|sería):?|[*_]*:)`,
	`(?:(?:a|minha) )?resposta(?: final| correta| certa)?(?:[*_]* (?:é|seria):?|[*_]*:)`,
	`(?:la )?risposta(?: finale| corretta| esatta)?(?:[*_]* (?:è|sarebbe):?|[*_]*:)`,
	`(?:(?:окончательный|правильный|итоговый|верный|мой) )?ответ(?: на вопрос)?(?:[*_]* ?[:—-]| это| является)`,
}, "|") + `)|((?:(?:所以|因此|最终|最後|最后|正确|正確|我)的?)*答案[*_]*就?(?:应该|應該)?(?:是|为|為|选|選| ?:)|` +
	`(?:最終的な|正しい|最終)?(?:答え|回答|解答|正解)[*_]*(?:は|:)|(?:최종 |올바른 )?(?:정답|답)[*_]*(?:은|:))`)

var (
	// picking matches what in Chinese comes before the letter of an option that somebody chooses.
	picking = regexp.MustCompile(`我?(?:应该|應該|应|應|会)?(?:选择|選擇|选|選)(?:项|項|了)?[:是 ]*([(\["]?[A-Z]\b)`)
	// denying matches what other languages put before what is not the answer.
	denying = regexp.MustCompile(`(The answer is): *[*_]*(?:nicht|pas|non|не) +([^\s.])`)
	// titles match the heading of an answer.
	titles = regexp.MustCompile(`(?im)^([ \t]*(?:#+ ?)?\**)(?:(?:endgültige |finale |die )?antwort|(?:la )?réponse(?: finale)?|(?:la )?respuesta(?: final)?|` +
		`resposta(?: final)?|risposta(?: finale)?|(?:итоговый |окончательный )?ответ|(?:最终|最後)?答案|答え|정답)(\**[ \t]*)$`)
	// politely matches the verb behind an answer in Japanese and Korean.
	politely = regexp.MustCompile(`(The answer is: .{1,80}?) ?(?:です|である|だ|입니다|이다)(?:[.\n]|\z)`)
)

// stems are what the words for an answer have in common; texts without one have no such mark.
var stems = strings.Fields("antwort ergebnis lösung réponse respuesta resposta risposta ответ 答 选 選 正解 답")

// inEnglish returns a text in which other languages' words before an answer are the English ones.
func inEnglish(text string) string {
	small := strings.ToLower(text)
	if !slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(small, stem) }) {
		return text
	}
	text = titles.ReplaceAllString(text, "${1}Answer$2")
	text = picking.ReplaceAllString(tongues.ReplaceAllString(text, "${1}The answer is: "), "The answer is: $1")
	return politely.ReplaceAllString(denying.ReplaceAllString(text, "$1 not $2"), "$1.")
}

// refusal matches a sentence in which somebody says to have no answer; its first group comes before it.
var refusal = regexp.MustCompile(`(?im)(^|[.!?][ \t]+)(?:(?:i'm|i am) (?:sorry|afraid)[,.]? *(?:but |that )?|(?:so )?sorry[,.]? *(?:but )?|` +
	`unfortunately,? *|no,? *|as an ai[^,.\n]*,? *|(?:i|my) apologi[sz][^,.\n]*[,.]? *(?:but )?)*` +
	`(?:i(?:'m| am)? *(?:really |simply |just |currently )?(?:cannot|can't|can not|could not|couldn't|won't|will not|do not|don't|unable|` +
	`refuse|decline|have no|would prefer not)\b[^.!?\n]*\b(?:answer|help|assist|know|say|tell|determine|provide|decide|comply|choose|pick|select|discuss|` +
	`find|idea|clue|access|see|view|fulfil+)\b[^.!?\n]*|i(?:'m| am) not (?:sure|certain|able|allowed|comfortable)\b[^.!?\n]*|no (?:idea|answer|clue|comment|opinion)|unable to (?:answer|determine|say|tell)\b[^.!?\n]*|` +
	`n/a|ich weiß (?:es )?(?:leider )?nicht|je ne sais pas|no (?:lo )?sé|non lo so|não sei|(?:я )?не знаю|我?不知道|わかりません|모르겠습니다)(?:[.!?]|$)`)

// goesOn matches a sentence that answers behind its refusal.
var goesOn = regexp.MustCompile(`(?i)\b(?:but|however|though|answer is|yet)\b`)

// withoutRefusals returns a reply without the sentences in which it says to have no answer.
func withoutRefusals(reply string) string {
	return refusal.ReplaceAllStringFunc(strings.ReplaceAll(reply, "’", "'"), func(all string) string {
		if at := goesOn.FindAllStringIndex(all, -1); len(at) > 0 && !apologising.MatchString(all[:at[len(at)-1][1]]) {
			return all
		}
		return all[:max(0, strings.IndexFunc(all, unicode.IsLetter))]
	})
}

// apologising matches an apology up to the "but" behind it.
var apologising = regexp.MustCompile(`(?i)^\W*(?:(?:i'm|i am) (?:sorry|afraid)|sorry|i apologi[sz]e|my apologies)[^.]{0,40}\bbut$`)
