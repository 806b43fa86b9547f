package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/pipeline"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/internal/visible"
)

// trainingMethods are the methods of hierml train.
var trainingMethods = map[string]svm.Regularized{
	"flat": svm.Flat{}, "hierarchical": svm.Hierarchical{}, "normalized": svm.Normalized{}, "one-vs-rest": svm.OneVsRest{},
	"recursive": svm.Recursive{}, "label-tree": svm.PLT{}, "softmax": svm.HierarchicalSoftmax{},
}

// tableFlags say how the file of a table is read. They are the settings of files.Table.
type tableFlags struct {
	files.Table
	comma, decimal string
}

func (f *tableFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Label, "label", "", "the column of the labels")
	flags.StringVar(&f.LabelSeparator, "label-separator", "", "the separator of several labels in a field, or none")
	flags.StringVar(&f.PathSeparator, "path-separator", "", "the separator of the levels of a label, or none")
	flags.StringSliceVar(&f.Levels, "levels", nil, "the columns with the levels of the labels")
	flags.StringArrayVar(&f.Missing, "missing", nil, "a further word that means a missing value; none makes NA and the like ordinary words")
	flags.StringVar(&f.comma, "comma", "", "the separator of fields")
	flags.StringVar(&f.decimal, "decimal", "", "the decimal point of numbers with commas: . or ,")
}

// table returns the settings.
func (f *tableFlags) table(cmd *cobra.Command) (files.Table, error) {
	for name, of := range map[string]struct {
		text string
		to   *rune
	}{"comma": {f.comma, &f.Comma}, "decimal": {f.decimal, &f.Decimal}} {
		text := strings.ReplaceAll(of.text, `\t`, "\t")
		if utf8.RuneCountInString(text) > 1 {
			return files.Table{}, &usageError{cmd, fmt.Errorf("--%s is %q; it must be one character, or \\t for a tab", name, of.text)}
		}
		*of.to, _ = utf8.DecodeRuneInString(text)
		if text == "" {
			*of.to = 0
		}
	}
	if f.decimal != "" && f.decimal != "." && f.decimal != "," {
		return files.Table{}, &usageError{cmd, fmt.Errorf("--decimal is %q; it must be . or ,", f.decimal)}
	}
	return f.Table, nil
}

// trainer is what hierml train was asked for.
type trainer struct {
	cmd                   *cobra.Command
	columns               tableFlags
	output, method, c     string
	fill, report          string
	minRows, minDocuments int
	probabilities         bool
	test                  float64
}

