package nb

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/synthetic"
)

// A point that the user drags has another place in the value, and in pages that open later.
func TestPoints(t *testing.T) {
	d, err := synthetic.Gaussians{PerClass: 1, Seed: 1}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		n := open(t)
		c := Points(d)
		var drawn []*dataset.Dataset
		InteractLabelled([]string{"machines"}, func(d *dataset.Dataset) int { drawn = append(drawn, d); return len(drawn) }, c)
		p := n.look(t, nil)
		picture, field := p.find("HTMLModel"), p.find("TextModel")
		if got := p.models[picture]["description"]; got != "machines" {
			t.Errorf("the label is %v", got)
		}
		// The corners of the plane are the range of the points and a tenth more on each side.
		corner := func(k int, up bool) float64 {
			column := make([]float64, d.Len())
			for i := range column {
				column[i] = d.X.Dense().At(i, k)
			}
			low, high := slices.Min(column), slices.Max(column)
			if up {
				return high + (high-low)/10
			}
			return low - (high-low)/10
		}
		for _, move := range []struct {
			text string
			want [2]float64 // of point 2; zero for a refusal
		}{
			{`{"2": [0, 0]}`, [2]float64{corner(0, false), corner(1, true)}},
			{`{"2": [240, 240]}`, [2]float64{corner(0, true), corner(1, false)}},
			{`{"2": [241, 0]}`, [2]float64{}},
			{`{"9": [1, 1]}`, [2]float64{}},
			{`{"-1": [1, 1]}`, [2]float64{}},
			{`{"2": [1e999, 0]}`, [2]float64{}},
			{`nonsense`, [2]float64{}},
		} {
			before := len(drawn)
			update(field, "value", move.text)
			time.Sleep(2 * most)
			for n.look(t, p); len(p.calls) > 0; n.look(t, p) {
				p.called(n)
			}
			if move.want == [2]float64{} {
				if len(drawn) > before {
					t.Errorf("%s is taken for a move", move.text)
				}
				continue
			}
			x := drawn[len(drawn)-1].X.Dense()
			if got := [2]float64{x.At(2, 0), x.At(2, 1)}; len(drawn) != before+1 || fmt.Sprintf("%.4f", got) != fmt.Sprintf("%.4f", move.want) {
				t.Errorf("%s: the point is at %v, want %v", move.text, got, move.want)
			}
		}
		if got := c.picture.state["value"].(string); !strings.Contains(got, `data-row="2" cx="240.0" cy="240.0"`) {
			t.Errorf("a page that opens later shows %s", got)
		}
		if x := d.X.Dense(); x.At(2, 0) == corner(0, true) {
			t.Error("the data set itself has changed")
		}
	})
}

func TestPointsRefused(t *testing.T) {
	many, err := synthetic.Gaussians{PerClass: maxDragged}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	line, err := synthetic.Gaussians{Classes: []string{"a", "b"}, Centres: [][]float64{{0}, {1}}}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]*dataset.Dataset{"taxonomy": {}, "2700 instances": many, "1 columns": line} {
		if _, err := newPoints(d, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

func ExamplePoints() {
	d, err := synthetic.Gaussians{PerClass: 2}.Generate(Context())
	if err != nil {
		panic(err)
	}
	Interact(func(d *dataset.Dataset) string { return fmt.Sprint(d.Len(), " instances") }, Points(d, "points"))
	// Output:
	// points: 18 points
	// 18 instances
}
