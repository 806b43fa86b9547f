package collection

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// ownCache gives the test a cache of its own, without data sets.
func ownCache(t *testing.T) string {
	t.Helper()
	t.Cleanup(xdg.Reload)
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	xdg.Reload()
	return filepath.Join(dir, "hierml", "data")
}

var sumDigits = regexp.MustCompile(`^[0-9a-f]{64}$`)

func TestCatalogue(t *testing.T) {
	all := Catalogue()
	var seen []string
	for _, e := range all {
		if slices.Contains(seen, e.Name) || e.Name != filepath.Base(e.Name) {
			t.Errorf("name %q", e.Name)
		}
		seen = append(seen, e.Name)
		if e.Title == "" || e.Kind == "" || e.Licence == "" || e.Source == "" || e.Citation == "" || e.Format == "" {
			t.Errorf("%s: incomplete: %+v", e.Name, e)
		}
		if e.downloads() == (e.Hand != "") && len(e.Files) > 0 {
			t.Errorf("%s is downloaded: %v, by hand: %q", e.Name, e.downloads(), e.Hand)
		}
		for _, f := range e.Files {
			if f.Name != filepath.Base(f.Name) || f.SHA256 != "" && !sumDigits.MatchString(f.SHA256) {
				t.Errorf("%s: file %+v", e.Name, f)
			}
			if f.SHA256 == "" && f.URL != "" && !strings.HasPrefix(f.URL, "https://") {
				t.Errorf("%s: what anybody on the way can change has no sum: %+v", e.Name, f)
			}
		}
		for _, text := range []string{e.String(), e.HTML()} {
			if !strings.Contains(text, e.Name) || !strings.Contains(text, "licence") {
				t.Errorf("%s is shown as %s", e.Name, text)
			}
		}
	}
	lines := strings.Split(all.String(), "\n")
	if len(lines) != len(all)+1 || !strings.HasPrefix(lines[0], "name") {
		t.Errorf("%d lines for %d data sets", len(lines), len(all))
	}
	if rows := strings.Count(all.HTML(), "<tr>"); rows != len(all)+1 {
		t.Errorf("%d rows for %d data sets", rows, len(all))
	}
	all[0].Name = "changed"
	if Catalogue()[0].Name == "changed" {
		t.Error("the catalogue can be changed")
	}
}

// onlyEntry replaces the catalogue by a data set of two files, downloaded from handler, that is
// read as one row that says how many bytes there are.
func onlyEntry(t *testing.T, handler http.Handler) (contents [2][]byte) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	e := Entry{
		Name: "wares", Title: "Wares", Kind: "text", Licence: "none", Format: "own", Train: 1, Nodes: 5, Leaves: 4, Depth: 3,
		read: func(ctx context.Context, e *Entry, paths []string) (*dataset.Collection, error) {
			tax := example.Fruit()
			apple := example.Node(t, tax, "apple")
			var total float32
			for _, p := range paths {
				b, err := os.ReadFile(p)
				if err != nil {
					return nil, err
				}
				total += float32(len(b))
			}
			part := func() *dataset.Dataset {
				return &dataset.Dataset{Taxonomy: tax, X: &dataset.Matrix{Rows: 1, Cols: 1, Indptr: []int{0, 1}, Indices: []int32{0}, Values: []float32{total}}, Labels: [][]int{{apple}}}
			}
			return &dataset.Collection{Train: part(), Test: part()}, nil
		},
	}
	for i := range contents {
		contents[i] = bytes.Repeat([]byte{byte('a' + i)}, 1000*(i+1))
		sum := sha256.Sum256(contents[i])
		name := []string{"one.dat", "two.dat"}[i]
		e.Files = append(e.Files, File{Name: name, URL: server.URL + "/" + name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(contents[i]))})
	}
	old := catalogue
	t.Cleanup(func() { catalogue = old })
	catalogue = []Entry{e}
	return contents
}

