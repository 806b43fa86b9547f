package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/hierml/experiment"
)

// A completer proposes arguments to the shell, for those that are there and the beginning of the
// next.
type completer = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective)

// filesOf proposes files with one of the extensions, for the first most arguments.
func filesOf(most int, extensions ...string) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeScript proposes a file of Go, and any file for the arguments of the script.
func completeScript(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{"go"}, cobra.ShellCompDirectiveFilterFileExt
}

// tableExtensions are those of files that hierml train reads.
var tableExtensions = []string{"csv", "tsv", "json", "jsonl", "parquet", "feather", "arrow"}

// completeModelAndTable proposes a model, and then a table.
func completeModelAndTable(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return []string{"hierml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return filesOf(2, tableExtensions...)(cmd, args, toComplete)
}

func completeDataset(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range collection.Catalogue() {
		names = append(names, e.Name)
	}
	return beginning(names, toComplete), cobra.ShellCompDirectiveNoFileComp
}

// beginning returns the names that begin with a text.
func beginning(names []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, text) })
}

func completeFolder(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeCell proposes the directory of a study, and then its cells.
func completeCell(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return completeFolder(cmd, args, toComplete)
	}
	results, err := experiment.Load(args[0])
	if err != nil {
		return cobra.AppendActiveHelp(nil, err.Error()), cobra.ShellCompDirectiveNoFileComp
	}
	var keys []string
	for _, c := range results.Cells {
		keys = append(keys, cobra.CompletionWithDesc(c.Key, strings.TrimSpace(c.Data+" "+c.Method)))
	}
	return beginning(keys, toComplete), cobra.ShellCompDirectiveNoFileComp
}

// ofStudy proposes what a study, whose directory is the first argument, has.
func ofStudy(what func(*experiment.Results) []string) completer {
	return func(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		results, err := experiment.Load(args[0])
		if err != nil {
			return cobra.AppendActiveHelp(nil, err.Error()), cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(what(results), toComplete), cobra.ShellCompDirectiveNoFileComp
	}
}

func methodsOf(r *experiment.Results) []string {
	var names []string
	for _, c := range r.Cells {
		if !slices.Contains(names, c.Method) {
			names = append(names, c.Method)
		}
	}
	return names
}

func oneOf(names ...string) completer {
	return func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return beginning(names, toComplete), cobra.ShellCompDirectiveNoFileComp
	}
}

// completions tells the shells what may stand behind the commands and their flags. It panics for a
// flag that is not there.
func completions(root *cobra.Command) {
	const many = 1 << 30
	for path, complete := range map[string]completer{
		"run": completeScript, "kernel": filesOf(1, "json"),
		"notebook run": filesOf(1, "ipynb"), "notebook check": filesOf(many, "ipynb"), "notebook clear": filesOf(many, "ipynb"), "notebook export": filesOf(1, "ipynb"),
		"data list": completeDataset, "data get": completeDataset, "data verify": completeDataset,
		"train": filesOf(1, tableExtensions...), "predict": completeModelAndTable, "evaluate": completeModelAndTable,
		"study run": filesOf(1, "json"), "study show": completeFolder, "study stop": completeFolder, "study cell": completeCell,
		"doctor": oneOf(), "version": oneOf(), "licences": oneOf(),
	} {
		commandAt(root, path).ValidArgsFunction = complete
	}
	for _, f := range []struct {
		path, flag string
		complete   completer
	}{
		{"notebook run", "output", filesOf(many, "ipynb")}, {"notebook run", "html", filesOf(many, "html")},
		{"notebook clear", "output", filesOf(many, "ipynb")},
		{"notebook export", "output", filesOf(many, "go", "html", "md")}, {"notebook export", "format", oneOf("program", "html", "markdown")},
		{"notebook check", "tolerance", oneOf()},
		{"train", "output", filesOf(many, "hierml")}, {"train", "report", filesOf(many, "html")}, {"train", "method", oneOf(slices.Sorted(maps.Keys(trainingMethods))...)},
		{"train", "fill", oneOf("mean", "median", "most-frequent", "refuse")}, {"predict", "output", filesOf(many, "csv")}, {"evaluate", "report", filesOf(many, "html")},
		{"study run", "dir", completeDirFlag}, {"study run", "workers", oneOf()},
		{"study run", "on", oneOf("slurm", "local")}, {"study run", "sbatch", oneOf()},
		{"study show", "format", oneOf("text", "csv", "json", "jsonl", "html", "latex")},
		{"study show", "baseline", ofStudy(methodsOf)},
		{"study show", "measure", ofStudy(func(r *experiment.Results) []string { return r.Measures })},
		{"study show", "test", oneOf("t", "corrected t", "two-way t", "permutation")},
	} {
		if err := commandAt(root, f.path).RegisterFlagCompletionFunc(f.flag, f.complete); err != nil {
			panic(err)
		}
	}
	for _, cmd := range all(root) {
		if cmd.Flags().Lookup("engine") == nil {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc("engine", oneOf("auto", "interpreted", "compiled")); err != nil {
			panic(err)
		}
	}
}

func completeDirFlag(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// addCompletion adds the commands that print completion scripts for shells.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion := commandAt(root, "completion")
	completion.Short = "Print completion scripts for the Tab key in your shell"
	completion.Long = `Completion prints a script for your shell. With it, the Tab key completes commands and options of hierml, files of
the right kind, names of data sets, and methods and cells of studies. The help of each shell's command says where to put
the script.`
	completion.Example = "  hierml completion bash > ~/.local/share/bash-completion/completions/hierml"
	completion.Args = asUsed
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for shell, about := range map[string][2]string{
		"bash":       {"The script needs the package bash-completion. New shells read the file.", "  hierml completion bash > ~/.local/share/bash-completion/completions/hierml\n  source <(hierml completion bash)      # only this shell"},
		"zsh":        {"Put the file into a folder of fpath; ~/.zshrc must call `autoload -U compinit; compinit`.", "  hierml completion zsh > \"${fpath[1]}/_hierml\"\n  source <(hierml completion zsh)       # only this shell"},
		"fish":       {"New shells read the file.", "  hierml completion fish > ~/.config/fish/completions/hierml.fish\n  hierml completion fish | source       # only this shell"},
		"powershell": {"To keep the completion, add the line of the example to the file that $PROFILE names.", "  hierml completion powershell | Out-String | Invoke-Expression"},
	} {
		cmd := commandAt(root, "completion "+shell)
		cmd.Short = "Print the completion script for " + shell
		cmd.Long = "It prints the script that completes hierml's commands in " + shell + ". " + about[0]
		cmd.Example = about[1]
		cmd.Args = asUsed
	}
}

// commandAt returns the command of a path without "hierml".
func commandAt(root *cobra.Command, path string) *cobra.Command {
	cmd, rest, err := root.Find(strings.Fields(path))
	if err != nil || len(rest) > 0 {
		panic("no command " + path)
	}
	return cmd
}

// all returns a command and those below it.
func all(cmd *cobra.Command) []*cobra.Command {
	found := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		found = append(found, all(sub)...)
	}
	return found
}
