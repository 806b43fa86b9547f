package structured

// Both returns the comparisons of two kinds that examples take part in, over the same columns: the
// blocks of first, then those of second. Every block has its own slack variable, as in [QGH09,
// (9)].
func Both(first, second Competitors) Competitors { return &both{first, second, first.Blocks()} }

type both struct {
	first, second Competitors
	border        int
}

// of returns the competitors that block b belongs to, and its number there.
func (c *both) of(b int) (Competitors, int) {
	if b < c.border {
		return c.first, b
	}
	return c.second, b - c.border
}

func (c *both) Blocks() int { return c.border + c.second.Blocks() }

func (c *both) Example(b int) int {
	part, b := c.of(b)
	return part.Example(b)
}

func (c *both) C(b int) float64 {
	part, b := c.of(b)
	return part.C(b)
}

func (c *both) Known(b int, id int32) bool {
	part, b := c.of(b)
	return part.Known(b, id)
}

func (c *both) Cost(b int, id int32) float64 {
	part, b := c.of(b)
	return part.Cost(b, id)
}

func (c *both) Direct(b int, id int32, scale float64, step *Step) {
	part, b := c.of(b)
	part.Direct(b, id, scale, step)
}

func (c *both) Product(b int, k, l int32) float64 {
	part, b := c.of(b)
	return part.Product(b, k, l)
}

func (c *both) NewSearch() Search {
	return &bothSearch{both: c, first: c.first.NewSearch(), second: c.second.NewSearch()}
}

type bothSearch struct {
	both          *both
	first, second Search
	loaded        Search
}

func (s *bothSearch) Load(b int, scores []float64) float64 {
	if b < s.both.border {
		s.loaded = s.first
		return s.loaded.Load(b, scores)
	}
	s.loaded = s.second
	return s.loaded.Load(b-s.both.border, scores)
}

func (s *bothSearch) Violation(id int32) float64 { return s.loaded.Violation(id) }

func (s *bothSearch) Worst(n int, floor float64, known []int32, dst []int32) []int32 {
	return s.loaded.Worst(n, floor, known, dst)
}
