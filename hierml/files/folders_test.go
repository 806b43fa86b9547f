package files

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// newsFiles are laid out as 20 Newsgroups by date, with some that are to be skipped.
func newsFiles() map[string]string {
	return map[string]string{
		"news-train/comp.graphics/1":  "From: a\n\npixels",
		"news-train/comp.windows.x/2": "From: b\n\nwindows",
		"news-test/comp.graphics/1":   "From: c\n\ncaf\xe9",
		"news-test/rec.autos/7":       "From: d\n\ncars",
		"news-test/rec.autos/.hidden": "no",
		"news-train/.git/x":           "no",
		"README":                      "no",
	}
}

func documentsOf(c *dataset.Corpus) string {
	var b strings.Builder
	for _, d := range c.Documents {
		fmt.Fprintf(&b, "%s|%s|%s|%q\n", d.ID, d.Part, strings.Join(c.Taxonomy.NamesOf(d.Labels...), ", "), d.Text)
	}
	return b.String()
}

func TestFolders(t *testing.T) {
	files := newsFiles()
	order := []string{"README", "news-test/comp.graphics/1", "news-test/rec.autos/.hidden", "news-test/rec.autos/7", "news-train/.git/x",
		"news-train/comp.graphics/1", "news-train/comp.windows.x/2"}
	const want = `news-test/comp.graphics/1|test|comp.graphics|"café"
news-test/rec.autos/7|test|rec.autos|"cars"
news-train/comp.graphics/1|train|comp.graphics|"pixels"
news-train/comp.windows.x/2|train|comp.windows.x|"windows"
`
	plain := example.Tar(files, order...)
	var packed, zipped bytes.Buffer
	g := gzip.NewWriter(&packed)
	if _, err := g.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&zipped)
	folder, fsys := t.TempDir(), make(fstest.MapFS)
	for _, name := range order {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: []byte(files[name])}
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "news.zip")
	if err := os.WriteFile(archive, zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Folders{Latin1: true, Remove: Newsgroup{Headers: true}, Separator: "."}
	for name, read := range map[string]func() (*dataset.Corpus, error){
		"tar":    func() (*dataset.Corpus, error) { return s.Read(t.Context(), bytes.NewReader(plain), "news", nil) },
		"tar.gz": func() (*dataset.Corpus, error) { return s.Read(t.Context(), &packed, "news", nil) },
		"zip": func() (*dataset.Corpus, error) {
			return s.Read(t.Context(), bytes.NewReader(zipped.Bytes()), "news", nil)
		},
		"zip file": func() (*dataset.Corpus, error) { return s.Open(t.Context(), archive, nil) },
		"fs":       func() (*dataset.Corpus, error) { return s.ReadFS(t.Context(), fsys, "news", nil) },
		"folder":   func() (*dataset.Corpus, error) { return s.Open(t.Context(), folder, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := read()
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if got := strings.Join(c.Taxonomy.Names(), " "); got != "comp comp.graphics rec rec.autos comp.windows comp.windows.x" {
				t.Errorf("nodes %s", got)
			}
		})
	}
	c, err := s.Read(t.Context(), bytes.NewReader(plain), "news", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Write(t.Context(), &b, c); err != nil {
		t.Fatal(err)
	}
	again, err := Folders{Latin1: true}.Read(t.Context(), &b, "again", c.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	if got := documentsOf(again); got != strings.ReplaceAll(want, "news-", "") {
		t.Errorf("written and read again:\n%s", got)
	}
	n := 0
	for d, err := range s.Documents(t.Context(), bytes.NewReader(plain), "news", c.Taxonomy) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; d.Part == "train" {
			break
		}
	}
	if n != 3 {
		t.Errorf("the loop ended after %d documents", n)
	}
}

func TestFoldersLevels(t *testing.T) {
	files := map[string]string{"science/physics/a": "1", "science/b": "2", "arts/music/c": "3"}
	archive := example.Tar(files, "science/physics/a", "science/b", "arts/music/c")
	c, err := Folders{Levels: 2}.Read(t.Context(), bytes.NewReader(archive), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := documentsOf(c); got != "science/physics/a||science/physics|\"1\"\narts/music/c||arts/music|\"3\"\n" {
		t.Errorf("got\n%s", got)
	}
	if got := strings.Join(c.Taxonomy.Names(), " "); got != "science science/physics arts arts/music" {
		t.Errorf("nodes %s", got)
	}
}

func TestFoldersFaults(t *testing.T) {
	tax := example.Fruit()
	files := map[string]string{"apple/1": "red", "plum/1": "blue", "apple/2": "caf\xe9", "apple/3": "  ", "pear/1": "green"}
	whole := example.Tar(files, "apple/1", "plum/1", "apple/2", "apple/3", "pear/1")
	for _, test := range []struct {
		name         string
		content      []byte
		file, words  string
		ids, faults  string
		line, column int
	}{
		{"unknown label", example.Tar(files, "apple/1", "plum/1"), "x/plum/1", `"plum" is not a node`, "apple/1", "1 unknown label, 1 no known label", 1, 0},
		{"encoding", example.Tar(files, "apple/2"), "x/apple/2", "not UTF-8", "apple/2", "1 text that is not UTF-8", 1, 4},
		{"cut", whole[:len(whole)-2*512-510], "x", "ends or is damaged", "apple/1 apple/2 apple/3", "1 unknown label, 1 no known label, 1 text that is not UTF-8, 1 document without text, 1 damaged compression", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Folders{}.Read(t.Context(), bytes.NewReader(test.content), "x", tax)
			var at *SyntaxError
			if !errors.As(err, &at) || test.name != "cut" && (at.File != test.file || at.Line != test.line || at.Column != test.column || !strings.Contains(at.Msg, test.words)) {
				t.Errorf("got %v, want %s and %q", err, test.file, test.words)
			}
			var faults Faults
			c, err := Folders{Repair: &faults}.Read(t.Context(), bytes.NewReader(test.content), "x", tax)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, d := range c.Documents {
				ids = append(ids, d.ID)
			}
			if got := strings.Join(ids, " "); got != test.ids {
				t.Errorf("got %s, want %s", got, test.ids)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
	for name, content := range map[string]string{
		"no archive": "apple\n", "empty": "", "cut zip": "PK\x03\x04....", "no documents": string(example.Tar(files)),
	} {
		_, err := Folders{Repair: new(Faults)}.Read(t.Context(), strings.NewReader(content), "x", tax)
		var at *SyntaxError
		if !errors.As(err, &at) || at.Line != 1 {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := (Folders{}).Read(t.Context(), io.MultiReader(strings.NewReader("PK\x03\x04"), bytes.NewReader(whole)), "x", tax); err == nil || !strings.Contains(err.Error(), "stream") {
		t.Errorf("a zip archive as a stream: %v", err)
	}
	if _, err := (Folders{}).Open(t.Context(), filepath.Join(t.TempDir(), "nowhere"), tax); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Folders{}).Read(ctx, bytes.NewReader(whole), "x", tax); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if _, err := (Folders{}).ReadFS(ctx, fstest.MapFS{"apple/1": {}}, "x", tax); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func TestFoldersWriteErrors(t *testing.T) {
	tax := example.Fruit()
	apple := example.Node(t, tax, "apple")
	for name, d := range map[string]dataset.Document{
		"no label":      {ID: "1"},
		"two labels":    {ID: "1", Labels: []int{0, 1}},
		"no node":       {ID: "1", Labels: []int{77}},
		"part":          {ID: "1", Labels: []int{apple}, Part: "other"},
		"no ID":         {Labels: []int{apple}},
		"hidden":        {ID: ".x", Labels: []int{apple}},
		"parent folder": {ID: "..", Labels: []int{apple}},
		"not in Latin1": {ID: "1", Labels: []int{apple}, Text: "€"},
	} {
		c := &dataset.Corpus{Taxonomy: tax, Documents: []dataset.Document{d}}
		if err := (Folders{Latin1: true}).Write(t.Context(), io.Discard, c); err == nil {
			t.Errorf("%s is written", name)
		}
	}
	d := dataset.Document{ID: "1", Labels: []int{apple}}
	if err := (Folders{}).Write(t.Context(), io.Discard, &dataset.Corpus{Taxonomy: tax, Documents: []dataset.Document{d, d}}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the same file twice: %v", err)
	}
	if err := (Folders{}).Write(t.Context(), brokenWriter{}, &dataset.Corpus{Taxonomy: tax, Documents: []dataset.Document{d}}); !errors.Is(err, errBroken) {
		t.Errorf("a writer that fails: %v", err)
	}
	if err := (Folders{}).Write(t.Context(), io.Discard, nil); err == nil {
		t.Error("writes nothing")
	}
}

// TestNewsgroup has the texts that the rules of scikit-learn make.
func TestNewsgroup(t *testing.T) {
	const message = "From: a@b\nSubject: x\n\nIn article <1> c writes:\n> quoted\n| too\nHe says: no\nMy own words.\n\n--\nsignature\n"
	for _, test := range []struct {
		name, text string
		remove     Newsgroup
		want       string
	}{
		{"nothing", message, Newsgroup{}, message},
		{"headers", message, Newsgroup{Headers: true}, "In article <1> c writes:\n> quoted\n| too\nHe says: no\nMy own words.\n\n--\nsignature\n"},
		{"footers", message, Newsgroup{Footers: true}, "From: a@b\nSubject: x\n\nIn article <1> c writes:\n> quoted\n| too\nHe says: no\nMy own words.\n"},
		{"quotes", message, Newsgroup{Quotes: true}, "From: a@b\nSubject: x\n\nMy own words.\n\n--\nsignature\n"},
		{"all", message, PlainNewsgroup(), "My own words.\n"},
		{"only headers", "From: a", PlainNewsgroup(), ""},
		{"no footer", "a\nb", Newsgroup{Footers: true}, "a\nb"},
		{"blank lines at the end", "a\n\nb\n\n\n", Newsgroup{Footers: true}, "a"},
		{"dashes first", "---\nb", Newsgroup{Footers: true}, "---\nb"},
	} {
		if got := test.remove.Strip(test.text); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzFolders(f *testing.F) {
	files := map[string]string{"apple/1": "red\n\ntext", "x-train/plum/1": "blue", "pear/2": "caf\xe9"}
	f.Add(example.Tar(files, "apple/1", "pear/2"))
	f.Add(example.Tar(files, "x-train/plum/1", "apple/1")[:1200])
	f.Add([]byte("PK\x03\x04"))
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, repair := range []*Faults{nil, new(Faults)} {
			s := Folders{Repair: repair, Remove: PlainNewsgroup()}
			c, err := s.Read(t.Context(), bytes.NewReader(content), "fuzz", tax)
			var at *SyntaxError
			if err != nil && (!errors.As(err, &at) || c != nil) {
				t.Fatalf("an error without place, or with a corpus: %v", err)
			}
			if err == nil && (c.Len() == 0 || c.Taxonomy != tax) {
				t.Fatal("an empty corpus")
			}
		}
	})
}
