package collection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/download"
	"github.com/hierml/notebook/hierml/progress"
)

// Download opens data sets, and fetches the files of those in the catalogue that are neither in a
// folder of HIERML_DATA nor in the cache. The zero value is ready to use; Open and OpenContext use
// it.
//
//	collection.Download{Progress: nb.Bar("20 Newsgroups")}.Open(ctx, "20news-bydate")
type Download struct {
	// Folder is where files are looked for after the folders of HIERML_DATA, and where they are
	// put, in a folder with the name of the data set. The default value is Cache().
	Folder string
	// Progress is told what part of the files is here, from 0 to 1, or NaN while that is not known,
	// and in words how many bytes of which file, and how fast they come. An error it returns ends
	// the download.
	Progress func(done float64, state string) error
	// Client makes the requests. The default is http.DefaultClient, which heeds HTTPS_PROXY.
	Client *http.Client
}

// Cache returns the folder for downloaded data sets: hierml/data in the user's folder for caches,
// which XDG_CACHE_HOME names.
func Cache() string { return filepath.Join(xdg.CacheHome, "hierml", "data") }

func (d Download) folder() string { return cmp.Or(d.Folder, Cache()) }

// Get makes sure that the files of a data set of the catalogue are here, and returns their paths,
// in the order of Entry.Files, "" for an optional one that is missing. Files that are found are not
// looked into; see Verify.
//
// A download that breaks off is gone on with by the next one. A file whose check sum is not that of
// the catalogue is not kept, and the error says both sums. Where a file cannot be had, the error
// says which is to be put where.
func (d Download) Get(ctx context.Context, name string) ([]string, error) {
	e := entry(name)
	if e == nil {
		return nil, fmt.Errorf("collection: no data set %q in the catalogue; it has %s", name, strings.Join(names(), ", "))
	}
	paths := make([]string, len(e.Files))
	missing := 0
	for i, f := range e.Files {
		path, err := d.find(e, f)
		if err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		if paths[i] = path; path == "" && !f.Optional {
			missing++
		}
	}
	if missing == 0 && len(e.Files) > 0 {
		return paths, nil
	}
	if !e.downloads() || len(e.Files) == 0 {
		return nil, fmt.Errorf("collection: %s is not on this machine, and hierml does not download it: %s\n%s", e.Name, e.Hand, d.wanted(e, paths))
	}
	_, report, end := progress.Follow(ctx, "download", d.Progress)
	defer end()
	d.Progress = report
	folder := filepath.Join(d.folder(), e.folder())
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("collection: no folder for downloads: %w; set XDG_CACHE_HOME to another", err)
	}
	for i, f := range e.Files {
		if paths[i] != "" {
			continue
		}
		path := filepath.Join(folder, f.Name)
		g := download.Getter{Client: d.Client, Progress: d.report(e, i)}
		if err := g.Get(ctx, download.File{URL: f.URL, SHA256: f.SHA256, Bytes: f.Bytes}, path); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("collection: the download of %s was stopped; the next one continues from there: %w", f.Name, context.Cause(ctx))
			}
			return nil, fmt.Errorf("collection: %s cannot be downloaded: %w\n%s", e.Name, err, d.wanted(e, paths))
		}
		paths[i] = path
	}
	return paths, nil
}

// names returns those of the catalogue.
func names() []string {
	var list []string
	for _, e := range catalogue {
		list = append(list, e.Name)
	}
	return list
}

// folders are those in which the files of data sets are looked for, the first one first.
func (d Download) folders() []string {
	list := slices.DeleteFunc(filepath.SplitList(os.Getenv(Environment)), func(f string) bool { return f == "" })
	return append(list, d.folder())
}

// find returns the path of a file of the data set, or "".
func (d Download) find(e *Entry, f File) (string, error) {
	for _, folder := range d.folders() {
		path, err := firstFile(filepath.Join(folder, f.Name), filepath.Join(folder, e.folder(), f.Name))
		if path != "" || err != nil {
			return path, err
		}
	}
	return "", nil
}

