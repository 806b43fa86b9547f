package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// split returns the rows of the training and the test part, ascending. Corpus.Split states its
// rules.
func split(name string, labels [][]int, testFraction float64, seed uint64) (train, test []int, err error) {
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fmt.Errorf("dataset: test fraction is %v; it has to be strictly between 0 and 1", testFraction)
	}
	if len(labels) < 2 {
		return nil, nil, fmt.Errorf("dataset: %q has %d instances; a split needs at least two", name, len(labels))
	}
	for _, rows := range shuffledClasses(labels, seed) {
		n := len(rows)
		k := 0
		if n > 1 {
			k = min(max(int(math.Round(testFraction*float64(n))), 1), n-1)
		}
		test = append(test, rows[:k]...)
		train = append(train, rows[k:]...)
	}
	slices.Sort(train)
	slices.Sort(test)
	return train, test, nil
}

// perClass returns at most t rows of each class, ascending.
func perClass(labels [][]int, t int, seed uint64) []int {
	var chosen []int
	for _, rows := range shuffledClasses(labels, seed) {
		chosen = append(chosen, rows[:min(max(t, 0), len(rows))]...)
	}
	slices.Sort(chosen)
	return chosen
}

// shuffledClasses returns the rows of each class in random order, classes ascending by node. A row
// with several labels belongs to the rarest of them.
func shuffledClasses(labels [][]int, seed uint64) [][]int {
	count := make(map[int]int)
	for _, set := range labels {
		for _, n := range set {
			count[n]++
		}
	}
	const none = -1
	rows := make(map[int][]int)
	for i, set := range labels {
		class := none
		for _, n := range set {
			if class == none || count[n] < count[class] || count[n] == count[class] && n < class {
				class = n
			}
		}
		rows[class] = append(rows[class], i)
	}
	classes := make([]int, 0, len(rows))
	for c := range rows {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	ordered := make([][]int, len(classes))
	for i, c := range classes {
		// A stream of its own for each class: what is drawn from one does not depend on the sizes
		// of the others.
		rng := rand.New(rand.NewPCG(seed, uint64(c+1)))
		r := rows[c]
		rng.Shuffle(len(r), func(a, b int) { r[a], r[b] = r[b], r[a] })
		ordered[i] = r
	}
	return ordered
}
