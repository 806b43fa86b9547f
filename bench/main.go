// Command bench compares this library with other packages, on the same data in one run on one
// machine. Each training runs in a process of its own.
//
// # Time to an objective
//
//	python3 -m venv ENV && ENV/bin/pip install -r bench/driver/requirements.txt
//	go run ./bench liblinear -python ENV/bin/python -problem small
//	go run ./bench liblinear -python ENV/bin/python -data DIR -problem big -runs flat,hierarchical -workers 1,2
//
// trains the SVMs of this library and LIBLINEAR's Crammer-Singer solver (-s 4), and prints what
// each took. A problem is small, big, wipod, dmoz or wikipedia: the files NAME.train.svm,
// NAME.test.svm and NAME.edges (lines of parent and child, the root is 0) of the folder. Without
// -data, package synthetic generates a problem of the same size. dmoz and wikipedia are too large
// for LIBLINEAR. The sets of the table are problems, too. If the first of -runs is one-vs-rest,
// one-vs-rest-squared or one-vs-rest-logistic, it is compared with LIBLINEAR's -s 3, -s 1 or -s 7,
// whose problem is the same if all leaves have instances.
//
// Seconds are CPU seconds, user and system of all threads, of the training alone: of Fit, which
// includes the certificate, and of LIBLINEAR's train(). LIBLINEAR is run with smaller and smaller
// tolerances until its primal objective is no larger than that of the first run of this library, so
// -runs should begin with flat. Peak memory is that of the process when training ends, data
// included.
//
// Without -python only this library is run.
//
// # Speed
//
//	HIERML_DATA=DIR go run ./bench speed -python ENV/bin/python -results FILE
//
// measures every row of doc/speed.md: what this library and a peer take for the same work, in turn,
// each in a process of its own on one core. The ratio of a case is the median of those of three
// pairs, or of those that a minute has room for. -rows chooses rows by parts of their names. The
// rows of the kernel are wall time on all cores, as its client sees it, beside ipykernel; -program
// names the program to measure, which is built otherwise.
//
// # Methods and sets
//
//	HIERML_DATA=DIR go run ./bench table -python ENV/bin/python -pdsparse FOLDER -results FILE
//
// trains methods of this library, LIBLINEAR, scikit-learn, HiClass, napkinXC, PECOS and PD-Sparse
// on the twelve sets of the folder, and prints tables of methods and sets: how good the predictions
// are, and what they took. doc/comparison.md has them. Labels at inner nodes are replaced by
// miscellaneous leaves below them, which the measures take for the inner nodes again. In sets with
// few rows of several labels, these rows are left out. All packages read the same files: texts as
// they are, and dense features with each row at unit length beside a constant. C is chosen from a
// grid, for each method and set, by a fifth of the training part; then the method is trained on all
// of it. Other options have their default values. A training that takes longer than -time is ended,
// or ends itself if it has a limit of its own; methods that train on folds divide it among them.
//
// All packages write five labels a row and, where they have them, the scores of all leaves or
// nodes, and the same code judges these. The score of an inner node is the highest of the leaves
// below, or their sum where they are probabilities that add up to one; Ridge, NodeSets, forest
// and calibrated models have scores of nodes. AU(PRC) is the area of all pairs of a row and a
// node. The predicted set of a row, for the hierarchical F1, is the first label where rows have
// one; where they have several, the nodes with scores of at least a threshold, the best one when
// C is chosen. NodeSets, HM3, forest, decisions, and structured SVMs trained on rows with
// several labels decide for sets themselves. HiClass and PD-Sparse give no scores.
//
// The first row of a table is half of the 95 % interval of the best measure of each set.
// Measures in italics cannot be told from it by a paired test over the rows of the test part,
// corrected by Holm's method for the number of methods. Both are by the jackknife that leaves
// out one of 40 groups of rows at a time. They say nothing of another training part, or of
// another division to choose C.
//
// Results are added to the file of -results, and results that it has are not computed again, so
// that a comparison that was ended goes on where it was. A file has results of one version of
// the comparison. Those of the page are testdata/results.jsonl.
//
// # Size
//
//	go run ./bench scale -data DIR -results FILE -progress
//	go run ./bench scale -data DIR -results FILE -python ENV/bin/python -pdsparse FOLDER -problems dmoz
//
// trains on big, dmoz and wikipedia, and on problems of the shape of dmoz with 1,000 to 50,000
// nodes: this library's SVMs to a certified gap, LIBLINEAR on big to the same objective, and
// PD-Sparse, napkinXC's PLT and PECOS's XR-Linear on dmoz, all with C = 1. doc/scale.md has the
// table and the chart of testdata/scale.jsonl. It takes some hours and 16 GB of memory. The column
// "others' cores" is the load from other processes during the run.
//
// # Tables
//
//	go run ./bench columns -python ENV/bin/python -data DIR/debian.csv
//
// goes from a mixed table (a text, numbers of which some are missing, nominal values) to
// predictions for 30 % of its rows, with features.Columns and with scikit-learn's
// ColumnTransformer and LinearSVC, C = 1, on the same rows. Seconds are CPU seconds of reading,
// of features and training, and of predicting and, for this library, all measures.
//
// # Defaults for tables
//
//	hierml study run bench/testdata/defaults.json --data DIR
//
// compares the features and the method that hierml train has by default with others, one setting
// changed at a time, on debian.csv in DIR. doc/comparison.md has the table.
//
// # Bounds of time
//
//	HIERML_DATA=DIR go run ./bench time
//	HIERML_DATA=DIR go run ./bench time -busy 2
//
// trains each estimator with bounds of the time, and prints for each the share of its bound that it
// took, the value of the objective relative to zero weights, and the gap. With -busy so many
// processes compute beside the trainings.
//
// # Node weightings
//
//	HIERML_DATA=DIR go run ./bench weightings
//
// compares the ways to choose the node weights of normalized SVMs, by which svm.Normalized has its
// default. From each set it draws rows with a single label several times, trains on two thirds, and
// chooses C for each weighting from a grid by a fifth of these. One table has the mean accuracy on
// the other third, in percent, another one the mean tree loss; the last rows are mean ranks.
//
// # Decisions
//
//	HIERML_DATA=DIR go run ./bench decisions
//
// compares the leaf with the highest score with decisions by calibrated probabilities, by package
// decision: of the rows with one label of each set, the model that was trained on the training part
// with C = 1 decides for the test part. Beside each measure is what the rule expected of it.
// doc/comparison.md has the table.
//
// # Sets of nodes
//
//	HIERML_DATA=DIR go run ./bench nodesets
//
// compares the scores that svm.NodeSets may learn from, on sets with labels at inner nodes: ridge
// regression, one-vs-rest, whose node scores are the highest of the leaves below, and
// svm.MaxConstraint; and the scores of svm.MaxConstraint as they are with the highest at or below
// each node of SVMs that are trained apart. doc/comparison.md has the table.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"github.com/hierml/notebook/internal/process"
)

// commands are the values of the first argument. The last is the command's own: it trains a method
// of this library as the driver of the other packages does.
var commands = map[string]func(ctx context.Context, arguments []string) error{
	"liblinear":  compareObjectives,
	"table":      compareMethods,
	"scale":      compareSizes,
	"weightings": compareWeightings,
	"columns":    compareColumns,
	"decisions":  compareDecisions,
	"nodesets":   compareNodeSets,
	"rank":       rank,
	"time":       compareBounds,
	"speed":      compareSpeed,
	"speedwork":  doWork,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// output runs a program, which ends when this one does, with all that it has started, and returns
// what it prints.
func output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := process.Run(process.Bind(cmd))
	return out.Bytes(), err
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 || commands[arguments[0]] == nil {
		return fmt.Errorf("say what to compare: bench liblinear, bench table, bench scale, bench columns, bench decisions, bench nodesets, bench speed, bench time, or bench weightings")
	}
	return commands[arguments[0]](ctx, arguments[1:])
}
