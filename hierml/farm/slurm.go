package farm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Slurm runs the parts of a job as an array of Slurm's, by its programs sbatch, squeue, scancel and
// scontrol. Its zero value takes the partition and the limits that the site gives. The machines
// have to see the job's folders and its program at the paths that they have here, and find the data
// by the same environment, which they are given.
type Slurm struct {
	// Options are further ones of sbatch, each as one word, such as --partition=main,
	// --time=2:00:00, --mem=4G, --cpus-per-task=4: those that say what a job may use and where it
	// runs, by their whole names. Others are refused, as they could run programs or write files. A
	// --time that is shorter than one part needs ends it.
	Options []string
	// AtOnce bounds the parts that run at the same time. The default value is no bound.
	AtOnce int
	// Name, if not empty, is the Name of the jobs that State and Cancel know. One with another name
	// is over, and is not cancelled, whatever its id.
	Name string
}

// Submit implements Farm.
func (s Slurm) Submit(ctx context.Context, j Job) (string, error) {
	if err := errors.Join(j.check(), s.check()); err != nil {
		return "", err
	}
	if j.After != "" {
		if err := checkIDs(j.After); err != nil {
			return "", err
		}
	}
	log := filepath.Join(strings.ReplaceAll(j.Log, "%", "%%"), j.Name)
	array := fmt.Sprintf("--array=0-%d", j.Parts-1)
	if s.AtOnce > 0 {
		array += fmt.Sprintf("%%%d", s.AtOnce)
	}
	args := []string{"--parsable", "--job-name=" + j.Name, "--requeue", "--open-mode=append", "--export=ALL", "--chdir=" + j.Directory, array, "--ntasks=1", "--output=" + log + "_%a.txt"}
	text := "#!/bin/sh\n" + j.script("$SLURM_ARRAY_TASK_ID", "${SLURM_CPUS_PER_TASK:-1}", "$SLURMD_NODENAME", "$SLURM_MEM_PER_NODE")
	if j.After != "" {
		args = append(args, "--dependency=afterany:"+j.After)
	}
	out, err := slurm(ctx, text, "sbatch", append(args, s.Options...)...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of the cluster may follow
	if !jobID.MatchString(id) {
		return "", fmt.Errorf("farm: sbatch printed %q; expected the number of a job", out)
	}
	return id, nil
}

// The options of sbatch that a job may have: what it may use, and where and when it runs. sbatch
// takes the beginning of a name for the name, and letters for options, which are therefore not
// here.
var (
	optionsWithValue = strings.Fields(`--account --begin --constraint --core-spec --cores-per-socket --cpu-freq --cpus-per-gpu --cpus-per-task
		--deadline --distribution --exclude --gpu-bind --gpu-freq --gpus --gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags --hint --licenses
		--mem --mem-bind --mem-per-cpu --mem-per-gpu --mincpus --nodelist --nodes --ntasks-per-core --partition --prefer --priority --qos
		--reservation --sockets-per-node --switches --thread-spec --threads-per-core --time --time-min --tmp --wckey`)
	optionsAlone = strings.Fields(`--contiguous --spread-job --use-min-nodes`)
	optionsBoth  = strings.Fields(`--exclusive --nice --oversubscribe`)
)

// optionValue is the form of their values. A slash would make names of machines that of a file.
var optionValue = regexp.MustCompile(`^[A-Za-z0-9_.,:@%=+*&|!~()\[\]{}-]+$`)

// check says what is wrong with the options.
func (s Slurm) check() error {
	for _, option := range s.Options {
		name, value, valued := strings.Cut(option, "=")
		switch {
		case !strings.HasPrefix(option, "-"):
			return fmt.Errorf("farm: %q is not an option of sbatch; write one with its value as one word, such as --partition=main", option)
		case !slices.Contains(optionsWithValue, name) && !slices.Contains(optionsAlone, name) && !slices.Contains(optionsBoth, name):
			all := slices.Sorted(slices.Values(slices.Concat(optionsWithValue, optionsAlone, optionsBoth)))
			return fmt.Errorf("farm: the option %q of sbatch is not allowed for a job; use the full name of one of %s", name, strings.Join(all, ", "))
		case !valued && slices.Contains(optionsWithValue, name):
			return fmt.Errorf("farm: the option %s of sbatch has no value; write it as one word, such as --partition=main", name)
		case valued && (slices.Contains(optionsAlone, name) || !optionValue.MatchString(value)):
			return fmt.Errorf("farm: the option %s of sbatch cannot have the value %q; give it letters, digits and punctuation other than slashes and quotes, if it has one", name, value)
		}
	}
	return nil
}

// jobID is the form of the ids of jobs.
var jobID = regexp.MustCompile(`^[0-9]{1,18}$`)

// checkIDs is an error for ids that are none of Slurm's: some words would be options of its
// programs.
func checkIDs(ids ...string) error {
	for _, id := range ids {
		if !jobID.MatchString(id) {
			return fmt.Errorf("farm: %q is not the id of a Slurm job; ids are numbers", id)
		}
	}
	return nil
}

// states of Slurm's in which a part has yet to begin, or is at work.
var (
	pending = []string{"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "CONFIGURING", "RESV_DEL_HOLD"}
	working = []string{"RUNNING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "COMPLETING", "RESIZING"}
)

// launchFailed is the reason for which a part waits that a machine could not start, as after the
// loss of its controller. Slurm leaves it to the user to say that it may be tried again.
const launchFailed = "launch failed requeued held"

// State implements Farm. Parts that a machine could not start are released, so that another one
// tries.
func (s Slurm) State(ctx context.Context, id string) (State, error) {
	parts, err := s.parts(ctx, id)
	if err != nil {
		return State{}, err
	}
	state := State{Over: true}
	var held []string
	for _, p := range parts {
		if p.reason == launchFailed && p.number >= 0 {
			held = append(held, id+"_"+strconv.Itoa(p.number))
		}
		switch {
		case slices.Contains(pending, p.state):
			state.Waiting++
			state.Over = false
		case slices.Contains(working, p.state):
			state.Running++
			state.Over = false
			machines, err := hostnames(ctx, p.machines)
			if err != nil {
				return State{}, err
			}
			state.Machines = append(state.Machines, machines...)
		case p.state != "COMPLETED" && p.state != "CANCELLED":
			state.Failed = append(state.Failed, Failure{p.number, p.machines, p.state})
		}
	}
	slices.Sort(state.Machines)
	state.Machines = slices.Compact(state.Machines)
	if len(held) > 0 {
		_, err = slurm(ctx, "", "scontrol", append([]string{"--", "release"}, held...)...)
	}
	return state, err
}

// A part is a line of squeue: a part of a job, or several that were cancelled before they began.
type part struct {
	number          int // -1 for several
	state, machines string
	reason          string // why it waits
}

// parts returns the parts of the jobs with the ids that squeue still lists.
func (s Slurm) parts(ctx context.Context, ids ...string) ([]part, error) {
	if err := checkIDs(ids...); err != nil {
		return nil, err
	}
	args := []string{"--noheader", "--array", "--me", "--states=all", "--format=%F|%K|%T|%N|%r"}
	out, err := slurm(ctx, "", "squeue", append(args, s.nameFilter()...)...)
	if err != nil {
		return nil, err
	}
	var parts []part
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 || !slices.Contains(ids, f[0]) {
			continue
		}
		number := -1
		if jobID.MatchString(f[1]) {
			if number, err = strconv.Atoi(f[1]); err != nil {
				return nil, err
			}
		}
		parts = append(parts, part{number, f[2], f[3], f[4]})
	}
	return parts, nil
}

// nameFilter are the words by which squeue and scancel look at jobs of the name alone.
func (s Slurm) nameFilter() []string {
	if s.Name == "" {
		return nil
	}
	return []string{"--name=" + s.Name}
}

// hostList matches the names of machines as Slurm writes them, such as node[1-3],login.
var hostList = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.,\[\]-]*$`)

// hostnames returns the names of machines that Slurm has written as one.
func hostnames(ctx context.Context, list string) ([]string, error) {
	if !strings.ContainsAny(list, "[,") {
		return strings.Fields(list), nil
	}
	if !hostList.MatchString(list) {
		return nil, fmt.Errorf("farm: squeue printed %q; expected names of machines", list)
	}
	out, err := slurm(ctx, "", "scontrol", "--", "show", "hostnames", list)
	return strings.Fields(out), err
}

// Cancel implements Farm.
func (s Slurm) Cancel(ctx context.Context, ids ...string) error {
	if err := checkIDs(ids...); err != nil || len(ids) == 0 { // without ids scancel would take all of the name
		return err
	}
	args := append([]string{"--quiet"}, s.nameFilter()...)
	_, err := slurm(ctx, "", "scancel", append(append(args, "--"), ids...)...)
	if err == nil || s.Name == "" {
		return err
	}
	// By a name, scancel fails without a word if a job is over or about to be: it no longer finds
	// parts that are completing.
	parts, asked := s.parts(ctx, ids...)
	if asked != nil || slices.ContainsFunc(parts, func(p part) bool {
		return slices.Contains(pending, p.state) || slices.Contains(working, p.state) && p.state != "COMPLETING"
	}) {
		return err
	}
	return nil
}

// MaxParts returns the number of parts that a job may have at most on this site, its MaxArraySize.
func (s Slurm) MaxParts(ctx context.Context) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	out, err := slurm(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				return n, nil
			}
		}
	}
	return 0, errors.New("farm: scontrol show config has no MaxArraySize; this cluster does not support job arrays")
}

// patience is how long one of Slurm's programs may take to answer.
var patience = 5 * time.Minute

// slurm runs one of Slurm's programs and returns what it prints.
func slurm(ctx context.Context, stdin, program string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(limited, program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = time.Second // for its children to close what it prints to
	out, err := cmd.Output()
	switch {
	case err == nil:
		return string(out), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return "", fmt.Errorf("farm: %s has not answered for %s; run it in a terminal to see whether Slurm works here", program, patience)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("farm: there is no program %s on this machine; run this where Slurm is installed, such as on the login node of a cluster", program)
	}
	return "", because(program, err)
}
