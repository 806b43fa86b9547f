package svm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/internal/folder"
)

// jobVariable is the environment variable with the job file of the process.
const jobVariable = "HIERML_TRAINING"

// Files of a directory, in addition to those of package farmed.
const (
	trainingFile = "training.json"
	dataFile     = "data.safetensors"
)

// trainingFormat is the version of the file formats in a directory.
const trainingFormat = 2

// order describes a training to the parts of a farm.
type order struct {
	Format   int
	Data     string // digest of the data's file
	Problems int
	Train    choice // the estimator
	Method   choice
	// The settings that determine the result.
	Gap       float64
	MaxEpochs int
	Seed      uint64
}

// choice is a value with the name of its type.
type choice struct {
	Type   string          `json:",omitempty"` // "" for nil
	Fields json.RawMessage `json:",omitempty"`
}

// inParts is an estimator whose problems are independent.
type inParts interface {
	// choices returns the fields other than settings and method, for JSON.
	choices() any
	// fitting returns the estimator with the given choices in JSON, settings and method in place of
	// its own.
	fitting(choices []byte, settings solver.Settings, method solver.Method) (fitting, error)
}

type fitting = func(context.Context, *dataset.Dataset) (*classifier.Model, error)

type (
	oneVsRestChoices struct {
		C    float64
		Loss solver.MarginLoss
	}
	recursiveChoices struct {
		C    float64
		Mean Mean
	}
	pltChoices struct {
		C      float64
		Link   classifier.Link
		Policy Policy
	}
	softmaxChoices struct{ C float64 }
)

func (s OneVsRest) choices() any           { return oneVsRestChoices{s.C, s.Loss} }
func (s Recursive) choices() any           { return recursiveChoices{s.C, s.Mean} }
func (s PLT) choices() any                 { return pltChoices{s.C, s.Link, s.Policy} }
func (s HierarchicalSoftmax) choices() any { return softmaxChoices{s.C} }

func (s OneVsRest) fitting(text []byte, settings solver.Settings, method solver.Method) (fitting, error) {
	var c oneVsRestChoices
	err := json.Unmarshal(text, &c)
	return OneVsRest{C: c.C, Loss: c.Loss, Settings: settings, Method: method}.fit, err
}

func (s Recursive) fitting(text []byte, settings solver.Settings, method solver.Method) (fitting, error) {
	var c recursiveChoices
	err := json.Unmarshal(text, &c)
	return Recursive{C: c.C, Mean: c.Mean, Settings: settings, Method: method}.fit, err
}

func (s PLT) fitting(text []byte, settings solver.Settings, _ solver.Method) (fitting, error) {
	var c pltChoices
	err := json.Unmarshal(text, &c)
	return PLT{C: c.C, Link: c.Link, Policy: c.Policy, Settings: settings}.fit, err
}

func (s HierarchicalSoftmax) fitting(text []byte, settings solver.Settings, _ solver.Method) (fitting, error) {
	var c softmaxChoices
	err := json.Unmarshal(text, &c)
	return HierarchicalSoftmax{C: c.C, Settings: settings}.fit, err
}

// The types that orders refer to by name.
var (
	trainedInParts = []inParts{OneVsRest{}, Recursive{}, PLT{}, HierarchicalSoftmax{}}
	methods        = []solver.Method{solver.BCFW{}, solver.DualAscent{}, solver.Pegasos{}, solver.RDA{}, solver.VariableSelection{}}
)

// newOrder returns the order of a training.
func newOrder(s inParts, settings solver.Settings, method solver.Method, problems int, data string) (*order, error) {
	o := &order{Format: trainingFormat, Data: data, Problems: problems, Gap: settings.Gap, MaxEpochs: settings.MaxEpochs, Seed: settings.Seed}
	var err error
	o.Train.Type = reflect.TypeOf(s).Name()
	if o.Train.Fields, err = json.Marshal(s.choices()); err != nil {
		return nil, err
	}
	if method == nil {
		return o, nil
	}
	o.Method.Type = reflect.TypeOf(method).Name()
	o.Method.Fields, err = json.Marshal(method)
	return o, err
}

