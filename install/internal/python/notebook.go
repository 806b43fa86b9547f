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
	"strings"
)

//go:embed run_notebook.py
var runScript string

// Notebook is one execution of a notebook through Jupyter. Paths are absolute.
type Notebook struct {
	// Source is the notebook to run.
	Source string
	// Kernel and DisplayName are the kernelspec's names; they are written
	// into the executed notebook.
	Kernel, DisplayName string
	// Data is the Jupyter data folder that has the kernelspec. It is looked into
	// before those of Jupyter itself.
	Data string
	// Output and HTML are where the executed notebook and its page go. They are
	// written only if every cell succeeded.
	Output, HTML string
}

// Run executes the notebook with the interpreter's Jupyter. The code cells done
// and their number are reported to progress.
func (n Notebook) Run(ctx context.Context, i Interpreter, progress func(done, total int)) (err error) {
	// Its cells are not the user's, and do not belong in the user's history.
	state, err := os.MkdirTemp("", "hierml-state-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	cmd := i.Command(ctx, filepath.Dir(n.Output), runScript, n.Source, n.Kernel, n.DisplayName, n.Output, n.HTML)
	cmd.Env = append(cmd.Env, "JUPYTER_PATH="+SearchPath(n.Data, os.Getenv("JUPYTER_PATH")), "XDG_STATE_HOME="+state)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var done, total int
		if _, err := fmt.Sscanf(lines.Text(), "cell %d %d", &done, &total); err == nil {
			progress(done, total)
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w\n%s", err, tail(stderr.String(), 60))
	}
	return nil
}

// SearchPath puts a Jupyter data folder in front of a list of such folders, as
// JUPYTER_PATH holds them.
func SearchPath(data, list string) string {
	folders := slices.DeleteFunc(filepath.SplitList(list), func(f string) bool { return f == "" || f == data })
	return strings.Join(append([]string{data}, folders...), string(os.PathListSeparator))
}

// Kernels returns the folders of the kernels that the interpreter's Jupyter
// knows, by name, as `jupyter kernelspec list` shows them. The folders of
// searchPath, a list like JUPYTER_PATH, are looked into first.
func Kernels(ctx context.Context, i Interpreter, searchPath string) (map[string]string, error) {
	const script = "from jupyter_client.kernelspecapp import KernelSpecApp as A; A.launch_instance()"
	cmd := i.Command(ctx, os.TempDir(), script, "list", "--json")
	if searchPath != "" {
		cmd.Env = append(cmd.Env, "JUPYTER_PATH="+searchPath)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("jupyter kernelspec list: %w\n%s", err, tail(stderr.String(), 15))
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
