package clustering

// The two ways in which Random draws the same choices.
var (
	ByRejection = byRejection
	ByCounts    = byCounts
)
