// Package experiment compares methods: it trains and evaluates every one of them on the same
// divisions of the same data, and says how they differ and whether that may be chance.
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
// Data may be a file of yours, CSV, TSV, JSON, Parquet or Arrow: Reader says how it is read, and
// Columns how its columns become features, as files.Table and features.Columns do. Columns is
// fitted in every division on what is trained on alone. A column called split with the values train
// and test is the division of the data. A grid may try settings of the data together with those of
// a method, by names that begin with Data; where there is an inner split, they are chosen by it:
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
// A grid of many settings has more points than can be tried. Draws draws some of them at random,
// also of a Range of numbers:
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
// Reader.Group of a File) are on one side of every division, also of inner ones. To train on
// what is earlier than what is tested on, set Split.Forward.
//
// [CrossValidate] is a study of one method in one call.
//
// A study in JSON reads files below its own folder only, and not through links, unless you name
// another folder: Study.DataFolder, hierml study run --data FOLDER. A table that is already read,
// dataset.Table, can be given in Go, as Table.
//
// # Cells
//
// A cell is one training with one evaluation: a data set, a division of it, a method and a point of
// its grid. Cells do not depend on each other, but that where there is an inner split a method's
// point is chosen by its inner cells. They run on all cores. The seed of a cell is a hash of what
// it is, so that its outcome depends neither on the order nor on which others there are, and
// [Study.RunCell] runs it again alone. A cell that fails, by an error or by a panic of a method, is
// recorded with its error, and the others go on.
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
// With a Directory every finished cell is on disk at once, and Run does only what is missing there:
// an interrupted study goes on where it was. Cells are known by a hash of all that determines them,
// the content of the data included: whatever of a study is changed, cells which that would change
// are run anew, and those that it leaves as they are are not. What a Go function does cannot be
// seen: Method.Version and Data.Version stand for it.
//
//	study.json   the study, as hierml study run takes it where all of it can be written so
//	plan.json    the cells of the study, in their order
//	cells.jsonl  the finished cells, a line each, in the order in which they finished
//	lock         held while a study runs
//
// A directory may come from elsewhere, as in an archive. Nothing in it is read or written through a
// link, and what is no file is refused by its name.
//
// # Other machines
//
// With a Farm cells are computed elsewhere: on a cluster by Slurm's job arrays, see farm.Slurm. A
// part of a job has thirty seconds or more to compute, as far as that can be told from what is
// finished, and cells whose point is chosen come in a second job, after those by which it is. The
// directory, which all machines see, is then all that processes have in common:
//
//	jobs/N-1.json       the cells of each part of the job N, fixed when it was submitted; N-2.json of a second job
//	parts/N-1-I/K.jsonl the cells that the K-th process of part I has finished, and which it began
//	log/                what processes print
//	farm.json           the jobs that are under way
//
// A process that is lost costs the cell that it was at. A process that was taken for lost, and was
// not, ends before its next cell.
package experiment
