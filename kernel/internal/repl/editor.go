package repl

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"

	"github.com/hierml/notebook/kernel/internal/history"
)

// An editor reads inputs, and the lines that inputs ask for.
type editor struct {
	engine Engine
	screen *screen
	look   look
	shell  *readline.Shell
	keys   *keyboard
	past   *past

	// The current line; only its goroutine uses these fields.
	prompt   string
	asks     bool   // for a line, not for an input
	password bool   // the line is hidden
	proposed string // the initial text of the line

	mu        sync.Mutex
	cancelled bool // the line is no longer wanted
}

// The editor's own commands, by the names that an .inputrc can use, too.
const (
	enterCommand   = "hierml-enter"
	runCommand     = "hierml-run"
	tabCommand     = "hierml-complete"
	closeCommand   = "hierml-close"
	inspectCommand = "hierml-inspect"
	endCommand     = "hierml-end"
	attendCommand  = "hierml-attend"
)

// attendKey is sent to the library when the editor has work between keys. Typing it has no effect.
const attendKey = '\x1e'

func newEditor(e Engine, s *screen, l look, k *keyboard) *editor {
	ed := &editor{engine: e, screen: s, look: l, keys: k, past: new(past)}
	shell := readline.NewShell(inputrc.WithApp("hierml"))
	ed.shell = shell
	for name, value := range map[string]any{
		// Text is UTF-8.
		"convert-meta":                 false,
		"input-meta":                   true,
		"output-meta":                  true,
		"completion-ignore-case":       true,
		"completion-list-separator":    "",
		"menu-complete-display-prefix": true,
		"enable-bracketed-paste":       l.control,
		"cursor-position-probe":        l.control,
		"blink-matching-paren":         false,
		// The highlighter colours the text, not the library.
		"comment-begin": `[^\s\S]`,
	} {
		if err := shell.Config.Set(name, value); err != nil {
			panic(err) // a name or a type of this file
		}
	}
	shell.Prompt.Primary(func() string {
		k.begin()
		return ed.prompt
	})
	shell.SyntaxHighlighter = ed.highlight
	shell.Completer = ed.candidates
	shell.Hint.SetProvider(ed.between)
	shell.Keymap.Register(map[string]func(){
		enterCommand:   ed.enter,
		runCommand:     ed.command("accept-line"),
		tabCommand:     ed.tab,
		closeCommand:   ed.closing,
		inspectCommand: ed.inspect,
		endCommand:     ed.end,
		attendCommand:  ed.attend,
	})
	for _, keys := range shell.Config.Binds {
		for sequence, bind := range keys {
			switch bind.Action {
			case "accept-line":
				keys[sequence] = inputrc.Bind{Action: enterCommand}
			case "insert-comment":
				delete(keys, sequence)
			}
		}
	}
	for _, name := range []string{"emacs", "emacs-standard", "vi-insert"} {
		keys := shell.Config.Binds[name]
		if keys == nil {
			continue
		}
		for sequence, action := range map[string]string{
			`\C-I`:    tabCommand,
			`\M-\C-M`: runCommand,
			`\M-\C-J`: runCommand,
			`\M-h`:    inspectCommand,
			`\C-D`:    endCommand,
			`}`:       closeCommand,
			`)`:       closeCommand,
		} {
			keys[inputrc.Unescape(sequence)] = inputrc.Bind{Action: action}
		}
	}
	for _, name := range []string{"emacs", "emacs-standard", "vi", "vi-insert", "vi-command", "vi-move"} {
		if keys := shell.Config.Binds[name]; keys != nil {
			keys[string(attendKey)] = inputrc.Bind{Action: attendCommand}
		}
	}
	return ed
}

// command returns a command of the library.
func (e *editor) command(name string) func() { return func() { e.shell.Keymap.Commands()[name]() } }

// remember offers the inputs of earlier sessions.
func (e *editor) remember(h *history.History) {
	for _, cell := range h.Tail(pastInputs) {
		e.past.inputs = append(e.past.inputs, cell.Input)
	}
}

// pastInputs is how many inputs of earlier sessions the editor offers.
const pastInputs = 5000

// read reads an input that begins with proposed. The error is errInterrupted if the user discards
// it, and io.EOF if the user ends the session or ctx is done.
func (e *editor) read(ctx context.Context, count int, proposed string) (string, error) {
	e.prompt = e.look.paint(colorIn, "In ["+strconv.Itoa(count)+"]:") + " "
	e.asks, e.password, e.proposed = false, false, proposed
	e.shell.History.Delete()
	e.shell.History.Add("history", e.past)
	source, err := e.line(ctx)
	return strings.TrimRight(source, " \t\n"), err
}

// ask reads a line for a running input. The error is errInterrupted if the user discards it, io.EOF
// if there is none, and that of ctx when ctx is done.
func (e *editor) ask(ctx context.Context, prompt string, password bool) (string, error) {
	// Only the last line of the prompt is edited along with the answer.
	if at := strings.LastIndexByte(prompt, '\n'); at >= 0 {
		e.screen.write(prompt[:at+1])
		prompt = prompt[at+1:]
	}
	e.screen.endLine()
	e.prompt, e.asks, e.password, e.proposed = prompt, true, password, ""
	e.shell.History.Delete()
	e.shell.History.Add("answers", new(past))
	line, err := e.line(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return line, err
}

// line reads a line with the library.
func (e *editor) line(ctx context.Context) (line string, err error) {
	stop, err := e.keys.listen()
	if err != nil {
		return "", err
	}
	defer func() {
		if stopErr := stop(); stopErr != nil {
			err = errors.Join(err, stopErr)
		}
	}()
	e.mu.Lock()
	e.cancelled = false
	e.mu.Unlock()
	defer e.screen.edit(e.shell.Keys.RequestRefresh)()
	defer context.AfterFunc(ctx, func() {
		e.mu.Lock()
		e.cancelled = true
		e.mu.Unlock()
		e.shell.Keys.RequestRefresh()
	})()
	line, err = e.shell.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		err = errInterrupted
	}
	return line, err
}
