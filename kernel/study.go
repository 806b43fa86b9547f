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
		Short: "Run an experiment that a file describes, and show its table",
		Long: `Study compares methods of hierarchical classification: it trains and evaluates each method on
the same splits of the same data. A JSON file describes the study. Its names are those of the package experiment:

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
		Short: "Run a study, or resume it",
		Long: `Run runs the cells of a study that are not yet in its directory, on all cores, and prints the
table. A cell is one training with its evaluation, and is stored as soon as it is finished. If Ctrl-C or a crash stops the
study, the same command resumes it. A cell that fails appears in the table with its error, and the other cells go on.

The directory is that of --dir, or "Directory" in the file, or FILE.study.

With --on slurm, a Slurm job array computes the cells on a cluster, and run waits for it. Ctrl-C ends the wait but not
the job. The same command waits for it again, and "hierml study stop" ends it. All machines must see the directory, the
data and this program at the same paths. If a machine is lost, its cells are computed again. Each --sbatch passes an option
to sbatch, by its full name, such as --partition=main or --mem=4G. Only options that choose resources and machines are
accepted. With --on local, processes on this machine compute the cells, and continue after run ends.

The data may be your own table (CSV, TSV, JSON, Parquet or Arrow), named by "File". "Reader" has the same settings as
"hierml train". "Columns" says how columns become features, and is fitted on training rows only. A grid may vary these
settings together with C, by names such as "Data.Columns.Text.NGrams". Run reports what it guessed about the table, with
the settings of "Reader" that change it.

Because a study file may come from anyone, it cannot choose where cells are computed, nor a directory or a table outside of
its own folder. Links there are not followed. With --data, run reads tables from the folder that you name.`,
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
					return fmt.Errorf("%s is a link, or not a folder. Remove it, or name a directory by --dir", s.Directory)
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
				fmt.Fprintf(cmd.ErrOrStderr(), "hierml: ignoring Farm in %s. Use --on and --sbatch to choose where cells are computed\n", visible.Text(args[0]))
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
				return fmt.Errorf("%w; the finished cells are in %s. Run the same command to resume", err, s.Directory)
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
	cmd.Flags().IntVar(&workers, "workers", 0, "the number of cores to use (default all)")
	cmd.Flags().BoolVar(&retry, "retry", false, "run failed cells again")
	cmd.Flags().StringVar(&on, "on", "", "where to compute the cells: slurm, or local for processes on this machine")
	cmd.Flags().StringArrayVar(&options, "sbatch", nil, "pass this option to sbatch; may be repeated")
	return cmd
}

// addDataFlag adds the option that chooses Study.DataFolder.
func addDataFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "data", "", "the folder of the tables (default the folder of the study)")
}

// farmNamed returns the farm of --on with the options of --sbatch, and without --on the one that
// the file asks for, with which a study does not run.
func farmNamed(on string, options []string, asked farm.Farm) (farm.Farm, error) {
	switch {
	case on == "slurm":
		return farm.Slurm{Options: options}, nil
	case len(options) > 0:
		return nil, errors.New("--sbatch needs --on slurm")
	case on == "":
		return asked, nil
	case on == "local":
		return farm.Local{}, nil
	}
	return nil, fmt.Errorf("unknown farm %q; use slurm or local", on)
}

func studyStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop DIRECTORY",
		Short: "Stop the jobs of a study or of a training",
		Long: `Stop ends the job that "hierml study run --on" started on a cluster or on this machine, or the job
of a training with a farm. Finished results stay. Run the study or the training again to resume it.`,
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
	return fmt.Errorf("%d of %d cells failed; see the table. Use --retry to run them again", failed, len(all))
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
		Long: `Show prints the finished cells of a study. The formats text, html, latex and json have a row for
each method, with means, standard deviations over the rounds, and tests against a baseline. A test gives the difference
with its interval, and p, corrected by Holm's method if there are several tests. With three or more data sets, show also
ranks the methods. The format csv has a line for each cell and measure. The format jsonl has a line for each cell,
including those that chose settings. The format html is a complete page for reviewers: it adds the data, all settings, the
programs, and each cell with its seed.

The tests are "t"; "corrected t", for repeated splits of the same instances; "two-way t", for draws of few instances
of each class; and "permutation". Without --test, show uses the one that suits the study.`,
		Example: `  hierml study show newsgroups.study --measure "macro F1 of all classes" --baseline flat
  hierml study show newsgroups.study --format csv > newsgroups.csv`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := studyFormats[format]
			if !ok {
				return &usageError{cmd, fmt.Errorf("unknown format %q; use text, csv, json, jsonl, html or latex", format)}
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
	cmd.Flags().StringVar(&baseline, "baseline", "", "the method to test against")
	cmd.Flags().StringVar(&test, "test", "", "the statistical test")
	cmd.Flags().StringSliceVar(&measures, "measure", nil, "the measures to show")
	return cmd
}

func studyCellCommand() *cobra.Command {
	var asJSON bool
	var data string
	cmd := &cobra.Command{
		Use:   "cell DIRECTORY KEY",
		Short: "Run one cell of a study again",
		Long: `Cell trains and evaluates one cell of a study again and prints it. Find KEY in the column "key" of
"hierml study show --format csv"; the beginning of a key is enough. Nothing in the directory changes.`,
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
				return fmt.Errorf("cell %s has a different result from the one stored in %s", c.Key, args[0])
			}
			return nil
		},
	}
	addDataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole cell as JSON, with the values of each instance")
	return cmd
}
