package toolchain

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/temporary"
)

// hostPath is the package of the program that the tests build plugins for.
const hostPath = module + "/kernel/internal/compiled/testdata/host"

// host is that program in one of its builds, and its kit.
type host struct {
	file string
	kit  *Kit
	err  error
}

var (
	hostFolder string
	hosts      = map[bool]func() host{}
)

func TestMain(m *testing.M) {
	if os.Getenv(replacedVariable) != "" {
		fmt.Println(runReplaced())
		os.Exit(0)
	}
	temporary.Clear()
	dir, err := temporary.Folder("", "host")
	if err != nil {
		panic(err)
	}
	hostFolder = dir
	for _, race := range []bool{false, true} {
		hosts[race] = sync.OnceValue(func() host { return newHost(race) })
	}
	code := m.Run()
	if err := temporary.Remove(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func newHost(race bool) (h host) {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	h.file = filepath.Join(hostFolder, "host")
	args := []string{"build"}
	if race {
		h.file += "-race"
		args = append(args, "-race")
	} else {
		flags, err := ProgramFlags(ctx, ".", "")
		if err != nil {
			return host{err: err}
		}
		args = append(args, flags...)
	}
	if _, h.err = run(ctx, ".", os.Environ(), "go", append(args, "-o", h.file, hostPath)...); h.err != nil {
		return h
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return host{err: err}
	}
	h.kit, h.err = Open(ctx, Settings{Program: h.file, Root: root})
	return h
}

// open returns the host and its kit.
func open(t testing.TB, race bool) host {
	t.Helper()
	h := hosts[race]()
	if h.err != nil {
		t.Fatal(h.err)
	}
	return h
}

// run runs the host.
func (h host) run(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command(h.file, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// builder returns a builder that the test's end closes.
func (h host) builder(t testing.TB) *Builder {
	t.Helper()
	b, err := h.kit.NewBuilder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
