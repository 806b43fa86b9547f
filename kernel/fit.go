package main

import (
	"bufio"
	"bytes"
	"context"
	endian "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
)

// fitCommand trains for the package hierml of Python, whose _trainer.py is the other end.
func fitCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "fit",
		Short:  "Train what the package for Python asks for on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // a Python that was killed reads no more, and its folders are to be removed
			t := &trainings{ctx: cmd.Context(), out: cmd.OutOrStdout(), running: make(map[int]context.CancelFunc)}
			return t.serve(cmd.InOrStdin())
		},
	}
}

// The files in the folder of a request: what Python has written, and the model.
const (
	fitData    = "data"
	fitWeights = "weights"
	fitModel   = "model"
)

// A fitRequest is a line of JSON. It asks for the training that it numbers, or for its end.
type fitRequest struct {
	Fit       int            `json:"fit"`
	Cancel    bool           `json:"cancel"`    // end the training of that number; the rest is empty
	Folder    string         `json:"folder"`    // has fitData, a file of dataset.SaveMap; gets fitModel
	Estimator string         `json:"estimator"` // as experiment.Named has it
	Fields    map[string]any `json:"fields"`
	Inner     bool           `json:"inner"`    // labels at inner nodes stay there
	Weights   bool           `json:"weights"`  // the folder has fitWeights
	Progress  bool           `json:"progress"` // is wanted
}

// A fitAnswer is a line of JSON, one of several for a training: about its progress, a note, and at
// the end Trained or an Error.
type fitAnswer struct {
	Fit      int          `json:"fit"`
	Progress *fitProgress `json:"progress,omitempty"`
	Note     string       `json:"note,omitempty"`
	Trained  *fitOutcome  `json:"trained,omitempty"`
	Error    string       `json:"error,omitempty"`
}

type fitProgress struct {
	What string   `json:"what"`
	Done *float64 `json:"done"` // from 0 to 1, null if it is not known
	How  string   `json:"how"`
}

type fitOutcome struct {
	Epochs    int     `json:"epochs"`    // passes over the rows, 0 if that is not known
	Converged bool    `json:"converged"` // or that is not known
	Seconds   float64 `json:"seconds"`   // of the training alone
}

// maxFitRequest bounds a line in bytes: it has names and settings, and no data.
const maxFitRequest = 1 << 20

// trainings are those that a process of Python has asked for.
type trainings struct {
	ctx     context.Context
	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	running map[int]context.CancelFunc
	all     sync.WaitGroup
}

// serve reads requests until there are no more, as where the other process has ended. Then it ends
// the trainings that are running, and removes their folders, which nobody else does. A line that is
// no request is an error, and ends them, too.
func (t *trainings) serve(in io.Reader) (err error) {
	ctx, cancel := context.WithCancel(t.ctx)
	defer t.all.Wait()
	defer cancel()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxFitRequest)
	for lines.Scan() {
		var r fitRequest
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			return fmt.Errorf("fit: a line is not a request: %w", err)
		}
		if err := t.heed(ctx, r); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("fit: a request is longer than %d bytes", maxFitRequest)
	}
	return lines.Err()
}

// heed begins a training, or ends one.
func (t *trainings) heed(ctx context.Context, r fitRequest) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	cancel, running := t.running[r.Fit]
	switch {
	case r.Cancel:
		if running { // otherwise it has just ended
			cancel()
		}
		return nil
	case running:
		return fmt.Errorf("fit: training %d is running already", r.Fit)
	case !filepath.IsAbs(r.Folder):
		return fmt.Errorf("fit: the folder %q is not an absolute path", r.Folder)
	}
	one, cancel := context.WithCancel(ctx)
	t.running[r.Fit] = cancel
	t.all.Go(func() {
		outcome, err := t.train(one, r)
		if ctx.Err() != nil { // nobody waits for the model
			for _, name := range []string{fitData, fitWeights, fitModel, ""} {
				_ = os.Remove(filepath.Join(r.Folder, name)) // it may be gone, or never have been
			}
		}
		t.mu.Lock()
		delete(t.running, r.Fit)
		t.mu.Unlock()
		cancel()
		answer := fitAnswer{Fit: r.Fit, Trained: outcome}
		if err != nil {
			answer.Error = err.Error()
		}
		t.say(answer)
	})
	return nil
}

// train trains a model, and writes it.
func (t *trainings) train(ctx context.Context, r fitRequest) (outcome *fitOutcome, err error) {
	mapped, err := dataset.Map(ctx, filepath.Join(r.Folder, fitData))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, mapped.Close()) }()
	d := mapped.Dataset
	if !r.Inner {
		if d, err = d.Leafed(); err != nil {
			return nil, err
		}
	}
	if r.Weights {
		weighted := *d
		if weighted.Weights, err = readWeights(filepath.Join(r.Folder, fitWeights), d.Len()); err != nil {
			return nil, err
		}
		d = &weighted
	}
	begun := time.Now()
	model, err := experiment.Named{Type: r.Estimator, Fields: r.Fields}.Fit(progress.With(ctx, &fitWatcher{t, r}), d)
	if err != nil {
		return nil, err
	}
	outcome = &fitOutcome{Converged: true, Seconds: time.Since(begun).Seconds()}
	if m, ok := model.(*classifier.Model); ok {
		outcome.Epochs, outcome.Converged = m.Training.Epochs, m.Training.Status == solver.Converged
	}
	saved, ok := model.(interface{ Save(path string) error })
	if !ok {
		return nil, fmt.Errorf("fit: the model of %s, a %T, cannot be saved", r.Estimator, model)
	}
	return outcome, saved.Save(filepath.Join(r.Folder, fitModel))
}

// readWeights reads the weights of so many rows, as float64 in little endian.
func readWeights(path string, rows int) ([]float64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(content) != 8*rows {
		return nil, fmt.Errorf("fit: the weights of %d rows have %d bytes", rows, len(content))
	}
	weights := make([]float64, rows)
	for i := range weights {
		weights[i] = math.Float64frombits(endian.LittleEndian.Uint64(content[8*i:]))
	}
	return weights, nil
}

// say writes an answer.
func (t *trainings) say(answer fitAnswer) {
	text, err := json.Marshal(answer)
	if err != nil { // no number of an answer is NaN
		text = fmt.Appendf(nil, `{"fit":%d,"error":"the answer cannot be written"}`, answer.Fit)
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	_, _ = t.out.Write(append(text, '\n')) // whoever has closed it is told nothing, and closes the other end, too
}

// fitWatcher tells how far a training is.
type fitWatcher struct {
	t *trainings
	r fitRequest
}

// Note implements progress.Watcher.
func (w *fitWatcher) Note(text string) { w.t.say(fitAnswer{Fit: w.r.Fit, Note: text}) }

// Begin implements progress.Watcher.
func (w *fitWatcher) Begin(what string) progress.Task {
	if !w.r.Progress {
		return nil
	}
	return &fitTask{w: w, what: what}
}

type fitTask struct {
	w    *fitWatcher
	what string

	mu   sync.Mutex
	said time.Time
}

// Report implements progress.Task. It tells at most as often as a bar is drawn.
func (f *fitTask) Report(done float64, state func() string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.said) < redraw {
		return
	}
	f.said = time.Now()
	p := &fitProgress{What: f.what, How: state()}
	if !math.IsNaN(done) && !math.IsInf(done, 0) {
		p.Done = &done
	}
	f.w.t.say(fitAnswer{Fit: f.w.r.Fit, Progress: p})
}

// Expect implements progress.Task.
func (f *fitTask) Expect(time.Duration) {}

// End implements progress.Task.
func (f *fitTask) End() {}
