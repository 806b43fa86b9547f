// Package farmed gives work to a farm and waits for it. What was submitted and what has become of
// it is in a directory that all machines see. [Work] is the loop: it submits the pieces that are
// missing, follows their jobs, and submits again what did not come back. What the pieces are is
// left to [Pieces]: package experiment has the cells of studies, and [Training] the problems of a
// training.
package farmed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/folder"
	"github.com/hierml/notebook/internal/process"
)

// What is in the directory.
const (
	file = "farm.json" // the submission
	Jobs = "jobs"      // the folder of a file NAME.json for each job, which says what its parts are
	Logs = "log"       // the folder of what parts print
)

// maxAttempts is how often something is submitted before it is given up: three times besides the
// first.
const maxAttempts = 4

// maxJobs is the number of jobs of an attempt, at most.
const maxJobs = 2

// MaxParts is the number of parts of a job, at most.
const MaxParts = 500

// named returns an error that begins with farm, the package that users know. Those of Pieces and of
// a farm have names already.
func named(err error) error {
	if err != nil {
		err = fmt.Errorf("farm: %w", err)
	}
	return err
}

// Submission says what was given to a farm. It is there until it is done.
type Submission struct {
	Kind     json.RawMessage `json:"Farm"` // the farm, as a study in JSON has it
	Attempts []Attempt       // each has what the one before left
	Stopped  bool            `json:",omitempty"` // nobody waits for it any more

	Farm farm.Farm `json:"-"`
}

// Attempt is the jobs that were submitted at the same time, each of which begins after the one
// before.
type Attempt []Job

// Job is one of a farm.
type Job struct {
	Name string // of its file
	ID   string // what the farm calls it
	// Tag is a text that nobody could know before the job was submitted, and is in the name that it
	// has for the farm: that of another job has another, whatever the file says of its ID. Those
	// that versions before it submitted have none.
	Tag string `json:",omitempty"`
}

// The forms of names and tags.
var (
	jobName = regexp.MustCompile(`^[0-9]{4,7}-[0-9]$`)
	jobTag  = regexp.MustCompile(`^[0-9a-f]{16}$`)
)

// engineName is the name that the job has for the farm.
func (j Job) engineName() string {
	name := "hierml-" + j.Name
	if j.Tag != "" {
		name += "-" + j.Tag
	}
	return name
}

// Own tells whether all jobs on their way are known by more than what anyone could have written:
// they may be ended without being asked.
func (a Attempt) Own() bool {
	return !slices.ContainsFunc(a, func(j Job) bool { return j.Tag == "" })
}

// Left says that the jobs, of what is finished, were left as they are.
func (a Attempt) Left(directory string) string {
	return fmt.Sprintf("all is finished; %s was not stopped, because nothing but %s names it: stop it if it is yours, and remove that file", a, filepath.Join(directory, file))
}

// farmOf returns the farm that is asked about a job of the directory, and knows no other one.
func (s *Submission) farmOf(directory string, j Job) (farm.Farm, error) {
	switch f := s.Farm.(type) {
	case farm.Slurm:
		f.Name = j.engineName()
		return f, nil
	case farm.Local:
		if err := validateJobFolder(directory, j.ID); err != nil {
			return nil, err
		}
	}
	return s.Farm, nil
}

// localID is the form of the last part of an id of farm.Local.
var localID = regexp.MustCompile(`^local-[0-9]+$`)

// validateJobFolder is an error if the id of a job of farm.Local is a folder that is there, and
// none of the directory's own.
func validateJobFolder(directory, id string) error {
	if _, err := os.Lstat(id); filepath.IsAbs(id) && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	parent, base := filepath.Split(id)
	its, err := os.Stat(parent)
	if err == nil {
		var own fs.FileInfo
		own, err = os.Lstat(filepath.Join(directory, Logs))
		if err == nil && localID.MatchString(base) && os.SameFile(its, own) {
			return named(folder.Folder(directory).Check(filepath.Join(Logs, base)))
		}
	}
	return errors.Join(fmt.Errorf("farm: %s names the job %s, which does not belong to its directory; remove that file", filepath.Join(directory, file), id), err)
}