func trainCommand() *cobra.Command {
	t := &trainer{}
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "Train a model on your table, and save it",
		Long: `Train reads a table with labels (CSV, TSV, JSON, Parquet or Arrow), turns its columns into
features, trains a model, and saves features and model in one file. "hierml predict" and the Python package use this file
for new rows. Train reports what it guesses about the table (separators, kinds of columns, labels), with the options that
change it.

Texts become weighted words. Numbers are scaled. Nominal values and the words of sets become columns of ones. --fill
replaces missing numbers and marks them. Labels such as food/tea have levels, which hierarchical methods use. If the
table has a column named "split" with the words train and test, the model is trained on the first part and evaluated on
the second. --test 0.2 draws a fifth of each class for the evaluation instead.

C weighs training errors against the simplicity of the model. --C auto tries several values on a fifth of the rows. The
methods are ` + strings.Join(slices.Sorted(maps.Keys(trainingMethods)), ", ") + `.`,
		Example: `  hierml train debian.csv
  hierml train debian.csv -o debian.hierml --unused tags,package --method flat --C 1
  hierml train sales.csv --label category --text title,description --report sales.html
  hierml predict debian.hierml new.csv -o labels.csv`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			t.cmd = cmd
			return t.run(args[0])
		},
	}
	t.columns.add(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&t.output, "output", "o", "", "the file of the model (default FILE.hierml)")
	flags.StringSliceVar(&t.columns.Text, "text", nil, "columns of texts")
	flags.StringSliceVar(&t.columns.Numbers, "numbers", nil, "columns of numbers")
	flags.StringSliceVar(&t.columns.Nominal, "nominal", nil, "columns of nominal values")
	flags.StringSliceVar(&t.columns.Sets, "sets", nil, "columns of sets of words")
	flags.StringSliceVar(&t.columns.Paths, "paths", nil, "columns of words of several levels")
	flags.StringSliceVar(&t.columns.Unused, "unused", nil, "columns to ignore")
	flags.StringVar(&t.columns.SetSeparator, "set-separator", "", "the separator of the words of a set")
	flags.StringVar(&t.columns.ID, "id", "", "the column with the names of the rows")
	flags.StringVar(&t.columns.Part, "part", "", "the column that says train or test")
	flags.StringVar(&t.columns.Group, "group", "", "the column whose values group rows, such as rows of one author; training and evaluation never share a group")
	flags.StringVar(&t.columns.Weight, "weight", "", "the column with the weights of rows in training")
	flags.StringVar(&t.method, "method", "", "the method (default normalized, or one-vs-rest if rows have several labels)")
	flags.StringVar(&t.c, "C", "auto", "the weight of training errors, a number or auto")
	flags.StringVar(&t.fill, "fill", "mean", "the value for missing numbers: mean, median, most-frequent, a number, or refuse")
	flags.IntVar(&t.minRows, "min-rows", 2, "drop nominal values and words of sets that occur in fewer rows")
	flags.IntVar(&t.minDocuments, "min-documents", 2, "drop words of texts that occur in fewer rows")
	flags.BoolVar(&t.probabilities, "probabilities", true, "learn probabilities of labels, by five more trainings")
	flags.Float64Var(&t.test, "test", 0, "the share of rows for evaluation instead of training, such as 0.2")
	flags.StringVar(&t.report, "report", "", "write a web page about data, model and measures")
	return cmd
}

func (t *trainer) run(file string) error {
	ctx, watched, done := watchedWork(t.cmd, inFlagsText)
	defer done()
	settings, err := t.columns.table(t.cmd)
	if err != nil {
		return err
	}
	begun := time.Now()
	table, err := settings.Open(ctx, file, nil)
	if err != nil {
		return inFlags(err)
	}
	if table.Taxonomy == nil {
		return fmt.Errorf("%s has no labels. Name their column by --label", file)
	}
	labelled := table.Labelled()
	if left := table.Len() - labelled.Len(); left > 0 {
		t.cmd.PrintErrf("skipping %d of %d rows, which have no label\n", left, table.Len())
	}
	if table, err = labelled.Leafed(); err != nil {
		return err
	}
	if t.output == "" {
		t.output = strings.TrimSuffix(file, filepath.Ext(file)) + ".hierml"
	}
	if err := others(t.output, file); err != nil {
		return err
	}
	train, test, err := t.divided(table)
	if err != nil {
		return err
	}
	estimator, err := t.estimator(train)
	if err != nil {
		return err
	}
	columns, err := t.settings(train)
	if err != nil {
		return err
	}
	encoder, err := columns.Fit(ctx, train)
	if err != nil {
		return inFlags(err)
	}
	d, err := encoder.Transform(ctx, train)
	if err != nil {
		return inFlags(err)
	}
	p := &pipeline.Pipeline{Columns: encoder}
	chosen, err := t.choose(ctx, estimator, d)
	if err != nil {
		return err
	}
	if p.Model = chosen.model; t.probabilities {
		if p.Calibrated, err = (svm.Calibration{}).Fit(ctx, chosen.estimator, d); err != nil {
			return fmt.Errorf("%w. Use --probabilities=false to skip probabilities", err)
		}
		p.Model = nil
	}
	if err := p.Save(t.output); err != nil {
		return err
	}
	page := &reportPage{title: "Model of " + filepath.Base(file)}
	page.add("Data", table.HTML())
	page.notes(watched.notes)
	page.add("Features", encoder.HTML())
	page.add("Model", chosen.model.HTML(), chosen.html)
	said := fmt.Sprintf("%s: %s, %s, %s, %s\n", t.output, plural(train.Len(), "row", "rows"), plural(len(train.Taxonomy.Leaves()), "label", "labels"),
		plural(encoder.Columns(), "feature", "features"), time.Since(begun).Round(100*time.Millisecond))
	said += chosen.model.String() + "\n" + chosen.text
	if test == nil {
		t.cmd.PrintErrln("the model was not evaluated on unseen rows. Use --test 0.2 to hold out a fifth of the rows")
	} else {
		report, err := p.Evaluate(ctx, test)
		if err != nil {
			return err
		}
		said += "\n" + report.String()
		page.measures(report)
	}
	if _, err := fmt.Fprintln(t.cmd.OutOrStdout(), visible.Text(strings.TrimRight(said, "\n"))); err != nil {
		return err
	}
	return page.write(t.report)
}

