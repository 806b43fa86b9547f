package solver

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/internal/folder"
)

// checkpoint saves the dual point of a training in a file, and also the best point if it differs:
// an epoch may raise the value of the weights.
type checkpoint struct {
	path    string
	problem string           // what it is of
	saved   time.Time        // time of the last write, or of the start of the training
	took    time.Duration    // to write
	before  int              // epochs of the trainings that led to the point in the file
	best    *structured.Dual // point in the file with the smallest value, nil if it is the one to continue from
	note    func(text string)
}

const (
	checkpointFormat = "hierml checkpoint"
	// A checkpoint is written when the last one is older than checkpointAge, and older than
	// checkpointShare times the duration of a write.
	checkpointAge   = time.Minute
	checkpointShare = 50
)

// errCheckpoint is the error for a training without checkpoints.
var errCheckpoint = errors.New("solver: Checkpoint is supported only by methods that solve one problem over all leaves with label comparisons, such as svm.Flat, Hierarchical and Normalized; leave it empty")

// newCheckpoint returns the checkpoint for a problem at a path, or at the path that ctx assigns to
// the problem next to it (see TrainingGroup). It also returns the point in the file, or nil if
// there is none yet.
func newCheckpoint(ctx context.Context, path string, o *structured.Oracle) (*checkpoint, *structured.Dual, error) {
	problem := fingerprint(o)
	path = pathOf(ctx, path, problem)
	c := &checkpoint{path: path, problem: problem, saved: time.Now()}
	d, err := c.read(o)
	if errors.Is(err, fs.ErrNotExist) {
		// Report a path that cannot be written now, and not after the first minutes.
		return c, nil, c.write(o.NewDual(), nil, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("solver: checkpoint %s: %w", path, err)
	}
	return c, d, nil
}

// startingPoint returns the point that a training starts from, nil for zero, and its description.
// It is the point in the checkpoint at path, which the training then updates, or that of
// Settings.Start.
func (s *state) startingPoint(ctx context.Context, path string) (start *structured.Dual, name string, err error) {
	if s.settings.Start != nil {
		if start, name = s.settings.Start.Point, "the given point"; start == nil {
			return nil, "", errForeign
		}
	}
	if path == "" {
		return start, name, nil
	}
	var kept *structured.Dual
	if s.checkpoint, kept, err = newCheckpoint(ctx, path, s.oracle); err != nil {
		return nil, "", err
	}
	s.checkpoint.note = func(text string) { progress.Note(ctx, text) }
	if kept == nil {
		return start, name, nil
	}
	s.checkpoint.note(fmt.Sprintf("The training continues with what %s has saved after epoch %d; the next epoch is counted as 1.", s.checkpoint.path, s.checkpoint.before))
	return kept, "the checkpoint's point", nil
}

// fingerprint distinguishes problems by the norms of their examples, and the labels, weights, costs
// and directions of their blocks.
func fingerprint(o *structured.Oracle) string {
	h := sha256.New()
	put(h, uint64(o.Inputs().Len()), uint64(o.Blocks()), uint64(len(o.Columns())))
	for _, n := range o.Columns() {
		put(h, uint64(n))
	}
	for i := range o.Inputs().Len() {
		put(h, math.Float64bits(o.Inputs().SquaredNorm(i)))
	}
	labels, _ := o.Competitors.(interface{ Label(i int) int32 })
	for b := range o.Blocks() {
		put(h, uint64(o.Example(b)), math.Float64bits(o.C(b)))
		if labels != nil {
			put(h, uint64(labels.Label(b)))
		}
		for id := range int32(2) {
			if o.Known(b, id) {
				put(h, math.Float64bits(o.Cost(b, id)), math.Float64bits(o.Product(b, id, id)))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func put(h hash.Hash, values ...uint64) {
	var bytes [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(bytes[:], v)
		h.Write(bytes[:])
	}
}

// folder is the folder of the file. The file itself is not a link, because not only the user
// chooses its name, see pathOf.
func (c *checkpoint) folder() folder.Folder { return folder.Folder(filepath.Dir(c.path)) }

// read returns the point in the file.
func (c *checkpoint) read(o *structured.Oracle) (*structured.Dual, error) {
	file, err := c.folder().Open(filepath.Base(c.path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := safetensors.Open(file, info.Size())
	if err != nil {
		return nil, err
	}
	switch {
	case f.Metadata["format"] != checkpointFormat:
		return nil, errors.New("the file is not a checkpoint and is not overwritten; choose another path")
	case f.Metadata["problem"] != c.problem:
		return nil, errors.New("the file belongs to another training: the instances, labels, loss, C or method differ; remove the file to start again, or choose another path")
	}
	if c.before, err = strconv.Atoi(f.Metadata["epochs"]); err != nil || c.before < 0 {
		return nil, fmt.Errorf("epochs are %q; the file is damaged", f.Metadata["epochs"])
	}
	if _, ok := f.Tensors[ofBest.begin]; ok {
		if c.best, err = readDual(f, ofBest, o); err != nil {
			return nil, err
		}
	}
	return readDual(f, ofLast, o)
}

// pointTensors are the names of the tensors of a point.
type pointTensors struct{ begin, competitors, coefficients string }

var (
	ofLast = pointTensors{"begin", "competitors", "coefficients"}
	ofBest = pointTensors{"best.begin", "best.competitors", "best.coefficients"}
)

// readDual reads a point.
func readDual(f *safetensors.File, of pointTensors, o *structured.Oracle) (*structured.Dual, error) {
	begin, err := safetensors.Read[int64](f, of.begin)
	if err != nil {
		return nil, err
	}
	ids, err := safetensors.Read[int32](f, of.competitors)
	if err != nil {
		return nil, err
	}
	values, err := safetensors.Read[float64](f, of.coefficients)
	if err != nil {
		return nil, err
	}
	if len(begin) != o.Blocks()+1 || len(ids) != len(values) || begin[0] != 0 || begin[len(begin)-1] != int64(len(ids)) {
		return nil, fmt.Errorf("%d blocks with %d competitors and %d coefficients do not match %d blocks; the file is damaged", len(begin)-1, len(ids), len(values), o.Blocks())
	}
	d := o.NewDual()
	for b := range o.Blocks() {
		lo, hi := begin[b], begin[b+1]
		if lo > hi || hi > int64(len(ids)) {
			return nil, fmt.Errorf("block %d is from %d to %d; the file is damaged", b, lo, hi)
		}
		for k := lo; k < hi; k++ {
			if v := values[k]; !(v >= 0) || math.IsInf(v, 1) || !o.Known(b, ids[k]) {
				return nil, fmt.Errorf("block %d has the coefficient %v for competitor %d; the file is damaged", b, v, ids[k])
			}
		}
		d.SetRow(b, ids[lo:hi], values[lo:hi])
	}
	return d, nil
}

// dualTensors returns a point as tensors that readDual reads.
func dualTensors(of pointTensors, d *structured.Dual) []safetensors.Tensor {
	begin := make([]int64, 1, d.Blocks()+1)
	var ids []int32
	var values []float64
	for b := range d.Blocks() {
		k, v := d.Row(b)
		ids, values = append(ids, k...), append(values, v...)
		begin = append(begin, int64(len(ids)))
	}
	return []safetensors.Tensor{
		safetensors.New(of.begin, begin, len(begin)),
		safetensors.New(of.competitors, ids, len(ids)),
		safetensors.New(of.coefficients, values, len(values)),
	}
}

// write replaces the file by one with the point reached in an epoch and the best previous point,
// nil if it is the same.
func (c *checkpoint) write(d, best *structured.Dual, epoch int) error {
	began := time.Now()
	tensors := dualTensors(ofLast, d)
	if best != nil {
		tensors = append(tensors, dualTensors(ofBest, best)...)
	}
	file, err := c.folder().Create(filepath.Base(c.path))
	if err != nil {
		return fmt.Errorf("solver: checkpoint: %w", err)
	}
	defer file.Discard()
	metadata := map[string]string{"format": checkpointFormat, "problem": c.problem, "epochs": strconv.Itoa(c.before + epoch)}
	err = safetensors.Write(file, metadata, tensors)
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		return fmt.Errorf("solver: checkpoint: %w", err)
	}
	c.saved = time.Now()
	c.took = c.saved.Sub(began)
	return nil
}

// due reports whether it is time to write.
func (c *checkpoint) due() bool {
	return c != nil && time.Since(c.saved) > max(checkpointAge, checkpointShare*c.took)
}
