package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/internal/machine"
)

// examineCluster looks whether Slurm would take a job, and whether its machines may see what a
// study would be computed from. Where there is no Slurm there is nothing to say.
func examineCluster(ctx context.Context) []finding {
	if _, err := exec.LookPath("sbatch"); err != nil {
		return nil
	}
	findings := one(answerOfSlurm(ctx))
	folder, err := os.Getwd()
	if err != nil {
		return append(findings, wrong("the working folder cannot be read: %v", err))
	}
	findings = append(findings, sharing("the working folder", folder))
	for _, folder := range filepath.SplitList(os.Getenv(collection.Environment)) {
		if _, err := os.Stat(folder); err == nil { // else examineData says it
			findings = append(findings, sharing("a folder of "+collection.Environment, folder))
		}
	}
	return findings
}

// answerOfSlurm asks whether it would take a job, without submitting one.
func answerOfSlurm(ctx context.Context) finding {
	out, err := ask(ctx, "sbatch", "--test-only", "--wrap=true")
	said := strings.Join(strings.Fields(strings.ReplaceAll(out.stdout+out.stderr, "sbatch: ", "")), " ")
	switch silent := (*silence)(nil); {
	case errors.As(err, &silent):
		return hint("%v; the machine may be busy, or it cannot reach Slurm's controller: run `hierml doctor` again, then ask the administrators of the cluster", silent)
	case err != nil:
		return hint("sbatch refuses a job without options: %s; pass the options that it needs, such as --sbatch --partition=NAME", said)
	}
	return ok("sbatch accepts jobs; run a study on the cluster with hierml study run FILE.json --on slurm")
}

// sharing says whether other machines may see a folder.
func sharing(what, folder string) finding {
	system, err := machine.FileSystemOf(folder)
	switch {
	case err != nil:
		return wrong("%s cannot be read: %v", what, err)
	case system.Shared:
		return ok("%s, %s, is on %s, which other machines see if they mount it", what, folder, system.Name)
	case system.Name == "":
		return hint("%s, %s, is on an unknown file system; studies on the cluster need one that all of its machines see", what, folder)
	}
	return hint("%s, %s, is on %s, which only this machine sees; studies on the cluster need a file system that all of its machines see", what, folder, system.Name)
}
