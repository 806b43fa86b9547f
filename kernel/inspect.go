package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/internal/visible"
	"github.com/hierml/notebook/kernel/internal/inspect"
	"github.com/hierml/notebook/stdlib"
)

func notebookInspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE.ipynb...",
		Short: "List what notebooks would touch, without executing them",
		Long: `Inspect helps you to judge an unknown notebook. It lists the commands that the notebook runs, the
packages that it imports, the files and addresses that it names, and the code that it puts into the page. Inspect only
reads the file. It executes nothing, starts no kernel, and opens none of the files or addresses.

The list shows where to look. It does not prove that a notebook is harmless: a program can build names while it runs, and an
imported package can do anything. Run a notebook, also with "hierml notebook check", only if you trust its author.`,
		Example: `  hierml notebook inspect downloaded.ipynb
  hierml notebook export downloaded.ipynb -o page.html   # to read it without executing it`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			universe := inspect.Universe{Preloaded: stdlib.Preloaded, Known: func(path string) bool {
				_, err := stdlib.Importer.Import(path)
				return err == nil || stdlib.Unavailable(path) != nil
			}}
			for _, path := range args {
				nb, err := readNotebook(path)
				if err != nil {
					return err
				}
				if err := printFindings(cmd.OutOrStdout(), path, nb, universe.Notebook(nb)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printFindings writes what a notebook in a file names.
func printFindings(to io.Writer, path string, nb *notebook.Notebook, findings []inspect.Finding) error {
	w := bufio.NewWriter(to)
	code := 0
	for _, c := range nb.Cells {
		if c.Kind == notebook.Code {
			code++
		}
	}
	fmt.Fprintf(w, "%s: %d code cells, %d others\n", visible.Text(path), code, len(nb.Cells)-code)
	if language := inspect.Language(nb); language != "go" {
		fmt.Fprintf(w, "Its code is %s, not Go. The list has everything that looks like an import, a command, a file or an address.\n", oneLine(language))
	}
	for _, subject := range inspect.Subjects {
		var harmless []string
		title := "\n" + string(subject) + "\n"
		for _, f := range findings {
			if f.Subject != subject {
				continue
			}
			if subject == inspect.Packages && f.Powers == "" {
				harmless = append(harmless, oneLine(f.Text))
				continue
			}
			fmt.Fprintf(w, "%s  %s: %s", title, places(f.Places), oneLine(f.Text))
			title = ""
			if f.Powers != "" {
				fmt.Fprintf(w, " (%s)", f.Powers)
			}
			fmt.Fprintln(w)
		}
		if len(harmless) > 0 {
			fmt.Fprintf(w, "%s  that only compute: %s\n", title, strings.Join(harmless, ", "))
		}
	}
	fmt.Fprint(w, "\nNothing was executed. The list lacks names that the code builds while it runs.\n")
	return w.Flush()
}

// places lists cells, or the first of many.
func places(all []string) string {
	const most = 5
	if len(all) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
	}
	return strings.Join(all, ", ")
}

// oneLine writes what is named in one line that a terminal can show.
func oneLine(text string) string {
	const most = 200 // characters
	lines := strings.Split(strings.TrimSpace(text), "\n")
	line := []rune(visible.Text(strings.TrimSpace(strings.Join(lines, " ⏎ "))))
	if len(line) > most {
		return fmt.Sprintf("%s … (%d characters)", string(line[:most]), len([]rune(text)))
	}
	return string(line)
}
