package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/visible"
)

func studyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Run experiments that a file describes, and show their tables",
		Long: `Study compares methods of hierarchical classification: it trains and evaluates each of
them on the same divisions of the same data. What is to be compared is in a JSON
file, whose names are those of the package experiment:

  {
    "Data": [{"Open": "ng15"}],
    "Methods": [
      {"Name": "flat", "Estimator": "svm.Flat", "Grid": {"C": [0.1, 1, 10]}},
      {"Name": "normalized", "Estimator": {"svm.Normalized": {"Weighting": "weighting.MaxMin"}},
       "Grid": {"C": [0.1, 1, 10]}}
    ],
    "Split": {"Folds": 5},
    "Inner": {"HeldOut": 0.2},
    "Measures": ["accuracy", "tree loss"],
    "Baseline": "flat"
  }`,
		Example: `  hierml study run newsgroups.json
  hierml study run newsgroups.json --on slurm --sbatch --mem=4G
  hierml study show newsgroups.study --measure "macro F1 of all classes" --baseline flat
  hierml study show newsgroups.study --format csv > newsgroups.csv
  hierml study cell newsgroups.study 5f0c`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(studyRunCommand(), studyShowCommand(), studyStopCommand(), studyPartCommand(), studyManifestCommand(), studyCellCommand())
	return cmd
}

func studyRunCommand() *cobra.Command {
	var directory, on, data string
	var workers int
	var retry bool
	var options []string
	cmd := &cobra.Command{
		Use:   "run FILE.json",
		Short: "Run a study, or go on with it",
		Long: `Run runs the cells of a study that are not yet in its directory, on all cores, and
prints the table. Every cell is on disk as soon as it is finished: a study that was
interrupted, by Ctrl-C or by the end of the machine, goes on where it was the next time.
A cell that fails is in the table with its error, and the others go on.

The directory is that of --dir, or of the file's "Directory", or FILE.study.

With --on slurm the cells are computed on a cluster, by a job array of Slurm's, and run
waits for them. Ctrl-C ends the waiting and not the job; the same command waits for it
again, and "hierml study stop" ends it. All machines have to see the directory, the
data and this program at the same paths. What is lost with a machine is computed anew.
Each --sbatch gives an option of sbatch that says what a job may use or where it runs,
by its whole name, such as --partition=main or --mem=4G; others are refused. With
--on local the cells are computed by processes of this machine that go on by themselves.

Data may be a table of yours, CSV, TSV, JSON, Parquet or Arrow, as "File". "Reader" has
the settings by which it is read, which are those of "hierml train", and "Columns" says
how its columns become features: it is fitted on what is trained on alone. A grid may
try both together with C, by names such as "Data.Columns.Text.NGrams". What is found
out of the table is told in lines that name the settings of "Reader" which change it.

A file may come from anywhere: it cannot choose where cells are computed, nor a
directory or a table outside of its own folder. Links there are not followed. With
--data, tables are read from the folder that you name.`,
		Example: `  echo '{
    "Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 2}}}],
    "Methods": [{"Name": "flat", "Estimator": "svm.Flat"},
                {"Name": "hierarchical", "Estimator": "svm.Hierarchical"}],
    "Repeats": 5, "Baseline": "flat"
  }' > trees.json
  hierml study run trees.json
  hierml study run trees.json --dir other.study --workers 1
  hierml study run trees.json --dir third.study --on local

  printf '%s\n' text,weight,country,label \
    'green tea,120,Japan,drink/tea' 'black tea,,India,drink/tea' \
    'tea in bags,90,Japan,drink/tea' 'coffee,,Brazil,drink/coffee' \
    'dark coffee,250,Kenya,drink/coffee' 'ground coffee,500,Kenya,drink/coffee' \
    'rye bread,750,,food/bread' 'white bread,500,France,food/bread' \
    'bread of rye,1000,,food/bread' > tea.csv
  echo '{
    "Data": [{"File": "tea.csv",
      "Reader": {"Label": "label", "Text": ["text"], "Nominal": ["country"]},
      "Columns": {"Number": {"Missing": "mean", "Scale": "z-score"}}}],
    "Methods": [{"Estimator": "svm.Normalized", "Grid": {
      "C": [0.1, 1], "Data.Columns.Text.NGrams": [[1, 1], [1, 2]]}}],
    "Split": {"Folds": 3}, "Inner": {"HeldOut": 0.3}
  }' > tea.json
  hierml study run tea.json`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := experiment.ReadStudy(args[0])
			if err != nil {
				return err
			}
			switch {
			case directory != "":
				s.Directory = directory
			case s.Directory == "":
				s.Directory = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ".study"
				if info, err := os.Lstat(s.Directory); err == nil && !info.IsDir() { // it may have come with the file
					return fmt.Errorf("%s is a link or no folder: remove it, or name a directory by --dir", s.Directory)
				}
			}
			if workers > 0 {
				s.Workers = workers
			}
			if data != "" {
				s.DataFolder = data
			}
			s.Retry = s.Retry || retry
			if on != "" && s.Farm != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "hierml: the Farm of %s is not used: --on and --sbatch say where cells are computed\n", visible.Text(args[0]))
			}
			if s.Farm, err = farmNamed(on, options, s.Farm); err != nil {
				return &usageError{cmd, err}
			}
			if err := runAgain(); err != nil {
				return err
			}
			ctx, _, done := watchedWork(cmd, inStudyText)
			defer done()
			bar := &workBar{w: cmd.ErrOrStderr(), terminal: isTerminal(cmd.ErrOrStderr())}
			s.Progress = bar.progress
			results, err := s.Run(ctx)
			bar.end()
			if err != nil && context.Cause(ctx) == errInterrupted {
				if !errors.Is(err, errInterrupted) { // while data were read
					err = errInterrupted
				}
				if s.Farm != nil {
					return err
				}
				return fmt.Errorf("%w; what is finished is in %s, and the same command goes on from there", err, s.Directory)
			}
			if err != nil {
				return &namedError{err, inStudyText}
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), visible.Text(results.String())); err != nil {
				return err
			}
			return failedCells(results)
		},
	}
	cmd.Flags().StringVar(&directory, "dir", "", "keep the cells in this directory")
	addDataFlag(cmd, &data)
	cmd.Flags().IntVar(&workers, "workers", 0, "use so many cores (default all)")
	cmd.Flags().BoolVar(&retry, "retry", false, "run cells again that failed")
	cmd.Flags().StringVar(&on, "on", "", "compute the cells on slurm, or by processes of local")
	cmd.Flags().StringArrayVar(&options, "sbatch", nil, "give sbatch this option")
	return cmd
}

