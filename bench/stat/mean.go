package stat

// Mean is the mean of some numbers, 0 if there are none. It adds them in their order, so that it repeats to the last
// bit.
func Mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}

// Share is a part as a share of the whole, 0 if the whole is 0.
func Share(part, of int) float64 { return float64(part) / float64(max(1, of)) }
