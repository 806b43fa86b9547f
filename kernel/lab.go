package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/internal/visible"
)

func labCommand() *cobra.Command {
	var bare bool
	cmd := &cobra.Command{
		Use:   "lab [FOLDER] [-- OPTIONS...]",
		Short: "Open JupyterLab with a copy of the course",
		Long: `Lab copies the course into a folder, hierml-course by default, and starts JupyterLab there. The notebooks are yours:
a file that you edited stays as it is, even if a later version of hierml has a new one. Other files are brought up
to date, and missing ones are copied again. A notebook counts as edited if the text of a cell differs. Opening,
running or saving it does not count. Its outputs stay until a later version has other cells.

Lab uses the JupyterLab that was installed with hierml, or the command jupyter on PATH. OPTIONS are JupyterLab's own; see
"jupyter lab --help". If there is no display, lab adds --no-browser: open the address that JupyterLab prints. If you are
root, as in containers, lab adds --allow-root. JupyterLab listens only on this machine unless --ip names another
address.`,
		Example: `  hierml lab
  hierml lab ~/lessons
  hierml lab ~/lessons -- --no-browser --port 9999`,
		Args: func(cmd *cobra.Command, args []string) error {
			if folders, options := labArguments(cmd, args); len(folders) > 1 {
				return &usageError{cmd, fmt.Errorf("lab takes FOLDER; remove %q", folders[1])}
			} else if bare && len(options) > 0 {
				return &usageError{cmd, fmt.Errorf("%s is an option for JupyterLab, which --copy-only does not start", options[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := defaultFolder
			folders, options := labArguments(cmd, args)
			if len(folders) > 0 {
				folder = folders[0]
			}
			var plan labPlan
			var err error
			if bare {
				plan.archive, err = courseArchive()
			} else {
				plan, err = planLab(folder, options, thisUser())
			}
			if err != nil {
				return err
			}
			copied, err := copyCourse(plan.archive, folder)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s: the course, %s\n", visible.Text(folder), copied)
			for _, name := range copied.kept {
				fmt.Fprintf(out, "  %s stays as you edited it\n", visible.Text(name))
			}
			if bare {
				return nil
			}
			for _, note := range plan.notes {
				fmt.Fprintln(out, note)
			}
			return plan.start(cmd)
		},
	}
	cmd.Flags().BoolVar(&bare, "copy-only", false, "copy the course but do not start JupyterLab")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{cmd, fmt.Errorf("%w; put options of JupyterLab after --, as in hierml lab -- --port 9999", err)}
	})
	return cmd
}

// defaultFolder is where the course is copied to if no folder is named.
const defaultFolder = "hierml-course"

// labArguments returns what stands before -- and behind it.
func labArguments(cmd *cobra.Command, args []string) (folders, options []string) {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

// A labUser says whether the user who starts JupyterLab is root, and has a display for a browser.
type labUser struct{ root, display bool }

func thisUser() labUser {
	display := runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" || os.Getenv("BROWSER") != ""
	return labUser{os.Geteuid() == 0, display}
}

// A labPlan is how the course is copied and JupyterLab started.
type labPlan struct {
	jupyter, archive, folder string
	arguments                []string
	notes                    []string // sentences for the user
}

var errNoJupyter = errors.New("there is no command jupyter on PATH or beside hierml; run `go run ./install` in a clone of hierml, which provides it, or `pip install jupyterlab`")

// planLab returns how to start JupyterLab in a folder, with the user's own options. The error says
// what is missing; it is errNoJupyter if there is no Jupyter.
func planLab(folder string, options []string, user labUser) (labPlan, error) {
	plan := labPlan{jupyter: labJupyter(), folder: folder, arguments: []string{"lab", firstChapter}}
	if plan.jupyter == "" {
		return plan, errNoJupyter
	}
	var err error
	if plan.archive, err = courseArchive(); err != nil {
		return plan, err
	}
	if err := writable(folder); err != nil {
		return plan, fmt.Errorf("the course cannot be copied to %s: %w. Choose a folder of yours: hierml lab FOLDER", folder, err)
	}
	if !user.display && !slices.ContainsFunc(options, func(option string) bool { return strings.Contains(option, "browser") }) {
		plan.arguments = append(plan.arguments, "--no-browser")
		plan.notes = append(plan.notes, "There is no display, so no browser is opened: open the address that JupyterLab prints, and "+firstChapter+" there. To do so on another machine, forward its port first: ssh -L 8888:localhost:8888 HOST")
	}
	if user.root {
		if !slices.Contains(options, "--allow-root") {
			plan.arguments = append(plan.arguments, "--allow-root")
		}
		plan.notes = append(plan.notes, "You are root, so JupyterLab starts with --allow-root: anyone who has the token in its address is root here.")
	}
	plan.arguments = append(plan.arguments, options...)
	return plan, nil
}

// courseArchive returns the path of the course's files: beside this program, or where the
// installation for one user puts them.
func courseArchive() (string, error) {
	path, err := beside.File("", beside.Course)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(xdg.DataHome, "hierml", beside.Course)
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("this program was installed without the course. Run `go run ./install` in a clone of hierml, or `pip install --force-reinstall hierml`")
	}
	return path, err
}

// labJupyter returns the program jupyter that is in one environment with this program, where pip
// has put both; else the one that is found otherwise. It is empty if there is none.
func labJupyter() string {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if command, err := exec.LookPath(filepath.Join(filepath.Dir(self), "jupyter")); err == nil {
				return command
			}
		}
	}
	return jupyterCommand()
}

