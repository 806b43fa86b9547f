package calibration_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/calibration"
)

// TestReliabilityByHand has values that were computed by hand.
func TestReliabilityByHand(t *testing.T) {
	p := []float64{0.9, 0.1, 0.25, 0.5, 0, 1, 0.25, 0.75}
	truth := []bool{true, false, true, true, false, true, false, false}
	for _, c := range []struct {
		by             calibration.Binning
		want           []calibration.Bin
		error, largest float64
	}{
		// 0 and .1, .25, .25 are up to .25; .5; .75; .9 and 1.
		{calibration.EqualWidth, []calibration.Bin{
			{0, 0.25, 4, 0.15, 0.25, math.Sqrt(0.25 * 0.75 / 4)}, {0.25, 0.5, 1, 0.5, 1, 0},
			{0.5, 0.75, 1, 0.75, 0, 0}, {0.75, 1, 2, 0.95, 1, 0},
		}, (4*0.1 + 0.5 + 0.75 + 2*0.05) / 8, 0.75},
		{calibration.EqualMass, []calibration.Bin{
			{0, 0.1, 2, 0.05, 0, 0}, {0.25, 0.25, 2, 0.25, 0.5, math.Sqrt(0.125)}, {0.5, 0.75, 2, 0.625, 0.5, math.Sqrt(0.125)}, {0.9, 1, 2, 0.95, 1, 0},
		}, (2*0.05 + 2*0.25 + 2*0.125 + 2*0.05) / 8, 0.25},
	} {
		r, err := calibration.NewReliability(p, truth, 4, c.by)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Bins) != len(c.want) {
			t.Fatalf("%v: %v", c.by, r)
		}
		for k, b := range r.Bins {
			w := c.want[k]
			for _, v := range [][2]float64{{b.Low, w.Low}, {b.High, w.High}, {float64(b.Count), float64(w.Count)}, {b.Predicted, w.Predicted}, {b.Observed, w.Observed}, {b.Deviation, w.Deviation}} {
				if math.Abs(v[0]-v[1]) > 1e-12 {
					t.Errorf("%v: bin %+v, want %+v", c.by, b, w)
					break
				}
			}
		}
		if math.Abs(r.Error-c.error) > 1e-12 || math.Abs(r.Largest-c.largest) > 1e-12 {
			t.Errorf("%v: error %v and %v, want %v and %v", c.by, r.Error, r.Largest, c.error, c.largest)
		}
		brier := (0.01 + 0.01 + 0.5625 + 0.25 + 0 + 0 + 0.0625 + 0.5625) / 8
		if math.Abs(r.Brier-brier) > 1e-12 {
			t.Errorf("Brier score %v, want %v", r.Brier, brier)
		}
	}
}

// TestReliabilityOfTrueProbabilities draws events by their probabilities.
func TestReliabilityOfTrueProbabilities(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	p, truth, sure := make([]float64, n), make([]bool, n), make([]float64, n)
	for i := range p {
		p[i] = random.Float64()
		truth[i] = random.Float64() < p[i]
		sure[i] = math.Round(p[i])
	}
	for _, by := range []calibration.Binning{calibration.EqualWidth, calibration.EqualMass} {
		r, err := calibration.NewReliability(p, truth, 0, by)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Bins) != calibration.DefaultBins || r.Error > 0.01 || math.Abs(r.Brier-1./6) > 0.005 {
			t.Errorf("%v", r)
		}
		count := 0
		for _, b := range r.Bins {
			count += b.Count
			if by == calibration.EqualMass && b.Count != n/10 {
				t.Errorf("%d of %d in a bin", b.Count, n)
			}
			if math.Abs(b.Observed-b.Predicted) > 4*b.Deviation {
				t.Errorf("%+v", b)
			}
		}
		if count != n {
			t.Errorf("%d of %d", count, n)
		}
		// What says 0 or 1 is off by a quarter.
		if r, err = calibration.NewReliability(sure, truth, 0, by); err != nil || len(r.Bins) != 2 || math.Abs(r.Error-0.25) > 0.01 {
			t.Errorf("%v, %v", r, err)
		}
	}
}

func TestReliabilityRefuses(t *testing.T) {
	for _, c := range []struct {
		p    []float64
		bins int
		by   calibration.Binning
		want string
	}{
		{nil, 0, 0, "0 scores and the truth of 0"},
		{[]float64{0.5, 1.5}, 0, 0, "probability 1 is 1.5; probabilities must be from 0 to 1"},
		{[]float64{-0.5}, 0, 0, "probability 0 is -0.5"},
		{[]float64{math.NaN()}, 0, 0, "score 0 is NaN"},
		{[]float64{0.5}, -1, 0, "-1 bins for 1 probabilities"},
		{[]float64{0.5}, 2, calibration.EqualMass, "2 bins for 1 probabilities"},
		{[]float64{0.5}, 1, 7, "Binning(7) is not a Binning"},
	} {
		if _, err := calibration.NewReliability(c.p, make([]bool, len(c.p)), c.bins, c.by); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c, err, c.want)
		}
	}
	if _, _, err := calibration.Highest(mat.NewDense(1, 2, nil), nil); err == nil {
		t.Error("one row and no labels")
	}
}

func ExampleNewReliability() {
	// Probabilities of three labels for four instances, and their labels.
	probabilities := mat.NewDense(4, 3, []float64{
		0.9, 0.1, 0,
		0.2, 0.6, 0.2,
		0.3, 0.3, 0.4,
		0.1, 0.9, 0,
	})
	sure, right, err := calibration.Highest(probabilities, [][]int{{0}, {1}, {0}, {1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := calibration.NewReliability(sure, right, 5, calibration.EqualWidth)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	// Output:
	//   from      to  count  predicted  observed       ±
	// 0.2000  0.4000      1     0.4000    0.0000  0.0000
	// 0.4000  0.6000      1     0.6000    1.0000  0.0000
	// 0.8000  1.0000      2     0.9000    1.0000  0.0000
	// calibration error 0.2500, 0.4000 at most, in bins of equal width; Brier score 0.0850; 4 probabilities
}