// addDataFlag adds the option that chooses Study.DataFolder.
func addDataFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "data", "", "find the files of tables in this folder (default the folder of the study)")
}

// farmNamed returns the farm of --on with the options of --sbatch, and without --on the one that
// the file asks for, with which a study does not run.
func farmNamed(on string, options []string, asked farm.Farm) (farm.Farm, error) {
	switch {
	case on == "slurm":
		return farm.Slurm{Options: options}, nil
	case len(options) > 0:
		return nil, errors.New("--sbatch is for --on slurm")
	case on == "":
		return asked, nil
	case on == "local":
		return farm.Local{}, nil
	}
	return nil, fmt.Errorf("no farm is called %q; there are slurm and local", on)
}

func studyStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop DIRECTORY",
		Short: "End what a cluster computes of a study, or of a training",
		Long: `Stop ends the job by which a cluster, or processes of this machine, compute cells of a
study, as "hierml study run --on" began it, or solve problems of a training with a farm. What is
finished stays, and running the study or the training again goes on from there.`,
		Example: `  hierml study stop newsgroups.study`,
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			return experiment.Stop(ctx, args[0])
		},
	}
}

// studyPartCommand is what a farm runs.
func studyPartCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "part",
		Short:  "Compute the part of a study that the environment names",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			return experiment.RunPart(ctx)
		},
	}
}

// trainingCommand has what a farm runs of a training.
func trainingCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "training", Hidden: true, Args: asUsed, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{
		Use:    "part",
		Short:  "Solve the problems of a training that the environment names",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			return svm.RunPart(ctx)
		},
	})
	return cmd
}

