//go:build unix

package farm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// signals records which processes are asked to end, and ends none.
func signals(t *testing.T) *[]int {
	var asked []int
	old := terminate
	terminate = func(p *os.Process) error { asked = append(asked, p.Pid); return nil }
	t.Cleanup(func() { terminate = old })
	return &asked
}

// innocent starts a process that leads a group of its own.
func innocent(t *testing.T, command ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		_ = cmd.Wait()                                      // killed
	})
	return cmd
}

// TestLocalForeignLeader has all kinds of numbers and texts in the place of a job's leader: those
// of this process, its group and its parent, of processes that lead groups of their own, with when
// they began, of one that has ended, and of the leader of another job. The job is over, the one
// after it begins, and no process is asked to end.
func TestLocalForeignLeader(t *testing.T) {
	other := job(t)
	other.Parts, other.Command = 1, []string{"/bin/sleep", "1000"}
	real, err := Local{}.Submit(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := (Local{}).Cancel(t.Context(), real); err != nil {
			t.Error(err)
		}
	})
	until(t, Local{}, real, func(s State) bool { return s.Running == 1 })
	copied, err := os.ReadFile(filepath.Join(real, leaderFile))
	if err != nil {
		t.Fatal(err)
	}
	logs := job(t).Log
	id := filepath.Join(logs, "local-1")
	if err := errors.Join(os.Mkdir(id, 0o777), os.WriteFile(filepath.Join(id, partsFile), []byte("3\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "\n", "x\n", "0\n", "1\n", "-1\n", "+1\n", " 1\n", "00001 a b\n", "99999999999999999999 a b\n", "1;id a b\n", string(copied)}
	ended := innocent(t, "/bin/true").Process.Pid // nobody has waited for it
	sleeps := innocent(t, "/bin/sleep", "1000").Process.Pid
	named := innocent(t, "/bin/sh", "-c", "sleep 1000; "+lastWords(id)).Process.Pid // its command is all that fits
	for _, pid := range []int{1, 2, os.Getpid(), os.Getppid(), syscall.Getpgrp(), ended, sleeps, named, 999999999} {
		began := "unknown 1"
		if is, err := look(pid); err == nil {
			began = is.began
		}
		for _, n := range []int{pid, -pid} {
			if n != named {
				texts = append(texts, fmt.Sprintf("%d %s\n", n, began))
			}
			texts = append(texts, fmt.Sprintln(n), fmt.Sprintf("%d %s1\n", n, began), fmt.Sprintf("%d 1%s\n", n, began), fmt.Sprintf("%d %s", n, began))
		}
	}
	asked := signals(t)
	for _, text := range texts {
		if err := os.WriteFile(filepath.Join(id, leaderFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if s, err := (Local{}).State(t.Context(), id); err != nil || !s.Over {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
		if err := (Local{}).Cancel(t.Context(), id); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if len(*asked) > 0 {
			t.Fatalf("%q: the processes %v were asked to end", text, *asked)
		}
	}
	j := job(t)
	j.After, j.Parts, j.Command = filepath.Join(j.Log, "local-it's"), 1, []string{"/bin/true"}
	if err := errors.Join(os.Mkdir(j.After, 0o777), os.WriteFile(filepath.Join(j.After, leaderFile), copied, 0o666)); err != nil {
		t.Fatal(err)
	}
	next, err := Local{}.Submit(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if s := until(t, Local{}, next, over); s.Failed != nil {
		t.Errorf("%+v", s)
	}
	if err := (Local{}).Cancel(t.Context(), real); err != nil || !slices.Equal(*asked, []int{pidIn(t, copied)}) {
		t.Errorf("of the job itself the processes %v were asked to end, %v; want that of %q", *asked, err, copied)
	}
}

func pidIn(t *testing.T, text []byte) (pid int) {
	t.Helper()
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestLocalLook compares both ways of telling processes apart, and what shells are told to wait
// for.
func TestLocalLook(t *testing.T) {
	for name, look := range map[string]func(int) (process, error){"look": look, "ps": lookByPS} {
		t.Run(name, func(t *testing.T) {
			if name == "ps" {
				_, err := exec.LookPath("ps")
				testrun.Need(t, "ps", err)
			}
			// The words are not those of a job, and no time, state or option.
			cmd := innocent(t, "/bin/sh", "-c", "sleep 1000; : > '/a b'/over")
			first, err := look(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			again, err := look(cmd.Process.Pid)
			if err != nil || first.began != again.began || first.began == "" || !strings.Contains(first.command, ": > '/a b'/over") {
				t.Errorf("%+v, %+v, %v", first, again, err)
			}
			t.Setenv("TZ", "Asia/Tokyo")
			t.Setenv("LC_ALL", "de_DE.UTF-8")
			if again, err = look(cmd.Process.Pid); err != nil || first.began != again.began {
				t.Errorf("elsewhere it is %+v, %v; want %+v", again, err, first)
			}
			holds := func(l leader) bool {
				out, err := exec.Command("sh", "-c", l.condition()+" && echo it runs").CombinedOutput()
				if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return string(out) == "it runs\n"
			}
			l := leader{cmd.Process.Pid, first.began}
			if other := (leader{l.pid, l.began + "1"}); !holds(l) || holds(other) {
				t.Errorf("of a process that runs %q is %t, and %q is %t", l.condition(), holds(l), other.condition(), holds(other))
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for is, err := look(l.pid); !is.ended; is, err = look(l.pid) { // nobody waits for it
				if err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // killed
			if _, err := look(l.pid); err == nil || holds(l) {
				t.Errorf("of a process that is gone: %v, %t", err, holds(l))
			}
		})
	}
}

// TestLinks puts links, pipes and folders in the place of the files of a job, and of what it
// prints: they are refused, and nothing is written or read through them.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink(victim, path) },
		"dangling link": func(path string) error { return os.Symlink(filepath.Join(outside, "none"), path) },
		"hard link":     func(path string) error { return os.Link(victim, path) },
		"pipe":          func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder":        func(path string) error { return os.Mkdir(path, 0o700) },
	}
	dir := programs(t, map[string]string{"sbatch": `: > "$0.ran"; echo 1` + "\n"})
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			j := job(t)
			if err := make(filepath.Join(j.Log, "a_1.txt")); err != nil {
				t.Fatal(err)
			}
			for _, f := range []Farm{Local{}, Slurm{}} {
				if id, err := f.Submit(t.Context(), j); err == nil || !strings.Contains(err.Error(), filepath.Join(j.Log, "a_1.txt")) {
					t.Errorf("%T: %s, %v", f, id, err)
				}
			}
			for _, name := range []string{leaderFile, partsFile, "0.ended", overFile, "0.begun", ""} { // the last is the folder itself
				if name == "" && kind == "folder" {
					continue
				}
				j := job(t)
				j.Parts, j.Command = 1, []string{"/bin/sleep", "1000"}
				id, err := Local{}.Submit(t.Context(), j)
				if err != nil {
					t.Fatal(err)
				}
				until(t, Local{}, id, func(s State) bool { return s.Running == 1 })
				kept := filepath.Join(t.TempDir(), "kept")
				if err := os.Rename(id, kept); err != nil {
					t.Fatal(err)
				}
				is := id
				if name != "" {
					is = filepath.Join(id, name)
					if err := os.CopyFS(id, os.DirFS(kept)); err != nil {
						t.Fatal(err)
					}
					if err := os.RemoveAll(is); err != nil {
						t.Fatal(err)
					}
				}
				if err := make(is); err != nil {
					t.Fatal(err)
				}
				_, stateErr := Local{}.State(t.Context(), id)
				cancelErr := Local{}.Cancel(t.Context(), id)
				read := name != overFile && name != "0.begun" // of those the names alone count
				if read && !(kind == "hard link" && name != "") && (stateErr == nil || name == leaderFile && cancelErr == nil) {
					t.Errorf("%s: %v, %v", name, stateErr, cancelErr)
				}
				if err := errors.Join(os.RemoveAll(id), os.Rename(kept, id), Local{}.Cancel(t.Context(), id)); err != nil {
					t.Fatal(err)
				}
				until(t, Local{}, id, over)
			}
		})
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "0\n" {
		t.Errorf("the file outside has %q, %v", text, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sbatch.ran")); err == nil {
		t.Error("sbatch ran")
	}
}

// TestEnvironment holds that names of variables are no text for the shell.
func TestEnvironment(t *testing.T) {
	for _, variable := range []string{"X;touch PWNED;Y=1", "$(id)=1", "X Y=1", "1X=1", "=1", "X\n=1", "-f X=1"} {
		j := job(t)
		j.Environment = []string{variable}
		if id, err := (Local{}).Submit(t.Context(), j); err == nil {
			t.Errorf("%q: %s", variable, id)
		}
	}
	for _, name := range []string{"a\nb", "a\x00", "a\x1b", "../a", "a/b", "-a", "", "a%b"} {
		j := job(t)
		j.Name = name
		if id, err := (Local{}).Submit(t.Context(), j); err == nil {
			t.Errorf("%q: %s", name, id)
		}
	}
}
