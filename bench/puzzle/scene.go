package puzzle

// scene is the wording of a puzzle about objects in an order. Position 0 is the leftmost, newest, first or most
// expensive. The wording is that of the BIG-Bench Hard tasks logical_deduction (three, five and seven objects).
type scene struct {
	lead          string   // format of the opening, for the number of objects
	noun          string   // format of an object, for the item; "" if the item is a name
	article       bool     // the list of objects has "a" or "an"
	verb          string   // between an object and its place
	before, after string   // between an object and one at a higher, or at a lower, position
	items         []string // from which the objects are drawn
	front, back   []string // names of the positions from either end
}

var (
	fromLeft  = []string{"leftmost", "second from the left", "third from the left", "fourth from the left"}
	fromRight = []string{"rightmost", "second from the right", "third from the right", "fourth from the right"}
)

var scenes = []scene{
	{
		lead: "On a shelf, there are %s books", noun: "%s book", article: true, verb: "is", before: "to the left of",
		after: "to the right of",
		items: []string{"red", "gray", "white", "blue", "green", "orange", "black", "purple", "brown", "yellow"},
		front: fromLeft, back: fromRight,
	}, {
		lead: "On a branch, there are %s birds", noun: "%s", article: true, verb: "is", before: "to the left of",
		after: "to the right of",
		items: []string{"robin", "quail", "owl", "hawk", "crow", "falcon", "raven", "blue jay", "cardinal",
			"hummingbird"}, front: fromLeft, back: fromRight,
	}, {
		lead: "A fruit stand sells %s fruits", noun: "%s", verb: "are", before: "more expensive than",
		after: "less expensive than",
		items: []string{"apples", "plums", "pears", "mangoes", "kiwis", "oranges", "peaches", "loquats", "cantaloupes",
			"watermelons"},
		front: []string{"most expensive", "second-most expensive", "third-most expensive", "fourth-most expensive"},
		back:  []string{"cheapest", "second-cheapest", "third-cheapest", "fourth-cheapest"},
	}, {
		lead: "In a golf tournament, there were %s golfers", verb: "finished", before: "above", after: "below",
		items: []string{"Ana", "Eve", "Mel", "Dan", "Rob", "Joe", "Eli", "Ada", "Amy", "Mya"},
		front: []string{"first", "second", "third", "fourth"},
		back:  []string{"last", "second-to-last", "third-to-last", "fourth-to-last"},
	}, {
		lead: "In an antique car show, there are %s vehicles", noun: "%s", article: true, verb: "is",
		before: "newer than", after: "older than",
		items: []string{"truck", "sedan", "minivan", "bus", "tractor", "convertible", "hatchback", "limousine",
			"motorcyle", "station wagon"},
		front: []string{"newest", "second-newest", "third-newest", "fourth-newest"},
		back:  []string{"oldest", "second-oldest", "third-oldest", "fourth-oldest"},
	},
}

var numberWords = map[int]string{3: "three", 5: "five", 7: "seven"}
