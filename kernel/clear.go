package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
)

func notebookClearCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "clear FILE.ipynb...",
		Short: "Remove the outputs of notebooks",
		Long: `Clear removes from notebooks what running left in them: outputs, execution counts, the
times at which cells ran, and the state of widgets. Sources, tags and other metadata stay. In notebooks of
hierml, the description of the language becomes the one that the kernel reports. The files are replaced, or
with -o the one notebook is written to another file.

If the file is -, clear reads standard input and writes standard output. So it can be a git filter, which keeps outputs on
disk and out of the repository:

  git config filter.hierml.clean "hierml notebook clear -"
  git config filter.hierml.smudge cat
  git config filter.hierml.required true
  echo "*.ipynb filter=hierml" >> .gitattributes

The second line leaves notebooks unchanged when git checks them out. The third makes git refuse a notebook that cannot be
cleared, such as one with conflict markers; without it, git would commit the outputs.`,
		Example: `  hierml notebook clear notes.ipynb
  hierml notebook clear notes.ipynb -o empty.ipynb
  hierml notebook clear - < notes.ipynb > empty.ipynb`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if len(args) > 1 && arg == "-" {
					return &usageError{cmd, errors.New("- (standard input) must be the only file")}
				}
			}
			if output != "" && len(args) > 1 {
				return &usageError{cmd, errors.New("-o takes one notebook")}
			}
			if args[0] == "-" {
				nb, err := notebook.Read(cmd.InOrStdin(), "standard input")
				if err != nil {
					return err
				}
				if err := clearNotebook(nb); err != nil {
					return err
				}
				if output != "" {
					return nb.WriteFile(output)
				}
				return nb.Write(cmd.OutOrStdout())
			}
			var errs []error
			for _, path := range args {
				target := path
				if output != "" {
					target = output
				}
				if err := clearFile(path, target); err != nil {
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the notebook to this file")
	return cmd
}

// clearNotebook removes the outputs. The description of the language is then the kernel's own, so
// git sees the same notebook whichever front end saved it.
func clearNotebook(nb *notebook.Notebook) error {
	nb.Clear()
	return recordLanguage(nb)
}

// clearFile writes a notebook without its outputs, unless it is there already.
func clearFile(path, target string) error {
	nb, err := readNotebook(path)
	if err != nil {
		return err
	}
	if err := clearNotebook(nb); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := nb.Write(&text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if path == target {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text.Bytes()) {
			return nil
		}
	}
	return nb.WriteFile(target)
}
