package engine_test

import (
	"context"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/traefik/yaegi/stdlib"
	"github.com/traefik/yaegi/stdlib/unrestricted"

	"github.com/hierml/notebook/kernel/engine"
	"github.com/hierml/notebook/kernel/worker/interpreter"
)

// exports finds the export data of packages with the go command, once per
// process.
var exports = struct {
	sync.Mutex
	files map[string]string
	types map[string]*types.Package
	gc    types.Importer
}{files: map[string]string{}}

type goImporter struct{}

func (goImporter) Import(path string) (*types.Package, error) {
	exports.Lock()
	defer exports.Unlock()
	if exports.gc == nil {
		exports.gc = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
			file := exports.files[path]
			if file == "" {
				out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", path).Output()
				if err != nil {
					return nil, fmt.Errorf("could not import %s", path)
				}
				for _, line := range strings.Split(string(out), "\n") {
					if name, export, ok := strings.Cut(line, " "); ok {
						exports.files[name] = export
					}
				}
				file = exports.files[path]
			}
			return os.Open(file)
		})
	}
	return exports.gc.Import(path)
}

// A recorder keeps what a cell writes and shows.
type recorder struct {
	mu             sync.Mutex
	stdout, stderr strings.Builder
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name == "stderr" {
		r.stderr.WriteString(text)
	} else {
		r.stdout.WriteString(text)
	}
}

func (*recorder) Display(*engine.Bundle, string, bool) {}
func (*recorder) Clear(bool)                           {}
func (*recorder) Input(context.Context, string, bool) (string, error) {
	return "", io.EOF
}

func (r *recorder) out() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// A notebook is a session with an interpreter in this process.
type notebook struct {
	t      testing.TB
	engine *engine.Engine
	cell   int
	// values is what the last cell showed, as fmt.Sprint has it.
	values string
}

var preloaded = map[string]string{
	"fmt": "fmt", "strings": "strings", "time": "time", "sort": "sort", "errors": "errors", "math": "math",
	"os": "os", "strconv": "strconv", "sync": "sync", "json": "encoding/json", "context": "context", "slices": "slices", "maps": "maps",
}

func newNotebook(t testing.TB) *notebook {
	t.Helper()
	n := &notebook{t: t}
	symbols := map[string]map[string]reflect.Value{}
	for path, table := range stdlib.Symbols {
		symbols[path] = table
	}
	for path, table := range unrestricted.Symbols {
		merged := map[string]reflect.Value{}
		for name, v := range symbols[path] {
			merged[name] = v
		}
		for name, v := range table {
			merged[name] = v
		}
		symbols[path] = merged
	}
	executor, err := interpreter.NewLocal(interpreter.Config{Symbols: symbols, Display: func(values []any) *engine.Bundle {
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = fmt.Sprint(v)
		}
		n.values = strings.Join(parts, " ")
		return interpreter.Text(values)
	}})
	if err != nil {
		t.Fatal(err)
	}
	n.engine = engine.New(engine.Config{Executor: executor, Importer: goImporter{}, Preloaded: preloaded})
	t.Cleanup(func() {
		if err := n.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// run runs a cell and returns its text, its standard output and its error.
func (n *notebook) run(source string) (shown string, out string, err error) {
	n.cell++
	n.values = ""
	r := &recorder{}
	bundle, err := n.engine.Run(context.Background(), engine.Cell{Number: n.cell, Source: source}, r)
	if bundle != nil {
		shown, _ = bundle.Data["text/plain"].(string)
	}
	return shown, r.out(), err
}
