package parleytest

// Slippery is a question on which one first answer in three of the embedded model is wrong.
const Slippery = `The following paragraphs each describe a set of three objects arranged in a fixed order. The statements are logically consistent within each paragraph. In a golf tournament, there were three golfers: Dan, Ada, and Eve. Dan finished above Eve. Eve finished above Ada.
Options:
(A) Dan finished second
(B) Ada finished second
(C) Eve finished second`
