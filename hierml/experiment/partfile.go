package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/folder"
)

// partsFolder has a folder for each part of each job, and in it a file for each process that has
// run it: 1.jsonl, 2.jsonl, and so on. No two processes write to one file, so that no locks are
// needed, and that one which was taken for dead does no harm.
const partsFolder = "parts"

// partFolder is the folder of a part of a job, in the directory.
func partFolder(job string, part int) string {
	return filepath.Join(partsFolder, fmt.Sprintf("%s-%05d", job, part))
}

// remark is a line of a process's file that is no finished cell. One of the fields is set.
type remark struct {
	Process *processRemark `json:",omitempty"` // the first line
	Begin   string         `json:",omitempty"` // the key of a cell that begins
	Fault   string         `json:",omitempty"` // why no part of the job can be computed there
	End     bool           `json:",omitempty"` // the process has ended by itself
}

// processRemark says who writes.
type processRemark struct {
	Machine string
	ID      int
	Memory  string // what it may have, in words; "" if that is not known
}

// createPartFile makes the file of a process of its own. It also returns the name, in the
// directory, of the file which the next process of this part would have.
func createPartFile(directory, job string, part int) (s *store, next string, err error) {
	f, own := folder.Folder(directory), partFolder(job, part)
	if err := f.Mkdir(own); err != nil {
		return nil, "", fmt.Errorf("experiment: %w", err)
	}
	name := func(n int) string { return filepath.Join(own, strconv.Itoa(n)+".jsonl") }
	for n := 1; ; n++ {
		file, err := f.New(name(n))
		switch {
		case err == nil:
			return &store{cells: make(map[string]*Cell), file: file}, name(n + 1), nil
		case !errors.Is(err, fs.ErrExist):
			return nil, "", fmt.Errorf("experiment: %w", err)
		}
	}
}

// remark writes a line. It is not waited for until it is on the disk: when a process ends the
// system still writes it.
func (s *store) remark(r remark) error {
	line, err := json.Marshal(r)
	if err == nil {
		err = s.write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return nil
}

// reader reads the files of parts, and later what has been added to them.
type reader struct {
	folder.Folder                      // of the study
	files         map[string]*partFile // by name
}

// partFile is a file as far as it is read.
type partFile struct {
	job     string
	part    int
	offset  int64
	process processRemark
	open    map[string]bool // cells that have begun and not finished
	ended   bool
	broken  bool // a line is none of ours; what follows is not read
}

func newReader(directory string) *reader {
	return &reader{Folder: folder.Folder(directory), files: make(map[string]*partFile)}
}

// read reads what is new of jobs, or of all if none is named, and tells of finished cells and of
// faults.
func (r *reader) read(jobs []string, cell func(job string, c *Cell), fault func(text string)) error {
	folders, err := r.List(partsFolder)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	for _, folder := range folders {
		at := strings.LastIndex(folder.Name(), "-")
		if at < 0 {
			continue
		}
		job := folder.Name()[:at]
		part, err := strconv.Atoi(folder.Name()[at+1:])
		if err != nil || len(jobs) > 0 && !slices.Contains(jobs, job) {
			continue
		}
		if err := r.part(job, part, cell, fault); err != nil {
			return err
		}
	}
	return nil
}

// part reads what is new of a part.
func (r *reader) part(job string, part int, cell func(job string, c *Cell), fault func(text string)) error {
	own := partFolder(job, part)
	entries, err := r.List(own)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(own, e.Name())
		f := r.files[name]
		if f == nil {
			f = &partFile{job: job, part: part, open: make(map[string]bool)}
			r.files[name] = f
		}
		info, err := e.Info()
		if err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		if f.broken || info.Mode().IsRegular() && info.Size() <= f.offset {
			continue
		}
		if err := r.file(f, name, cell, fault); err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
	}
	return nil
}

// file reads the whole lines of a file that are new.
func (r *reader) file(f *partFile, name string, cell func(job string, c *Cell), fault func(text string)) (err error) {
	file, err := r.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := io.ReadAll(io.NewSectionReader(file, f.offset, 1<<62))
	if err != nil {
		return err
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, []byte(`{"Key":`)) {
			c := &Cell{}
			if json.Unmarshal(line, c) != nil || c.Key == "" {
				f.broken = true // a machine was lost while it wrote: the cell is missing
				return nil
			}
			delete(f.open, c.Key)
			cell(f.job, c)
		} else {
			var r remark
			if json.Unmarshal(line, &r) != nil {
				f.broken = true
				return nil
			}
			switch {
			case r.Process != nil:
				f.process = *r.Process
			case r.Begin != "":
				f.open[r.Begin] = true
			case r.Fault != "":
				fault(r.Fault)
			case r.End:
				f.ended = true
			}
		}
		f.offset += int64(len(line))
	}
	return nil
}

// killed returns the processes of jobs that have ended, otherwise than by themselves, with a cell
// in their hands.
func (r *reader) killed(jobs []string, key string) []processRemark {
	var all []processRemark
	for _, name := range sortedKeys(r.files) {
		if f := r.files[name]; slices.Contains(jobs, f.job) && f.open[key] && !f.ended {
			all = append(all, f.process)
		}
	}
	return all
}

// better tells whether a cell takes the place of another one with its key: one that did not fail is
// not replaced by one that did.
func (c *Cell) better(other *Cell) bool { return other == nil || c.Error == "" || other.Error != "" }
