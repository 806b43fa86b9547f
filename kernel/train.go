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
	flags.StringVar(&f.LabelSeparator, "label-separator", "", "what stands between several labels of a field, or none")
	flags.StringVar(&f.PathSeparator, "path-separator", "", "what stands between the levels of a label, or none")
	flags.StringSliceVar(&f.Levels, "levels", nil, "the columns of the levels of the labels")
	flags.StringArrayVar(&f.Missing, "missing", nil, "a further word that stands for a missing value; none: NA and the like do not")
	flags.StringVar(&f.comma, "comma", "", "what stands between fields")
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
			return files.Table{}, &usageError{cmd, fmt.Errorf("--%s is %q; it is one character, or \\t for a tab", name, of.text)}
		}
		*of.to, _ = utf8.DecodeRuneInString(text)
		if text == "" {
			*of.to = 0
		}
	}
	if f.decimal != "" && f.decimal != "." && f.decimal != "," {
		return files.Table{}, &usageError{cmd, fmt.Errorf("--decimal is %q; it is . or ,", f.decimal)}
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
		Short: "Train a model on a table of yours, and save it",
		Long: `Train reads a table with labels (CSV, TSV, JSON, Parquet or Arrow), makes features of
its columns, trains a method, and saves features and model in one file, which
"hierml predict" and the package for Python give new rows to. What it finds out of
the table (separators, kinds of columns, labels) it says in lines that name the
options which change it.

Texts become weighted words, numbers are scaled, nominal values and the words of sets
become columns of ones. A number that is missing is replaced by --fill, and marked.
Labels such as food/tea have levels: the methods that learn a hierarchy use them. If
a column called split says of each row that it is for train or test, the model is
trained on the first part and measured on the second; --test 0.2 draws a fifth of
each class for that.

C weighs errors in training against simple models; "auto" tries several on a fifth
of the rows. The methods: ` + strings.Join(slices.Sorted(maps.Keys(trainingMethods)), ", ") + `.`,
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
	flags.StringVarP(&t.output, "output", "o", "", "the file of the model; FILE.hierml if it is not given")
	flags.StringSliceVar(&t.columns.Text, "text", nil, "columns of texts")
	flags.StringSliceVar(&t.columns.Numbers, "numbers", nil, "columns of numbers")
	flags.StringSliceVar(&t.columns.Nominal, "nominal", nil, "columns of nominal values")
	flags.StringSliceVar(&t.columns.Sets, "sets", nil, "columns of sets of words")
	flags.StringSliceVar(&t.columns.Paths, "paths", nil, "columns of words of several levels")
	flags.StringSliceVar(&t.columns.Unused, "unused", nil, "columns that are no features")
	flags.StringVar(&t.columns.SetSeparator, "set-separator", "", "what stands between the words of a set")
	flags.StringVar(&t.columns.ID, "id", "", "the column that names the rows")
	flags.StringVar(&t.columns.Part, "part", "", "the column that says train or test")
	flags.StringVar(&t.columns.Group, "group", "", "the column that says which rows belong together, as those of one author; none is measured on whose like is trained on")
	flags.StringVar(&t.columns.Weight, "weight", "", "the column of numbers that says how much each row counts in training")
	flags.StringVar(&t.method, "method", "", "the method; normalized if it is not given, one-vs-rest for several labels a row")
	flags.StringVar(&t.c, "C", "auto", "the weight of errors, a number or auto")
	flags.StringVar(&t.fill, "fill", "mean", "what stands for missing numbers: mean, median, most-frequent, a number, or refuse")
	flags.IntVar(&t.minRows, "min-rows", 2, "in how many rows a nominal value, or a word of a set, has to be")
	flags.IntVar(&t.minDocuments, "min-documents", 2, "in how many rows a word of a text has to be")
	flags.BoolVar(&t.probabilities, "probabilities", true, "learn the probabilities of labels, by five further trainings")
	flags.Float64Var(&t.test, "test", 0, "the share of the rows that are measured on, and not trained on, as 0.2")
	flags.StringVar(&t.report, "report", "", "write a page about data, model and measures")
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
		return fmt.Errorf("%s has no labels to learn; --label names their column", file)
	}
	labelled := table.Labelled()
	if left := table.Len() - labelled.Len(); left > 0 {
		t.cmd.PrintErrf("%d of %d rows have no label, and are left out\n", left, table.Len())
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
			return fmt.Errorf("%w; --probabilities=false leaves them out", err)
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
		t.cmd.PrintErrln("the model was not measured on rows that it was not trained on; --test 0.2 holds a fifth of them out")
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
	t.cmd.PrintErrf("trained on the %d rows of the part train, and measured on the %d of test [--part]\n", train.Len(), test.Len())
	if left := table.Len() - train.Len() - test.Len(); left > 0 {
		t.cmd.PrintErrf("%d rows of other parts are not used\n", left)
	}
	trained := make(map[string]bool)
	for _, group := range train.Groups() {
		trained[group] = group != ""
	}
	for _, group := range test.Groups() {
		if trained[group] {
			return nil, nil, fmt.Errorf("%s: the group %q is in both parts; leave --group out to measure all the same, or give --test in place of --part", table.Name, group)
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
		return nil, &usageError{t.cmd, fmt.Errorf("no method %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(trainingMethods)), ", "))}
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
			return features.Columns{}, &usageError{t.cmd, fmt.Errorf("--fill is %q; it is mean, median, most-frequent, refuse or a number", t.fill)}
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
		t.cmd.PrintErrf("%s: taken as logarithms, since they reach over several magnitudes\n", visible.Text(strings.Join(logs, ", ")))
	}
	if len(filled) > 0 {
		t.cmd.PrintErrf("missing numbers: %s; %s stands for them [--fill]\n", visible.Text(strings.Join(filled, ", ")), t.fill)
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
			return choice{}, &usageError{t.cmd, fmt.Errorf("--C is %q; it is a positive number or auto", t.c)}
		}
		e = e.WithC(c)
		m, err := e.Fit(ctx, d)
		return choice{model: m, estimator: e}, err
	}
	found, err := svm.ChooseC(ctx, e, d)
	if err != nil {
		return choice{}, fmt.Errorf("%w; --C sets one", err)
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
		Short: "Predict the labels of a table's rows, by a model that was trained",
		Long: `Predict gives a label to each row of a table, by a model that "hierml train", or Save
of package pipeline, wrote. It prints a CSV: the name or the number of the row, its
label, the nodes on the way to it, its probability, or its score in a model without
probabilities, and with -k the next best labels. Labels are those of the training
data. The column "labels" has the labels of a model that predicts several. If the model
has a rule, Decision of package pipeline, "labels" has what the rule decides for, which
may be a node above the labels or several nodes, "expected" has the value that the rule
expects, and "label" is the label without the rule. The file needs the columns that the
model takes; others, such as labels, are not read. Rows are read one part after the
other: the file may be larger than memory.`,
		Example: `  hierml predict debian.hierml new.csv -o labels.csv
  hierml predict debian.hierml new.parquet -k 3`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args[0], args[1]) },
	}
	cmd.Flags().StringVarP(&p.output, "output", "o", "", "the file that is written; standard output if it is not given")
	cmd.Flags().IntVarP(&p.best, "best", "k", 1, "how many labels to print of each row, the best first")
	cmd.Flags().StringVar(&p.columns.ID, "id", "", "the column that names the rows")
	cmd.Flags().StringVar(&p.columns.comma, "comma", "", "what stands between fields")
	cmd.Flags().StringVar(&p.columns.decimal, "decimal", "", "the decimal point of numbers with commas, . or , ; that of the training rows if it is not given")
	cmd.Flags().StringArrayVar(&p.columns.Missing, "missing", nil, "a further word that stands for a missing value; none: NA and the like do not")
	return cmd
}

