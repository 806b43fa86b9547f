package experiment

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/synthetic"
)

// TestCorrectedTest compares with values worked out by hand: of the differences 1, 2, 3, 4, 5 the
// mean is 3 and the variance 2.5; with the ratio 0 t is 3 / sqrt(0.5), with 1/4 it is 3 / sqrt(0.45
// * 2.5).
func TestCorrectedTest(t *testing.T) {
	a, b := []float64{2, 4, 6, 8, 10, math.NaN()}, []float64{1, 2, 3, 4, 5, 0}
	// The distribution function of Student's t with 4 degrees of freedom is 1/2 + 3/8 u (1 -
	// u^2/12) with u = t / sqrt(1 + t^2/4).
	two := func(t float64) float64 {
		u := t / math.Sqrt(1+t*t/4)
		return 2 * (1 - (0.5 + 3./8*u*(1-u*u/12)))
	}
	for _, test := range []struct{ ratio, statistic float64 }{{0, 3 / math.Sqrt(0.5)}, {0.25, 3 / math.Sqrt(0.45*2.5)}, {1, 3 / math.Sqrt(3)}} {
		got, err := CorrectedTest(a, b, test.ratio)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Statistic-test.statistic) > 1e-12 || math.Abs(got.P-two(test.statistic)) > 1e-12 || got.Difference != 3 || got.N != 5 {
			t.Errorf("ratio %v: %+v, want t %v and P %v", test.ratio, got, test.statistic, two(test.statistic))
		}
	}
	plain, err := metric.PairedT(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := CorrectedTest(a, b, 0); math.Abs(got.P-plain.P) > 1e-12 {
		t.Errorf("with ratio 0 P is %v, and of the paired t-test %v", got.P, plain.P)
	}
	if got, err := CorrectedTest(a, a, 1); err != nil || got.P != 1 {
		t.Errorf("of equal values: %+v, %v", got, err)
	}
	for _, ratio := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := CorrectedTest(a, b, ratio); err == nil {
			t.Errorf("the ratio %v is taken", ratio)
		}
	}
	if _, err := CorrectedTest(a[:1], b[:1], 1); err == nil {
		t.Error("one pair is taken")
	}
}

// byHand are results of two methods with known values.
func byHand() *Results {
	r := &Results{Measures: []string{"accuracy", "tree loss"}, Baseline: "a", methods: []string{"a", "b", "c"}}
	add := func(method string, repeat int, accuracy, treeLoss float64) {
		r.Cells = append(r.Cells, &Cell{
			Key: fmt.Sprint(method, repeat), Data: "d", Method: method, Repeat: repeat, Train: 80, Test: 20,
			Values: map[string]float64{"accuracy": accuracy, "tree loss": treeLoss},
		})
	}
	for i, v := range []float64{0.5, 0.6, 0.7} {
		add("a", i+1, v, math.NaN())
	}
	for i, v := range []float64{0.6, 0.8, 0.7} {
		add("b", i+1, v, 2)
	}
	r.Cells = append(r.Cells, &Cell{Data: "d", Method: "c", Repeat: 1, Error: "it broke"})
	add("c", 2, 0.1, 3)
	return r
}

