package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// divider divides what it knows of rows: their labels and, unless that is nil, their groups.
type divider struct {
	name   string
	labels [][]int
	groups []string
	wrong  error // with the data
}

// holdOut returns the division by the rules that Corpus.Split states.
func (d *divider) holdOut(testFraction float64, seed uint64) (Division, error) {
	by := Division{Name: fmt.Sprintf("%.4g%% held out", 100*testFraction)}
	if !(testFraction > 0 && testFraction < 1) {
		return by, fmt.Errorf("dataset: test fraction is %v; it has to be strictly between 0 and 1", testFraction)
	}
	if len(d.labels) < 2 {
		return by, fmt.Errorf("dataset: %q has %d instances; a split needs at least two", d.name, len(d.labels))
	}
	parts, err := d.parts([]float64{1 - testFraction, testFraction}, seed)
	if err != nil {
		return by, err
	}
	if parts != nil {
		by.Train, by.Test = parts[0], parts[1]
		return by, nil
	}
	for _, rows := range shuffledClasses(d.labels, seed) {
		n := len(rows)
		k := 0
		if n > 1 {
			k = min(max(int(math.Round(testFraction*float64(n))), 1), n-1)
		}
		by.Test = append(by.Test, rows[:k]...)
		by.Train = append(by.Train, rows[k:]...)
	}
	slices.Sort(by.Train)
	slices.Sort(by.Test)
	return by, nil
}

// perClass returns at most t rows of each class, ascending. Where there are groups, all classes
// take them in the same random order, so that few are drawn from.
func (d *divider) perClass(t int, seed uint64) []int {
	groups, number := d.grouped()
	var rank []int
	if groups != nil {
		rank = rand.New(rand.NewPCG(seed, groupStream)).Perm(len(groups))
	}
	var chosen []int
	for _, rows := range shuffledClasses(d.labels, seed) {
		if groups != nil {
			slices.SortStableFunc(rows, func(a, b int) int { return rank[number[a]] - rank[number[b]] })
		}
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
