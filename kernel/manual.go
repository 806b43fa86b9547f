package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// A manual is what the help of a command says besides what cobra knows. The rest is the same for all.
type manual struct {
	exit        [][2]string // statuses that are the command's own, and what they mean
	environment []string    // names of variables
	see         []string    // commands and topics, without "hierml"
}

// manuals are those of the commands, by what stands behind "hierml".
var manuals = map[string]manual{
	"":       {see: []string{"run", "notebook", "doctor", "help cells", "help environment"}},
	"doctor": {exit: [][2]string{{"1", "a line begins with wrong"}}, environment: []string{"HIERML_DATA", "JUPYTER_DATA_DIR", "JUPYTER_PATH", "XDG_CACHE_HOME", "XDG_STATE_HOME", "NO_COLOR"}, see: []string{"help environment"}},
	"run": {
		exit:        [][2]string{{"N", "the script called os.Exit(N)"}, {"1", "it failed, or does not compile"}},
		environment: []string{"HIERML_DATA", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook run", "notebook export", "help cells", "help engine"},
	},
	"repl":   {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME", "XDG_STATE_HOME", "NO_COLOR"}, see: []string{"run", "help cells", "help engine"}},
	"kernel": {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME", "XDG_STATE_HOME"}, see: []string{"doctor", "help engine"}},
	"notebook": {
		environment: []string{"HIERML_DATA"}, see: []string{"help notebooks", "help cells"},
	},
	"notebook run": {
		exit:        [][2]string{{"1", "a cell failed, or a file cannot be read or written"}},
		environment: []string{"HIERML_DATA", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook check", "notebook export", "help notebooks", "help engine"},
	},
	"notebook check": {
		exit:        [][2]string{{"1", "a notebook shows something else, or cannot be run to its end"}},
		environment: []string{"HIERML_DATA", "XDG_CACHE_HOME", "NO_COLOR"},
		see:         []string{"notebook run", "help notebooks"},
	},
	"notebook clear":        {see: []string{"notebook run", "help notebooks"}},
	"notebook export":       {environment: []string{"XDG_CACHE_HOME"}, see: []string{"run", "notebook run", "help notebooks"}},
	"data":                  {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"help environment"}},
	"data list":             {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data get", "data verify"}},
	"data get":              {environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data list", "data verify"}},
	"data verify":           {exit: [][2]string{{"1", "a file is wrong, or one of the data set that is named is missing"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"data list", "data get"}},
	"study":                 {see: []string{"data", "help environment"}},
	"study run":             {exit: [][2]string{{"1", "a cell failed, or the study cannot be run"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"study show", "study cell"}},
	"study show":            {see: []string{"study run", "study cell"}},
	"study cell":            {exit: [][2]string{{"1", "the cell failed, or its outcome is not the one that is kept"}}, environment: []string{"HIERML_DATA", "XDG_CACHE_HOME"}, see: []string{"study run", "study show"}},
	"version":               {see: []string{"doctor"}},
	"help":                  {see: []string{"help cells", "help display", "help engine", "help notebooks", "help environment"}},
	"completion":            {see: []string{"doctor"}},
	"completion bash":       {see: []string{"completion zsh", "completion fish", "completion powershell"}},
	"completion zsh":        {see: []string{"completion bash", "completion fish", "completion powershell"}},
	"completion fish":       {see: []string{"completion bash", "completion zsh", "completion powershell"}},
	"completion powershell": {see: []string{"completion bash", "completion zsh", "completion fish"}},
}

// variables of the environment, and what they are for.
var variables = [][2]string{
	{"HIERML_DATA", "the list of folders of data sets, separated as in PATH; collection.Open looks in them first"},
	{"XDG_CACHE_HOME", "the folder in which hierml/ keeps downloaded data sets and compiled packages; on Linux ~/.cache if it is not set"},
	{"XDG_STATE_HOME", "the folder in which hierml/ keeps the history of cells; on Linux ~/.local/state if it is not set"},
	{"JUPYTER_DATA_DIR", "the folder of Jupyter's own data, where its kernels are registered"},
	{"JUPYTER_PATH", "the list of further folders in which Jupyter looks for kernels"},
	{"NO_COLOR", "the wish for no colours: if it is set, nothing is written in them"},
}

// manualOf returns what is known of a command. Where that is nothing, the command that it belongs to is to be seen.
func manualOf(cmd *cobra.Command) manual {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	known, ok := manuals[path]
	if !ok && cmd.HasParent() && !cmd.IsAdditionalHelpTopicCommand() {
		_, parent, _ := strings.Cut(cmd.Parent().CommandPath(), " ")
		known.see = []string{parent}
	}
	return known
}

// writeManual prints the help of a command as a manual page has it.
func writeManual(w io.Writer, cmd *cobra.Command) error {
	m := &manualPage{w: w, width: 80, bold: takesColours(w)}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			m.width = min(max(width, 40), 100)
		}
	}
	about := manualOf(cmd)
	m.heading("NAME")
	m.paragraph(strings.ReplaceAll(cmd.CommandPath(), " ", "-") + " - " + cmd.Short)
	if cmd.Runnable() {
		m.heading("SYNOPSIS")
		m.lines(synopsis(cmd))
	}
	m.heading("DESCRIPTION")
	m.text(cmp.Or(cmd.Long, cmd.Short+"."))
	m.commands(cmd)
	if cmd.Runnable() {
		m.heading("OPTIONS")
		m.lines(strings.TrimRight(cmd.LocalFlags().FlagUsagesWrapped(m.width-2), "\n"))
		if cmd.Example != "" {
			m.heading("EXAMPLES")
			m.lines(strings.TrimRight(cmd.Example, "\n"))
		}
		m.heading("EXIT STATUS")
		m.exit(about.exit)
	}
	if len(about.environment) > 0 {
		m.heading("ENVIRONMENT")
		for _, name := range about.environment {
			m.item(name, variable(name), 18)
		}
	}
	if len(about.see) > 0 {
		var names []string
		for _, name := range about.see {
			names = append(names, strings.TrimSpace("hierml "+name))
		}
		m.heading("SEE ALSO")
		m.paragraph(strings.Join(names, ", "))
	}
	return m.err
}

// variable is what one is for.
func variable(name string) string {
	for _, v := range variables {
		if v[0] == name {
			return v[1]
		}
	}
	return ""
}

// synopsis is how a command is called.
func synopsis(cmd *cobra.Command) string {
	_, args, _ := strings.Cut(cmd.Use, " ")
	if args == "" && cmd.HasAvailableSubCommands() {
		args = "COMMAND"
	}
	return strings.TrimRight(cmd.CommandPath()+" [OPTIONS] "+args, " ")
}

// A manualPage is one that is being written.
type manualPage struct {
	w     io.Writer
	width int
	bold  bool
	begun bool
	err   error // the first
}

func (p *manualPage) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

func (p *manualPage) heading(name string) {
	if p.begun {
		p.print("\n")
	}
	p.begun = true
	if p.bold {
		name = "\x1b[1m" + name + "\x1b[0m"
	}
	p.print(name + "\n")
}

// lines prints text as it is, two columns to the right.
func (p *manualPage) lines(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, "  ") {
			line = "  " + line
		}
		p.print(line + "\n")
	}
}

// text prints paragraphs, in lines that fit. Lines that are indented stay as they are.
func (p *manualPage) text(text string) {
	var words []string
	flush := func() {
		p.paragraph(strings.Join(words, " "))
		words = nil
	}
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "":
			flush()
			p.print("\n")
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
			flush()
			p.print("  " + line + "\n")
		default:
			words = append(words, strings.Fields(line)...)
		}
	}
	flush()
}

func (p *manualPage) paragraph(text string) { p.hang("", text, 0) }

// item prints a term and what it means, which begins in a column.
func (p *manualPage) item(name, meaning string, column int) { p.hang(name, meaning, column) }

func (p *manualPage) hang(name, text string, column int) {
	if text == "" {
		return
	}
	line := fmt.Sprintf("  %-*s", column, name)
	if len([]rune(name)) >= column && column > 0 {
		p.print("  " + name + "\n")
		line = strings.Repeat(" ", column+2)
	}
	begun := false
	for _, word := range strings.Fields(text) {
		if begun && len([]rune(line))+1+len([]rune(word)) > p.width {
			p.print(line + "\n")
			line, begun = strings.Repeat(" ", column+2), false
		}
		if begun {
			line += " "
		}
		line += word
		begun = true
	}
	p.print(line + "\n")
}

// commands lists the commands and the topics below one.
func (p *manualPage) commands(cmd *cobra.Command) {
	for _, topics := range []bool{false, true} {
		begun := false
		for _, sub := range cmd.Commands() {
			if topics && !sub.IsAdditionalHelpTopicCommand() || !topics && !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if !begun {
				p.heading(map[bool]string{false: "COMMANDS", true: "TOPICS, of which hierml help tells more"}[topics])
				begun = true
			}
			p.item(sub.Name(), sub.Short, 14)
		}
	}
}

// exit prints the statuses, those of the command first.
func (p *manualPage) exit(own [][2]string) {
	all := append([][2]string{{"0", "all went well"}}, own...)
	if len(own) == 0 {
		all = append(all, [2]string{"1", "something failed; standard error says what"})
	}
	all = append(all, [2]string{"2", "the command line does not say what to do"}, [2]string{"130", "it was interrupted, by Ctrl-C or SIGTERM"})
	for _, status := range all {
		p.item(status[0], status[1], 5)
	}
}
