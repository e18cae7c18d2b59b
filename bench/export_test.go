package bench

// SetAtOnce bounds the debates that are held at once, and says how to undo it.
func SetAtOnce(debates int) (undo func()) {
	before := atOnce
	atOnce = debates
	return func() { atOnce = before }
}
