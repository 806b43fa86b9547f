// Package experiment compares methods: it trains and evaluates all of them on the same splits of
// the same data, and reports their differences with significance tests.
//
// A [Study] is data: methods with grids of their settings, data sets, a [Split], repeats and a
// seed. It is a Go value in a cell or a program, and a JSON file for the terminal (hierml study run
// FILE.json), with the same names in both:
//
//	study := experiment.Study{
//		Data: []experiment.Data{{Open: "ng15"}},
//		Methods: []experiment.Method{
//			{Name: "flat", Estimator: svm.Flat{}, Grid: experiment.Grid{"C": {0.1, 1, 10}}},
//			{Name: "normalized", Estimator: svm.Normalized{Weighting: weighting.MaxMin{}}, Grid: experiment.Grid{"C": {0.1, 1, 10}}},
//		},
//		Split:    experiment.Split{PerClass: []int{10, 50, 200}},
//		Inner:    experiment.Split{HeldOut: 0.2},
//		Repeats:  10,
//		Baseline: "flat",
//		Directory: "newsgroups.study",
//		Progress: nb.Bar("newsgroups"),
//	}
//	results, err := study.Run(ctx)
//
// # Tables of your own
//
// Data may be your own file, CSV, TSV, JSON, Parquet or Arrow: Reader has the settings for reading
// it (files.Table), and Columns those for its features (features.Columns). In every split Columns
// is fitted on the training part only. A column called split with the values train and test is the
// split of the data. A grid may try settings of the data together with those of a method, by names
// that begin with Data; an inner split, if there is one, chooses them:
//
//	study := experiment.Study{
//		Data: []experiment.Data{{
//			File:    "debian.csv",
//			Reader:  files.Table{Label: "label", Unused: []string{"tags"}},
//			Columns: features.Columns{Number: features.Number{Missing: features.Mean, Scale: features.ZScore}},
//			Leafed:  true,
//		}},
//		Methods: []experiment.Method{{Estimator: svm.Normalized{}, Grid: experiment.Grid{
//			"C": {0.1, 1, 10}, "Data.Columns.Text.NGrams": {[2]int{1, 1}, [2]int{1, 2}},
//		}}},
//		Split: experiment.Split{Folds: 5},
//		Inner: experiment.Split{HeldOut: 0.2},
//	}
//
// In JSON that is
//
//	{"Data": [{"File": "debian.csv", "Reader": {"Label": "label", "Unused": ["tags"]},
//	           "Columns": {"Number": {"Missing": "mean", "Scale": "z-score"}}, "Leafed": true}],
//	 "Methods": [{"Estimator": "svm.Normalized", "Grid": {
//	           "C": [0.1, 1, 10], "Data.Columns.Text.NGrams": [[1, 1], [1, 2]]}}],
//	 "Split": {"Folds": 5}, "Inner": {"HeldOut": 0.2}}
//
// A grid of many settings has too many points to try. Draws draws some of them at random, also from
// a Range of numbers:
//
//	{Estimator: svm.Normalized{}, Draws: 20, Grid: experiment.Grid{
//		"C": {experiment.Range{Low: 0.01, High: 100, Log: true}}, "Weighting": {weighting.Shared{}, weighting.MaxMin{}},
//	}}
//
// In JSON that is
//
//	{"Estimator": "svm.Normalized", "Draws": 20, "Grid": {
//	   "C": [{"experiment.Range": {"Low": 0.01, "High": 100, "Log": true}}],
//	   "Weighting": ["weighting.Shared", "weighting.MaxMin"]}}
//
// Rows that belong together (dataset.Dataset.Groups, the role Group of a table's column,
// Reader.Group of a File) are on one side of every split, also of inner ones. To train on earlier
// instances than you test on, set Split.Forward.
//
// [CrossValidate] is a study of one method in one call.
//
// A study in JSON reads files below its own folder only, and not through links, unless you name
// another folder: Study.DataFolder, hierml study run --data FOLDER. A table that is already read,
// dataset.Table, can be given in Go, as Table.
//
// # Cells
//
// A cell is one training with one evaluation: a data set, a split of it, a method and a point of
// its grid. Cells are independent, except that with an inner split the inner cells choose a
// method's point. They run on all cores. The seed of a cell is a hash of its description, so its
// result does not depend on the order or on other cells, and [Study.RunCell] can repeat it alone. A
// cell that fails, by an error or a panic of a method, is recorded with its error, and the others
// continue.
//
// # Where things are
//
// study.go and method.go declare what users write; fields.go, encode.go, names.go and json.go
// turn it into JSON and back. draws.go draws points of grids; plan.go lists the cells; divide.go
// draws the divisions, inner ones within the training part of outer ones; parts.go and cell.go
// compute cells; run.go runs what is missing, onfarm.go on other machines. table.go reads
// tables. store.go keeps finished cells; results.go, summary.go, curve.go and twoway.go tabulate
// and test them.
//
// # The directory
//
// With a Directory every finished cell is saved at once, and Run computes only missing cells: an
// interrupted study continues where it stopped. A cell is identified by a hash of everything that
// determines it, including the contents of the data. So after a change of a study, only the
// affected cells are run again. The code of a Go function is not part of the hash: change
// Method.Version or Data.Version when it changes.
//
//	study.json   the study, as hierml study run takes it where all of it can be written so
//	plan.json    the cells of the study, in their order
//	cells.jsonl  the finished cells, a line each, in the order in which they finished
//	lock         held while a study runs
//
// A directory may come from another source, such as an archive. Nothing in it is read or written
// through a link, and an entry that is not a file is an error with its name.
//
// # Other machines
//
// With a Farm cells are computed on other machines: on a cluster by Slurm's job arrays, see
// farm.Slurm. A part of a job has at least thirty seconds of work, as estimated from finished
// cells. Cells whose point must be chosen run in a second job, after those that choose it. The
// directory, which all machines must be able to access, is the only connection between the
// processes:
//
//	jobs/N-1.json       the cells of each part of the job N, fixed when it was submitted; N-2.json of a second job
//	parts/N-1-I/K.jsonl the cells that the K-th process of part I has finished, and which it began
//	log/                what processes print
//	farm.json           the jobs that are under way
//
// If a process is lost, only its current cell is lost. A process that was wrongly taken for lost
// ends before its next cell.
package experiment