// failedCells is the error of a study some of whose cells failed.
func failedCells(r *experiment.Results) error {
	all, failed := slices.Concat(r.Cells, r.Inner), 0
	for _, c := range all {
		if c.Error != "" {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d cells failed, as the table says; --retry runs them again", failed, len(all))
}

// formats of studyShowCommand.
var studyFormats = map[string]func(*experiment.Results) string{
	"text":  func(r *experiment.Results) string { return visible.Text(r.String()) + "\n" },
	"csv":   (*experiment.Results).CSV,
	"jsonl": (*experiment.Results).JSONLines,
	"html":  (*experiment.Results).Page,
	"json":  func(r *experiment.Results) string { return r.Summary().JSON() },
	"latex": (*experiment.Results).LaTeX,
}

func studyShowCommand() *cobra.Command {
	var format, baseline, test string
	var measures []string
	cmd := &cobra.Command{
		Use:   "show DIRECTORY",
		Short: "Print the table of a study, also while it runs",
		Long: `Show prints the finished cells of a study. As text, html, latex and json that is a row a
method, with means, standard deviations over the rounds, and tests against a
baseline: the difference with its interval, and p, corrected by Holm where several
methods are tested. Over three data sets or more the methods are ranked. As csv it is
a line for every cell and measure, and as jsonl a line for every cell, those by which
settings were chosen included. The html is a page of its own for reviewers: also the data,
all settings, the programs, and every cell with its seed.

The tests are "t", "corrected t", for repeated divisions of the same instances,
"two-way t", for draws of few instances of every class, and "permutation"; without
--test it is the one that suits the study.`,
		Example: `  hierml study show newsgroups.study --measure "macro F1 of all classes" --baseline flat
  hierml study show newsgroups.study --format csv > newsgroups.csv`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := studyFormats[format]
			if !ok {
				return &usageError{cmd, fmt.Errorf("no format %q; there are text, csv, json, jsonl, html and latex", format)}
			}
			r, err := experiment.Load(args[0])
			if err != nil {
				return err
			}
			if len(measures) > 0 {
				if r, err = r.With(measures...); err != nil {
					return err
				}
			}
			if baseline == "" {
				baseline = r.Baseline
			}
			if r, err = r.Against(baseline, experiment.Test(test)); err != nil {
				return err
			}
			text := write(r)
			if isTerminal(cmd.OutOrStdout()) {
				text = visible.Text(text)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, csv, json, jsonl, html or latex")
	cmd.Flags().StringVar(&baseline, "baseline", "", "test against this method")
	cmd.Flags().StringVar(&test, "test", "", "how to test")
	cmd.Flags().StringSliceVar(&measures, "measure", nil, "show these measures")
	return cmd
}

func studyCellCommand() *cobra.Command {
	var asJSON bool
	var data string
	cmd := &cobra.Command{
		Use:   "cell DIRECTORY KEY",
		Short: "Run one cell of a study again",
		Long: `Cell trains and evaluates one cell again, alone, and prints it. KEY, or the
beginning of it, is in the column "key" of "hierml study show --format csv". Nothing in the
directory is changed.`,
		Example: `  hierml study cell newsgroups.study 5f0c
  hierml study cell newsgroups.study 5f0c --json`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := experiment.ReadStudy(args[0])
			if err != nil {
				return err
			}
			s.Directory = args[0]
			if data != "" {
				s.DataFolder = data
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			c, err := s.RunCell(ctx, args[1])
			if err != nil && context.Cause(ctx) == errInterrupted {
				return errInterrupted
			}
			if err != nil {
				return err
			}
			text := []byte(visible.Text(c.String()))
			if asJSON {
				if text, err = c.MarshalJSON(); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text); err != nil {
				return err
			}
			kept, err := experiment.Load(args[0])
			if err != nil {
				return err
			}
			if old := kept.Cell(c.Key); old != nil && !c.Same(old) {
				return fmt.Errorf("cell %s has another outcome than the one in %s", c.Key, args[0])
			}
			return nil
		},
	}
	addDataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all of the cell as JSON, with the values of every instance")
	return cmd
}
