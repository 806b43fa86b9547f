//go:build unix

package farmed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/farm"
)

// submission writes the file of a submission and reads it.
func submission(t *testing.T, directory string, f farm.Farm, j map[string]string) (*Submission, error) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Farm": map[string]any{fmt.Sprintf("%T", f): map[string]any{}}, "Attempts": []any{[]any{j}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, file), text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(directory)
	if err == nil {
		s.Farm = f
	}
	return s, err
}

// TestForeignJobs holds that a submission from elsewhere neither asks after nor ends a job of
// Slurm's but by its number, behind all options, and by the name that it has as one of this
// directory.
func TestForeignJobs(t *testing.T) {
	bin := t.TempDir()
	ran := filepath.Join(bin, "ran")
	for _, program := range []string{"sbatch", "squeue", "scancel", "scontrol"} {
		if err := os.WriteFile(filepath.Join(bin, program), []byte("#!/bin/sh\necho "+program+` "$*" >> `+ran+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	good := regexp.MustCompile(`^(squeue --noheader --array --me --states=all --format=%F\|%K\|%T\|%N\|%r|scancel --quiet) --name=hierml-[0-9]{4,7}-[0-9](-[0-9a-f]{16})?( -- [0-9]+)?$`)
	directory := t.TempDir()
	asked := 0
	for _, name := range []string{"0001-1", "", "../0001-1", "0001", "0001-1,other", "0001-1 --me", "*", "0001-1\n", "99999999-1", "-1", "0001-1/../../x"} {
		for _, id := range []string{"7", "--me", "-u root", "7 8", "7,8", "", "-7", "７", "7_1", "/tmp", "7\n"} {
			for _, tag := range []string{"", "0123456789abcdef", "0123", "--me", "0123456789ABCDEF", "0123456789abcdef,x", "0123456789abcdef\n"} {
				s, err := submission(t, directory, farm.Slurm{}, map[string]string{"Name": name, "ID": id, "Tag": tag})
				if (err == nil) != (name == "0001-1" && (tag == "" || tag == "0123456789abcdef")) {
					t.Errorf("the job %q with the tag %q: %v", name, tag, err)
				}
				if err != nil {
					continue
				}
				_, stateErr := s.State(t.Context(), directory)
				cancelErr := s.Cancel(t.Context(), directory)
				if (stateErr == nil) != (id == "7") || (cancelErr == nil) != (id == "7") {
					t.Errorf("the id %q: %v, %v", id, stateErr, cancelErr)
				}
				if s.Last().Own() != (tag != "") {
					t.Errorf("with the tag %q it is said to be its own: %t", tag, s.Last().Own())
				}
				text, err := os.ReadFile(ran)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err = errors.Join(err, os.Remove(ran)); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(text)) {
					if asked++; !good.MatchString(strings.TrimSuffix(line, "\n")) {
						t.Errorf("it ran %q", line)
					}
				}
			}
		}
	}
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

// TestForeignFolders has a submission name a job of farm.Local that is another directory's, by its
// path, by ways that lead there, and by a copy of it: it goes on.
func TestForeignFolders(t *testing.T) {
	other, dir := t.TempDir(), t.TempDir()
	own := filepath.Join(dir, "a.study")
	if err := errors.Join(Make(other), os.Mkdir(own, 0o700), Make(own)); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	real, err := Submit(ctx, farm.Local{}, other, "0001-1", "X", farm.Job{Parts: 1, Command: []string{"/bin/sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	runs := func(id string) bool {
		t.Helper()
		s, err := farm.Local{}.State(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return !s.Over
	}
	defer func() {
		if err := (farm.Local{}).Cancel(ctx, real.ID); err != nil {
			t.Error(err)
		}
		for runs(real.ID) {
		}
	}()
	base := filepath.Base(real.ID)
	copied, linked, aliased := filepath.Join(own, Logs, "local-1"), filepath.Join(own, Logs, "local-2"), filepath.Join(dir, "b.study")
	if err := errors.Join(os.CopyFS(copied, os.DirFS(real.ID)), os.Symlink(real.ID, linked), os.Mkdir(aliased, 0o700), os.Symlink(filepath.Join(other, Logs), filepath.Join(aliased, Logs))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		directory, id string
		refused       bool
	}{
		{own, real.ID, true},
		{own, filepath.Join(own, Logs) + "/../../../" + filepath.Base(other) + "/log/" + base, true},
		{own, linked, true},
		{own, copied, false},
		{own, copied + "/../" + filepath.Base(linked), true},
		{own, filepath.Join(own, Logs), true},
		{own, filepath.Join(own, Logs, "."), true},
		{own, filepath.Join(own, Logs, "local-3"), false}, // is not there
		{own, "local-1", true},
		{own, ".", true},
		{own, "/", true},
		{own, "", true},
		{aliased, filepath.Join(aliased, Logs, base), true},
		{aliased, real.ID, true},
	} {
		s, err := submission(t, test.directory, farm.Local{}, map[string]string{"Name": "0001-1", "ID": test.id, "Tag": real.Tag})
		if err != nil {
			t.Fatal(err)
		}
		_, stateErr := s.State(ctx, test.directory)
		cancelErr := s.Cancel(ctx, test.directory)
		if (stateErr != nil) != test.refused || (cancelErr != nil) != test.refused {
			t.Errorf("%s: %v, %v", test.id, stateErr, cancelErr)
		}
		if !runs(real.ID) {
			t.Fatalf("%s: the job of another directory was ended", test.id)
		}
	}
	// The same directory by another path has the same jobs.
	alias := filepath.Join(dir, "alias")
	if err := os.Symlink(other, alias); err != nil {
		t.Fatal(err)
	}
	s, err := submission(t, alias, farm.Local{}, map[string]string{"Name": "0001-1", "ID": real.ID, "Tag": real.Tag})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := s.State(ctx, alias); err != nil || state.Over {
		t.Errorf("by another path: %+v, %v", state, err)
	}
}

// TestManyJobs holds that a submission from elsewhere asks after no more jobs than one has.
func TestManyJobs(t *testing.T) {
	job := `{"Name": "0001-1", "ID": "1"}`
	for _, test := range []struct{ attempts, want string }{
		{"", "names no job; remove the file"},
		{"[]", "names no job; remove the file"},
		{"[" + job + "], []", "names no job; remove the file"},
		{"[" + strings.Repeat(job+", ", 2) + job + "]", "has 3 jobs in an attempt, and at most 2 are allowed; remove the file"},
		{strings.Repeat("["+job+"], ", maxAttempts) + "[" + job + "]", "has 5 attempts, and at most 4 are allowed; remove the file"},
		{`["x"]`, "cannot unmarshal"},
	} {
		directory := t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, file), []byte(`{"Farm": "farm.Slurm", "Attempts": [`+test.attempts+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(directory); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %+v, %v", test.attempts, s, err)
		}
	}
}

// TestNumbers holds that numbers of jobs from elsewhere do not come to their end.
func TestNumbers(t *testing.T) {
	for name, want := range map[string]int{"0001-1.json": 1, "0012-2.json": 12, "x-1.json": 0, "-5-1.json": 0, "1000000-1.json": 1_000_000, "1000001-1.json": -1, "9223372036854775807-1.json": -1, "9223372036854775808-1.json": 0} {
		directory := t.TempDir()
		if err := errors.Join(Make(directory), os.WriteFile(filepath.Join(directory, Jobs, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		n, err := LastNumber(directory)
		if (err != nil) != (want < 0) || err == nil && n != want {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}
