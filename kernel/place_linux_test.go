package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/testrun"
)

// mounts are options of file systems in memory that the program is run with, each without a size or
// noexec if it is to have code; empty for what is there anyway.
type mounts struct {
	shm, tmp string
	cache    bool // whether the cache is on a file system that is mounted noexec
}

// apart mounts $2 on /dev/shm and $3 on $4, has the folder $5 be noexec, and runs the rest of the
// arguments.
const apart = `set -e
[ -z "$2" ] || mount -t tmpfs -o "$2" none "$1"
[ -z "$3" ] || mount -t tmpfs -o "$3" none "$4"
if [ -n "$5" ]; then
	mount --bind "$5" "$5"
	mount -o remount,bind,noexec "$5"
fi
shift 5
exec "$@"`

// hiermlApart runs the program where file systems are mounted so, in a folder.
func hiermlApart(t *testing.T, m mounts, dir string, args ...string) result {
	t.Helper()
	unshare := []string{"--mount"}
	if os.Geteuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	out, err := exec.Command("unshare", append(unshare, "mount", "-t", "tmpfs", "none", dir)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("unshare cannot mount: %w: %s", err, out)
	}
	testrun.Need(t, "mounts of its own", err)
	tmp, cache := t.TempDir(), ""
	if m.cache {
		if cache, err = os.UserCacheDir(); err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(cache, "hierml", "compiled")
	}
	cmd := exec.CommandContext(t.Context(), "unshare", slices.Concat(unshare, []string{"sh", "-c", apart, "sh", temporary.Memory, m.shm, m.tmp, tmp, cache, binary}, args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), strings.ReplaceAll(stderr.String(), tmp, "TMP"), cmd.ProcessState.ExitCode()}
}

// outputsApart runs cells where file systems are mounted so, and returns what each shows.
func outputsApart(t *testing.T, m mounts, cells ...string) []string {
	t.Helper()
	dir := t.TempDir()
	nb := &notebook.Notebook{}
	for _, source := range cells {
		tags := map[string]any{"tags": []any{notebook.RaisesException}}
		nb.Cells = append(nb.Cells, &notebook.Cell{Kind: notebook.Code, Source: source, Metadata: tags})
	}
	if err := nb.WriteFile(filepath.Join(dir, "a.ipynb")); err != nil {
		t.Fatal(err)
	}
	got := hiermlApart(t, m, dir, "notebook", "run", "-o", "a.ipynb", "a.ipynb")
	nb, err := notebook.ReadFile(filepath.Join(dir, "a.ipynb"))
	if err != nil {
		t.Fatal(err, got)
	}
	var shown []string
	for _, c := range nb.Cells {
		text := ""
		for _, o := range c.Outputs {
			data, _ := o.Data["text/plain"].(string)
			text += o.Text + data + strings.Join(o.Traceback, "\n")
		}
		shown = append(shown, color.ReplaceAllString(text, ""))
	}
	return shown
}

// The options of folders that have room and take code, that take none, and that have no room.
const (
	good   = "size=1g"
	noexec = "size=1g,noexec"
	full   = "size=64k"
)

// TestNoexec is the attack env_noexec: where neither folder takes compiled code, cells are
// interpreted, say so once, and lose nothing; where one of them does, cells are compiled.
func TestNoexec(t *testing.T) {
	compileOnce(t)
	const compiled = "auto: cells are compiled\n"
	for _, c := range []struct {
		mounts
		cannot string // empty where cells are compiled
	}{
		{mounts{good, good, false}, ""},
		{mounts{noexec, good, false}, ""},
		{mounts{good, noexec, false}, ""},
		{mounts{full, good, false}, ""},
		{mounts{good, full, false}, ""},
		{mounts{"size=64m", noexec, false}, ""}, // as in a container
		{mounts{noexec, noexec, false}, "/dev/shm is mounted noexec, and TMP is mounted noexec; restart hierml with TMPDIR set to a folder that has room and is not mounted noexec"},
		{mounts{noexec, full, false}, "/dev/shm is mounted noexec, and TMP has 0 MiB of room and needs 32; restart hierml with TMPDIR set"},
		{mounts{full, noexec, false}, "/dev/shm has 0 MiB of room and needs 32, and TMP is mounted noexec; restart hierml with TMPDIR set"},
		{mounts{full, full, false}, "/dev/shm has 0 MiB of room and needs 32, and TMP has 0 MiB of room and needs 32; restart hierml with TMPDIR set"},
		{mounts{good, good, true}, "/compiled/"},
	} {
		t.Run(fmt.Sprintf("%v", c.mounts), func(t *testing.T) {
			shown := outputsApart(t, c.mounts, "x := 40", "%engine", "f := func() int { return x + 2 }\nfmt.Println(f())", "x + 1")
			if c.cannot == "" {
				if want := []string{"", compiled, "42\n", "41"}; !slices.Equal(shown, want) {
					t.Errorf("cells show %q, want %q", shown, want)
				}
			} else if note := strings.ReplaceAll(shown[0], "\n", " "); !strings.HasPrefix(note, "note: cells are interpreted, as they cannot be compiled: ") || strings.Count(strings.Join(shown, ""), "note: ") != 1 ||
				!strings.HasPrefix(shown[1], "auto: cells are interpreted, and cannot be compiled: ") || shown[2] != "42\n" || shown[3] != "41" {
				t.Errorf("cells show %q", shown)
			}
			script := write(t, "a.go", "x := 40\nfmt.Println(x + 2)\n")
			if got := hiermlApart(t, c.mounts, script, "run", "a.go"); got.stdout != "42\n" || got.status != 0 || strings.Count(got.stderr, "note: ") != min(1, len(c.cannot)) || !strings.Contains(got.stderr, c.cannot) {
				t.Errorf("a script: %+v", got)
			}
			if got := hiermlApart(t, c.mounts, script, "run", "--engine", "interpreted", "a.go"); got != (result{"42\n", "", 0}) {
				t.Errorf("a script that is interpreted: %+v", got)
			}
			got := hiermlApart(t, c.mounts, script, "run", "--engine", "compiled", "a.go")
			if want := (result{"42\n", "", 0}); c.cannot == "" && got != want || c.cannot != "" && (got.status != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "a.go: cells cannot be compiled: ") || !strings.Contains(got.stderr, c.cannot)) {
				t.Errorf("a script that is compiled: %+v", got)
			}
		})
	}
}