// wanted says which files are to be put where.
func (d Download) wanted(e *Entry, paths []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "To add it by hand, put into %s", filepath.Join(d.folder(), e.folder()))
	if os.Getenv(Environment) != "" {
		fmt.Fprintf(&b, ", or into a folder that %s names", Environment)
	}
	b.WriteString(":")
	for i, f := range e.Files {
		if paths[i] == "" && !f.Optional {
			fmt.Fprintf(&b, "\n  %s", f)
		}
	}
	if len(e.Files) == 0 {
		fmt.Fprintf(&b, " the files of %s", e.Source)
	}
	return b.String()
}

// report tells Progress of file number i.
func (d Download) report(e *Entry, i int) func(download.Transfer) error {
	if d.Progress == nil {
		return nil
	}
	return func(t download.Transfer) error {
		if t.Waiting {
			return d.Progress(math.NaN(), e.Files[i].Name+": another process is downloading it")
		}
		done := math.NaN()
		if t.Total > 0 {
			done = float64(t.Bytes) / float64(t.Total)
		}
		return d.Progress(e.share(i, done), state(e.Files[i].Name, t))
	}
}

// share is what part of all files is here when the part done of file i is.
func (e *Entry) share(i int, done float64) float64 {
	all := float64(e.Bytes())
	if all == 0 { // each counts as much
		return (float64(i) + done) / float64(len(e.Files))
	}
	before := 0.0
	for _, f := range e.Files[:i] {
		before += float64(f.Bytes)
	}
	return (before + done*float64(e.Files[i].Bytes)) / all
}

func state(name string, t download.Transfer) string {
	s := name + ": " + Size(t.Bytes)
	if t.Total > 0 {
		s += " of " + Size(t.Total)
	}
	return fmt.Sprintf("%s, %s/s", s, Size(int64(t.Rate)))
}

// Open is OpenContext with these settings.
func (d Download) Open(ctx context.Context, name string) (*dataset.Collection, error) {
	plain, err := d.findPlain(name, []string{hierarchyFile, trainFile, testFile}, vocabularyFile)
	if err == nil {
		return openPlain(ctx, name, plain)
	}
	e, paths, err := d.distributed(ctx, name, err)
	if err != nil {
		return nil, err
	}
	if e.read == nil {
		return nil, unread(e, paths)
	}
	c, err := e.read(ctx, e, paths)
	if err != nil {
		return nil, err
	}
	c.Name, c.Train.Name, c.Test.Name = name, name+" train", name+" test"
	return c, nil
}

// OpenTexts is OpenTextsContext with these settings.
func (d Download) OpenTexts(ctx context.Context, name string) (*dataset.Corpus, error) {
	plain, err := d.findPlain(name, []string{hierarchyFile, textFile})
	if err == nil {
		return openPlainTexts(ctx, name, plain)
	}
	e, paths, err := d.distributed(ctx, name, err)
	if err != nil {
		return nil, err
	}
	if e.texts == nil {
		return nil, unread(e, paths)
	}
	c, err := e.texts(ctx, e, paths)
	if err != nil {
		return nil, err
	}
	c.Name = name
	return c, nil
}

// distributed returns the entry and the files of a data set that is not found in the format of
// OpenContext.
func (d Download) distributed(ctx context.Context, name string, notFound error) (*Entry, []string, error) {
	e := entry(name)
	switch {
	case !errors.Is(notFound, fs.ErrNotExist):
		return nil, nil, notFound
	case e == nil:
		return nil, nil, fmt.Errorf("%w; the catalogue has %s", notFound, strings.Join(names(), ", "))
	}
	paths, err := d.Get(ctx, name)
	return e, paths, err
}

// unread is the error for files that are here and that Open cannot put together.
func unread(e *Entry, paths []string) error {
	return fmt.Errorf("collection: %s is in %s, but this function cannot read it; its format: %s", e.Name, filepath.Dir(paths[0]), e.Format)
}
