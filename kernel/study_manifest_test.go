package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestStudyManifest runs the pods of a Job of Kubernetes as it says, and compares the table with
// that of a run here.
func TestStudyManifest(t *testing.T) {
	dir := write(t, "a.json", `{
		"Data": [{"Name": "tree", "Generator": {"synthetic.LinearTree": {"Depth": 2}}}, {"File": "t.csv"}],
		"Methods": [{"Name": "flat", "Estimator": "svm.Flat", "Grid": {"C": [0.1, 1]}}, {"Name": "hierarchical", "Estimator": "svm.Hierarchical"}],
		"Inner": {"HeldOut": 0.3}, "Repeats": 2, "Measures": ["accuracy"]
	}`)
	table := "label,size\n" + strings.Repeat("a,1\nb,2\na,1.5\nb,2.5\n", 5)
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HIERML_DATA", filepath.Join(dir, "data"))
	want := hierml(t, dir, "", "study", "run", "a.json", "--dir", "here.study")
	flags := []string{"study", "manifest", "a.json", "--image", "example/hierml:1", "--claim", "shared", "--mount", dir, "--memory", "512Mi", "--at-once", "2"}
	got := hierml(t, dir, "", append(flags, "--dir", "My_First.study")...)
	if got.status != 0 || want.status != 0 {
		t.Fatalf("%+v, %+v", got, want)
	}
	var job struct {
		Metadata struct{ Name string }
		Spec     struct {
			CompletionMode           string
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					Containers []struct {
						Command []string
						Env     []struct {
							Name, Value string
							ValueFrom   struct {
								FieldRef         struct{ FieldPath string }
								ResourceFieldRef struct{ Resource, Divisor string }
							}
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &job); err != nil {
		t.Fatal(err)
	}
	if s := job.Spec; job.Metadata.Name != "hierml-my-first-0001-1" || s.CompletionMode != "Indexed" || s.Completions < 2 || s.Parallelism != 2 {
		t.Errorf("%+v", job)
	}
	pod := job.Spec.Template.Spec.Containers[0]
	for index := range job.Spec.Completions {
		t.Run(fmt.Sprint(index), func(t *testing.T) {
			for _, v := range pod.Env {
				value := v.Value
				switch from := v.ValueFrom; {
				case strings.HasPrefix(from.FieldRef.FieldPath, "metadata.annotations['batch.kubernetes.io/job-completion-index']"):
					value = strconv.Itoa(index)
				case from.FieldRef.FieldPath == "spec.nodeName":
					value = "node"
				case from.ResourceFieldRef.Resource == "limits.cpu" && from.ResourceFieldRef.Divisor == "1":
					value = "1"
				case from.ResourceFieldRef.Resource == "limits.memory" && from.ResourceFieldRef.Divisor == "1Mi":
					value = "512"
				}
				if value == "" {
					t.Errorf("%+v has no value", v)
				}
				t.Setenv(v.Name, value)
			}
			if r := hierml(t, t.TempDir(), "", pod.Command[1:]...); r.status != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
	for _, words := range [][]string{{"show", "My_First.study"}, {"run", "a.json", "--dir", "My_First.study"}} {
		if got := hierml(t, dir, "", append([]string{"study"}, words...)...); got.status != 0 || got.stdout != want.stdout {
			t.Errorf("%q: %+v\nwant %s", words, got, want.stdout)
		}
	}
	for _, test := range []struct {
		args   []string
		status int
		stderr string
	}{
		{append(flags, "--dir", "My_First.study"), 1, "all cells are finished. Use hierml study show to print the table"},
		{append(flags, "--dir", "/elsewhere/a.study"), 2, "/elsewhere/a.study is not below " + dir},
		{append(flags, "--dir", "b.study", "--data", "/elsewhere"), 2, "/elsewhere/t.csv is not below " + dir},
		{append(flags, "--dir", "b.study", "--cpu", "two"), 2, "--cpu two is not a quantity of Kubernetes"},
		{[]string{"study", "manifest", "a.json", "--image", "x", "--claim", "y", "--dir", "b.study"}, 2, "--mount is missing"},
		{flags, 2, "the study has no directory; name one on the volume by --dir"},
	} {
		if got := hierml(t, dir, "", test.args...); got.status != test.status || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%q: %+v, want status %d and %q", test.args, got, test.status, test.stderr)
		}
	}
}
