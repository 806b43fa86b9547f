package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/internal/process"
)

// tour is the main job: a notebook, run from top to bottom, kept with its page.
type tour struct {
	source string
	spec   kernelspec.Spec
	places place.Places
	// jupyter runs it; nil means that the program itself does.
	jupyter *python.Interpreter
}

func (t tour) notebook() string { return filepath.Join(t.places.Data, "tour.ipynb") }
func (t tour) html() string     { return filepath.Join(t.places.Data, "tour.html") }

// firstCells is how many code cells of the tour Jupyter runs: up to the first trained models. They
// show that everything works together. The rest takes ten times as long.
const firstCells = 9

// runner names what runs the tour.
func (t tour) runner() string {
	if t.jupyter == nil {
		return "hierml notebook run"
	}
	return fmt.Sprintf("Jupyter (nbclient %s), its first %d cells; the others show saved outputs", t.jupyter.Packages["nbclient"], firstCells)
}

// inputs is the sum over everything that the executed notebook follows from. The Go tree, the
// tour's data, is that of the Go that built the program.
func (t tour) inputs() (string, error) {
	hash := sha256.New()
	for _, path := range []string{t.spec.Program, t.source} {
		sum, err := sumFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, sum)
	}
	fmt.Fprintf(hash, "%q %q %q\n", t.spec.Name, t.spec.DisplayName, t.runner())
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// current reports whether the last run still stands: of the same inputs, with both files in place.
// A copy that its reader changed stands too.
func (r *tourRecord) current(inputs string) (bool, error) {
	if r == nil || r.Inputs != inputs {
		return false, nil
	}
	for _, f := range []file{r.Notebook, r.HTML} {
		if s, err := f.state(); err != nil || s == gone {
			return false, err
		}
	}
	return true, nil
}

// of reports whether the record is of the files that an installation in these places writes.
func (r *tourRecord) of(places place.Places) bool {
	t := tour{places: places}
	return r.Notebook.Path == t.notebook() && r.HTML.Path == t.html()
}

// run runs the tour and returns its record. The files of the last run are replaced only by those of
// a successful one.
func (t tour) run(ctx context.Context, progress func(done, total int)) (*tourRecord, error) {
	inputs, err := t.inputs()
	if err != nil {
		return nil, err
	}
	if t.jupyter != nil {
		err = python.Notebook{
			Source: t.source,
			Kernel: t.spec.Name, DisplayName: t.spec.DisplayName, Data: t.places.Jupyter,
			Cells:  firstCells,
			Output: t.notebook(), HTML: t.html(),
		}.Run(ctx, *t.jupyter, progress)
	} else {
		err = t.runOurselves(ctx, progress)
	}
	if err != nil {
		return nil, err
	}
	done := &tourRecord{Inputs: inputs, Runner: t.runner()}
	if done.Notebook, err = record(t.notebook()); err != nil {
		return nil, err
	}
	if done.HTML, err = record(t.html()); err != nil {
		return nil, err
	}
	return done, nil
}

// runOurselves runs the tour without Jupyter.
func (t tour) runOurselves(ctx context.Context, progress func(done, total int)) error {
	notebook, html := t.notebook()+newSuffix, t.html()+newSuffix
	cmd := process.Bind(exec.CommandContext(ctx, t.spec.Program, "notebook", "run", t.source, "-o", notebook, "--html", html))
	cmd.Dir = t.places.Data
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	wait, err := process.Start(cmd)
	if err != nil {
		return err
	}
	var said strings.Builder
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		// A finished cell is reported as "[ 3/12]  0.05s  its first line".
		var done, total int
		if _, err := fmt.Sscanf(strings.TrimPrefix(lines.Text(), "["), "%d/%d]", &done, &total); err == nil {
			progress(done, total)
			continue
		}
		fmt.Fprintln(&said, lines.Text())
	}
	if err := errors.Join(lines.Err(), wait()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s notebook run %s: %w\n%s", t.spec.Program, t.source, err, strings.TrimSpace(said.String()))
	}
	if err := os.Rename(notebook, t.notebook()); err != nil {
		return err
	}
	return os.Rename(html, t.html())
}

// putAside renames the files of the last run that their reader changed, and returns their new
// paths.
func putAside(last *tourRecord) ([]string, error) {
	if last == nil {
		return nil, nil
	}
	var aside []string
	for _, f := range []file{last.Notebook, last.HTML} {
		s, err := f.state()
		if err != nil {
			return aside, err
		}
		if s != changed {
			continue
		}
		ext := filepath.Ext(f.Path)
		mine := strings.TrimSuffix(f.Path, ext) + time.Now().Format("-changed-20060102-150405") + ext
		if err := os.Rename(f.Path, mine); err != nil {
			return aside, err
		}
		aside = append(aside, mine)
	}
	return aside, nil
}
