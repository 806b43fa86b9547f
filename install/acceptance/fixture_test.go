package acceptance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
)

// scratch is a folder for the whole test run.
var scratch string

func TestMain(m *testing.M) { os.Exit(inScratch(m)) }

func inScratch(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hierml-acceptance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scratch = dir
	code := m.Run()
	if err := errors.Join(closeBrowser(), closeLab(), testprogram.Remove(), os.RemoveAll(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// jupyter returns the tests' Python, which has JupyterLab, jupyter_kernel_test and ipykernel.
func jupyter(t *testing.T) python.Interpreter {
	t.Helper()
	interpreter, err := openJupyter()
	testrun.Need(t, "Jupyter", err)
	return interpreter
}

var openJupyter = sync.OnceValues(func() (python.Interpreter, error) {
	interpreter, err := python.TestEnvironment(place.Cache()).Open(context.Background())
	if err != nil {
		err = fmt.Errorf("the Python environment of the tests is missing (%w): go run ./install test", err)
	}
	return interpreter, err
})

// kernelData returns a Jupyter data folder in which the kernel of this tree is registered as
// hierml.
func kernelData(t *testing.T) string {
	t.Helper()
	data, err := registerKernel()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var registerKernel = sync.OnceValues(func() (string, error) {
	program, err := testprogram.Get(false)
	if err != nil {
		return "", err
	}
	data := filepath.Join(scratch, "share", "jupyter")
	spec := kernelspec.Spec{Name: kernelspec.DefaultName, DisplayName: kernelspec.DefaultDisplayName, Program: program.File}
	dir := kernelspec.Dir(data, spec.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return data, spec.Write(dir)
})

// root returns the folder of the module.
func root() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err) // the working directory is gone
	}
	return dir
}

// script returns a Python file of testdata.
func script(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// seeing returns the environment of a process whose Jupyter sees the kernel, and nothing of what
// the user has configured.
func seeing(data, private string) []string {
	return append(os.Environ(),
		"JUPYTER_PATH="+data,
		"JUPYTER_DATA_DIR="+filepath.Join(private, "data"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(private, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(private, "runtime"),
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(private, "settings"),
		"JUPYTERLAB_WORKSPACES_DIR="+filepath.Join(private, "workspaces"),
		"IPYTHONDIR="+filepath.Join(private, "ipython"),
		"XDG_DATA_HOME="+filepath.Join(private, "xdg", "data"),
		"XDG_STATE_HOME="+filepath.Join(private, "xdg", "state"),
	)
}
