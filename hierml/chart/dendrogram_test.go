package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/clustering"
)

// mergers is a tree of mergers with a cut.
type mergers struct {
	n     int
	links [][3]float64
	cut   []bool
}

func (m mergers) Len() int          { return m.n }
func (m mergers) Name(i int) string { return fmt.Sprintf("thing %d <&>", i) }
func (m mergers) IsCut(t int) bool  { return m.cut[t] }
func (m mergers) Link(t int) (a, b int, height float64) {
	return int(m.links[t][0]), int(m.links[t][1]), m.links[t][2]
}

// chainOf merges n things one after the other, the last cut links being cut.
func chainOf(n, cut int) mergers {
	m := mergers{n: n, cut: make([]bool, n-1)}
	for t := range n - 1 {
		a := n + t - 1
		if t == 0 {
			a = 0
		}
		m.links = append(m.links, [3]float64{float64(a), float64(t + 1), float64(t + 1)})
		m.cut[t] = t >= n-1-cut
	}
	return m
}

// pairs merges 2k things in pairs, and the pairs one after the other by links that are cut.
func pairs(k int) mergers {
	m := mergers{n: 2 * k, cut: make([]bool, 2*k-1)}
	for t := range k {
		m.links = append(m.links, [3]float64{float64(2 * t), float64(2*t + 1), 1})
	}
	for t := k; t < 2*k-1; t++ {
		a := 2*k + t - 1
		if t == k {
			a = 2 * k
		}
		m.links = append(m.links, [3]float64{float64(a), float64(2*k + t - k + 1), float64(t)})
		m.cut[t] = true
	}
	return m
}

func TestDendrogramPlacesRowsAndBars(t *testing.T) {
	for _, c := range []struct {
		name                     string
		m                        mergers
		clusters, rows, bars     int
		colors                   cluster
		crossed, firstCrossed    int
		firstRow, lastRow, title string
	}{
		{"one thing", mergers{n: 1}, 1, 1, 0, 0, 0, 0, "thing 0 <&>", "thing 0 <&>", "1 class, 1 cluster"},
		{"one cluster", chainOf(5, 0), 1, 5, 4, 1, 0, 0, "thing 0 <&>", "thing 4 <&>", "5 classes, 1 cluster"},
		{"two things alone", chainOf(5, 2), 3, 5, 4, 1, 2, 1, "thing 0 <&>", "thing 4 <&>", "5 classes, 3 clusters"},
		{"all cut", chainOf(5, 4), 5, 5, 4, 0, 4, 1, "thing 0 <&>", "thing 4 <&>", "5 classes, 5 clusters"},
		{"pairs", pairs(4), 4, 8, 7, 4, 3, 1, "thing 0 <&>", "thing 7 <&>", "8 classes, 4 clusters"},
		{"folded", chainOf(1000, 10), 11, maxMerged, maxMerged - 1, 1, 10, 1, "thing 0 <&> and 700 more", "thing 999 <&>", "1000 classes, 11 clusters"},
		{"folded across cuts", chainOf(1000, 900), 901, maxMerged, maxMerged - 1, 0, maxMerged - 1, 0, "thing 0 <&> and 700 more", "thing 999 <&>", "1000 classes, 901 clusters"},
	} {
		d, err := newDendrogram(c.m)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var colors cluster
		crossed, first := 0, 0
		for _, r := range d.rows {
			colors = max(colors, r.cluster)
		}
		for _, b := range d.bars {
			if b.cut {
				crossed++
			}
			if b.first {
				first++
			}
		}
		if d.clusters != c.clusters || len(d.rows) != c.rows || len(d.bars) != c.bars || colors != c.colors || crossed != c.crossed || first != c.firstCrossed {
			t.Errorf("%s: %d clusters, %d rows, %d bars, %d colours, %d crossed, %d of them first; want %d, %d, %d, %d, %d, %d", c.name,
				d.clusters, len(d.rows), len(d.bars), colors, crossed, first, c.clusters, c.rows, c.bars, c.colors, c.crossed, c.firstCrossed)
		}
		if a, b := d.rows[0].text, d.rows[len(d.rows)-1].text; a != c.firstRow || b != c.lastRow {
			t.Errorf("%s: rows %q to %q, want %q to %q", c.name, a, b, c.firstRow, c.lastRow)
		}
		for i := range d.rows[1:] {
			if !(d.rows[i+1].y <= d.rows[i].y-1) {
				t.Errorf("%s: row %d is at %v, row %d at %v", c.name, i, d.rows[i].y, i+1, d.rows[i+1].y)
			}
		}
		f, err := Dendrogram(c.m)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.HasSuffix(f.Title.Text, c.title) {
			t.Errorf("%s: title %q, want %q at its end", c.name, f.Title.Text, c.title)
		}
		if svg := f.SVG(); !strings.Contains(svg, "thing 0 &lt;&amp;&gt;") || strings.Contains(svg, "NaN") {
			t.Errorf("%s: %.300s", c.name, svg)
		}
	}
}

func TestDendrogramRefuses(t *testing.T) {
	for name, m := range map[string]Mergers{
		"nothing":         nil,
		"no things":       mergers{},
		"not there":       mergers{n: 3, links: [][3]float64{{0, 3, 1}, {2, 3, 2}}, cut: make([]bool, 2)},
		"merged twice":    mergers{n: 3, links: [][3]float64{{0, 1, 1}, {1, 3, 2}}, cut: make([]bool, 2)},
		"with itself":     mergers{n: 2, links: [][3]float64{{0, 0, 1}}, cut: make([]bool, 1)},
		"negative number": mergers{n: 2, links: [][3]float64{{-1, 0, 1}}, cut: make([]bool, 1)},
		"NaN":             mergers{n: 2, links: [][3]float64{{0, 1, math.NaN()}}, cut: make([]bool, 1)},
		"negative":        mergers{n: 2, links: [][3]float64{{0, 1, -1}}, cut: make([]bool, 1)},
		"checked":         &clustering.Dendrogram{Classes: []string{"a", "b"}},
		"infinite":        mergers{n: 2, links: [][3]float64{{0, 1, math.Inf(1)}}, cut: make([]bool, 1)},
	} {
		if f, err := Dendrogram(m); err == nil {
			t.Errorf("%s: drew %v", name, f)
		}
	}
	same := mergers{n: 2, links: [][3]float64{{0, 1, 0}}, cut: make([]bool, 1)}
	f, err := Dendrogram(same)
	if err != nil || f.PNG() == nil {
		t.Errorf("two things at distance 0: %v", err)
	}
}