// divided returns the rows for training and for a test, which is nil where the table does not say
// which they are and none are asked for.
func (t *trainer) divided(table *dataset.Table) (train, test *dataset.Table, err error) {
	train, test = table.InPart("train"), table.InPart("test")
	switch {
	case t.test != 0:
		return table.Split(t.test, 1)
	case train.Len() == 0 || test.Len() == 0:
		return table, nil, nil
	}
	t.cmd.PrintErrf("training on the %d rows of the part train, evaluating on the %d rows of test [--part]\n", train.Len(), test.Len())
	if left := table.Len() - train.Len() - test.Len(); left > 0 {
		t.cmd.PrintErrf("skipping %d rows of other parts\n", left)
	}
	trained := make(map[string]bool)
	for _, group := range train.Groups() {
		trained[group] = group != ""
	}
	for _, group := range test.Groups() {
		if trained[group] {
			return nil, nil, fmt.Errorf("%s: the group %q is in both parts. Use --test instead of --part, or omit --group to evaluate all the same", table.Name, group)
		}
	}
	if r := train.Prints().RepeatedIn(test.Prints()); r.Rows > 0 {
		t.cmd.PrintErrln(visible.Text(inFlagsText(fmt.Sprintf("%s: %v", table.Name, r))))
	}
	return train, test, nil
}

// estimator returns the method that was asked for.
func (t *trainer) estimator(train *dataset.Table) (svm.Regularized, error) {
	several := slices.ContainsFunc(train.Labels, func(set []int) bool { return len(set) > 1 })
	name := t.method
	if name == "" {
		if name = "normalized"; several {
			name = "one-vs-rest"
		}
	}
	e, ok := trainingMethods[name]
	if !ok {
		return nil, &usageError{t.cmd, fmt.Errorf("unknown method %q; the methods are %s", name, strings.Join(slices.Sorted(maps.Keys(trainingMethods)), ", "))}
	}
	return e, nil
}

// settings returns what becomes of the columns: the logarithm of numbers that are not negative and
// reach over several magnitudes.
func (t *trainer) settings(train *dataset.Table) (features.Columns, error) {
	number := features.Number{Indicator: true, Scale: features.ZScore}
	switch value, err := strconv.ParseFloat(t.fill, 64); {
	case err == nil && !math.IsNaN(value) && !math.IsInf(value, 0):
		number.Missing, number.Value = features.Value, value
	default:
		if err := number.Missing.UnmarshalText([]byte(strings.ReplaceAll(t.fill, "-", " "))); err != nil || number.Missing == features.Value {
			return features.Columns{}, &usageError{t.cmd, fmt.Errorf("--fill is %q; it must be mean, median, most-frequent, refuse or a number", t.fill)}
		}
	}
	s := features.Columns{
		Text: features.Text{MinDocuments: t.minDocuments}, Number: number,
		Nominal: features.Nominal{MinRows: t.minRows}, Set: features.Nominal{MinRows: t.minRows}, Of: make(map[string]features.Column),
	}
	var logs, filled []string
	for k := range train.Columns {
		c := &train.Columns[k]
		if c.Kind != dataset.Number || c.Role != dataset.Feature {
			continue
		}
		const magnitudes = 100
		if d := c.Describe(); d.Least >= 0 && d.Largest > magnitudes*max(d.Median, 1) {
			log := number
			log.Log = true
			s.Of[c.Name] = features.Column{Number: &log}
			logs = append(logs, c.Name)
		}
		if n := c.MissingCount(); n > 0 && number.Missing != features.Refuse {
			filled = append(filled, fmt.Sprintf("%d of %s", n, c.Name))
		}
	}
	if len(logs) > 0 {
		t.cmd.PrintErrf("%s: using logarithms, because the values span several orders of magnitude\n", visible.Text(strings.Join(logs, ", ")))
	}
	if len(filled) > 0 {
		t.cmd.PrintErrf("missing numbers: %s; replaced by %s [--fill]\n", visible.Text(strings.Join(filled, ", ")), t.fill)
	}
	return s, nil
}

