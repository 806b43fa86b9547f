package farmed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/replace"
)

// Rounds is what parts that run together tell each other, by files in the work's directory. Each start
// of their job has a folder of its own, so that a process of one before, which was taken for dead, does
// no harm: its folder has another name from then on, in which it finds and changes nothing. Part 0 says
// where they begin.
type Rounds struct {
	Number, Parts int
	Directory     string // of the work
	name          string // of the folder
}

// Begun is what part 0 says to the others at a start.
type Begun struct {
	Done   bool   // the work is done
	Folder string // of the start that they go on from, "" for none
	Round  int    // the last there that is whole
}

const (
	roundsName = "rounds"     // of the folder of the folders
	begunName  = "begun.json" // of what part 0 says
	pastSuffix = ".past"      // of the folder of a start that another has taken the place of
)

// Rounds returns what this start of the part's job has.
func (p *Part) Rounds() (*Rounds, error) {
	start := os.Getenv(farm.StartVariable)
	if start == "" || strings.ContainsAny(start, `/\`) {
		return nil, fmt.Errorf("%s is %q; of parts that run together it is the name of their start", farm.StartVariable, start)
	}
	var parts int
	if _, err := fmt.Sscan(os.Getenv(farm.PartsVariable), &parts); err != nil || parts <= p.number {
		return nil, fmt.Errorf("%s is %q; it is the number of parts, and this one has the number %d", farm.PartsVariable, os.Getenv(farm.PartsVariable), p.number)
	}
	r := &Rounds{p.number, parts, p.Directory, p.job + "-" + start}
	return r, os.MkdirAll(r.path(r.name, ""), 0o777)
}

func (r *Rounds) path(folder, name string) string { return RoundsPath(r.Directory, folder, name) }

// Folder returns the name of this start's folder.
func (r *Rounds) Folder() string { return r.name }

// RoundsPath is that of a file of a start.
func RoundsPath(directory, folder, name string) string {
	return filepath.Join(directory, roundsName, folder, name)
}

// RoundName is that of the file with what a part has to say in a round.
func RoundName(round, part int) string { return fmt.Sprintf("%05d-%05d%s", round, part, suffix) }

// Begin returns where the parts begin: behind the last round of which a start before has all files. It
// waits for part 0 to say so.
func (r *Rounds) Begin(ctx context.Context) (*Begun, error) {
	if r.Number == 0 {
		begun, err := r.last()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(begun)
		if err != nil {
			return nil, err
		}
		return begun, replace.Content(r.path(r.name, begunName), text)
	}
	path, err := r.Await(ctx, begunName)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	begun := &Begun{}
	return begun, json.Unmarshal(text, begun)
}

// Replaced tells whether another start has taken the place of this one.
func (r *Rounds) Replaced() bool {
	_, err := os.Stat(r.path(r.name, ""))
	return errors.Is(err, fs.ErrNotExist)
}

// last takes the place of the starts before, and looks what they have left.
func (r *Rounds) last() (*Begun, error) {
	folders, err := named(filepath.Join(r.Directory, processes), "", "")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if done, err := finished(folder); err != nil || len(done) > 0 {
			return &Begun{Done: true}, err
		}
	}
	starts, err := os.ReadDir(filepath.Join(r.Directory, roundsName))
	if err != nil {
		return nil, err
	}
	b := &Begun{}
	for _, start := range starts {
		if start.Name() == r.name || !start.IsDir() {
			continue
		}
		past := strings.TrimSuffix(start.Name(), pastSuffix) + pastSuffix
		if past != start.Name() {
			if err := os.Rename(r.path(start.Name(), ""), r.path(past, "")); err != nil {
				return nil, err
			}
		}
		files, err := os.ReadDir(r.path(past, ""))
		if err != nil {
			return nil, err
		}
		parts := make(map[int]int) // by round
		for _, file := range files {
			var round, part int
			if _, err := fmt.Sscanf(file.Name(), "%05d-%05d", &round, &part); err == nil && file.Name() == RoundName(round, part) {
				parts[round]++
			}
		}
		for round, n := range parts {
			if n == r.Parts && round > b.Round {
				b.Folder, b.Round = past, round
			}
		}
	}
	return b, nil
}

// Write writes a file for the others, which is there when it is complete.
func (r *Rounds) Write(name string, write func(io.Writer) error) error {
	return replace.With(r.path(r.name, name), write)
}

// The pauses between two looks whether a file is there: a tenth of what has been waited for.
const leastLook, mostLook = 2 * time.Millisecond, 500 * time.Millisecond

// Await waits for a file, and returns its path.
func (r *Rounds) Await(ctx context.Context, name string) (string, error) {
	for begun := time.Now(); ; {
		// A folder that is read is one that a file system of many machines asks for anew.
		entries, err := os.ReadDir(r.path(r.name, ""))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
			return r.path(r.name, name), nil
		}
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(min(mostLook, max(leastLook, time.Since(begun)/10))):
		}
	}
}

// Remove removes a file of this start that nobody needs any more, if it is there.
func (r *Rounds) Remove(name string) error {
	if err := os.Remove(r.path(r.name, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Forget removes the folders of other starts.
func (r *Rounds) Forget() error {
	starts, err := os.ReadDir(filepath.Join(r.Directory, roundsName))
	for _, start := range starts {
		if start.IsDir() && start.Name() != r.name {
			err = errors.Join(err, os.RemoveAll(r.path(start.Name(), "")))
		}
	}
	return err
}
