package features_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/progress"
)

// drawnTable draws a table with missing, rare and unseen values.
func drawnTable(rng *rand.Rand, rows int) *dataset.Table {
	size, said, land := dataset.Numbers("size"), dataset.Texts("said"), dataset.Words("land")
	tags, path := dataset.Sets("tags"), dataset.Words("path")
	path.Kind, path.Separator = dataset.Path, " > "
	for range rows {
		size.Numbers = append(size.Numbers, []float64{math.NaN(), math.Round(rng.NormFloat64() * 100), 1e6 * rng.Float64(), 3}[rng.IntN(4)])
		said.Words = append(said.Words, strings.Join([]string{"green tea", "red wine", "", "bread and tea"}[rng.IntN(3):][:1], " "))
		land.Words = append(land.Words, []string{"", "DE", "FR", "DE", string(rune('a' + rng.IntN(20)))}[rng.IntN(5)])
		tags.Sets = append(tags.Sets, [][]string{nil, {"u"}, {"u", "v"}, {string(rune('a' + rng.IntN(20))), "v"}}[rng.IntN(4)])
		path.Words = append(path.Words, []string{"", "a", "a > b", "a > b > c", "d > e"}[rng.IntN(5)])
	}
	label := dataset.Words("label")
	for range rows {
		label.Words = append(label.Words, string(rune('x'+rng.IntN(3))))
	}
	t, err := dataset.NewTable("drawn", size, said, land, tags, path, label)
	if err == nil {
		t, err = t.WithLabels("label", nil)
	}
	if err != nil {
		panic(err)
	}
	return t
}

// TestColumnsIsALoop compares features with those that a loop over rows makes by the definitions.
func TestColumnsIsALoop(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		train, test := drawnTable(rng, 30), drawnTable(rng, 20)
		number := features.Number{Log: rng.IntN(2) == 0, Missing: features.Missing(1 + rng.IntN(4)), Value: -7, Indicator: rng.IntN(2) == 0, Scale: features.ColumnScale(rng.IntN(5))}
		nominal := features.Nominal{MinRows: rng.IntN(4)}
		s := features.Columns{Number: number, Nominal: nominal, Set: nominal, Text: features.Text{Weight: features.Counts, Norm: features.NoNorm}, Constant: float32(rng.IntN(2))}
		encoder, err := s.Fit(ctx, train)
		if err != nil {
			t.Fatal(err)
		}
		d, err := encoder.Transform(ctx, test)
		if err != nil {
			t.Fatal(err)
		}
		want := definedFeatures(s, train, test)
		for i := range test.Len() {
			got := make(map[string]float64)
			indices, values := d.X.Row(i)
			for k, j := range indices {
				got[d.Vocabulary[j]] = float64(values[k])
			}
			for name, v := range want[i] {
				if math.Abs(got[name]-v) > 1e-6*max(1, math.Abs(v)) {
					t.Fatalf("round %d, row %d: %s is %v, want %v; %+v", round, i, name, got[name], v, s)
				}
				delete(got, name)
			}
			if v, ok := got["size"]; ok && math.Abs(v) < 1e-12 { // zero but for rounding
				delete(got, "size")
			}
			if len(got) > 0 {
				t.Fatalf("round %d, row %d: also %v; %+v", round, i, got, s)
			}
		}
		for j, name := range d.Vocabulary {
			if field := encoder.FieldOf(j); name != "(constant)" && !strings.HasPrefix(name, field) || name == "(constant)" && field != "" {
				t.Errorf("column %s comes from %q", name, field)
			}
		}
		data, err := json.Marshal(encoder)
		if err != nil {
			t.Fatal(err)
		}
		var again features.Encoder
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if x, err := again.Matrix(ctx, test); err != nil || !reflect.DeepEqual(x, d.X) {
			t.Fatalf("what was saved makes other vectors: %v", err)
		}
	}
}