// start runs JupyterLab until it ends. Signals are its own to answer: Ctrl-C asks there whether it
// is meant.
func (p labPlan) start(cmd *cobra.Command) error {
	lab := exec.CommandContext(context.WithoutCancel(cmd.Context()), p.jupyter, p.arguments...)
	lab.Dir = p.folder
	lab.Env = append(os.Environ(), "JUPYTER_PATH="+labSearchPath())
	lab.Stdin, lab.Stdout, lab.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := lab.Start(); err != nil {
		return fmt.Errorf("start JupyterLab: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s != os.Interrupt { // which the terminal sends to both
					_ = lab.Process.Signal(s) // it has ended, or gets it
				}
			case <-ended:
				return
			}
		}
	}()
	err := lab.Wait()
	close(ended)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%s lab: %w. Run `hierml doctor` to check Jupyter", p.jupyter, err)
	}
	return err
}

// labSearchPath is JUPYTER_PATH with the folder of the kernel that was installed with this program,
// which JupyterLab does not see where both are under a prefix of their own.
func labSearchPath() string {
	path := os.Getenv("JUPYTER_PATH")
	if own, err := beside.Prefix(""); err == nil {
		path = strings.TrimSuffix(filepath.Join(own, "share", "jupyter")+string(os.PathListSeparator)+path, string(os.PathListSeparator))
	}
	return path
}

// firstChapter is the notebook that JupyterLab opens.
const firstChapter = "00-course.ipynb"

// courseRecord is the file in a copy of the course that has the sums of what was copied. They show
// which files the owner has edited.
const courseRecord = ".hierml-course.json"

// copied says what copyCourse did.
type copied struct {
	written, same int
	kept          []string
}

func (c copied) String() string {
	switch {
	case c.written == 0:
		return "which is there already"
	case c.same+len(c.kept) == 0:
		return fmt.Sprintf("%d files", c.written)
	}
	return fmt.Sprintf("%d files of which were written", c.written)
}

// copyCourse puts the files of a course into a folder. Files that were not copied by it, or edited
// since, stay. So does a notebook that was only run, until its cells change in the course.
func copyCourse(archive, folder string) (copied, error) {
	var done copied
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return done, err
	}
	record := filepath.Join(folder, courseRecord)
	sums := map[string]string{}
	if text, err := os.ReadFile(record); err == nil {
		if err := json.Unmarshal(text, &sums); err != nil {
			return done, fmt.Errorf("%s is damaged: %w. Remove it; lab then treats all files that differ from the course as edited", record, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	err := eachCourseFile(archive, func(name string, content []byte) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		old, err := os.ReadFile(path)
		if err == nil {
			file, cells, _ := strings.Cut(sums[name], " ")
			switch {
			case string(old) == string(content):
				done.same++
				sums[name] = courseSums(name, content)
				return nil
			case sumOf(old) == file:
			case cells == "" || cellSum(name, old) != cells:
				done.kept = append(done.kept, name)
				return nil
			case cellSum(name, content) == cells:
				done.same++
				return nil
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := replace.Content(path, content); err != nil {
			return err
		}
		done.written++
		sums[name] = courseSums(name, content)
		return nil
	})
	text, marshal := json.MarshalIndent(sums, "", " ")
	return done, errors.Join(err, marshal, replace.Content(record, text))
}

// courseSums returns what the record has of a file: its sum, and for a notebook that of its cells.
func courseSums(name string, content []byte) string {
	return strings.TrimSpace(sumOf(content) + " " + cellSum(name, content))
}

// cellSum returns the sum of the texts of a notebook's cells. It is empty for other files. Empty
// cells don't count: JupyterLab adds one when the last cell is run.
func cellSum(name string, content []byte) string {
	nb, err := notebook.Read(bytes.NewReader(content), name)
	if err != nil {
		return ""
	}
	var texts []byte
	for _, c := range nb.Cells {
		if strings.TrimSpace(c.Source) != "" {
			texts = fmt.Appendf(texts, "%s %d\n%s", c.Kind, len(c.Source), c.Source)
		}
	}
	return sumOf(texts)
}

func sumOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// eachCourseFile calls do with the files of a course, which stay below its folder.
func eachCourseFile(archive string, do func(name string, content []byte) error) (err error) {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		if !filepath.IsLocal(header.Name) || strings.Contains(header.Name, `\`) {
			return fmt.Errorf("%s: the file %q is outside of the course", archive, header.Name)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", archive, header.Name, err)
		}
		if err := do(header.Name, content); err != nil {
			return err
		}
	}
}
