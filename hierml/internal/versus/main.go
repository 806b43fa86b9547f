// Command versus compares this library with others, on the same data in one run on one machine. Every
// training is a process of its own.
//
// # Time to an objective
//
//	go run ./hierml/internal/versus liblinear -problem small
//	go run ./hierml/internal/versus liblinear -data DIR -problem big -runs flat,hierarchical -workers 1,2
//
// trains the SVMs of this library and LIBLINEAR's Crammer-Singer solver (-s 4) and prints what each
// took. A problem is small, big, wipod, dmoz or wikipedia: the files NAME.train.svm, NAME.test.svm and NAME.edges
// (lines of parent and child, the root is 0) of the folder, or, without -data, what package synthetic
// generates in the same size. dmoz and wikipedia are too large for LIBLINEAR. The sets of the table are problems, too.
// Where the first of -runs is one-vs-rest, one-vs-rest-squared or one-vs-rest-logistic, it is compared
// with LIBLINEAR's -s 3, -s 1 or -s 7, whose problem is the same if all leaves have instances.
//
// Seconds are CPU seconds, user and system of all threads, of the training alone: of Fit here, which
// includes compiling the problem and the certificate, and of the library call train() there. LIBLINEAR
// is run with one tolerance after the other from loose to tight, and the first counts whose primal
// objective is no larger than the one that the first run of this library has reached; so -runs should
// begin with flat. Peak memory is that of the process when training ends, data included.
//
// It needs a C++ compiler and LIBLINEAR: the system's library and header (Debian: liblinear-dev),
// or with -liblinear its source folder. Without either, "-liblinear none" runs this library alone.
//
// # Methods and sets
//
//	python3 -m venv ENV && ENV/bin/pip install -r hierml/internal/versus/driver/requirements.txt
//	HIERML_DATA=DIR go run ./hierml/internal/versus table -python ENV/bin/python -pdsparse FOLDER -results FILE
//
// trains methods of this library, LIBLINEAR, scikit-learn, HiClass, napkinXC, PECOS and PD-Sparse on
// the sets of the folder and prints tables of methods and sets: how good the rankings of the leaves
// are, and what they took. doc/comparison.md has them. Labels are at leaves, the ones at inner
// nodes at miscellaneous leaves below them; what has few rows of several labels is compared without
// these. Everybody is given the same files: texts as they are, dense features with every row at unit
// length beside a constant. C is chosen from a grid, for each method and set alike, by a fifth of the
// instances to train with, and then everything is trained on. Predictions of everybody are written
// as five labels for every row, and judged by the same lines. Other options are those that a method
// has without being asked. A training that takes longer than -time is ended, or ends itself, where it
// has a limit of its own.
//
// Results are added to the file of -results, and what is in it already is not run again. Those of
// the page are testdata/results.jsonl.
//
// # Size
//
//	go run ./hierml/internal/versus scale -data DIR -results FILE -progress
//	go run ./hierml/internal/versus scale -data DIR -results FILE -python ENV/bin/python -pdsparse FOLDER -problems dmoz
//
// trains on big, dmoz and wikipedia, and on problems of the shape of dmoz with 1,000 to 50,000 nodes, this library's
// SVMs to a certified gap, LIBLINEAR on big to the same objective, and PD-Sparse, napkinXC's PLT and PECOS's
// XR-Linear on dmoz, all with C = 1. doc/scale.md has the table and the chart of testdata/scale.jsonl. It takes some
// hours and 16 GB of memory; others' cores are the CPU time of the rest of the machine, by which the
// seconds are to be read.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

// commands are what the first argument chooses from. The last is the command's own: it trains a
// method of this library as the driver of the others does.
var commands = map[string]func(ctx context.Context, arguments []string) error{
	"liblinear": compareObjectives,
	"table":     compareMethods,
	"scale":     compareSizes,
	"rank":      rank,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 || commands[arguments[0]] == nil {
		return fmt.Errorf("say what to compare: versus liblinear, versus table, or versus scale")
	}
	return commands[arguments[0]](ctx, arguments[1:])
}