func TestOpenDownloads(t *testing.T) {
	cache := ownCache(t)
	t.Setenv(Environment, "")
	requests := 0
	var contents [2][]byte
	contents = onlyEntry(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		i := slices.Index([]string{"/one.dat", "/two.dat"}, r.URL.Path)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(contents[i]))
	}))
	var done []float64
	var states []string
	d := Download{Progress: func(part float64, state string) error {
		done, states = append(done, part), append(states, state)
		return nil
	}}
	for range 2 {
		c, err := d.Open(t.Context(), "wares")
		if err != nil {
			t.Fatal(err)
		}
		if _, values := c.Train.X.Row(0); values[0] != 3000 || c.Name != "wares" || c.Test.Name != "wares test" {
			t.Errorf("read %v of %s", values, c.Name)
		}
	}
	if requests != 2 {
		t.Errorf("%d requests for two files", requests)
	}
	if !slices.IsSorted(done) || done[len(done)-1] != 1 || slices.ContainsFunc(done, math.IsNaN) || !strings.HasPrefix(states[0], "one.dat: ") {
		t.Errorf("progress %v, %q", done, states)
	}
	v, err := Verify("wares")
	if err != nil || !v.Right() || v.Files[1].Path != filepath.Join(cache, "wares", "two.dat") {
		t.Errorf("verification %v, %v", v, err)
	}
	if err := os.WriteFile(v.Files[1].Path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err = Verify("wares"); err != nil || v.Right() || !strings.Contains(v.String(), "two.dat: WRONG") || !strings.Contains(v.HTML(), "WRONG") {
		t.Errorf("verification %v, %v", v, err)
	}

	// What is in a folder of HIERML_DATA comes first.
	own := t.TempDir()
	t.Setenv(Environment, own)
	for i, name := range []string{filepath.Join(own, "one.dat"), filepath.Join(own, "wares", "two.dat")} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, contents[i][:10], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open("wares")
	if err != nil {
		t.Fatal(err)
	}
	if _, values := c.Train.X.Row(0); values[0] != 20 || requests != 2 {
		t.Errorf("read %v after %d requests", values, requests)
	}
}

func TestOpenCannotDownload(t *testing.T) {
	cache := ownCache(t)
	t.Setenv(Environment, "")
	wrong := []byte("something else")
	answer := http.StatusNotFound
	contents := onlyEntry(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == http.StatusOK {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wrong))
			return
		}
		http.Error(w, "no", answer)
	}))
	e := catalogue[0]
	check := func(words ...string) {
		t.Helper()
		c, err := Open("wares")
		if err == nil || c != nil {
			t.Fatalf("got %v, %v", c, err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
		if _, err := os.Stat(filepath.Join(cache, "wares", "one.dat")); err == nil {
			t.Error("there is a file")
		}
	}
	byHand := []string{"put into " + filepath.Join(cache, "wares"), "one.dat, 1.0 kB, SHA-256 " + e.Files[0].SHA256 + ", " + e.Files[0].URL, "two.dat"}
	check(append(byHand, "404 Not Found")...)
	answer = http.StatusOK
	check(append(byHand, "has 14 bytes instead of 1000")...)
	wrong = slices.Clone(contents[0])
	wrong[0]++
	sum := sha256.Sum256(wrong)
	check(append(byHand, hex.EncodeToString(sum[:])+" instead of "+e.Files[0].SHA256)...)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OpenContext(ctx, "wares"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "continues from there") {
		t.Errorf("got %v", err)
	}
	catalogue[0].Files[0].URL = "http://127.0.0.1:1/one.dat" // nothing listens: no network
	catalogue[0].read = nil
	d := Download{Client: &http.Client{Transport: unreachable{}}}
	if _, err := d.Open(t.Context(), "wares"); err == nil || !strings.Contains(err.Error(), "no such host") || !strings.Contains(err.Error(), byHand[0]) {
		t.Errorf("got %v", err)
	}

	catalogue[0].Files[0].SHA256, catalogue[0].Hand = "", "Ask its owner."
	check("wares is not on this machine, and hierml does not download it: Ask its owner.", "one.dat, 1.0 kB, http://127.0.0.1:1/one.dat")
	for _, name := range []string{"one.dat", "two.dat"} {
		path := filepath.Join(cache, "wares", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open("wares"); err == nil || !strings.Contains(err.Error(), "wares is in "+filepath.Join(cache, "wares")) {
		t.Errorf("got %v", err)
	}
	if _, err := Open("goods"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the catalogue has wares") {
		t.Errorf("got %v", err)
	}
	if _, err := Verify("goods"); err == nil || !strings.Contains(err.Error(), "wares") {
		t.Errorf("got %v", err)
	}
}

// unreachable is a network that is down.
type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("dial tcp: lookup: no such host")
}