// definedFeatures returns the features of each test row that are not zero.
func definedFeatures(s features.Columns, train, test *dataset.Table) []map[string]float64 {
	want := make([]map[string]float64, test.Len())
	for i := range want {
		want[i] = make(map[string]float64)
		if s.Constant != 0 {
			want[i]["(constant)"] = float64(s.Constant)
		}
	}
	put := func(i int, name string, v float64) {
		if v != 0 {
			want[i][name] = v
		}
	}
	change := func(v float64) float64 {
		if s.Number.Log {
			if v < 0 {
				return -math.Log(1 - v)
			}
			return math.Log(1 + v)
		}
		return v
	}
	var known []float64
	for _, v := range train.Columns[0].Numbers {
		if v == v {
			known = append(known, change(v))
		}
	}
	slices.Sort(known)
	fill := change(s.Number.Value)
	switch s.Number.Missing {
	case features.Mean:
		fill = 0
		for _, v := range known {
			fill += v / float64(len(known))
		}
	case features.Median:
		fill = (known[len(known)/2] + known[(len(known)-1)/2]) / 2
	case features.MostFrequent:
		most := 0
		for _, v := range known {
			n := 0
			for _, u := range known {
				if u == v {
					n++
				}
			}
			if n > most {
				most, fill = n, v
			}
		}
	}
	all := slices.Clone(known)
	for len(all) < train.Len() {
		all = append(all, fill)
	}
	low, high, mean, squares := slices.Min(all), slices.Max(all), 0.0, 0.0
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		squares += (v - mean) * (v - mean) / float64(len(all))
	}
	for i, v := range test.Columns[0].Numbers {
		if v != v {
			v = fill
			if s.Number.Indicator && len(known) < train.Len() {
				put(i, "size is missing", 1)
			}
		} else {
			v = change(v)
		}
		switch s.Number.Scale {
		case features.MaxAbs:
			v /= max(high, -low)
		case features.UnitDeviation:
			v /= math.Sqrt(squares)
		case features.ZScore:
			v = (v - mean) / math.Sqrt(squares)
		case features.UnitRange:
			v = (v - low) / (high - low)
		}
		put(i, "size", v)
	}
	for i, text := range test.Columns[1].Words {
		for _, w := range strings.Fields(text) {
			if slices.ContainsFunc(train.Columns[1].Words, func(of string) bool { return slices.Contains(strings.Fields(of), w) }) {
				want[i]["said="+w]++
			}
		}
	}
	for k := 2; k < 5; k++ {
		rows := make(map[string]int)
		missing := false
		words := func(t *dataset.Table, i int) []string {
			c := &t.Columns[k]
			switch c.Kind {
			case dataset.Set:
				return c.Sets[i]
			case dataset.Nominal:
				if c.Words[i] == "" {
					return nil
				}
				return []string{c.Words[i]}
			}
			var all []string
			parts := strings.Split(c.Words[i], " > ")
			for n := range parts {
				if c.Words[i] != "" {
					all = append(all, strings.Join(parts[:n+1], " > "))
				}
			}
			return all
		}
		for i := range train.Len() {
			set := words(train, i)
			missing = missing || len(set) == 0
			for _, w := range set {
				rows[w]++
			}
		}
		rare := false
		for _, n := range rows {
			rare = rare || n < s.Nominal.MinRows
		}
		for i := range test.Len() {
			set := words(test, i)
			if name := test.Columns[k].Name; len(set) == 0 && missing {
				put(i, name+" is missing", 1)
			}
			for _, w := range set {
				switch name := test.Columns[k].Name; {
				case rows[w] > 0 && rows[w] >= s.Nominal.MinRows:
					put(i, name+"="+w, 1)
				case rare:
					put(i, name+" is rare", 1)
				}
			}
		}
	}
	return want
}

