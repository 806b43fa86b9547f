package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// A manual is the part of a command's help that cobra does not know. The rest is the same for all
// commands.
type manual struct {
	exit        [][2]string // statuses that are the command's own, and what they mean
	environment []string    // names of variables
	see         []string    // commands and topics, without "hierml"
}

// manuals has the manual of each command, by its name without "hierml".
var manuals = map[string]manual{
	"":       {see: []string{"run", "notebook", "doctor", "help cells", "help environment"}},
	"doctor": {exit: [][2]string{{"1", "a line begins with wrong"}}, environment: []string{"HIERML_DATA", "JUPYTER_DATA_DIR", "JUPYTER_PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME", "NO_COLOR"}, see: []string{"help environment"}},
	"run": {
		exit:        [][2]string{{"N", "the script called os.Exit(N)"}, {"1", "the script failed or does not compile"}},
		environment: []string{"HIERML_DATA", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook run", "notebook export", "help cells", "help engine"},
	},
	"repl":   {environment: []string{"HIERML_DATA", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME", "NO_COLOR"}, see: []string{"run", "help cells", "help engine"}},
	"kernel": {environment: []string{"HIERML_DATA", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"}, see: []string{"doctor", "help engine"}},
	"notebook": {
		environment: []string{"HIERML_DATA"}, see: []string{"help notebooks", "help cells"},
	},
	"notebook run": {
		exit:        [][2]string{{"1", "a cell failed, or a file cannot be read or written"}},
		environment: []string{"HIERML_DATA", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook check", "notebook export", "help notebooks", "help engine"},
	},
	"notebook check": {
		exit:        [][2]string{{"1", "outputs differ, or a notebook cannot run to its end"}},
		environment: []string{"HIERML_DATA", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook run", "help notebooks"},
	},
	"notebook clear":        {see: []string{"notebook run", "help notebooks"}},
	"notebook export":       {environment: []string{"XDG_CACHE_HOME"}, see: []string{"run", "notebook run", "help notebooks"}},
	"data":                  {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"help environment"}},
	"data list":             {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data get", "data verify"}},
	"data get":              {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data list", "data verify"}},
	"data verify":           {exit: [][2]string{{"1", "a file is wrong, or a file of the named data set is missing"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data list", "data get"}},
	"lab":                   {exit: [][2]string{{"1", "there is no JupyterLab, or it failed"}}, environment: []string{"JUPYTER_DATA_DIR", "JUPYTER_PATH"}, see: []string{"doctor", "notebook run", "lite"}},
	"train":                 {exit: [][2]string{{"1", "the table cannot be read, or the training failed"}}, see: []string{"predict", "evaluate", "study"}},
	"predict":               {exit: [][2]string{{"1", "the model or the table cannot be read"}}, see: []string{"train", "evaluate"}},
	"evaluate":              {exit: [][2]string{{"1", "the model or the table cannot be read"}}, see: []string{"train", "predict"}},
	"study":                 {see: []string{"data", "help environment"}},
	"study run":             {exit: [][2]string{{"1", "a cell failed, or the study cannot be run"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"study show", "study cell"}},
	"study show":            {see: []string{"study run", "study cell"}},
	"study cell":            {exit: [][2]string{{"1", "the cell failed, or its result differs from the stored one"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"study run", "study show"}},
	"version":               {see: []string{"doctor", "licences"}},
	"licences":              {see: []string{"version"}},
	"help":                  {see: []string{"help cells", "help display", "help engine", "help notebooks", "help environment"}},
	"completion":            {see: []string{"doctor"}},
	"completion bash":       {see: []string{"completion zsh", "completion fish", "completion powershell"}},
	"completion zsh":        {see: []string{"completion bash", "completion fish", "completion powershell"}},
	"completion fish":       {see: []string{"completion bash", "completion zsh", "completion powershell"}},
	"completion powershell": {see: []string{"completion bash", "completion zsh", "completion fish"}},
}

// variables has the environment variables that hierml uses, with what they are for.
var variables = [][2]string{
	{"HIERML_DATA", "the list of folders with data sets, separated as in PATH; collection.Open looks there first"},
	{"XDG_CACHE_HOME", "the folder for hierml/, the cache of downloaded data sets and compiled packages; the default on Linux is ~/.cache"},
	{"TMPDIR", "the folder for temporary files. Compiled cells are loaded from /dev/shm or from there: one of the two must have free space and must not be mounted noexec"},
	{"XDG_STATE_HOME", "the folder for hierml/, the history of cells; the default on Linux is ~/.local/state"},
	{"JUPYTER_DATA_DIR", "the folder of Jupyter's data, where kernels are registered"},
	{"JUPYTER_PATH", "the list of further folders where Jupyter looks for kernels"},
	{"NO_COLOR", "the switch for colours: set it to anything to turn them off"},
}

// manualOf returns the manual of a command. A command without one refers to its parent.
func manualOf(cmd *cobra.Command) manual {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	known, ok := manuals[path]
	if !ok && cmd.HasParent() && !cmd.IsAdditionalHelpTopicCommand() {
		_, parent, _ := strings.Cut(cmd.Parent().CommandPath(), " ")
		known.see = []string{parent}
	}
	return known
}

// helpWidth is the maximum number of columns in a line of help.
const helpWidth = 80

// helpText returns the help of a command, under the headings of a manual page.
func helpText(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(heading, text string) {
		if text = strings.Trim(text, "\n"); text == "" {
			return
		}
		b.WriteString(heading + "\n")
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" && !strings.HasPrefix(line, "  ") {
				line = "  " + line
			}
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	about := manualOf(cmd)
	section("NAME", paragraphs(strings.ReplaceAll(cmd.CommandPath(), " ", "-")+" - "+cmd.Short))
	if cmd.Runnable() {
		section("SYNOPSIS", synopsis(cmd))
	}
	section("DESCRIPTION", paragraphs(cmp.Or(cmd.Long, cmd.Short+".")))
	section("COMMANDS", items(14, below(cmd, false)))
	section("TOPICS, for hierml help TOPIC", items(14, below(cmd, true)))
	if cmd.Runnable() {
		section("OPTIONS", cmd.LocalFlags().FlagUsagesWrapped(helpWidth-2))
		section("EXAMPLES", cmd.Example)
		section("EXIT STATUS", items(5, statuses(about.exit)))
	}
	var environment [][2]string
	for _, name := range about.environment {
		environment = append(environment, [2]string{name, variable(name)})
	}
	section("ENVIRONMENT", items(18, environment))
	var see []string
	for _, name := range about.see {
		see = append(see, "hierml "+name)
	}
	section("SEE ALSO", paragraphs(strings.Join(see, ", ")))
	return strings.TrimSuffix(b.String(), "\n")
}

// wrapped breaks text into lines that fit to the right of a column.
func wrapped(text string, column int) string {
	var b strings.Builder
	used := column
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", column))
			used = column
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// paragraphs breaks text into lines that fit. Indented lines stay as they are.
func paragraphs(text string) string {
	var out, words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, wrapped(strings.Join(words, " "), 2))
		}
		words = nil
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case line != "" && !indented:
			words = append(words, line)
			continue
		case indented:
			line = "  " + strings.TrimRight(line, " ")
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// items returns a list of names and their meanings, which begin in a column.
func items(column int, list [][2]string) string {
	var b strings.Builder
	for _, item := range list {
		if len(item[0]) >= column {
			item[0] += "\n" + strings.Repeat(" ", column+2)
		}
		fmt.Fprintf(&b, "  %-*s%s\n", column, item[0], wrapped(item[1], column+2))
	}
	return b.String()
}

// variable says what an environment variable is for.
func variable(name string) string {
	for _, v := range variables {
		if v[0] == name {
			return v[1]
		}
	}
	return ""
}

// synopsis shows how to call a command.
func synopsis(cmd *cobra.Command) string {
	_, args, _ := strings.Cut(cmd.Use, " ")
	if args == "" && cmd.HasAvailableSubCommands() {
		args = "COMMAND"
	}
	return strings.TrimRight(cmd.CommandPath()+" [OPTIONS] "+args, " ")
}

// below lists the subcommands of a command, or the topics.
func below(cmd *cobra.Command, topics bool) [][2]string {
	var list [][2]string
	for _, sub := range cmd.Commands() {
		if sub.IsAdditionalHelpTopicCommand() == topics && (topics || sub.IsAvailableCommand() || sub.Name() == "help") {
			list = append(list, [2]string{sub.Name(), sub.Short})
		}
	}
	return list
}

// statuses returns the exit statuses of a command, with their meanings.
func statuses(own [][2]string) [][2]string {
	if len(own) == 0 {
		own = [][2]string{{"1", "something failed; see standard error"}}
	}
	return slices.Concat([][2]string{{"0", "success"}}, own,
		[][2]string{{"2", "the command line is wrong"}, {"130", "interrupted by Ctrl-C or SIGTERM"}})
}