// fitting returns the estimator that the order describes.
func (o *order) fitting(workers int) (fitting, error) {
	settings := solver.Settings{Gap: o.Gap, MaxEpochs: o.MaxEpochs, Seed: o.Seed, Workers: workers}
	var method solver.Method
	for _, m := range methods {
		if t := reflect.TypeOf(m); t.Name() == o.Method.Type {
			v := reflect.New(t)
			if err := json.Unmarshal(o.Method.Fields, v.Interface()); err != nil {
				return nil, err
			}
			method = v.Elem().Interface().(solver.Method)
		}
	}
	for _, s := range trainedInParts {
		if reflect.TypeOf(s).Name() == o.Train.Type && (method != nil) == (o.Method.Type != "") && o.Format == trainingFormat {
			return s.fitting(o.Train.Fields, settings, method)
		}
	}
	return nil, fmt.Errorf("machine %s does not run the version of the program that submitted the training", farm.Machine())
}

// onFarm lets a farm solve the problems, in the directory of the settings, and collects the
// results.
func (p *parts) onFarm(ctx context.Context, s inParts, d *dataset.Dataset, f farm.Farm, directory string) error {
	directory, err := filepath.Abs(directory)
	if err != nil {
		return err
	}
	own, err := farmed.Assigned(jobVariable)
	if err != nil {
		return err
	}
	if own != nil && sameFolder(own.Directory, directory) {
		if err := RunPart(ctx); err != nil {
			return err
		}
		os.Exit(0) // only the process that waits for the parts continues the program
	}
	if err := p.provide(s, d, directory); err != nil {
		return err
	}
	command, err := farmed.Command("training", "part")
	if err != nil {
		return err
	}
	w := &farmed.Training{Farm: f, Directory: directory, Variable: jobVariable, Words: command, Read: p.readResults}
	for _, part := range p.parts {
		w.Sizes = append(w.Sizes, max(1, part.size))
	}
	if own != nil { // of another training of the same program
		w.Farm = nowhere{own.Directory}
	}
	ctx, report, end := progress.Follow(ctx, "training", nil)
	defer end()
	before := 0
	w.Progress = func(done int, state farm.State) error {
		if done > before {
			before = done
			if err := p.tell(); err != nil {
				return err
			}
		}
		if report == nil {
			return nil
		}
		text := fmt.Sprintf("%d of %d problems", done, len(p.parts))
		if state.Running > 0 {
			text += fmt.Sprintf(", %d parts on %d machines", state.Running, len(state.Machines))
		}
		if state.Waiting > 0 {
			text += fmt.Sprintf(", %d waiting", state.Waiting)
		}
		return report(float64(done)/float64(len(p.parts)), text)
	}
	return w.Run(ctx)
}

// nowhere is the farm of a process that is part of another training. It refuses all work.
type nowhere struct{ directory string }

func (n nowhere) Submit(context.Context, farm.Job) (string, error) {
	return "", fmt.Errorf("this process is a part of the training in %s, and an earlier training is not finished", n.directory)
}
func (n nowhere) State(context.Context, string) (farm.State, error) { return farm.State{}, nil }
func (n nowhere) Cancel(context.Context, ...string) error           { return nil }

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// checkFarm returns an error for settings that a farm does not support.
func checkFarm(s solver.Settings) error {
	switch {
	case s.Directory == "":
		return errors.New("svm: a training on a farm needs a directory that all its machines can access; set Settings.Directory")
	case s.Time > 0:
		return errors.New("svm: Settings.Time is not supported on a farm; set MaxEpochs, or limit the time of a part (with Slurm by the option --time of sbatch)")
	case s.Start != nil:
		return errors.New("svm: a training on a farm does not support Settings.Start; leave it nil")
	}
	return nil
}

