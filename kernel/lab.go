package main

import (
	"archive/tar"
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
	"strings"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/internal/visible"
)

func labCommand() *cobra.Command {
	var bare bool
	cmd := &cobra.Command{
		Use:   "lab [FOLDER]",
		Short: "Open JupyterLab with a copy of the course",
		Long: `Lab copies the course into a folder, which is hierml-course if none is named, and starts JupyterLab there. The
notebooks are yours: a file that you have changed stays as it is, whatever a later version of hierml has in its
place. Files that you have not changed are brought up to date, and missing ones are put there again.

JupyterLab is the one that came with hierml, or that of the command jupyter on PATH.`,
		Example: `  hierml lab
  hierml lab ~/lessons`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "hierml-course"
			if len(args) > 0 {
				folder = args[0]
			}
			jupyter := labJupyter()
			if jupyter == "" && !bare {
				return errors.New("there is no jupyter on PATH, nor beside hierml; run `go run ./install` in a clone of hierml, which provides one, or `pip install jupyterlab`")
			}
			archive, err := courseArchive()
			if err != nil {
				return err
			}
			copied, err := copyCourse(archive, folder)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s: the course, %s\n", visible.Text(folder), copied)
			for _, name := range copied.kept {
				fmt.Fprintf(out, "  %s is as you have changed it\n", visible.Text(name))
			}
			if bare {
				return nil
			}
			return startLab(cmd, jupyter, folder)
		},
	}
	cmd.Flags().BoolVar(&bare, "copy-only", false, "copy the course, and start nothing")
	return cmd
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
		return "", errors.New("the course did not come with this program; run `go run ./install` in a clone of hierml, whose folder notebooks has it, or `pip install --force-reinstall hierml`")
	}
	return path, err
}

// labJupyter returns the program jupyter that is in one environment with this program, where pip has
// put both; else the one that is found otherwise. It is empty if there is none.
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

// startLab runs JupyterLab in a folder until it ends. Signals are its own to answer: Ctrl-C asks
// there whether it is meant.
func startLab(cmd *cobra.Command, jupyter, folder string) error {
	lab := exec.CommandContext(context.WithoutCancel(cmd.Context()), jupyter, "lab", firstChapter)
	lab.Dir = folder
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
		return fmt.Errorf("%s lab: %w; `hierml doctor` says what is wrong with Jupyter", jupyter, err)
	}
	return err
}

// firstChapter is the notebook that JupyterLab opens.
const firstChapter = "00-course.ipynb"

// courseRecord is the file in a copy of the course that has the sums of what was copied, by which
// files are found that their owner has changed.
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

// copyCourse puts the files of a course into a folder. What is there and was not put there, or was
// changed since, stays.
func copyCourse(archive, folder string) (copied, error) {
	var done copied
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return done, err
	}
	record := filepath.Join(folder, courseRecord)
	sums := map[string]string{}
	if text, err := os.ReadFile(record); err == nil {
		if err := json.Unmarshal(text, &sums); err != nil {
			return done, fmt.Errorf("%s is damaged: %w; without it all files count as yours", record, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	err := eachCourseFile(archive, func(name string, content []byte) error {
		path := filepath.Join(folder, filepath.FromSlash(name))
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case string(old) == string(content):
			done.same++
			sums[name] = sumOf(content)
			return nil
		case sumOf(old) != sums[name]:
			done.kept = append(done.kept, name)
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := replace.Content(path, content); err != nil {
			return err
		}
		done.written++
		sums[name] = sumOf(content)
		return nil
	})
	text, marshal := json.MarshalIndent(sums, "", " ")
	return done, errors.Join(err, marshal, replace.Content(record, text))
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