// choice is a trained model, and what to say of how C was chosen.
type choice struct {
	model      *classifier.Model
	estimator  svm.Regularized
	text, html string
}

// choose trains with the C that was asked for, or found.
func (t *trainer) choose(ctx context.Context, e svm.Regularized, d *dataset.Dataset) (choice, error) {
	if t.c != "auto" {
		c, err := strconv.ParseFloat(t.c, 64)
		if err != nil || !(c > 0) || math.IsInf(c, 0) {
			return choice{}, &usageError{t.cmd, fmt.Errorf("--C is %q; it must be a positive number or auto", t.c)}
		}
		e = e.WithC(c)
		m, err := e.Fit(ctx, d)
		return choice{model: m, estimator: e}, err
	}
	found, err := svm.ChooseC(ctx, e, d)
	if err != nil {
		return choice{}, fmt.Errorf("%w. Set C by --C", err)
	}
	return choice{found.Model, e.WithC(found.C), found.String(), found.HTML()}, nil
}

// predictor is what hierml predict was asked for.
type predictor struct {
	columns tableFlags
	output  string
	best    int
}

func predictCommand() *cobra.Command {
	p := &predictor{}
	cmd := &cobra.Command{
		Use:   "predict MODEL FILE",
		Short: "Predict the labels of a table's rows with a trained model",
		Long: `Predict predicts a label for each row of a table, with a model that "hierml train" or Save of package
pipeline has written. It prints a CSV table. Each line has the name or number of a row, its label, and the nodes on the path
to the label. The probability follows, or the score if the model has no probabilities. With -k, the next best labels
follow as well. Labels are those of the training data.

If the model predicts several labels, they are in the column "labels". If the model has a rule (Decision of package
pipeline), "labels" has the decision of the rule, which may be a node above the labels or several nodes. "expected" has
the value that the rule expects, and "label" the label without the rule.

The file needs the columns that the model uses; predict ignores others, such as labels. It reads the rows in chunks, so the
file may be larger than memory.`,
		Example: `  hierml predict debian.hierml new.csv -o labels.csv
  hierml predict debian.hierml new.parquet -k 3`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args[0], args[1]) },
	}
	cmd.Flags().StringVarP(&p.output, "output", "o", "", "the file to write (default standard output)")
	cmd.Flags().IntVarP(&p.best, "best", "k", 1, "the number of labels to print for each row, best first")
	cmd.Flags().StringVar(&p.columns.ID, "id", "", "the column with the names of the rows")
	cmd.Flags().StringVar(&p.columns.comma, "comma", "", "the separator of fields")
	cmd.Flags().StringVar(&p.columns.decimal, "decimal", "", "the decimal point of numbers with commas, . or , (default that of the training rows)")
	cmd.Flags().StringArrayVar(&p.columns.Missing, "missing", nil, "a further word that means a missing value; none makes NA and the like ordinary words")
	return cmd
}

// chunkRows is how many rows are predicted at a time.
const chunkRows = 4096

func (p *predictor) run(cmd *cobra.Command, model, file string) (err error) {
	if p.best < 1 {
		return &usageError{cmd, fmt.Errorf("-k is %d; it must be at least 1", p.best)}
	}
	ctx, _, done := watchedWork(cmd, inFlagsText)
	defer done()
	trained, settings, err := loadedModel(cmd, model, &p.columns)
	if err != nil {
		return err
	}
	if labels := len(trained.Taxonomy().Leaves()); p.best > labels {
		cmd.PrintErrf("the model has only %d labels, so -k %d prints them all\n", labels, p.best)
		p.best = labels
	}
	if err := others(p.output, model, file); err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	write := func(out io.Writer) error {
		rows := 0
		for part, err := range settings.Chunks(ctx, in, file, chunkRows, nil) {
			if err != nil {
				return inFlags(err)
			}
			answers, err := trained.PredictTable(ctx, part, p.best)
			if err != nil {
				return inFlags(err)
			}
			if err := writeAnswers(ctx, out, answers, rows); err != nil {
				return err
			}
			rows += part.Len()
		}
		if rows == 0 {
			return fmt.Errorf("%s has no rows", file)
		}
		return nil
	}
	if p.output == "" {
		return write(cmd.OutOrStdout())
	}
	return replace.With(p.output, write)
}

