package farmed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/folder"
)

// Part is what a farm has started this process for. It has a folder of its own, so that no two
// processes write to one file, and one that was taken for dead does no harm.
type Part struct {
	Directory string
	job       string
	number    int
	folder    string // its name in the directory, "" before it is needed
	written   int    // files
}

// Assigned returns the part that a variable names, nil if it names none.
func Assigned(variable string) (*Part, error) {
	number, ok, err := farm.Part()
	file := os.Getenv(variable)
	if err != nil || !ok || file == "" {
		return nil, err
	}
	return &Part{Directory: filepath.Dir(filepath.Dir(file)), job: strings.TrimSuffix(filepath.Base(file), ".json"), number: number}, nil
}

// Pieces returns the pieces of the part that no process of it has finished, by what read tells of
// the files. There are none where another job has taken the place of this one.
func (p *Part) Pieces(read func(file *os.File) ([]int, error)) ([]int, error) {
	text, err := folder.Folder(p.Directory).Read(File(p.job))
	if err != nil {
		return nil, p.Unseen(err)
	}
	var all Parts
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("farm: %s: %w", Path(p.Directory, p.job), err)
	}
	if p.number >= len(all.Parts) {
		return nil, fmt.Errorf("farm: %s has %d parts, so there is no part %d", p.job, len(all.Parts), p.number)
	}
	if last, err := LastNumber(p.Directory); err != nil || last > Number(p.job) {
		return nil, err // what is missing was submitted anew: nobody knew of this job
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	folders, err := namesIn(p.Directory, processes, folderOf(p.job, p.number), "")
	if err != nil {
		return nil, err
	}
	done := make(map[int]bool)
	for _, folder := range folders {
		files, err := finished(p.Directory, folder)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			pieces, err := piecesIn(p.Directory, file, read)
			if err != nil {
				return nil, err
			}
			for _, k := range pieces {
				done[k] = true
			}
		}
	}
	var left []int
	for _, k := range all.Parts[p.number] {
		if !done[k] {
			left = append(left, k)
		}
	}
	return left, nil
}

// Unseen is the error of a file of the directory that cannot be read.
func (p *Part) Unseen(err error) error {
	return fmt.Errorf("farm: machine %s cannot read the directory %s as the machine that submitted its job can: %w; put it on a file system that all machines share", farm.Machine(), p.Directory, err)
}

// open makes the folder of this process, if it is not there yet.
func (p *Part) open() error {
	for n := 1; p.folder == ""; n++ {
		name := filepath.Join(processes, folderOf(p.job, p.number)+strconv.Itoa(n))
		switch err := folder.Folder(p.Directory).MkdirNew(name); {
		case err == nil:
			p.folder = name
		case !errors.Is(err, fs.ErrExist):
			return named(err)
		}
	}
	return nil
}

// Write writes a further file of this process, which is there when it is complete.
func (p *Part) Write(write func(io.Writer) error) error {
	if err := p.open(); err != nil {
		return err
	}
	p.written++
	return named(folder.Folder(p.Directory).With(filepath.Join(p.folder, fmt.Sprintf("%05d%s", p.written, suffix)), write))
}

// Fault tells those who wait what keeps this machine from working.
func (p *Part) Fault(err error) error {
	if failed := p.open(); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, named(folder.Folder(p.Directory).Replace(filepath.Join(p.folder, faultFile), []byte(err.Error()))))
}
