package inference

import "github.com/parley-debate/parley/inference/step"

// pieces shows a reply to Request.OnPiece as it is drawn.
type pieces struct {
	show  func(Piece) // nil if nobody looks
	read  *reader     // of what is drawn token by token
	drawn int         // tokens so far
}

// push shows what a token adds.
func (p *pieces) push(s step.Sampled, cached int) {
	p.drawn++
	drawn := score(s)
	piece := Piece{Tokens: p.drawn, Cached: cached, Drawn: &drawn, End: s.End}
	if !s.End && !s.Stuck {
		piece.Text, piece.Reasoning, _ = p.read.read(s.Token)
	}
	p.show(piece)
}

// end shows what is left of a complete reply: the bytes of a character that was cut off, or all of a reply that was not
// drawn token by token.
func (p *pieces) end(reply Reply) {
	if p.show == nil || reply.Err != nil {
		return
	}
	rest, reasoning := reply.Text, reply.Reasoning
	if p.drawn > 0 {
		rest, reasoning = p.read.rest()
	}
	p.show(Piece{Text: rest, Reasoning: reasoning, Tokens: reply.Tokens, Cached: reply.CachedTokens, Done: true})
}
