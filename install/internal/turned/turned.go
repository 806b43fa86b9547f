// Package turned writes changed copies of packages for the kernel in a browser page.
//
//   - A page has one thread, which delivers no message while a goroutine computes. In the copy of
//     the standard library's package context, Err therefore yields to the event loop, at most every
//     30 ms. So code that checks its context can be interrupted in a page as elsewhere.
//   - In the copy of yaegi, interpreted code yields every thousand steps or so, and deep
//     recursion does not fill the stack of the browser.
//   - The copy of gonum/plot contains no fonts: it reads each on demand.
//
// The copies replace the originals only in one build, by a separate go.mod and overlay.
package turned

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hierml/notebook/install/internal/modules"
)

const (
	yaegi = "github.com/traefik/yaegi"
	plot  = "gonum.org/v1/plot"
)

// A module is one that is copied, with changes.
type module struct {
	path    string
	skip    func(folder string) bool // what is not copied, by its path in the module
	changes map[string][]change      // of a file
	added   map[string]string        // texts of files that are there besides, or in place of others
}

// A change replaces a piece of a file, which must occur exactly once.
type change struct{ old, new string }

// copied returns those that are copied.
func copied() []module {
	return []module{{
		path: yaegi,
		skip: func(folder string) bool {
			first, _, _ := strings.Cut(folder, "/")
			return !slices.Contains([]string{".", "interp", "internal", "stdlib"}, first) || strings.HasPrefix(folder, "stdlib/") && folder != "stdlib/generic"
		},
		changes: map[string][]change{"interp/run.go": {
			{
				"		for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {\n			exec = exec(f)\n		}\n",
				"		enterCall()\n		for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {\n			takeStep()\n			exec = exec(f)\n		}\n",
			},
			{
				"	defer func() {\n		f.mutex.Lock()\n		f.recovered = recover()\n",
				"	calls++\n	defer func() {\n		calls--\n		f.mutex.Lock()\n		f.recovered = recover()\n",
			},
		}},
		// A function without a body is allowed where there is assembly.
		added: map[string]string{"interp/turn.go": turns, "interp/turn.s": ""},
	}, {
		path: plot,
		changes: map[string][]change{
			"font/font.go":            {{"	return tf\n", "	return Fetch(tf)\n"}},
			"plot.go":                 {{"liberation.Collection()", "liberation.Deferred()"}},
			"vg/recorder/recorder.go": {{"liberation.Collection()", "liberation.Deferred()"}},
		},
		added: map[string]string{"font/deferred.go": deferred, "font/liberation/liberation.go": liberation},
	}}
}

// turns is a file that is added to yaegi's interpreter.
const turns = `package interp

import (
	"runtime"
	_ "unsafe" // for go:linkname
)

// yield lets the event loop run if it has waited for some time.
//
//go:linkname yield context.yield
func yield()

// tooDeep asks for the end of calls that are nested too deep, and does not wait for it.
//
//go:linkname tooDeep main.tooDeep
func tooDeep()

// maxCalls bounds the calls under way before they count as nested too deep.
const maxCalls = 50_000

var (
	steps uint32 // that were taken
	calls uint32 // that are under way, in all goroutines
)

// takeStep yields now and then.
func takeStep() {
	if steps++; steps%1024 == 0 {
		yield()
	}
}

// enterCall empties the browser's stack now and then: a call of Go is one there as well, whose
// stack has no room for many and is free whenever another goroutine runs.
func enterCall() {
	if calls%maxCalls == 0 {
		tooDeep()
	}
	if calls%100 == 0 {
		runtime.Gosched()
	}
}
`

// deferred is an additional file of gonum/plot's package font.
const deferred = `package font

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/image/font/opentype"
)

// files has where the faces are that were not read.
var (
	filesMu sync.Mutex
	files   = map[*opentype.Font]string{}
)

// Defer returns a face that Fetch reads from a file, compressed by gzip.
func Defer(file string) *opentype.Font {
	f := new(opentype.Font)
	files[f] = file
	return f
}

// Fetch returns f, which is read if it was not.
func Fetch(f *opentype.Font) *opentype.Font {
	filesMu.Lock()
	defer filesMu.Unlock()
	file, ok := files[f]
	if !ok {
		return f
	}
	read, err := readFace(file)
	if err != nil {
		panic(fmt.Errorf("the font that text is drawn with cannot be had: %w", err))
	}
	*f = *read
	delete(files, f)
	return f
}

func readFace(file string) (*opentype.Font, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return opentype.Parse(text)
}
`

