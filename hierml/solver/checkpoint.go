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

// checkpoint keeps the dual point of a training in a file, and the best one if that is another: an
// epoch may raise the value of the weights.
type checkpoint struct {
	path    string
	problem string           // what it is of
	saved   time.Time        // when it was written last, or the training began
	took    time.Duration    // to write
	before  int              // epochs of the trainings that the point in the file was from
	best    *structured.Dual // point in the file with the smallest value, nil for the one to go on from
	note    func(text string)
}

const (
	checkpointFormat = "hierml checkpoint"
	// A checkpoint is written when the last is older than checkpointAge, and than checkpointShare
	// times what writing takes.
	checkpointAge   = time.Minute
	checkpointShare = 50
)

// errCheckpoint is that of settings for a training that keeps none.
var errCheckpoint = errors.New("solver: Checkpoint is for methods that solve one problem over all leaves with label comparisons, such as svm.Flat, Hierarchical and Normalized; leave it empty")

// newCheckpoint returns the checkpoint at a path for a problem, or at the one beside it that ctx
// has for it, see TrainingGroup, and the point in the file there, nil if there is none yet.
func newCheckpoint(ctx context.Context, path string, o *structured.Oracle) (*checkpoint, *structured.Dual, error) {
	problem := fingerprint(o)
	path = pathOf(ctx, path, problem)
	c := &checkpoint{path: path, problem: problem, saved: time.Now()}
	d, err := c.read(o)
	if errors.Is(err, fs.ErrNotExist) {
		// A path that cannot be written is told of now, and not after the first minutes.
		return c, nil, c.write(o.NewDual(), nil, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("solver: checkpoint %s: %w", path, err)
	}
	return c, d, nil
}

// startingPoint returns the point that a training starts from, nil for zero, and what to call it:
// the one in the checkpoint at path, which the training then keeps, or that of Settings.Start.
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
	s.checkpoint.note(fmt.Sprintf("The training goes on from %s, of epoch %d; epochs are counted anew.", s.checkpoint.path, s.checkpoint.before+1))
	return kept, "the checkpoint's point", nil
}

// fingerprint tells problems apart: by the norms of their examples, and the labels, weights, costs
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

// folder is the folder that has the file. The file itself is no link: others name it than the user,
// too, see pathOf.
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
		return nil, errors.New("this is a file of another kind, which is not overwritten; choose another path")
	case f.Metadata["problem"] != c.problem:
		return nil, errors.New("this is of another training: the instances, labels, loss, C or method differ; remove the file to begin anew, or choose another")
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
		return nil, fmt.Errorf("%d blocks with %d competitors and %d coefficients are not those of %d blocks; the file is damaged", len(begin)-1, len(ids), len(values), o.Blocks())
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

// write replaces the file by one with the point that was reached in an epoch, and the best point
// before, nil where that is the same.
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