// evaluatorOf is what hierml evaluate was asked for.
type evaluatorOf struct {
	columns tableFlags
	report  string
}

func evaluateCommand() *cobra.Command {
	e := &evaluatorOf{}
	cmd := &cobra.Command{
		Use:   "evaluate MODEL FILE",
		Short: "Measure a model on the rows of a table with labels",
		Long: `Evaluate predicts the rows of a table with a model of "hierml train", compares the predictions with
the labels of the table, and prints the measures. It skips rows without a label and rows whose label the model does not
know, and reports their number.`,
		Example: `  hierml evaluate debian.hierml test.csv
  hierml evaluate debian.hierml test.csv --label section --report test.html`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0], args[1]) },
	}
	e.columns.add(cmd)
	cmd.Flags().StringVar(&e.report, "report", "", "write a web page with the measures, the classes and a confusion matrix")
	return cmd
}

func (e *evaluatorOf) run(cmd *cobra.Command, model, file string) error {
	ctx, watched, done := watchedWork(cmd, inFlagsText)
	defer done()
	trained, settings, err := loadedModel(cmd, model, &e.columns)
	if err != nil {
		return err
	}
	var faults files.Faults
	settings.Repair = &faults
	m := modelIn(trained)
	if m == nil || trained.Translated != nil {
		return fmt.Errorf("%s predicts sets of nodes, or labels of a taxonomy other than the one of its training. Evaluate it with package metric of the library", model)
	}
	test, err := settings.Open(ctx, file, m.Taxonomy)
	if err != nil {
		return inFlags(err)
	}
	if test.Labels == nil {
		return fmt.Errorf("%s has no labels to compare with. Name their column by --label", file)
	}
	if text := faults.String(); faults.Total() > 0 {
		cmd.PrintErrln(visible.Text(text))
	}
	labelled := test.Labelled()
	if labelled.Len() == 0 {
		return fmt.Errorf("no row of %s has a label that the model knows", file)
	}
	if left := test.Len() - labelled.Len(); left > 0 {
		cmd.PrintErrf("skipping %d of %d rows, which have no label that the model knows\n", left, test.Len())
	}
	report, err := trained.Evaluate(ctx, labelled)
	if err != nil {
		return inFlags(err)
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), visible.Text(strings.TrimRight(report.String(), "\n"))); err != nil {
		return err
	}
	page := &reportPage{title: filepath.Base(model) + " on " + filepath.Base(file)}
	page.add("Data", labelled.HTML())
	page.notes(watched.notes)
	page.add("Model", trained.HTML(), m.HTML())
	page.measures(report)
	return page.write(e.report)
}

// modelIn returns the model of a pipeline.
func modelIn(p *pipeline.Pipeline) *classifier.Model {
	if p.Calibrated != nil {
		return p.Calibrated.Model
	}
	return p.Model
}

// loadedModel loads a model, whose file is the first argument, and returns how its tables are read.
func loadedModel(cmd *cobra.Command, file string, flags *tableFlags) (*pipeline.Pipeline, files.Table, error) {
	p, err := pipeline.Load(file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is not a model that hierml train has saved (the arguments are MODEL, then FILE): %w", file, err)
		}
		return nil, files.Table{}, err
	}
	settings, err := flags.table(cmd)
	settings.Like = p.Fields()
	return p, settings, err
}

// others returns an error if the output would be written over one of the inputs.
func others(output string, inputs ...string) error {
	if output == "" {
		return nil
	}
	out, err := os.Stat(output)
	if err != nil {
		return nil // there is nothing yet to write over
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("%s is an input, and the output would overwrite it. Name another file by -o", output)
		}
	}
	return nil
}