// Read returns what was given to a farm of a directory, nil if nothing was. Its field Farm is left
// to the caller.
func Read(directory string) (*Submission, error) {
	name := filepath.Join(directory, file)
	text, err := folder.Folder(directory).Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, named(err)
	}
	s := &Submission{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("farm: %s: %w", name, err)
	}
	if len(s.Attempts) == 0 || len(s.Last()) == 0 {
		return nil, fmt.Errorf("farm: %s names no job; remove the file", name)
	}
	if len(s.Attempts) > maxAttempts {
		return nil, fmt.Errorf("farm: %s has %d attempts, and at most %d are allowed; remove the file", name, len(s.Attempts), maxAttempts)
	}
	for _, a := range s.Attempts {
		if len(a) > maxJobs {
			return nil, fmt.Errorf("farm: %s has %d jobs in an attempt, and at most %d are allowed; remove the file", name, len(a), maxJobs)
		}
		for _, j := range a {
			if !jobName.MatchString(j.Name) || j.Tag != "" && !jobTag.MatchString(j.Tag) {
				return nil, fmt.Errorf("farm: %s names a job %q with the tag %q, which hierml does not use; remove the file", name, j.Name, j.Tag)
			}
		}
	}
	return s, nil
}

// Remove removes what Read reads, if it is there.
func Remove(directory string) error { return named(folder.Folder(directory).Remove(file)) }

// Make makes the folders of a directory that are missing.
func Make(directory string, further ...string) error {
	for _, name := range append([]string{Jobs, Logs}, further...) {
		if err := folder.Folder(directory).Mkdir(name); err != nil {
			return named(err)
		}
	}
	return nil
}

// Clear removes what killed processes have left of files in a directory that they were replacing:
// those of this package and further ones. The directory is locked.
func Clear(directory string, further ...string) error {
	f := folder.Folder(directory)
	return named(errors.Join(
		f.Clear(".", func(name string) bool { return name == file || slices.Contains(further, name) }),
		f.Clear(Jobs, func(name string) bool { return Number(name) > 0 })))
}

// Keep writes the submission. The directory is locked.
func (s *Submission) Keep(directory string) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return named(err)
	}
	return named(folder.Folder(directory).Replace(file, append(text, '\n')))
}

// Last returns the attempt that is on its way.
func (s *Submission) Last() Attempt { return s.Attempts[len(s.Attempts)-1] }

// Names returns the names of all jobs.
func (s *Submission) Names() []string {
	var names []string
	for _, a := range s.Attempts {
		for _, j := range a {
			names = append(names, j.Name)
		}
	}
	return names
}

// String names the jobs on their way.
func (a Attempt) String() string {
	var ids []string
	for _, j := range a {
		ids = append(ids, j.ID)
	}
	if len(ids) == 1 {
		return "job " + ids[0]
	}
	return "jobs " + strings.Join(ids, " and ")
}

// State asks how the jobs of a directory on their way stand, together.
func (s *Submission) State(ctx context.Context, directory string) (farm.State, error) {
	all := farm.State{Over: true}
	for _, j := range s.Last() {
		f, err := s.farmOf(directory, j)
		if err != nil {
			return farm.State{}, err
		}
		one, err := f.State(ctx, j.ID)
		if err != nil {
			return farm.State{}, fmt.Errorf("farm: asking after job %s: %w", j.ID, err)
		}
		all.Waiting += one.Waiting
		all.Running += one.Running
		all.Machines = append(all.Machines, one.Machines...)
		all.Failed = append(all.Failed, one.Failed...)
		all.Over = all.Over && one.Over
	}
	slices.Sort(all.Machines)
	all.Machines = slices.Compact(all.Machines)
	return all, nil
}

// Stop ends the jobs on their way, and has nobody wait for them.
func (s *Submission) Stop(ctx context.Context, directory string) error {
	s.Stopped = true
	if err := s.Keep(directory); err != nil {
		return err
	}
	return s.Cancel(ctx, directory)
}

// Cancel ends the jobs of a directory on their way.
func (s *Submission) Cancel(ctx context.Context, directory string) error {
	var all error
	for _, j := range slices.Backward(s.Last()) { // the end of one begins the next
		f, err := s.farmOf(directory, j)
		if err == nil {
			err = f.Cancel(ctx, j.ID)
		}
		all = errors.Join(all, err)
	}
	return all
}

// Submit has a farm run a job of a name, whose Parts, Command and After are given. The
// variable names the job's file to the parts.
func Submit(ctx context.Context, f farm.Farm, directory, name, variable string, j farm.Job) (Job, error) {
	own := Job{Name: name, Tag: fmt.Sprintf("%016x", rand.Uint64())}
	here, err := os.Getwd()
	if err != nil {
		return Job{}, named(err)
	}
	j.Name, j.Directory, j.Log = own.engineName(), here, filepath.Join(directory, Logs)
	j.Environment = []string{variable + "=" + Path(directory, name)}
	own.ID, err = f.Submit(context.WithoutCancel(ctx), j) // an interrupt must not lose the id
	return own, err
}

