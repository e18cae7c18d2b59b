// Package pairs compares conditions question by question beyond whether they differ: whether they are equivalent,
// whether groups of them differ over several tasks, and how a comparison spreads over repeats.
//
// It stands on package stat, and like there all randomness comes from a seed. What outcomes can bring about, such as
// too few questions, is an error or shows nothing; bounds that cannot be are a bug of the caller, and panic.
package pairs
