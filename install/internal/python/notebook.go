package python

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/process"
)

//go:embed run_notebook.py
var runScript string

// Notebook is one execution of a notebook through Jupyter. Paths are absolute.
type Notebook struct {
	// Source is the notebook to run.
	Source string
	// Kernel and DisplayName are the kernelspec's names; they are written into the executed
	// notebook.
	Kernel, DisplayName string
	// Data is the Jupyter data folder that has the kernelspec. It is looked into before those of
	// Jupyter itself.
	Data string
	// Cells is how many code cells run, all if it is 0. The others keep their outputs.
	Cells int
	// Output and HTML are where the executed notebook and its page go. They are written only if
	// every cell that ran succeeded.
	Output, HTML string
}

// Run executes the notebook with the interpreter's Jupyter. The code cells done and their number
// are reported to progress.
func (n Notebook) Run(ctx context.Context, i Interpreter, progress func(done, total int)) error {
	return apart(func(dir string) error { return n.run(ctx, i, dir, progress) })
}

// run is Run in an empty folder. The cells run in that of the output.
func (n Notebook) run(ctx context.Context, i Interpreter, dir string, progress func(done, total int)) error {
	cmd := i.Command(ctx, dir, runScript, n.Source, n.Kernel, n.DisplayName, n.Output, n.HTML, strconv.Itoa(n.Cells))
	// The cells are not the user's, and do not belong in the user's history.
	cmd.Env = append(cmd.Env, "JUPYTER_PATH="+SearchPath(n.Data, os.Getenv("JUPYTER_PATH")), "XDG_STATE_HOME="+dir, "TMPDIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	wait, err := process.Start(cmd)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var done, total int
		if _, err := fmt.Sscanf(lines.Text(), "cell %d %d", &done, &total); err == nil {
			progress(done, total)
		}
	}
	if err := errors.Join(lines.Err(), wait()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w\n%s", err, tail(stderr.String(), 60))
	}
	return nil
}

// SearchPath puts a Jupyter data folder in front of a list of such folders, as JUPYTER_PATH holds
// them.
func SearchPath(data, list string) string {
	folders := slices.DeleteFunc(filepath.SplitList(list), func(f string) bool { return f == "" || f == data })
	return strings.Join(append([]string{data}, folders...), string(os.PathListSeparator))
}

// Kernels returns the folders of the kernels that the interpreter's Jupyter knows, by name, as
// `jupyter kernelspec list` shows them. The folders of searchPath, a list like JUPYTER_PATH, are
// looked into first.
func Kernels(ctx context.Context, i Interpreter, searchPath string) (map[string]string, error) {
	const script = "from jupyter_client.kernelspecapp import KernelSpecApp as A; A.launch_instance()"
	var env []string
	if searchPath != "" {
		env = append(env, "JUPYTER_PATH="+searchPath)
	}
	out, err := i.answer(ctx, env, script, "list", "--json")
	if err != nil {
		return nil, fmt.Errorf("jupyter kernelspec list: %w", err)
	}
	var list struct {
		Specs map[string]struct {
			Dir string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("jupyter kernelspec list --json: %w", err)
	}
	dirs := make(map[string]string, len(list.Specs))
	for name, spec := range list.Specs {
		dirs[name] = spec.Dir
	}
	return dirs, nil
}
