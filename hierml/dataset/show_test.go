package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/internal/example"
)

func TestShow(t *testing.T) {
	c := example.Fruits("A <b>red</b>\n\tapple & "+strings.Repeat("long ", 40), "the pear")
	for i := range 20 {
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprintf("more/%d", i), Text: "bread", Labels: []int{c.Taxonomy.Leaves()[2]}})
	}
	const want = `texts: 22 documents, 3 classes, taxonomy of 6 nodes, depth 2
largest classes: bread 20, apple 1, pear 1
document  label  text
0         apple  A <b>red</b> apple & long long long long long long long long long long long long long long long …
1         pear   the pear
more/0    bread  bread
more/1    bread  bread
more/2    bread  bread
more/3    bread  bread
… 16 more
`
	if got := c.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	html := c.HTML()
	for _, w := range []string{"A &lt;b&gt;red&lt;/b&gt; apple &amp; long", "22 documents", "bread&nbsp;<b>20</b>", "… 16 more"} {
		if !strings.Contains(html, w) {
			t.Errorf("no %q in\n%s", w, html)
		}
	}
	if n := strings.Count(html, "<tr"); n != 7 {
		t.Errorf("%d rows of the table", n)
	}
}

// TestLabelled counts what has no label, and leaves it out.
func TestLabelled(t *testing.T) {
	c, err := files.CSV{}.Read(t.Context(), strings.NewReader("labels,text\nfood/apple,a\n,b\nfood/pear,c\n ,d\n"), "news", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := features.TFIDF{}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	words := v.Transform(c)
	for _, shown := range []struct{ got, want string }{
		{c.String(), "news: 4 documents, 2 without a label, 2 classes, "},
		{c.Labelled().String(), "news: 2 documents, 2 classes, "},
		{words.String(), "news: 4 instances, 2 without a label, 2 classes, "},
		{words.Labelled().String(), "news: 2 instances, 2 classes, "},
		{(&dataset.Collection{Name: "both", Train: words, Test: words.Labelled()}).String(), "both: 4 training instances, 2 without a label, 2 test instances, 2 classes, "},
	} {
		if !strings.HasPrefix(shown.got, shown.want) {
			t.Errorf("got %s, want %s", shown.got, shown.want)
		}
	}
	if kept := c.Labelled().Documents; len(kept) != 2 || kept[0].Text != "a" || kept[1].Text != "c" {
		t.Errorf("got %v", kept)
	}
}

func TestShowDataset(t *testing.T) {
	d, err := files.ReadSVMLight(strings.NewReader("apple,bread,pear,tool 1:0.5 3:-2 7:0.25\npear 2:1\n"), "rows", example.Fruit())
	if err != nil {
		t.Fatal(err)
	}
	const want = `rows: 2 instances, 4 classes, taxonomy of 6 nodes, depth 2, 2.50 labels each, 7 features, 2.0 entries a row
largest classes: pear 2, apple 1, bread 1, tool 1
row  label                     largest features
0    apple, pear, bread, tool  2 -2, 0 0.5, 6 0.25
1    pear                      1 1
`
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.Vocabulary = []string{"red", "green", "round", "hard", "soft", "sweet", "sour"}
	if got := d.HTML(); !strings.Contains(got, "round -2, red 0.5, sour 0.25") {
		t.Errorf("got\n%s", got)
	}
	empty := d.Subset(nil)
	if got := empty.String(); got != "rows: 0 instances, 0 classes, taxonomy of 6 nodes, depth 2, 7 features\n" || strings.Contains(empty.HTML(), "<table ") {
		t.Errorf("nothing shows itself as %q", got)
	}
}

func TestShowCollection(t *testing.T) {
	var parts [2]*dataset.Dataset
	for i, text := range []string{"apple 1:0.5\npear 2:1\n", "bread 2:2\n"} {
		var err error
		if parts[i], err = (files.SVMLight{Columns: 2}).Read(t.Context(), strings.NewReader(text), "part", example.Fruit()); err != nil {
			t.Fatal(err)
		}
	}
	c := &dataset.Collection{Name: "rows", Train: parts[0], Test: parts[1]}
	const want = `rows: 2 training instances, 1 test instance, 2 classes, taxonomy of 6 nodes, depth 2, 2 features, 1.0 entries a row
largest classes: apple 1, pear 1
row  label  largest features
0    apple  0 0.5
1    pear   1 1
`
	if got := c.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if html := c.HTML(); !strings.Contains(html, "1 test instance") || !strings.Contains(html, "<table ") {
		t.Errorf("got\n%s", html)
	}
}

func TestCollectionLacksAPart(t *testing.T) {
	c := &dataset.Collection{Name: "half", Train: &dataset.Dataset{}}
	if got := c.String(); got != "half: a part is missing\n" {
		t.Errorf("got %q", got)
	}
	if _, err := c.Leafed(); err == nil || !strings.Contains(err.Error(), "lacks a part") {
		t.Errorf("Leafed: %v", err)
	}
	if _, err := c.Below("apple"); err == nil || !strings.Contains(err.Error(), "lacks a part") {
		t.Errorf("Below: %v", err)
	}
}

// What is not filled yet shows itself too.
func TestShowZero(t *testing.T) {
	if got := new(dataset.Corpus).String(); got != "0 documents, no taxonomy\n" {
		t.Errorf("got %q", got)
	}
	if got := (&dataset.Dataset{Name: "d"}).String(); got != "d: 0 instances, no taxonomy\n" {
		t.Errorf("got %q", got)
	}
}

// What is shown stays small, whatever the names and texts.
func TestShowBounds(t *testing.T) {
	long := strings.Repeat("<x>", 1<<16)
	c := example.Fruits(long, long)
	c.Name = "n"
	c.Documents[0].ID = long
	if n := len(c.HTML()); n > 4000 {
		t.Errorf("%d bytes", n)
	}
}
