package python

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

func TestLocks(t *testing.T) {
	hash := regexp.MustCompile(`(?m)^    --hash=sha256:[0-9a-f]{64}( \\)?$`)
	for name, lock := range map[string]Lock{"requirements.txt": Jupyter(), "requirements-test.txt": Tests()} {
		t.Run(name, func(t *testing.T) {
			text := string(lock.content)
			if strings.Contains(text, "://") || strings.Contains(text, "--index") {
				t.Error("the lock names a host; pip's own configuration says where packages come from")
			}
			parts := requirement.Split(text, -1)
			if len(parts) != lock.Len()+1 || lock.Len() < 50 {
				t.Fatalf("%d requirements", lock.Len())
			}
			for i, name := range requirement.FindAllString(text, -1) {
				if !hash.MatchString(parts[i+1]) {
					t.Errorf("%s has no hash", name)
				}
			}
			for _, name := range append(slices.Clone(jupyterPackages), "ipywidgets", "ipykernel") {
				if !strings.Contains(text, "\n"+name+"==") {
					t.Errorf("%s is missing", name)
				}
			}
		})
	}
}

// The tests look at the same Jupyter as users have.
func TestTestLockHoldsTheJupyterLock(t *testing.T) {
	versions := regexp.MustCompile(`(?m)^[A-Za-z0-9][A-Za-z0-9._-]*==.*$`)
	tests := versions.FindAllString(string(Tests().content), -1)
	for _, line := range versions.FindAllString(string(Jupyter().content), -1) {
		if !slices.Contains(tests, line) {
			t.Errorf("requirements-test.txt lacks %s; run go generate", line)
		}
	}
	if !strings.Contains(string(Tests().content), "\njupyter-kernel-test==") {
		t.Error("requirements-test.txt lacks jupyter-kernel-test")
	}
}

func TestOpenRefusesWhatIsNotOfThisLock(t *testing.T) {
	e := Environment{Dir: t.TempDir(), Lock: Jupyter()}
	if _, err := e.Open(context.Background()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of an empty folder: %v, want fs.ErrNotExist", err)
	}
	if err := os.WriteFile(e.stamp(), []byte(Tests().Sum()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(context.Background()); err == nil || !strings.Contains(err.Error(), "another lock") {
		t.Errorf("Open of an environment of another lock: %v", err)
	}
	if err := os.WriteFile(e.stamp(), []byte(e.Lock.Sum()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(context.Background()); err == nil || !strings.Contains(err.Error(), "does not work") {
		t.Errorf("Open of an environment without Python: %v", err)
	}
}

func TestSearchPath(t *testing.T) {
	list := func(folders ...string) string { return strings.Join(folders, string(filepath.ListSeparator)) }
	tests := []struct{ data, list, want string }{
		{"a", "", "a"},
		{"a", list("b", "c"), list("a", "b", "c")},
		{"a", list("b", "a", ""), list("a", "b")},
	}
	for _, test := range tests {
		if got := SearchPath(test.data, test.list); got != test.want {
			t.Errorf("SearchPath(%q, %q) = %q, want %q", test.data, test.list, got, test.want)
		}
	}
}

func TestChoice(t *testing.T) {
	complete := map[string]string{"jupyterlab": "4.6", "nbclient": "0.10", "nbconvert": "7.16"}
	var (
		old   = Interpreter{Path: "old", Version: [3]int{3, 9, 1}, Environments: true}
		bare  = Interpreter{Path: "bare", Version: [3]int{3, 11, 2}}
		plain = Interpreter{Path: "plain", Version: [3]int{3, 12, 0}, Environments: true, Packages: map[string]string{"nbclient": "0.10"}}
		full  = Interpreter{Path: "full", Version: [3]int{3, 9, 0}, Packages: complete}
	)
	tests := []struct {
		name         string
		found        []Interpreter
		choice, base string
		fault        string
	}{
		{"nothing", nil, "", "", "no Python 3.10 or newer on PATH"},
		{"too old", []Interpreter{old}, "", "", "Python 3.10 or newer"},
		{"without venv", []Interpreter{bare}, "", "", "python3-venv"},
		{"without Jupyter", []Interpreter{old, bare, plain}, "", "plain", ""},
		{"with Jupyter", []Interpreter{plain, full}, "full", "plain", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			choice, ok := Choose(test.found)
			if choice.Path != test.choice || ok != (test.choice != "") {
				t.Errorf("Choose = %q, %v, want %q", choice.Path, ok, test.choice)
			}
			base, err := Base(test.found)
			if base.Path != test.base || (err == nil) != (test.fault == "") {
				t.Errorf("Base = %q, %v, want %q", base.Path, err, test.base)
			}
			if err != nil && !strings.Contains(err.Error(), test.fault) {
				t.Errorf("Base: %v, want it to say %q", err, test.fault)
			}
		})
	}
}

func TestFindAsksThePythonsOnPath(t *testing.T) {
	paths := candidates()
	if len(paths) == 0 {
		testrun.Need(t, "Python", errors.New("none is on PATH; install Python 3.10 or newer"))
	}
	found := Find(t.Context())
	if len(found) == 0 {
		t.Fatalf("none of %q answered", paths)
	}
	seen := make(map[string]bool)
	for _, i := range found {
		if seen[i.Path] {
			t.Errorf("%s was found twice", i.Path)
		}
		seen[i.Path] = true
		if i.Version[0] < 3 {
			t.Errorf("%s is Python %s", i.Path, i.version())
		}
	}
}