// Command is what the parts of a job are: a command of this program, by its words, or, of a program
// of the user's, that with its arguments.
func Command(words ...string) ([]string, error) {
	again, known, err := process.Again()
	switch {
	case err != nil:
		return nil, named(err)
	case known:
		return append([]string{again[0]}, words...), nil
	}
	self, err := os.Executable()
	return append([]string{self}, os.Args[1:]...), named(err)
}

// File is the name, in the directory, of the file of a job.
func File(name string) string { return filepath.Join(Jobs, name+".json") }

// Path is that of the file of a job.
func Path(directory, name string) string { return filepath.Join(directory, File(name)) }

// partLimit returns the number of parts that a job of a farm may have.
func partLimit(ctx context.Context, f farm.Farm) (int, error) {
	if f, ok := f.(interface {
		MaxParts(context.Context) (int, error)
	}); ok {
		most, err := f.MaxParts(ctx)
		return min(most, MaxParts), err
	}
	return MaxParts, nil
}

// LastSaid tells what the first part that failed and said something said last, "" if none did.
func (a Attempt) LastSaid(directory string, failed []farm.Failure) string {
	for _, f := range failed {
		if said := a.said(directory, f.Part); said != "" {
			return fmt.Sprintf("part %d, on machine %s, printed last: %s", f.Part, f.Machine, said)
		}
	}
	return ""
}

// said returns the last line that a part has printed.
func (a Attempt) said(directory string, part int) string {
	for _, j := range slices.Backward(a) {
		text, err := folder.Folder(directory).Read(j.log(part))
		if err != nil { // there is none
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return last
		}
	}
	return ""
}

// log returns the name, in the directory, of the file with the output of a part.
func (j Job) log(part int) string {
	return filepath.Join(Logs, fmt.Sprintf("%s_%d.txt", j.engineName(), part))
}

// namesIn returns the names, in the directory, of what is in a folder of it under names that begin
// and end so, nothing for a folder that is not there.
func namesIn(directory, within, begin, end string) ([]string, error) {
	entries, err := folder.Folder(directory).List(within)
	if err != nil {
		return nil, named(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), begin) && strings.HasSuffix(e.Name(), end) {
			names = append(names, filepath.Join(within, e.Name()))
		}
	}
	return names, nil
}

// Unseen is an error if a part has failed without a trace in the directory, or before it could
// begin, for what it said. That a part of a job has begun, begun tells. One that said nothing was
// killed.
func (a Attempt) Unseen(directory string, failed []farm.Failure, begun func(job string, part int) bool) error {
	for _, f := range failed {
		if f.Reason != farm.Failed || f.Part < 0 {
			continue
		}
		is, seen := false, false
		for _, j := range a {
			there, err := folder.Folder(directory).Has(j.log(f.Part))
			seen = seen || err == nil && there
			is = is || begun(j.Name, f.Part)
		}
		switch said := a.said(directory, f.Part); {
		case is:
		case !seen:
			return fmt.Errorf("farm: a part failed on machine %s and left nothing in %s: that machine cannot reach the directory, or cannot write to it; put it on a file system that all machines share", f.Machine, directory)
		case said != "":
			for _, prefix := range []string{"hierml: ", "experiment: ", "svm: ", "farm: "} {
				said = strings.TrimPrefix(said, prefix)
			}
			return fmt.Errorf("farm: a part failed on machine %s before it began: %s", f.Machine, said)
		}
	}
	return nil
}

// LastNumber returns the highest number of the jobs of a directory, 0 if there is none. The name of
// a job is such a number and, after a hyphen, its position in the attempt.
func LastNumber(directory string) (int, error) {
	entries, err := folder.Folder(directory).List(Jobs)
	if err != nil {
		return 0, named(err)
	}
	last := 0
	for _, e := range entries {
		n := Number(e.Name())
		if n > maxNumber {
			return 0, fmt.Errorf("farm: %s has a number too large for a job; remove the file", filepath.Join(directory, Jobs, e.Name()))
		}
		last = max(last, n)
	}
	return last, nil
}

// maxNumber is above that of any job.
const maxNumber = 1_000_000

// Number returns the number in the name of a job or its file, 0 for other names.
func Number(name string) int {
	number, _, ok := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n
}

// Name is that of a job.
func Name(number, position int) string { return fmt.Sprintf("%04d-%d", number, position) }