// TestNoexecDoctor holds that the doctor says why cells are interpreted, and no remedy that does
// not help.
func TestNoexecDoctor(t *testing.T) {
	compileOnce(t)
	for m, want := range map[mounts]string{
		{noexec, noexec, false}: "is mounted noexec; restart hierml with TMPDIR set to a folder that has room and is not mounted noexec; they are interpreted, ",
		{"", "", true}:          "is mounted noexec; restart hierml with XDG_CACHE_HOME set to a folder that has room and is not mounted noexec; they are interpreted, ",
	} {
		got := hiermlApart(t, m, t.TempDir(), "doctor")
		at := strings.Index(got.stdout, "wrong  Cells cannot be compiled: ")
		if at < 0 || !strings.Contains(got.stdout[at:], want) || strings.Contains(got.stdout[at:], "go run") {
			t.Errorf("%+v: it says\n%s", m, got.stdout)
		}
	}
}

// TestPlaceGoesLater has the places for code become full, or noexec, while a session has variables
// in compiled code: it goes on in the other place, and where both are of no use the cells that
// cannot be built are refused by name.
func TestPlaceGoesLater(t *testing.T) {
	compileOnce(t)
	remount := func(folder, how string) string {
		return fmt.Sprintf("if out, err := exec.Command(\"mount\", \"-o\", \"remount,%s\", %s).CombinedOutput(); err != nil {\n\tfmt.Println(string(out), err)\n}", how, folder)
	}
	fill := func(folder, _ string) string {
		return fmt.Sprintf("func() {\n\tf, _ := os.Create(filepath.Join(%s, \"fill\"))\n\tfor b := make([]byte, 4096); ; {\n\t\tif _, err := f.Write(b); err != nil {\n\t\t\tbreak\n\t\t}\n\t}\n}()", folder)
	}
	const shm, tmp = `"/dev/shm"`, `os.Getenv("TMPDIR")`
	for name, c := range map[string]struct {
		spoil  func(folder, how string) string
		reason string
	}{
		"noexec": {remount, ", which is mounted noexec; restart hierml with TMPDIR set"},
		"full":   {fill, "there is no room left in "},
	} {
		t.Run(name, func(t *testing.T) {
			cells := []string{
				"x := 40", c.spoil(shm, "noexec"), "type T struct{ a int }\n\nfunc (t T) Twice() int { return 2 * t.a }", "T{x}.Twice()",
				c.spoil(tmp, "noexec"), "y := 1", "x + 2",
			}
			// A magic keeps cells from being compiled before their turn.
			for i := range cells {
				cells[i] += "\n%engine"
			}
			shown := outputsApart(t, mounts{"size=300m", "size=100m", false}, cells...) // of which that in memory is used first
			const engine = "auto: cells are compiled\n"
			for i, want := range []string{"", "", "", "80", ""} {
				if i < len(shown) && shown[i] != engine+want && shown[i] != want+engine {
					t.Errorf("cell %d shows %q, want %s", i+1, shown[i], want)
				}
			}
			for _, i := range []int{5, 6} {
				if !strings.Contains(shown[i], "the cell could not be compiled: ") || !strings.Contains(shown[i], c.reason) {
					t.Errorf("cell %d shows %q", i+1, shown[i])
				}
			}
		})
	}
}

// TestNoexecTests holds that %test runs where the folder for temporary files is mounted noexec.
func TestNoexecTests(t *testing.T) {
	compileOnce(t)
	cell := "import \"testing\"\n\nfunc double(x int) int { return 2 * x }\n\nfunc TestDouble(t *testing.T) {\n\tif double(2) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n%test"
	if shown := outputsApart(t, mounts{good, noexec, false}, cell); !strings.Contains(shown[0], "PASS") {
		t.Errorf("%%test shows %q", shown)
	}
}

// compileOnce has what compiles cells be made, as for the first cell that is compiled.
func compileOnce(t *testing.T) {
	t.Helper()
	if got := hierml(t, write(t, "a.go", "x := 1\n"), "", "run", "--engine", "compiled", "a.go"); got.status != 0 {
		t.Fatalf("cells cannot be compiled: %+v", got)
	}
}
