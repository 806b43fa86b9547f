package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"text/tabwriter"
)

// solvers are LIBLINEAR's numbers of the problems that it has, too; "softmax" is scikit-learn's
// multinomial logistic regression, the same as ours where the taxonomy has one level.
var solvers = map[string]string{"softmax": "softmax", "flat": "4", "one-vs-rest": "3", "one-vs-rest-squared": "1", "one-vs-rest-logistic": "7"}

// tolerances of LIBLINEAR, from loose to tight; 0.1 is its default.
var tolerances = []string{"0.3", "0.2", "0.1", "0.07", "0.05", "0.03", "0.02", "0.01", "0.005", "0.003", "0.001", "0.0003", "0.0001"}

// ladder returns the tolerances for a number of solvers. scikit-learn's default is 0.0001.
func ladder(number string) []string {
	if number != "softmax" {
		return tolerances
	}
	return []string{"0.1", "0.03", "0.01", "0.003", "0.001", "0.0003", "0.0001", "0.00003", "0.00001", "0.000003", "0.000001", "0.0000001"}
}

// peerName is what trains for a number of solvers.
func peerName(number string) string {
	if number == "softmax" {
		return "scikit-learn"
	}
	return "LIBLINEAR"
}

// liblinear trains with the largest of the tolerances with which the primal objective is at most
// target, or else with the smallest.
func liblinear(ctx context.Context, python, folder, number string, f stem, c, target float64, tolerances []string) (*outcome, error) {
	driver, err := writeDriver(folder)
	if err != nil {
		return nil, err
	}
	arguments := append([]string{
		driver, "objective", number, strconv.FormatFloat(c, 'g', -1, 64), strconv.FormatFloat(target, 'g', -1, 64), f.train(), f.test(),
	}, tolerances...)
	command := exec.CommandContext(ctx, python, arguments...)
	command.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	command.Stderr = os.Stderr
	out, err := output(command)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", peerName(number), err)
	}
	r := &outcome{Workers: 1}
	for lines := json.NewDecoder(bytes.NewReader(out)); lines.More(); {
		line := struct {
			Tolerance              *float64
			TrainingCPU            float64 `json:"training_cpu"`
			TrainingWall           float64 `json:"training_wall"`
			Primal, Peak, Accuracy float64
			PredictingCPU          float64 `json:"predicting_cpu"`
		}{}
		if err := lines.Decode(&line); err != nil {
			return nil, fmt.Errorf("%s: %w", peerName(number), err)
		}
		if line.Tolerance != nil {
			name := strconv.FormatFloat(*line.Tolerance, 'g', -1, 64)
			fmt.Fprintf(os.Stderr, "%s with tolerance %s: primal %.6g, %.2f CPU s\n", peerName(number), name, line.Primal, line.TrainingCPU)
			if r.Name == "" || line.Primal <= target || r.Primal > target {
				r.Name, r.TrainingCPU, r.TrainingWall, r.Primal, r.Peak = name, line.TrainingCPU, line.TrainingWall, line.Primal, line.Peak
			}
		} else {
			r.Accuracy, r.Predict = line.Accuracy, line.PredictingCPU
		}
	}
	if r.Primal > target {
		fmt.Fprintf(os.Stderr, "%s has not reached the primal objective %.6g\n", peerName(number), target)
	}
	return r, nil
}

// report prints the table; times of training are divided by the peer's in the column ratio.
func report(w io.Writer, outcomes []outcome, number string, theirs *outcome) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tworkers\tepochs\tCPU s\twall s\tratio CPU\twall\tprimal\tdual\tgap\taccuracy\ttree loss\tus a row\tpeak MB\t")
	row := func(name string, r *outcome, mine bool) {
		fmt.Fprintf(table, "%s\t%d\t", name, r.Workers)
		if mine {
			fmt.Fprintf(table, "%d\t", r.Epochs)
		} else {
			fmt.Fprint(table, "\t")
		}
		fmt.Fprintf(table, "%.2f\t%.2f\t", r.TrainingCPU, r.TrainingWall)
		if theirs != nil {
			fmt.Fprintf(table, "%.2f\t%.2f\t", r.TrainingCPU/theirs.TrainingCPU, r.TrainingWall/theirs.TrainingWall)
		} else {
			fmt.Fprint(table, "\t\t")
		}
		fmt.Fprintf(table, "%.7g\t", r.Primal)
		if mine {
			fmt.Fprintf(table, "%.7g\t%.1e\t%.4f\t%.4f\t", r.Dual, (r.Primal-r.Dual)/r.Primal, r.Accuracy, r.TreeLoss)
		} else {
			fmt.Fprintf(table, "\t\t%.4f\t\t", r.Accuracy)
		}
		fmt.Fprintf(table, "%.1f\t%.0f\t\n", 1e6*r.Predict, r.Peak/1e6)
	}
	for k := range outcomes {
		row(outcomes[k].Name, &outcomes[k], true)
	}
	if theirs != nil {
		name := "LIBLINEAR -s " + number + " -e " + theirs.Name
		if number == "softmax" {
			name = "scikit-learn, tol=" + theirs.Name
		}
		row(name, theirs, false)
	}
	return table.Flush()
}

// known formats a measurement, or nothing if there is none.
func known(format string, v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}