func TestSummaryByHand(t *testing.T) {
	r := byHand()
	for _, test := range []struct {
		test     Test
		repeated bool
		t        float64 // of the differences 0.1, 0.2, 0
		name     string
	}{
		{DefaultTest, false, 0.1 / (0.1 / math.Sqrt(3)), "the paired t-test"},
		{T, true, 0.1 / (0.1 / math.Sqrt(3)), "the paired t-test"},
		{DefaultTest, true, 0.1 / (0.1 * math.Sqrt(1./3+0.25)), "the corrected resampled t-test"},
		{CorrectedT, false, 0.1 / (0.1 * math.Sqrt(1./3+0.25)), "the corrected resampled t-test"},
	} {
		r, err := r.Against("a", test.test)
		if err != nil {
			t.Fatal(err)
		}
		r.repeated = nil
		if test.repeated {
			r.repeated = []string{"d"}
		}
		s := r.Summary()
		// Of Student's t with 2 degrees of freedom P is 1 - t / sqrt(2 + t^2).
		p := 1 - test.t/math.Sqrt(2+test.t*test.t)
		b := s.Rows[1].Values[0]
		if !b.Tested || b.Test.Name != test.name || math.Abs(b.Test.P-p) > 1e-9 || math.Abs(b.Test.Difference-0.1) > 1e-12 {
			t.Errorf("%q: %+v, want %s with P %v", test.test, b, test.name, p)
		}
		if math.Abs(b.Mean-0.7) > 1e-12 || math.Abs(b.Deviation-0.1) > 1e-12 || b.Best {
			t.Errorf("%+v", b)
		}
		text := s.String()
		for _, want := range []string{
			"c on d: 1 of 2 cells failed: it broke",
			"c on d: means are over the cells that did not fail",
			"no test of b, c on d: there are fewer than two rounds in which neither method failed",
			"– for the tree loss of a on d: it is not defined for this method on these data",
			"a       3            0.6000 ± 0.1000 ",
			"0.1000                                               3.0000",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
	permuted, err := r.Against("a", Permutation)
	if err != nil {
		t.Fatal(err)
	}
	if v := permuted.Summary().Rows[1].Values[0]; v.Test.P != 0.5 { // 4 of 8 exchanges of 0.1, 0.2, 0 have a sum of 0.3 or -0.3
		t.Errorf("%+v, want P 0.5", v)
	}
	for _, test := range []struct{ baseline, test string }{{"z", ""}, {"a", "z"}} {
		if _, err := r.Against(test.baseline, Test(test.test)); err == nil {
			t.Errorf("%+v is taken", test)
		}
	}
}

// TestDifference looks at what stands behind p-values.
func TestDifference(t *testing.T) {
	for _, test := range []struct {
		difference float64
		want       string
	}{
		{0.0295, "accuracy of b &lt;1&gt; is 0.0295 higher than that of a, over 5 pairs; p=0.20 by the paired t-test"},
		{-2, "accuracy of b &lt;1&gt; is 2 lower than that of a, over 5 pairs; p=0.20 by the paired t-test"},
		{0, "accuracy of b &lt;1&gt; does not differ from that of a, over 5 pairs; p=0.20 by the paired t-test"},
	} {
		v := Value{Tested: true, Test: metric.Test{Name: "the paired t-test", Difference: test.difference, P: 0.2, N: 5}}
		s := &Summary{Measures: []string{"accuracy"}, Baseline: "a", Rows: []Row{{Method: "b <1>", Values: []Value{v}}}}
		if text := s.HTML(); !strings.Contains(text, `title="`+test.want+`"`) {
			t.Errorf("%q is not in\n%s", test.want, text)
		}
	}
}

func TestRow(t *testing.T) {
	rows := byHand().Summary().Rows
	made := rows[1]
	made.measures = nil
	for _, test := range []struct {
		row  Row
		want string
	}{
		{rows[0], "a on d  accuracy 0.6000 ± 0.1000  tree loss –"},
		{rows[1], "b on d  accuracy 0.7000 ± 0.1000 (+0.1000 [-0.1484, 0.3484], p=0.23)  tree loss 2.0000 ± 0.0000"},
		{made, "b on d  0.7000 ± 0.1000 (+0.1000 [-0.1484, 0.3484], p=0.23)  2.0000 ± 0.0000"},
	} {
		if got := test.row.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestNamesOfRows names the rows of which the same is said.
func TestNamesOfRows(t *testing.T) {
	for _, test := range []struct {
		rows []Row
		want string
	}{
		{[]Row{{Method: "a", Data: "x"}}, "a on x"},
		{[]Row{{Method: "a", Data: "x", Point: "C=1"}, {Method: "a", Data: "x", Point: "C=2"}, {Method: "b", Data: "x"}}, "a, b on x"},
		{[]Row{{Method: "a", Data: "x", PerClass: 2}, {Method: "b", Data: "x", PerClass: 2}, {Method: "b", Data: "x", PerClass: 3}}, "a, b on x, 2 of every class; b on x, 3 of every class"},
	} {
		of := &about{}
		for i := range test.rows {
			of.rows = append(of.rows, &test.rows[i])
		}
		if got := of.names(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestBest marks the best among rows of as many rounds, in words in text.
func TestBest(t *testing.T) {
	type row struct {
		rounds, failed int
		mean           float64
	}
	for _, test := range []struct {
		name string
		rows []row
		best string // a + for each row that is
	}{
		{"one", []row{{3, 0, 0.5}, {3, 0, 0.7}}, "-+"},
		{"two", []row{{3, 0, 0.7}, {3, 0, 0.70001}, {3, 0, 0.1}}, "++-"},
		{"all the same", []row{{3, 0, 0.7}, {3, 0, 0.7}}, "--"},
		{"an unfinished row", []row{{3, 0, 0.5}, {2, 0, 0.7}}, "--"},
		{"a row with a failed cell", []row{{3, 0, 0.5}, {2, 1, 0.7}}, "--"},
		{"a row of failed cells alone", []row{{3, 0, 0.5}, {3, 0, 0.7}, {0, 3, math.NaN()}}, "-+-"},
	} {
		s := &Summary{Measures: []string{"accuracy"}}
		for _, r := range test.rows {
			s.Rows = append(s.Rows, Row{Method: "m", Rounds: r.rounds, Failed: r.failed, Values: []Value{{Mean: r.mean, Deviation: math.NaN()}}})
		}
		s.markBest()
		best := ""
		for _, r := range s.Rows {
			best += map[bool]string{true: "+", false: "-"}[r.Values[0].Best]
		}
		if best != test.best || strings.Count(s.String(), " best") != strings.Count(best, "+") {
			t.Errorf("%s: %s, want %s\n%v", test.name, best, test.best, s)
		}
	}
}

func TestProbability(t *testing.T) {
	for _, test := range []struct {
		p    float64
		want string
	}{{1, "p=1.0"}, {0.9996, "p=1.0"}, {0.9, "p=0.90"}, {0.694, "p=0.69"}, {0.05, "p=0.050"}, {0.00061, "p=0.00061"}, {0.0001, "p=0.00010"}, {0.00009, "p<0.0001"}, {0, "p<0.0001"}} {
		if got := probability(test.p); got != test.want {
			t.Errorf("%v: %s, want %s", test.p, got, test.want)
		}
	}
}

// TestOneDivision compares over the instances.
func TestOneDivision(t *testing.T) {
	d := linearTree(t, 400)
	s := &Study{
		Data: []Data{{Name: "d", Set: d}}, Methods: []Method{{Name: "a", Estimator: Centroids{}}, {Name: "b", Estimator: Centroids{Noise: 200}}},
		Split: Split{HeldOut: 0.5}, Baseline: "a", Measures: []string{"accuracy", "macro F1 of all classes"}, Directory: t.TempDir(),
	}
	complete(t, s)
	r := complete(t, s) // read again
	a, b := r.Cells[0], r.Cells[1]
	want, err := metric.Permutation(b.Instances["accuracy"], a.Instances["accuracy"], permutations, permutationSeed)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Summary().Rows[1].Values
	if !got[0].Tested || got[0].Test != want || want.N != a.Test || want.P > 0.01 {
		t.Errorf("%+v, want %+v", got[0], want)
	}
	if !strings.Contains(r.String(), "one division: p is about these trained models") {
		t.Errorf("nothing is said of one division:\n%v", r)
	}
	if got[1].Tested || !strings.Contains(r.String(), "no test of the macro F1 of all classes: there is only one round, and the measure is not a mean over instances") {
		t.Errorf("%+v\n%v", got[1], r)
	}
}

func TestFormats(t *testing.T) {
	r := complete(t, study(t))
	rows, err := csv.NewReader(strings.NewReader(r.CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for _, c := range r.all() {
		values += max(1, len(c.Values)*2/max(1, len(c.Values)))
	}
	if len(rows) != 1+values || strings.Join(rows[0], ",") != "key,data,method,per class,repeat,fold,inner,train,test,Fail,Noise,noise,measure,value,error" {
		t.Errorf("%d rows, want %d, with %v", len(rows), 1+values, rows[0])
	}
	lines := 0
	for line := range strings.Lines(r.JSONLines()) {
		lines++
		var object struct {
			Method string
			Values map[string]float64
			Error  string
		}
		if err := json.Unmarshal([]byte(line), &object); err != nil || object.Method == "" || (len(object.Values) == 2) == (object.Error != "") {
			t.Errorf("%s: %v", line, err)
		}
	}
	if lines != len(r.all()) {
		t.Errorf("%d lines of %d cells", lines, len(r.all()))
	}
	r.Name = "<b> & 5%"
	r.Cells[0].Method = "a_b <i>"
	if text := r.HTML(); strings.Contains(text, "<b>") || strings.Contains(text, "<i>") || !strings.Contains(text, "a_b &lt;i&gt;") || strings.Count(text, "<tr") != 1+11 {
		t.Errorf("%s", text)
	}
	if text := r.LaTeX(); !strings.Contains(text, `a\_b $<$i>`) || !strings.Contains(text, `\begin{tabular}{llllrr}`) || strings.Count(text, `\\`) != 12 {
		t.Errorf("%s", text)
	}
	if _, err := r.With("speed"); err == nil {
		t.Error("speed is taken for a measure")
	}
	if deep, err := r.With("accuracy at depth 1"); err != nil || !strings.Contains(deep.String(), "accuracy at depth 1 ↑") {
		t.Errorf("%v, %v", deep, err)
	}
}

// TestCurve checks means by hand.
func TestCurve(t *testing.T) {
	s := study(t)
	s.Data, s.Methods = s.Data[:1], s.Methods[:2]
	s.Split = Split{PerClass: []int{8, 2}}
	r := complete(t, s)
	c, err := r.Curve("accuracy", PerClass)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(c.Values) != "[2 8]" || strings.Join(sortedKeys(c.Means), ",") != "noisy,plain" {
		t.Errorf("%+v", c)
	}
	sum := 0.0
	for _, cell := range r.Cells {
		if cell.Method == "plain" && cell.PerClass == 8 {
			sum += cell.Values["accuracy"]
		}
	}
	if got := c.Means["plain"][1]; math.Abs(got-sum/2) > 1e-12 {
		t.Errorf("mean %v, want %v", got, sum/2)
	}
	inner, err := r.Curve("tree loss", "Noise")
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(inner.Values) != "[0.5 4 20]" || strings.Join(sortedKeys(inner.Means), ";") != "noisy, 2 per class;noisy, 8 per class" {
		t.Errorf("%+v", inner)
	}
	for curve, label := range map[*Curve]string{c: "instances per class", inner: "Noise"} {
		f, err := curve.Plot()
		if err != nil {
			t.Fatal(err)
		}
		if svg := f.SVG(); !strings.Contains(svg, label) || !strings.HasPrefix(curve.String(), curve.Measure+" over "+label+"\n") {
			t.Errorf("%q is not in\n%s\n%s", label, svg, curve)
		}
		if svg := f.SVG(); !strings.Contains(svg, "noisy") || curve.HTML() != svg || !strings.Contains(curve.String(), "±") {
			t.Errorf("%s", svg)
		}
	}
	if _, err := r.Curve("accuracy", "C"); err == nil || !strings.Contains(err.Error(), "parameters are Noise, per class") {
		t.Error(err)
	}
	if _, err := r.Plot("speed", PerClass); err == nil {
		t.Error("speed is taken for a measure")
	}
}

// TestTiming estimates from the cells that are most alike.
func TestTiming(t *testing.T) {
	of := func(method, perClass, inner int) *job {
		return &job{place: place{perClass: perClass, inner: inner}, method: method}
	}
	timing := newTiming()
	timing.begin([]*job{of(0, 1, 0), of(0, 1, 0), of(1, 1, 0), of(1, 2, 0)})
	if _, known := timing.remaining(nil, 2); known {
		t.Error("something is known of nothing")
	}
	timing.finished(of(0, 1, 0), &Cell{Seconds: 10})
	timing.finished(of(0, 1, 0), &Cell{Seconds: 20})
	timing.finished(of(1, 1, 0), &Cell{Seconds: 3})
	// 15 + 15 for the method 0, 3 for 1 and, of its other size, 3 as well.
	for _, test := range []struct {
		over  []float64 // of the method 0
		cores int
		want  float64
	}{{nil, 1, 36}, {[]float64{6}, 1, 30}, {nil, 2, 18}, {nil, 100, 9}, {[]float64{100}, 1, 21}, {[]float64{100, 5}, 1, 16}} {
		if got, _ := timing.remaining(map[sameness][]float64{nearest(of(0, 1, 0)): test.over}, test.cores); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	timing.end(of(0, 1, 0))
	if got, _ := timing.remaining(nil, 1); got != 21 {
		t.Errorf("%v, want 21", got)
	}
	fresh := newTiming()
	fresh.begin([]*job{of(2, 5, 0)})
	fresh.finished(of(0, 1, 1), &Cell{Seconds: 7})
	if got, known := fresh.remaining(nil, 1); got != 7 || !known {
		t.Errorf("%v, want 7 from an inner cell of another method", got)
	}
}

func TestStudyShowsItself(t *testing.T) {
	text := study(t).String()
	for _, want := range []string{"all kinds\n", "  noisy, 3 points of Noise\n", "2 folds, 2 repeats\n", "chosen by the accuracy on 40% held out of what is trained on"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	r := complete(t, study(t))
	for _, shown := range []interface{ HTML() string }{study(t), r, r.Summary(), r.Summary().Rows[1], r.Summary().Rows[1].Values[0], r.Cells[0], r.Cells[len(r.Cells)-1]} {
		if text := shown.HTML(); !strings.HasPrefix(text, "<") {
			t.Errorf("%T: %s", shown, text)
		}
	}
	if text := r.Cells[0].String(); !strings.Contains(text, "  accuracy ") || !strings.Contains(text, "\n  trained on  ") {
		t.Error(text)
	}
	if text := (Study{}).String(); !strings.Contains(text, "needs Data and Methods") {
		t.Error(text)
	}
}

// BenchmarkCell measures what a study adds to a training that takes no time.
func BenchmarkCell(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(map[bool]string{false: "memory", true: "disk"}[kept], func(b *testing.B) {
			d, err := synthetic.LinearTree{Depth: 1, Features: 2, Instances: 10}.Generate(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			s := &Study{Data: []Data{{Set: d}}, Methods: []Method{{Estimator: Centroids{}}}, Split: Split{HeldOut: 0.5}, Repeats: b.N, Workers: 1}
			if kept {
				s.Directory = b.TempDir()
			}
			s.Progress = func(float64, string) error { return nil }
			complete(b, s)
		})
	}
}

// TestDagger marks the method whose training has learned nothing, by one line for all such rows.
// Every instance is there with both labels, so that zero weights are optimal; a perceptron has no
// certificate.
func TestDagger(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 30, 60, 5, 1)
	var rows []int
	for i := range 30 {
		rows = append(rows, i, i)
	}
	both := d.Subset(rows)
	for i := range both.Labels {
		both.Labels[i] = []int{both.Taxonomy.Leaves()[i%2]}
	}
	learned := d.Subset(rows)
	s := &Study{
		Data: []Data{
			{Collection: &dataset.Collection{Train: both, Test: both}, Name: "contradictory"},
			{Collection: &dataset.Collection{Train: learned, Test: learned}, Name: "learned"},
		},
		Methods: []Method{{Name: "flat", Estimator: svm.Flat{}}, {Name: "flat again", Estimator: svm.Flat{Settings: solver.Settings{Seed: 1}}}, {Name: "perceptron", Estimator: perceptron.Flat{}}},
		Workers: 1,
	}
	summary := complete(t, s).Summary()
	for _, row := range summary.Rows {
		if want := row.Data == "contradictory" && row.Method != "perceptron"; (row.LearnedLittle > 0) != want {
			t.Errorf("%s: %d of %d rounds are marked", row.name(), row.LearnedLittle, row.Rounds)
		}
	}
	for _, text := range []string{summary.String(), summary.HTML()} {
		if n := strings.Count(text, "†"); n != 3 || strings.Count(text, "flat †") != 1 || strings.Count(text, "flat again †") != 1 || strings.Count(text, "† by the certificates") != 1 {
			t.Errorf("%d daggers in\n%s", n, text)
		}
	}
	if text := summary.LaTeX(); strings.Count(text, `flat $\dagger$ &`) != 1 || strings.Count(text, `flat again $\dagger$ &`) != 1 {
		t.Errorf("no daggers in\n%s", text)
	}
}
