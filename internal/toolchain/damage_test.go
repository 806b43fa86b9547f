package toolchain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// TestDamagedKit is the attack module_damaged_kit: whatever of a kit is gone or cut, that is
// noticed, and told with what helps.
func TestDamagedKit(t *testing.T) {
	h := open(t, false)
	archive := "archives/" + h.kit.info.Archives["fmt"]
	for _, test := range []struct {
		name   string
		damage func(dir string) error
		want   string
	}{
		{"no compiler", func(dir string) error { return os.Remove(filepath.Join(dir, "compile")) }, "compile is gone"},
		{"an empty compiler", func(dir string) error { return cut(filepath.Join(dir, "compile"), 0) }, "compile has 0 bytes and not "},
		{"no linker", func(dir string) error { return os.Remove(filepath.Join(dir, "link")) }, "link is gone"},
		{"no symbols", func(dir string) error { return os.Remove(filepath.Join(dir, symbolsFile)) }, "symbols is gone"},
		{"no archives", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "archives")) }, "is gone"},
		{"no archive", func(dir string) error { return os.Remove(filepath.Join(dir, archive)) }, archive + " is gone"},
		{"half an archive", func(dir string) error { return cut(filepath.Join(dir, archive), 1000) }, archive + " has 1000 bytes and not "},
		{"a folder", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "link"), 0o700))
		}, "link is not a file"},
		{"a compiler of others", func(dir string) error { return makeWritable(filepath.Join(dir, "compile")) }, "compile can be written to by others"},
		{"no description", func(dir string) error { return os.Remove(filepath.Join(dir, infoFile)) }, ""},
		{"an empty description", func(dir string) error { return cut(filepath.Join(dir, infoFile), 0) }, "kit.json cannot be read"},
		{"half a description", func(dir string) error { return cut(filepath.Join(dir, infoFile), 100) }, "kit.json cannot be read"},
		{"another description", func(dir string) error { return rewrite(filepath.Join(dir, infoFile), []byte("{}"), 0o600) }, "kit.json is not complete"},
	} {
		k := copyKit(t, h.kit)
		if err := k.read(); err != nil {
			t.Fatal(err)
		}
		if err := test.damage(k.dir); err != nil {
			t.Fatal(err)
		}
		err := (&Kit{dir: k.dir}).read()
		if !toBeMade(err) {
			t.Errorf("%s: %v, which has nothing made anew", test.name, err)
		}
		if test.want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		for _, want := range []string{test.want, "in " + k.dir + " are damaged", "restart hierml, or run `hierml doctor`"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want it to say %q", test.name, err, want)
			}
		}
	}
}

// copyKit returns a copy of a kit, whose files are links.
func copyKit(t *testing.T, k *Kit) *Kit {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kit")
	err := filepath.WalkDir(k.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, k.dir))
		if entry.IsDir() {
			return os.Mkdir(to, 0o700)
		}
		return linkFile(path, to)
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Kit{dir: dir, info: k.info}
}

// cut puts the beginning of a file in its place, which is a link.
func cut(path string, size int64) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return rewrite(path, content[:size], 0o700)
}

func makeWritable(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return rewrite(path, content, 0o777)
}

func rewrite(path string, content []byte, mode fs.FileMode) error {
	return errors.Join(os.Remove(path), os.WriteFile(path, content, 0o600), os.Chmod(path, mode))
}

// TestDamagedInUse holds that a cell is not blamed for the damage of a kit.
func TestDamagedInUse(t *testing.T) {
	h := open(t, false)
	k := copyKit(t, h.kit)
	b, err := k.NewBuilder()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := os.Remove(k.archive("fmt")); err != nil {
		t.Fatal(err)
	}
	_, err = b.Build(t.Context(), []Unit{text("cell/1", "func runˑ() { fmt.Println() }", "fmt")})
	if damaged := (*damagedError)(nil); !errors.As(err, &damaged) {
		t.Errorf("got %v", err)
	}
}

// TestOpenDamaged holds that what is damaged is made anew, once, and is then as it was.
func TestOpenDamaged(t *testing.T) {
	testrun.LeaveOutShort(t)
	h := open(t, false)
	newCache(t)
	s := Settings{Program: h.file, Root: root(t)}
	k, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(k.archive("fmt")); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := find(s); err == nil {
		t.Error("the kit was found whole")
	}
	var steps []string
	s.Progress = func(step string) { steps = append(steps, step) }
	if k, err = Open(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := k.check(); err != nil {
		t.Error(err)
	}
	if len(steps) == 0 || !strings.HasPrefix(steps[0], "making the damaged files again: archives/") {
		t.Errorf("the steps are %q", steps)
	}
	steps = nil
	if _, err := Open(t.Context(), s); err != nil || len(steps) > 0 {
		t.Errorf("made once more: %q, %v", steps, err)
	}
	kits, err := kitsFolder()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(kits, "*"+damagedSuffix)); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}

func BenchmarkFind(b *testing.B) {
	h := open(b, false)
	for b.Loop() {
		if _, _, _, err := find(Settings{Program: h.file}); err != nil {
			b.Fatal(err)
		}
	}
}
