package collection

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// serve makes the catalogue's data sets downloadable from the test: files has the content of theirs
// by name, and sums and sizes become those of the contents.
func serve(t *testing.T, files map[string][]byte) {
	t.Helper()
	ownCache(t)
	t.Setenv(Environment, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[path.Base(r.URL.Path)]))
	}))
	t.Cleanup(server.Close)
	old := catalogue
	t.Cleanup(func() { catalogue = old })
	catalogue = slices.Clone(catalogue)
	for i := range catalogue {
		e := &catalogue[i]
		e.Files = slices.Clone(e.Files)
		for k := range e.Files {
			f := &e.Files[k]
			if content, ok := files[f.Name]; ok {
				sum := sha256.Sum256(content)
				f.SHA256, f.URL, f.Bytes = hex.EncodeToString(sum[:]), server.URL+"/"+f.Name, 0
			}
		}
	}
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each group has three messages to train on and one to test on, made of a word of its own and one
// of all.
func TestOpenNewsgroups(t *testing.T) {
	tax, err := newsgroupTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	messages := make(map[string]string)
	var order []string
	for k, n := range tax.Leaves() {
		for i := range 4 {
			part := []string{"20news-bydate-train", "20news-bydate-test"}[i/3]
			file := fmt.Sprintf("%s/%s/%d", part, tax.Name(n), i)
			messages[file] = fmt.Sprintf("From: a@%s\nSubject: x\n\nword%d caf\xe9 n%d\n", tax.Name(n), k, i)
			order = append(order, file)
		}
	}
	archive := zipped(t, example.Tar(messages, order...))
	serve(t, map[string][]byte{"20news-bydate.tar.gz": archive, "20news-18828.tar.gz": archive})
	for _, test := range []struct {
		name          string
		groups, nodes int
	}{
		{"20news-bydate", 20, 26}, {"20news-bydate-15", 15, 20},
	} {
		texts, err := OpenTexts(test.name)
		if err != nil {
			t.Fatal(err)
		}
		e := entry(test.name)
		if texts.Len() != 4*test.groups || texts.Taxonomy.Len() != test.nodes || e.Nodes != test.nodes || len(texts.Taxonomy.Leaves()) != e.Leaves || len(texts.Taxonomy.Roots()) != e.Tops {
			t.Errorf("%s: %d texts of %d nodes; the catalogue has %d", test.name, texts.Len(), texts.Taxonomy.Len(), e.Nodes)
		}
		if d := texts.Documents[0]; !strings.HasPrefix(d.Text, "From: a@") || !strings.Contains(d.Text, "café") || d.Part != "train" {
			t.Errorf("%s: the first text is %+v", test.name, d)
		}
		c, err := Open(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Train.Len() != 3*test.groups || c.Test.Len() != test.groups || c.Train.X.Cols != test.groups+3 || c.Train.Taxonomy != c.Test.Taxonomy {
			t.Errorf("%s: %v\n%v", test.name, c.Train, c.Test)
		}
		for _, w := range c.Train.Vocabulary {
			if w == "from" {
				t.Errorf("%s: headers were read", test.name)
			}
		}
	}
	if texts, err := OpenTexts("20news-18828"); err != nil || texts.Len() != 80 {
		t.Errorf("%v, %v", texts, err)
	}
	if _, err := Open("20news-18828"); err == nil || !strings.Contains(err.Error(), "read by OpenTexts") {
		t.Errorf("got %v", err)
	}
}

func TestOpenLYRL2004(t *testing.T) {
	files := map[string][]byte{"rcv1v2.topics.qrels.gz": zipped(t, []byte("C151 1 1\nC15 1 1\nCCAT 1 1\nGPOL 2 1\nGCAT 2 1\nM14 3 1\nMCAT 3 1\nC11 4 1\nCCAT 4 1\nE12 5 1\nECAT 5 1\nG15 6 1\nGCAT 6 1\n"))}
	for i, name := range []string{"train", "test_pt0", "test_pt1", "test_pt2", "test_pt3"} {
		row := fmt.Sprintf("%d  %d:0.5 47236:0.25\n", i+1, 10+i)
		if i == 1 {
			row += "6  7:1\n"
		}
		files["lyrl2004_vectors_"+name+".dat.gz"] = zipped(t, []byte(row))
	}
	serve(t, files)
	c, err := Open("lyrl2004")
	if err != nil {
		t.Fatal(err)
	}
	example.CheckMatrix(t, c.Train.X)
	example.CheckMatrix(t, c.Test.X)
	var got []string
	for _, d := range []*dataset.Dataset{c.Train, c.Test} {
		for i, set := range d.Labels {
			indices, _ := d.X.Row(i)
			got = append(got, fmt.Sprint(strings.Join(d.Taxonomy.NamesOf(set...), ", "), indices))
		}
	}
	if s := strings.Join(got, "; "); s != "C151[9 47235]; GPOL[10 47235]; G15[6]; M14[11 47235]; C11[12 47235]; E12[13 47235]" {
		t.Errorf("rows %s", s)
	}
	e := entry("lyrl2004")
	if tax := c.Test.Taxonomy; tax.Len() != e.Nodes || len(tax.Leaves()) != e.Leaves || len(tax.Roots()) != e.Tops || c.Train.X.Cols != e.Features {
		t.Errorf("%d nodes, %d leaves, %d columns", tax.Len(), len(tax.Leaves()), c.Train.X.Cols)
	}
}
