package features

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"  ...\n", ""},
		{"Hello, World2!", "hello|world2"},
		{"func (c *Client) ServeHTTP(x []byte)", "func|c|client|servehttp|x|byte"},
		{"don't e-mail snake_case", "don|t|e|mail|snake|case"},
		{"ÉTÉ Straße Ω ΑΒΓ 漢字 ١٢", "été|straße|ω|αβγ|漢字|١٢"},
		{"e\u0301te\u0301 \u0301x", "e\u0301te\u0301|x"},
		{"bad\xffbytes\xe2\x82", "bad|bytes"},
		{strings.Repeat("Long", 100), strings.Repeat("long", 100)},
	}
	for _, test := range tests {
		var got []string
		words(test.text, false, func(w []byte) { got = append(got, string(w)) })
		if strings.Join(got, "|") != test.want {
			t.Errorf("%q: %q, want %q", test.text, strings.Join(got, "|"), test.want)
		}
	}
}

func TestTFIDF(t *testing.T) {
	train := example.Fruits("The red apple, the RED apple, the red apple", "the pear", "the green apple", "the bread")
	v, err := TFIDF{}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(v.Vocabulary()); got != "[apple bread green pear red]" { // "the" is everywhere
		t.Errorf("vocabulary %s", got)
	}
	if idf := v.IDF()[0]; idf != math.Log(4.0/2) {
		t.Errorf("idf of apple is %v", idf)
	}
	d := v.Transform(example.Fruits("red apple red apple red red pear", "unknown words", "Green!"))
	example.CheckMatrix(t, d.X)
	if fmt.Sprint(d.X.Indptr, d.X.Indices) != "[0 3 3 4] [0 3 4 2]" || d.X.Cols != 5 || d.X.Rows != 3 {
		t.Fatalf("%v %v, %d x %d", d.X.Indptr, d.X.Indices, d.X.Rows, d.X.Cols)
	}
	apple := (1 + math.Log(2)) * math.Log(4.0/2)
	pear := math.Log(4.0 / 1)
	red := (1 + math.Log(4)) * math.Log(4.0/1)
	norm := math.Sqrt(apple*apple + pear*pear + red*red)
	for k, want := range []float64{apple / norm, pear / norm, red / norm, 1} {
		if got := float64(d.X.Values[k]); math.Abs(got-want) > 1e-7 {
			t.Errorf("value %d is %v, want %v", k, got, want)
		}
	}
	if &d.Vocabulary[0] != &v.Vocabulary()[0] || d.Taxonomy != train.Taxonomy && d.Labels[1][0] != d.Taxonomy.Leaves()[1] {
		t.Error("vocabulary or labels are not passed on")
	}
}

func TestTFIDFMinDocuments(t *testing.T) {
	train := example.Fruits("a a a b", "b c", "c d", "e")
	for least, want := range []string{"[a b c d e]", "[a b c d e]", "[b c]"} {
		v, err := TFIDF{MinDocuments: least}.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(v.Vocabulary()); got != want {
			t.Errorf("at least %d: %s, want %s", least, got, want)
		}
	}
	for name, c := range map[string]struct {
		settings TFIDF
		train    *dataset.Corpus
		want     string
	}{
		"no word is left": {TFIDF{MinDocuments: 3}, train, `no word of corpus "texts" is in at least 3 and at most 3 of the 4 documents; lower MinDocuments`},
		"no documents":    {TFIDF{}, example.Fruits(), "has no documents"},
		"one document":    {TFIDF{}, example.Fruits("all words are in all documents"), `all words of corpus "texts" are in every document (there is one), so they distinguish nothing; use more texts, or keep them with SmoothIDF: true`},
		"the same":        {TFIDF{}, example.Fruits("a b", "b a"), "(there are 2), so they distinguish nothing"},
		"counts":          {TFIDF{Counts: true}, example.Fruits("a b", "b a"), "keep them with features.Text"},
		"more asked for":  {TFIDF{MinDocuments: 3}, example.Fruits("a b", "b a"), "lower MinDocuments"},
		"empty":           {TFIDF{}, example.Fruits("", "..."), `no word of corpus "texts" is found`},
		"negative":        {TFIDF{MinDocuments: -1}, train, "MinDocuments is -1"},
	} {
		if _, err := c.settings.Fit(c.train); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The number of goroutines must not show.
func TestTFIDFParallel(t *testing.T) {
	var long []string
	for i := range 997 {
		long = append(long, fmt.Sprintf("w%d w%d w%d w%d common", i%7, i%31, i%97, i))
	}
	c := example.Fruits(long...)
	v, err := TFIDF{MinDocuments: 2}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	d := v.Transform(c)
	example.CheckMatrix(t, d.X)
	for i := range c.Documents {
		one := v.Transform(c.Subset([]int{i}))
		indices, values := d.X.Row(i)
		if !slices.Equal(indices, one.X.Indices) || !slices.Equal(values, one.X.Values) {
			t.Fatalf("document %d alone has another vector", i)
		}
		sum := 0.0
		for _, x := range values {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("document %d has the squared norm %v", i, sum)
		}
	}
}

func TestCounts(t *testing.T) {
	tax := example.Fruit()
	c := &dataset.Corpus{Taxonomy: tax, Documents: []dataset.Document{
		{Text: "the red, the red, the sour"}, {Text: "the sweet"}, {Text: "the red"}, {Text: "red sweet SWEET"},
	}}
	v, err := TFIDF{Counts: true, MinDocuments: 2, MaxShare: 0.75}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(v.Vocabulary(), v); got != "[red sweet the] counts of 3 words, found in 4 documents" {
		t.Error(got)
	}
	x := v.Transform(c).X
	if got := fmt.Sprint(x.Indptr, x.Indices); got != "[0 2 4 6 8] [0 2 1 2 0 2 0 1]" {
		t.Error(got)
	}
	for k, want := range []float64{2 / math.Sqrt(13), 3 / math.Sqrt(13), math.Sqrt(0.5), math.Sqrt(0.5), math.Sqrt(0.5), math.Sqrt(0.5), 1 / math.Sqrt(5), 2 / math.Sqrt(5)} {
		if math.Abs(float64(x.Values[k])-want) > 1e-6 {
			t.Errorf("value %d is %v, want %v", k, x.Values[k], want)
		}
	}
	if v, err = (TFIDF{MaxShare: 0.5}).Fit(c); err != nil || fmt.Sprint(v.Vocabulary()) != "[sour sweet]" {
		t.Errorf("%v, %v", v.Vocabulary(), err)
	}
	for _, share := range []float64{-1, 1.5, math.NaN()} {
		if _, err := (TFIDF{MaxShare: share}).Fit(c); err == nil || !strings.Contains(err.Error(), "MaxShare is") {
			t.Errorf("%v: %v", share, err)
		}
	}
	if _, err := (TFIDF{MinDocuments: 3, MaxShare: 0.5}).Fit(c); err == nil || !strings.Contains(err.Error(), "at least 3 and at most 2 of the 4") {
		t.Error(err)
	}
}
