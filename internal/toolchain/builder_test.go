package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// text returns a unit that registers the function runˑ of its declarations.
func text(path, declarations string, imports ...string) Unit {
	var b strings.Builder
	b.WriteString("package main\n\n")
	for _, path := range append(imports, `cellˑ "github.com/hierml/notebook/kernel/internal/compiled/cell"`) {
		if !strings.Contains(path, `"`) {
			path = fmt.Sprintf("%q", path)
		}
		fmt.Fprintf(&b, "import %s\n", path)
	}
	fmt.Fprintf(&b, "%s\n\nfunc init() { cellˑ.Register(%q, cellˑ.Code{Run: runˑ}) }\n", declarations, path)
	return Unit{Path: path, Source: b.String()}
}

func TestTrial(t *testing.T) {
	h := open(t, false)
	err := h.kit.Trial(t.Context(), func(plugin string) error {
		if got := h.run(t, plugin+"="+TrialUnit); got != "" {
			t.Error(got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBuild holds that what the units of several plugins share is shared, and that it looks as in
// one package main.
func TestBuild(t *testing.T) { testBuild(t, open(t, false)) }

func testBuild(t *testing.T, h host) {
	t.Helper()
	b := h.builder(t)
	builds := [][]Unit{
		{
			text("cell/1", `
type point struct{ x, y int }
func (p *point) move(d int) { p.x += d }
type shape interface{ area() int }
type stack[T any] struct{ items []T }
func (s *stack[T]) push(x T) { s.items = append(s.items, x) }
var counter = 5
var shown []any
func runˑ() { counter++; shown = append(shown, point{1, 2}, map[point][]shape{}, struct{ x int }{3}) }`),
		},
		{
			text("cell/2", `
type square struct { side int; k1.point }
func (s square) area() int { return s.side * s.side }
func runˑ() { k1.counter += 10 }`, `k1 "cell/1"`),
			text("cell/3", `
func runˑ() {
	var s k1.shape = k2.square{3, k1.point{4, 5}}
	p := s.(k2.square).point
	p.move(1)
	_, isPoint := k1.shown[0].(k1.point)
	_, isMap := k1.shown[1].(map[k1.point][]k1.shape)
	_, isStruct := k1.shown[2].(struct{ x int })
	var st k1.stack[k1.point]
	st.push(p)
	fmt.Printf("%d %d %T %v %v %v %v %+v %T\n", k1.counter, s.area(), s, p, isPoint, isMap, isStruct, st, st)
}`, "fmt", `k1 "cell/1"`, `k2 "cell/2"`),
		},
		{
			text("cell/4", `
type named interface{ String() string; Seconds() float64 }
func runˑ() {
	var d named = time.Second // which the host does not have as one
	fmt.Println(d.String(), d.Seconds())
	k1.counter = 0; k1.shown = nil; fmt.Println(mat.Sum(mat.NewVecDense(3, []float64{1, 2, 3}))) }`,
				"fmt", "time", "gonum.org/v1/gonum/mat", `k1 "cell/1"`),
		},
	}
	var args []string
	for _, units := range builds {
		plugin, err := b.Build(t.Context(), units)
		if err != nil {
			t.Fatal(err)
		}
		// What the host has is not in the plugin.
		if info, err := os.Stat(plugin); err != nil {
			t.Fatal(err)
		} else if info.Size() > 1<<20 {
			t.Errorf("the plugin has %d bytes", info.Size())
		}
		for _, u := range units {
			args = append(args, plugin+"="+u.Path)
		}
	}
	for _, text := range b.refused {
		t.Errorf("the linker took a slower way: %s", text)
	}
	const want = "16 9 main.square {5 5} true true true {items:[{x:5 y:5}]} main.stack[main.point]\n1s 1\n6"
	if got := h.run(t, args...); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPositions holds that positions are those of //line directives, in the compiler's errors and
// in the frames of panics.
func TestPositions(t *testing.T) {
	h := open(t, false)
	b := h.builder(t)
	_, err := b.Build(t.Context(), []Unit{text("cell/1", "func runˑ() {\n//line /cell/7:3:1\nvar n int = \"a\"\n}")})
	var compile *CompileError
	if !errors.As(err, &compile) {
		t.Fatalf("got %v", err)
	}
	if want := `/cell/7:3:13: cannot use "a" (untyped string constant) as int value in variable declaration`; !strings.Contains(compile.Text, want) {
		t.Errorf("got %q, want %q in it", compile.Text, want)
	}
	// The path of a unit that did not compile is still free.
	plugin, err := b.Build(t.Context(), []Unit{text("cell/1", "func runˑ() {\n//line /cell/7:3:1\nvar p *int\n*p = 1\n}")})
	if err != nil {
		t.Fatal(err)
	}
	got := h.run(t, plugin+"=cell/1")
	if want := "main.init()\n\t/cell/7:4"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

func TestBuildErrors(t *testing.T) {
	h := open(t, false)
	b := h.builder(t)
	if _, err := b.Build(t.Context(), []Unit{text("cell/0", "func runˑ() {}")}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		units []Unit
		want  string
	}{
		{"no unit", nil, "nothing to build"},
		{"path used", []Unit{text("cell/0", "func runˑ() {}")}, "cell/0 cannot be the path of a new unit"},
		{"path of another kind", []Unit{text("main", "func runˑ() {}")}, "main cannot be the path of a new unit"},
		{"unknown package", []Unit{text("cell/1", "func runˑ() {}", `_ "example.org/x"`)}, "package example.org/x is not part of this program"},
		{"unit that is not there", []Unit{text("cell/1", "func runˑ() {}", `_ "cell/9"`)}, "package cell/9 is not part of this program"},
		{"no Go", []Unit{{Path: "cell/1", Source: "?"}}, "the compiler refuses the cell: 1:1: illegal character U+003F '?'"},
		{"second unit does not compile", []Unit{text("cell/1", "func runˑ() {}"), text("cell/2", "func runˑ() { x }")}, "the compiler refuses the cell: 2.go:4:16: undefined: x"},
	} {
		_, err := b.Build(t.Context(), test.units)
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Build(ctx, []Unit{text("cell/1", "func runˑ() {}")}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	if _, err := b.Build(t.Context(), []Unit{text("cell/1", "func runˑ() {}")}); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

func TestCloseRemovesFolder(t *testing.T) {
	h := open(t, false)
	b, err := h.kit.NewBuilder()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(b.folder.path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("the folder has mode %o", got)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.folder.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	h := open(b, false)
	for _, bench := range []struct {
		name, body string
		imports    []string
	}{
		{"bare", "var n int; func runˑ() { n++ }", nil},
		{"fmt", `func runˑ() { fmt.Println(strings.ToUpper("a")) }`, []string{"fmt", "strings"}},
		{"mat", `func runˑ() { fmt.Println(mat.Sum(mat.NewVecDense(3, []float64{1, 2, 3}))) }`, []string{"fmt", "gonum.org/v1/gonum/mat"}},
		{"plot", `func runˑ() {
	p := plot.New()
	l, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 2}})
	if err != nil { panic(err) }
	p.Add(l)
	w, err := p.WriterTo(100, 100, "svg")
	fmt.Println(mat.Sum(mat.NewVecDense(3, []float64{1, 2, 3})), w != nil, err)
}`, []string{"fmt", "gonum.org/v1/gonum/mat", "gonum.org/v1/plot", "gonum.org/v1/plot/plotter", `_ "gonum.org/v1/plot/vg/vgsvg"`}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			builder := h.builder(b)
			n := 0
			for b.Loop() {
				n++
				plugin, err := builder.Build(b.Context(), []Unit{text(fmt.Sprintf("cell/%d", n), bench.body, bench.imports...)})
				if err != nil {
					b.Fatal(err)
				}
				info, err := os.Stat(plugin)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(info.Size())/1e6, "MB")
			}
		})
	}
}

// TestLinkers holds that plugins are built with each of the linkers that a kit may have.
func TestLinkers(t *testing.T) {
	for _, test := range []struct {
		name   string
		linker string
		writes bool
	}{
		{"the C compiler's", "gcc", false},
		{"the system's", fastld, false},
		{"none", "there-is-no-such-linker", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.writes && runtime.GOARCH != "amd64" {
				t.Skip("the kit's linker needs that of the system here")
			}
			h := open(t, false)
			other := *h.kit
			other.info.Linker, other.info.Writes = []string{test.linker}, test.writes
			h.kit = &other
			testBuild(t, h)
		})
	}
}

// TestLinkedWhole holds that plugins are built where the program's symbols cannot be imported.
func TestLinkedWhole(t *testing.T) {
	h := open(t, false)
	// A kit in which the file of the symbols is empty.
	dir := t.TempDir()
	for _, name := range []string{"compile", "link", fastld, "archives"} {
		if err := os.Symlink(filepath.Join(h.kit.dir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, symbolsFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.kit = &Kit{dir: dir, info: h.kit.info}
	b := h.builder(t)
	plugin, err := b.Build(t.Context(), []Unit{text("cell/1", `func runˑ() { fmt.Print("linked") }`, "fmt")})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.run(t, plugin+"=cell/1"); got != "linked" {
		t.Errorf("got %s", got)
	}
	if len(b.refused) == 0 {
		t.Error("the linker imported symbols that are not known")
	}
}

// TestBuildEnds holds that the end of the context ends a build that runs, with the processes that
// it started.
func TestBuildEnds(t *testing.T) {
	h := open(t, false)
	dir := t.TempDir()
	script := "#!/bin/sh\nsleep 1000 & echo $! > " + filepath.Join(dir, "pid") + "\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "compile"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	h.kit = &Kit{dir: dir, info: h.kit.info}
	b := h.builder(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		testrun.Await(t, "the compiler starts a process", func() bool {
			pid, err := os.ReadFile(filepath.Join(dir, "pid"))
			return ctx.Err() != nil || err == nil && len(pid) > 0
		})
	}()
	if _, err := b.Build(ctx, []Unit{text("cell/1", "func runˑ() {}")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	testrun.Await(t, "the process that the compiler started ends", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
}

func TestPlainly(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "write", Path: "/d/f", Err: syscall.ENOSPC}, "there is no room left in /d for compiled code; free some, or restart hierml with TMPDIR set to a folder that has room and is not mounted noexec"},
		{&commandError{command: "link", text: "write /d/f: no space left on device"}, "there is no room left in /d for compiled code; free some, or restart hierml with TMPDIR set to a folder that has room and is not mounted noexec"},
		{&fs.PathError{Op: "mkdir", Path: "/d/f", Err: syscall.EROFS}, "compiled code cannot be written to /d: read-only file system; restart hierml with TMPDIR set to a folder that has room and is not mounted noexec"},
		{&fs.PathError{Op: "mkdir", Path: "/d/f", Err: syscall.EACCES}, "compiled code cannot be written to /d: permission denied; restart hierml with TMPDIR set to a folder that has room and is not mounted noexec"},
		{errors.New("another"), "another"},
	} {
		if got := plainly(fmt.Errorf("%w", test.err), "/d", "TMPDIR").Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if plainly(nil, "/d", "TMPDIR") != nil {
		t.Error("no error became one")
	}
}
