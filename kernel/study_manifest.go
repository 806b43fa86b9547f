package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/farm"
)

// An indexedJob is what a study's Job of Kubernetes is made of.
type indexedJob struct {
	name, image, claim, mount string
	cpu, memory               string
	file                      string // of the parts
	parts, atOnce             int
}

func studyManifestCommand() *cobra.Command {
	var j indexedJob
	var directory, data string
	var parts int
	cmd := &cobra.Command{
		Use:   "manifest FILE.json",
		Short: "Write a Kubernetes Job that computes a study",
		Long: `Manifest distributes the unfinished cells of a study over parts, and writes an Indexed Job of
Kubernetes that computes them. Pass it to kubectl. You provide an image with hierml, and a claim of a volume that many pods
may write to (ReadWriteMany). The volume must have the same mount point here and in the pods, and must contain the
directory of the study, its tables and HIERML_DATA.

Finished cells appear in the directory at once. "hierml study show" prints them while the Job runs. "hierml study run"
computes the missing ones on this machine. Kubernetes restarts an evicted pod, which resumes its work, and a failed pod
at most four times.

The Job has been checked against Kubernetes' definitions. It has not been run on a cluster.`,
		Example: `  hierml study manifest a.json --image hierml:1 --claim data --mount /data --dir /data/a.study`,
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := experiment.ReadStudy(args[0])
			if err != nil {
				return err
			}
			if directory != "" {
				s.Directory = directory
			}
			if data != "" {
				s.DataFolder = data
			}
			if err := j.check(s); err != nil {
				return &usageError{cmd, err}
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			if j.file, j.parts, err = s.Assign(ctx, parts); err != nil {
				if context.Cause(ctx) == errInterrupted {
					return errInterrupted
				}
				return err
			}
			if j.parts == 0 {
				return errors.New("all cells are finished. Use hierml study show to print the table")
			}
			j.name = jobName(s.Directory, j.file)
			text, err := json.MarshalIndent(j.manifest(), "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
			return err
		},
	}
	cmd.Flags().StringVar(&directory, "dir", "", "keep the cells in this directory, on the volume")
	addDataFlag(cmd, &data)
	cmd.Flags().StringVar(&j.image, "image", "", "the image, with hierml on its PATH")
	cmd.Flags().StringVar(&j.claim, "claim", "", "the name of the volume claim")
	cmd.Flags().StringVar(&j.mount, "mount", "", "the mount point of the volume, here and in pods")
	cmd.Flags().StringVar(&j.cpu, "cpu", "1", "the processors of each part")
	cmd.Flags().StringVar(&j.memory, "memory", "4Gi", "the memory of each part")
	cmd.Flags().IntVar(&parts, "parts", 0, "the maximum number of parts (default chosen automatically)")
	cmd.Flags().IntVar(&j.atOnce, "at-once", 0, "the maximum number of parts that run at a time (default all)")
	return cmd
}

// quantity is how Kubernetes writes an amount.
var quantity = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$`)

// check says what is wrong with the flags.
func (j *indexedJob) check(s *experiment.Study) error {
	for name, value := range map[string]string{"image": j.image, "claim": j.claim, "mount": j.mount} {
		if value == "" {
			return fmt.Errorf("--%s is missing", name)
		}
	}
	for name, value := range map[string]string{"cpu": j.cpu, "memory": j.memory} {
		if !quantity.MatchString(value) {
			return fmt.Errorf("--%s %s is not a quantity of Kubernetes, such as 2, 500m or 4Gi", name, value)
		}
	}
	switch {
	case j.atOnce < 0:
		return fmt.Errorf("--at-once is %d; it must not be negative", j.atOnce)
	case !filepath.IsAbs(j.mount):
		return fmt.Errorf("--mount %s is not an absolute path", j.mount)
	case s.Directory == "":
		return errors.New("the study has no directory; name one on the volume by --dir")
	}
	paths := []string{s.Directory}
	for _, d := range s.Data {
		if d.File != "" {
			paths = append(paths, filepath.Join(s.DataFolder, d.File))
		}
	}
	for _, path := range append(paths, filepath.SplitList(os.Getenv(collection.Environment))...) {
		folder, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if within, err := filepath.Rel(j.mount, folder); err != nil || within == ".." || strings.HasPrefix(within, "../") {
			return fmt.Errorf("%s is not below %s, the mount point of the volume", folder, j.mount)
		}
	}
	return nil
}

// jobName is a name for a job: letters, digits and hyphens.
func jobName(directory, file string) string {
	base := strings.TrimSuffix(filepath.Base(directory), ".study")
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(base), "-")
	const most = 40
	return "hierml-" + strings.Trim(name[:min(most, len(name))], "-") + "-" + strings.TrimSuffix(filepath.Base(file), ".json")
}

// manifest is the Job, as batch/v1 of Kubernetes has it.
func (j *indexedJob) manifest() any {
	type object = map[string]any
	field := func(name, path string) object {
		return object{"name": name, "valueFrom": object{"fieldRef": object{"fieldPath": path}}}
	}
	limit := func(name, of, divisor string) object {
		return object{"name": name, "valueFrom": object{"resourceFieldRef": object{"containerName": "hierml", "resource": "limits." + of, "divisor": divisor}}}
	}
	value := func(name, value string) object { return object{"name": name, "value": value} }
	environment := []object{
		field(farm.PartVariable, "metadata.annotations['batch.kubernetes.io/job-completion-index']"),
		value(farm.PartsVariable, strconv.Itoa(j.parts)), value(experiment.JobVariable, j.file),
		field(farm.MachineVariable, "spec.nodeName"), limit(farm.ProcessorsVariable, "cpu", "1"), limit(farm.MemoryVariable, "memory", "1Mi"),
	}
	if data := os.Getenv(collection.Environment); data != "" {
		environment = append(environment, value(collection.Environment, data))
	}
	amounts := object{"cpu": j.cpu, "memory": j.memory}
	spec := object{
		"completionMode": "Indexed", "completions": j.parts, "parallelism": j.parts, "backoffLimitPerIndex": 3,
		// What is evicted does not count as failed.
		"podFailurePolicy": object{"rules": []object{{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget", "status": "True"}}}}},
		"template": object{"spec": object{
			"restartPolicy": "Never",
			"containers": []object{{
				"name": "hierml", "image": j.image, "command": []string{"hierml", "study", "part"}, "env": environment,
				"resources":    object{"requests": amounts, "limits": amounts},
				"volumeMounts": []object{{"name": "shared", "mountPath": j.mount}},
			}},
			"volumes": []object{{"name": "shared", "persistentVolumeClaim": object{"claimName": j.claim}}},
		}},
	}
	if j.atOnce > 0 {
		spec["parallelism"] = min(j.parts, j.atOnce)
	}
	return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": j.name}, "spec": spec}
}