// liberation is gonum/plot's package of that name.
const liberation = `// Package liberation has the Liberation fonts, which are read when they are asked for.
package liberation

import (
	"sync"

	stdfnt "golang.org/x/image/font"

	"gonum.org/v1/plot/font"
)

// Deferred returns the fonts, whose faces are read when they are looked up.
var Deferred = sync.OnceValue(func() font.Collection {
	var c font.Collection
	for _, variant := range []font.Variant{"Serif", "Mono", "Sans"} {
		add := func(style stdfnt.Style, weight stdfnt.Weight, name string) {
			c = append(c, font.Face{
				Font: font.Font{Typeface: "Liberation", Variant: variant, Style: style, Weight: weight},
				Face: font.Defer("/hierml/Liberation" + string(variant) + "-" + name + ".ttf.gz"),
			})
		}
		add(stdfnt.StyleNormal, stdfnt.WeightNormal, "Regular")
		add(stdfnt.StyleItalic, stdfnt.WeightNormal, "Italic")
		add(stdfnt.StyleNormal, stdfnt.WeightBold, "Bold")
		add(stdfnt.StyleItalic, stdfnt.WeightBold, "BoldItalic")
	}
	return c[:len(c):len(c)]
})

// Collection returns the fonts.
func Collection() font.Collection {
	for _, face := range Deferred() {
		font.Fetch(face.Face)
	}
	return Deferred()
}
`

// Write writes the copies into folders of dir, for the module at root and the Go of goroot. It
// returns the flags by which the go command builds with them.
func Write(ctx context.Context, root, goroot, dir string) (flags []string, err error) {
	copies := map[string]string{}
	for _, m := range copied() {
		from, err := modules.Fetch(ctx, root, m.path)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(dir, path.Base(m.path))
		if err := os.RemoveAll(to); err != nil {
			return nil, err
		}
		if err := m.copy(from, to); err != nil {
			return nil, err
		}
		copies[m.path] = to
	}
	mod, err := writeModfile(root, dir, copies)
	if err != nil {
		return nil, err
	}
	overlay, err := writeOverlay(goroot, dir)
	return []string{"-modfile", mod, "-overlay", overlay}, err
}

// Fonts returns the files of the fonts that the copy of gonum/plot reads, by the names under which
// it does, without the .gz of those that are compressed.
func Fonts(ctx context.Context, root string) (map[string]string, error) {
	from, err := modules.Fetch(ctx, root, "codeberg.org/go-fonts/liberation")
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(from, "*", "*.ttf"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, file := range found {
		files[filepath.Base(file)] = file
	}
	return files, nil
}

// copy copies the packages of a module, with the changes.
func (m *module) copy(from, to string) error {
	done := 0
	err := filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		if d.IsDir() {
			if d.Name() == "testdata" || m.skip != nil && m.skip(name) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		if strings.HasSuffix(name, "_test.go") || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if changes, ok := m.changes[name]; ok {
			done++
			if text, err = changed(m.path+"/"+name, text, changes); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(to, relative), text, 0o644)
	})
	if err != nil {
		return err
	}
	if done < len(m.changes) {
		return fmt.Errorf("%s has %d of the %d files to change: its version differs", m.path, done, len(m.changes))
	}
	for name, text := range m.added {
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func changed(name string, text []byte, changes []change) ([]byte, error) {
	s := string(text)
	for _, c := range changes {
		if n := strings.Count(s, c.old); n != 1 {
			return nil, fmt.Errorf("%s has a piece to change %d times, not once: its version differs. The piece is\n%s", name, n, c.old)
		}
		s = strings.Replace(s, c.old, c.new, 1)
	}
	return []byte(s), nil
}

func writeModfile(root, dir string, copies map[string]string) (string, error) {
	const name = "go.mod"
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return "", err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return "", err
	}
	for module, copied := range copies {
		if err := file.AddReplace(module, "", copied, ""); err != nil {
			return "", err
		}
	}
	if text, err = file.Format(); err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	written := filepath.Join(dir, name)
	return written, errors.Join(os.WriteFile(written, text, 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}
