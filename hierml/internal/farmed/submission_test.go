package farmed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
)

// What failed before it began is told by what it said; a part that was killed said nothing.
func TestUnseen(t *testing.T) {
	failed := farm.Failure{Part: 1, Machine: "n1", Reason: farm.Failed}
	for _, test := range []struct {
		name  string
		logs  map[string]string
		begun string // the folder of a process
		want  string // of the error, "" for none
	}{
		{"nothing of it is seen", map[string]string{"hierml-0001-1_0.txt": ""}, "", "left nothing in "},
		{"it says why", map[string]string{"hierml-0001-1_1.txt": "first\nhierml: no such file\n\n"}, "", "machine n1 before it began: no such file"},
		{"killed", map[string]string{"hierml-0001-1_1.txt": ""}, "", ""},
		{"it began", map[string]string{"hierml-0001-1_1.txt": "panic"}, "0001-1-00001-1", ""},
		{"another began", map[string]string{"hierml-0001-1_1.txt": "no"}, "0001-1-00000-1", "before it began: no"},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory := filepath.Join(t.TempDir(), "wiki [1]*")
			write := func(folder, name, text string) {
				if err := os.MkdirAll(filepath.Join(directory, folder), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(directory, folder, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range test.logs {
				write(Logs, name, text)
			}
			if test.begun != "" {
				write(filepath.Join(processes, test.begun), "kept", "")
			}
			err := Attempt{{Name: "0001-1"}}.Unseen(directory, []farm.Failure{failed}, func(job string, part int) bool {
				folders, err := namesIn(directory, processes, folderOf(job, part), "")
				if err != nil {
					t.Fatal(err)
				}
				return len(folders) > 0
			})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
}