// chunkRows is how many rows are predicted at a time.
const chunkRows = 4096

func (p *predictor) run(cmd *cobra.Command, model, file string) (err error) {
	if p.best < 1 {
		return &usageError{cmd, fmt.Errorf("-k is %d; it is how many labels are printed, at least 1", p.best)}
	}
	ctx, _, done := watchedWork(cmd, inFlagsText)
	defer done()
	trained, settings, err := loadedModel(cmd, model, &p.columns)
	if err != nil {
		return err
	}
	if labels := len(trained.Taxonomy().Leaves()); p.best > labels {
		cmd.PrintErrf("the model has %d labels, which are all that -k %d gives\n", labels, p.best)
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
		Long: `Evaluate predicts the rows of a table by a model that "hierml train" wrote, compares
with the labels that the table has, and prints the measures. Rows without a label are
left out, and so are those whose labels the model does not know, which is said.`,
		Example: `  hierml evaluate debian.hierml test.csv
  hierml evaluate debian.hierml test.csv --label section --report test.html`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0], args[1]) },
	}
	e.columns.add(cmd)
	cmd.Flags().StringVar(&e.report, "report", "", "write a page with the measures, the classes and a confusion matrix")
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
		return fmt.Errorf("%s predicts sets of nodes, or the labels of another taxonomy than it was trained with; package metric of the library measures such models", model)
	}
	test, err := settings.Open(ctx, file, m.Taxonomy)
	if err != nil {
		return inFlags(err)
	}
	if test.Labels == nil {
		return fmt.Errorf("%s has no labels to compare with; --label names their column", file)
	}
	if text := faults.String(); faults.Total() > 0 {
		cmd.PrintErrln(visible.Text(text))
	}
	labelled := test.Labelled()
	if labelled.Len() == 0 {
		return fmt.Errorf("no row of %s has a label that the model knows", file)
	}
	if left := test.Len() - labelled.Len(); left > 0 {
		cmd.PrintErrf("%d of %d rows have no label that the model knows, and are left out\n", left, test.Len())
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
			err = fmt.Errorf("%s is no model that hierml train has written; MODEL comes first, then FILE: %w", file, err)
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
			return fmt.Errorf("%s is read, and would be written over; name another file by -o", output)
		}
	}
	return nil
}