// provide writes the files that the parts need, unless they exist.
func (p *parts) provide(s inParts, d *dataset.Dataset, directory string) (err error) {
	own := folder.Folder(directory)
	if err := own.Make(); err != nil {
		return err
	}
	file, err := own.Create(dataFile)
	if err != nil {
		return err
	}
	defer file.Discard()
	h := sha256.New()
	if err := writeData(io.MultiWriter(file, h), d); err != nil {
		return err
	}
	o, err := newOrder(s, p.settings, p.method, len(p.parts), hex.EncodeToString(h.Sum(nil)))
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(o, "", "\t")
	if err != nil {
		return err
	}
	switch old, err := own.Read(trainingFile); {
	case err == nil && string(old) == string(text):
		return nil
	case err == nil:
		return fmt.Errorf("%s has another training: the data, the estimator or its settings differ; remove the directory to start again, or choose another Directory", directory)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if study, err := own.Has("study.json"); err != nil || study {
		return cmp.Or(err, fmt.Errorf("%s has a study; choose another Directory", directory))
	}
	if err := file.Commit(); err != nil {
		return err
	}
	return own.Replace(trainingFile, text)
}

// RunPart solves the part of a training for which a farm started this process; see
// solver.Settings.Farm. The environment says which part. A Go program that trains on a farm needs
// no call: it solves its part when it reaches the training.
func RunPart(ctx context.Context) error {
	part, err := farmed.Assigned(jobVariable)
	if err == nil && part == nil {
		err = fmt.Errorf("this process is not a part of a training; a farm starts parts with %s and %s set", farm.PartVariable, jobVariable)
	}
	if err == nil {
		if err = solvePart(ctx, part); err != nil && ctx.Err() == nil {
			err = part.Fault(err)
		}
	}
	if err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}

// solvePart solves problems as a part.
func solvePart(ctx context.Context, part *farmed.Part) error {
	own := folder.Folder(part.Directory)
	text, err := own.Read(trainingFile)
	if err != nil {
		return part.Unseen(err)
	}
	o := &order{}
	if err := json.Unmarshal(text, o); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(part.Directory, trainingFile), err)
	}
	pieces, err := part.Pieces(solvedIn)
	if err != nil || len(pieces) == 0 {
		return err
	}
	file, err := own.Open(dataFile)
	if err != nil {
		return fmt.Errorf("machine %s: %w", farm.Machine(), err)
	}
	d, err := readData(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("machine %s: %s: %w", farm.Machine(), filepath.Join(part.Directory, dataFile), err)
	}
	fit, err := o.fitting(0)
	if err != nil {
		return err
	}
	share := &share{part: part, pieces: pieces, problems: o.Problems}
	if _, err := fit(context.WithValue(ctx, shareKey{}, share), d); err != nil && !errors.Is(err, errShared) {
		return err
	}
	return ctx.Err()
}

type shareKey struct{}

// share is the set of problems of a training that a part solves.
type share struct {
	part     *farmed.Part
	pieces   []int
	problems int // of the whole
}

// errShared means that a training has solved only a share of its problems and has no model.
var errShared = errors.New("a share of the problems is solved")

// solve solves the share.
func (s *share) solve(ctx context.Context, p *parts) error {
	if len(p.parts) != s.problems {
		return fmt.Errorf("machine %s does not run the version of the program that submitted the training: it has %d problems there and %d here", farm.Machine(), len(p.parts), s.problems)
	}
	for _, k := range s.pieces {
		if k < 0 || k >= s.problems {
			return fmt.Errorf("problem %d of %d was submitted; the job file is damaged or belongs to another training", k, s.problems)
		}
	}
	kept := &solutions{part: s.part, wide: p.settings.Wide()}
	p.weights = &partWeights{records: make([]*record, len(p.parts))}
	p.solved = kept.add
	p.solveHere(ctx, s.pieces)
	if p.err != nil {
		return p.err
	}
	return cmp.Or(kept.write(), ctx.Err(), errShared)
}