func TestColumnsRefuses(t *testing.T) {
	ctx := context.Background()
	table := drawnTable(rand.New(rand.NewPCG(1, 1)), 30)
	for _, test := range []struct {
		s    features.Columns
		want string
	}{
		{features.Columns{}, `column "size": 8 of 30 numbers are missing; set Columns{Number: features.Number{Missing: features.Mean, Indicator: true}}`},
		{features.Columns{LeaveOut: []string{"colour"}}, `has no column "colour"`},
		{features.Columns{Of: map[string]features.Column{"colour": {}}}, `Columns.Of: dataset: "drawn" has no column "colour"`},
		{features.Columns{Only: []string{"size"}, LeaveOut: []string{"size"}}, "has no column that becomes a feature"},
		{features.Columns{Only: []string{"said"}, Text: features.Text{MinDocuments: 99}}, `column "said": no word`},
		{features.Columns{Only: []string{"said"}, Text: features.Text{Tokenizer: strings.Fields}}, "use Text.Pattern"},
		{features.Columns{Only: []string{"size"}, Of: map[string]features.Column{"size": {Text: &features.Text{}}}}, "does not fit a column of kind number"},
		{features.Columns{Only: []string{"land"}, Nominal: features.Nominal{MinRows: -1}}, "MinRows is -1"},
		{features.Columns{Only: []string{"size"}, Number: features.Number{Missing: 9}}, "Missing is 9"},
		{features.Columns{Only: []string{"size"}, Number: features.Number{Missing: features.Value, Value: math.Inf(1)}}, "Value is +Inf"},
		{features.Columns{Constant: float32(math.NaN())}, "Constant is NaN"},
	} {
		if _, err := test.s.Fit(ctx, table); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test.s, err, test.want)
		}
	}
	full := table.Filter(func(r dataset.Row) bool { return !r.Missing("size") })
	encoder, err := features.Columns{}.Fit(ctx, full)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encoder.Transform(ctx, table); err == nil || !strings.Contains(err.Error(), "8 of 30 numbers are missing") {
		t.Errorf("missing numbers that training rows had not: %v", err)
	}
	narrow, err := full.Select("size", "said")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encoder.Transform(ctx, narrow); err == nil || !strings.Contains(err.Error(), `has no column "land"`) {
		t.Errorf("a table without a column: %v", err)
	}
}

// told collects notes.
type told []string

func (n *told) Begin(string) progress.Task { return nil }
func (n *told) Note(text string)           { *n = append(*n, text) }

// TestColumnsTells holds that unseen values and lost digits are told.
func TestColumnsTells(t *testing.T) {
	var notes told
	ctx := progress.With(context.Background(), &notes)
	table := func(land string, day float64) *dataset.Table {
		t, err := dataset.NewTable("t", dataset.Words("land", "DE", land), dataset.Numbers("day", 20240101, day))
		if err != nil {
			panic(err)
		}
		return t
	}
	for scale, lost := range map[features.ColumnScale]bool{features.Unscaled: true, features.MaxAbs: true, features.ZScore: false, features.UnitRange: false} {
		notes = nil
		encoder, err := features.Columns{Number: features.Number{Scale: scale}}.Fit(ctx, table("FR", 20240230))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := encoder.Transform(ctx, table("XY", 20240131)); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(notes, "\n")
		if !strings.Contains(text, `t: column land: 1 value is in no training row, such as "XY"`) {
			t.Errorf("%v: unseen values are not told: %s", scale, text)
		}
		if strings.Contains(text, "lose digits") != lost {
			t.Errorf("%v: lost digits: %s", scale, text)
		}
	}
}

func ExampleColumns() {
	ctx := context.Background()
	table, err := dataset.NewTable("fruit", dataset.Words("label", "apple", "pear", "apple"),
		dataset.Numbers("weight", 150, math.NaN(), 170), dataset.Words("color", "red", "green", "red"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if table, err = table.WithLabels("label", nil); err != nil {
		fmt.Println(err)
		return
	}
	encoder, err := features.Columns{Number: features.Number{Missing: features.Mean, Indicator: true}}.Fit(ctx, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(encoder)
	fmt.Println(encoder.Vocabulary())
	// Output:
	// 4 features of a table, measured on 3 rows
	//   weight        a number, where it is missing 160 (mean) and a feature that says so, max-abs
	//   color         2 values
	// [weight weight is missing color=green color=red]
}
