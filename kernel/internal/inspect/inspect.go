// Package inspect lists what a notebook would access, by reading it: its commands, packages, files,
// addresses, and code for the page. It executes nothing.
package inspect

import (
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
	"github.com/hierml/notebook/kernel/internal/magics"
)

// A Subject is what a Finding is about.
type Subject string

// The subjects, in the order in which they are reported.
const (
	Commands  Subject = "commands"
	Packages  Subject = "packages"
	Files     Subject = "files"
	Addresses Subject = "addresses"
	Page      Subject = "code for the page"
)

// Subjects are all subjects.
var Subjects = []Subject{Commands, Packages, Files, Addresses, Page}

// A Finding is one thing that a notebook mentions.
type Finding struct {
	Subject Subject
	// Text is its name as written in the notebook: it may contain control characters.
	Text string
	// Powers says what code can do with a package; empty if it only computes.
	Powers string
	// Places are the cells that mention it, such as "cell 3" or "text before cell 3". Code cells
	// count from 1.
	Places []string
}

// Universe is the environment of cells outside the notebook.
type Universe struct {
	// Preloaded maps the names of packages that need no import to their paths.
	Preloaded map[string]string
	// Known reports whether a package is in the standard library or in this program.
	Known func(path string) bool
}

// Notebook returns the findings in a notebook, sorted by subject, and within one by the first
// place.
func (u Universe) Notebook(nb *notebook.Notebook) []Finding {
	r := &reader{universe: u, packages: maps.Clone(u.Preloaded), found: map[[2]string]int{}, foreign: Language(nb) != "go"}
	number := 0
	for _, c := range nb.Cells {
		if c.Kind == notebook.Code {
			number++
			r.place = fmt.Sprintf("cell %d", number)
			r.code(c.Source)
		} else {
			r.place = fmt.Sprintf("text before cell %d", number+1)
			r.markdown(c.Source)
		}
		for _, o := range c.Outputs {
			r.output(o)
		}
		r.any(c.Attachments)
		r.any(c.Metadata)
		r.any(c.Extra)
	}
	r.place = "metadata"
	r.any(nb.Metadata)
	r.any(nb.Extra)
	slices.SortStableFunc(r.findings, func(a, b Finding) int {
		return slices.Index(Subjects, a.Subject) - slices.Index(Subjects, b.Subject)
	})
	return r.findings
}

// A reader collects findings.
type reader struct {
	universe Universe
	foreign  bool              // the code is not Go
	packages map[string]string // package names: preloaded and imported ones
	place    string
	findings []Finding
	found    map[[2]string]int // the index of the finding by subject and text
}

func (r *reader) add(subject Subject, text, powers string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	key := [2]string{string(subject), text}
	i, seen := r.found[key]
	if !seen {
		i = len(r.findings)
		r.found[key] = i
		r.findings = append(r.findings, Finding{Subject: subject, Text: text, Powers: powers})
	}
	if f := &r.findings[i]; len(f.Places) == 0 || f.Places[len(f.Places)-1] != r.place {
		f.Places = append(f.Places, r.place)
	}
}

// code reads the source of a code cell: its magics, and the Go between them.
func (r *reader) code(source string) {
	r.addresses(source)
	uses, _ := magics.Find(source, func(string) bool { return false })
	goText := []byte(source)
	for _, m := range uses {
		r.magic(m, source)
		for i := m.Start; i < m.End; i++ {
			isGo := m.Measures() && !m.Command && i >= m.Statement && i < m.StatementEnd
			if !isGo && goText[i] != '\n' {
				goText[i] = ' '
			}
		}
	}
	if r.foreign {
		r.otherCode(string(goText))
	} else {
		r.golang(goText)
	}
	if markup.MatchString(source) {
		r.add(Page, "code in a string or a magic of the cell", "")
	}
}

// harmless are magics that access nothing outside the session.
var harmless = []string{"time", "timeit", "prof", "who", "rm", "reset", "history", "args", "capture", "markdown", "latex", "html", "svg", "engine", "strict", "help"}

func (r *reader) magic(m *magics.Use, source string) {
	text := source[m.Start:m.End]
	switch {
	case m.Command:
		r.add(Commands, source[m.Statement:m.StatementEnd], "")
	case m.Name == "javascript":
		r.add(Page, text, "")
	case m.Kind == &magics.QuestionKind, m.Kind != nil && slices.Contains(harmless, m.Name):
	default: // including unknown magics: another kernel may have them
		r.add(Commands, text, "")
	}
}

// Language returns the language of a notebook's code in lower case: that in its metadata, or go.
func Language(nb *notebook.Notebook) string {
	for _, key := range [][2]string{{"kernelspec", "language"}, {"language_info", "name"}} {
		if info, ok := nb.Metadata[key[0]].(map[string]any); ok {
			if name, ok := info[key[1]].(string); ok && name != "" {
				return strings.ToLower(name)
			}
		}
	}
	return "go"
}

var (
	imported = regexp.MustCompile(`(?m)^[ \t]*(?:import|from|using|library|require|use|include|#include)\b[ \t(<"']*([\w.:/-]+)`)
	quotes   = regexp.MustCompile(`'([^'\n]*)'|"([^"\n]*)"`)
	starting = regexp.MustCompile(`(?m)^.*\b(?:system|popen|Popen|subprocess|exec\w*|eval|spawn\w*|run_line_magic|shell)\b.*$`)
)

// otherCode reads code in another language than Go. It knows only the usual forms of imports,
// strings and functions that start programs.
func (r *reader) otherCode(text string) {
	for _, m := range imported.FindAllStringSubmatch(text, -1) {
		r.add(Packages, m[1], "in another language than Go")
	}
	for _, line := range starting.FindAllString(text, -1) {
		r.add(Commands, line, "")
	}
	for _, m := range quotes.FindAllStringSubmatch(text, -1) {
		if s := m[1] + m[2]; looksLikeFile(s) {
			r.add(Files, s, "")
		}
	}
}

// golang reads Go, which may contain errors.
func (r *reader) golang(text []byte) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, scanner.ScanComments)
	g := goReader{reader: r}
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		g.token(tok, lit)
	}
	g.token(token.SEMICOLON, "") // ends open calls and literals
}

// A goReader reads the tokens of Go.
type goReader struct {
	*reader
	before  [4]string // the previous tokens, the last first; "literal" for a literal
	comment string    // before the token
	imports int       // 1 after the word import, 2 in its parentheses
	literal string    // the string being joined with +
	joined  bool      // there is such a string
	call    string    // the last function of a package
	command []string  // a call that starts a program: the function and its strings
}

func (g *goReader) token(tok token.Token, lit string) {
	if tok == token.COMMENT {
		g.comment += lit + "\n"
		if pattern, ok := strings.CutPrefix(lit, "//go:embed "); ok {
			g.add(Files, pattern, "")
		}
		return
	}
	if tok == token.STRING {
		if value, err := strconv.Unquote(lit); err == nil {
			g.string(value)
		}
		g.push("literal")
		return
	}
	if tok != token.ADD {
		g.literalEnds()
	}
	switch {
	case tok == token.IMPORT:
		g.imports = 1
	case tok == token.LPAREN && g.imports == 1:
		g.imports = 2
	case tok == token.RPAREN && g.imports == 2, tok == token.SEMICOLON && g.imports == 1:
		g.imports = 0
	case tok == token.IDENT && g.before[0] == ".":
		if path := g.packages[g.before[1]]; g.before[2] != "." && path != "" {
			g.add(Packages, path, g.powers(path))
			g.call = path + "." + lit
		}
	case tok == token.SEMICOLON:
		g.add(Commands, strings.Join(g.command, " "), "")
		g.call, g.command = "", nil
	}
	if tok != token.IMPORT && tok != token.LPAREN {
		g.comment = ""
	}
	if tok == token.IDENT {
		g.push(lit)
	} else {
		g.push(tok.String())
	}
}

func (g *goReader) push(tok string) {
	copy(g.before[1:], g.before[:])
	g.before[0] = tok
}

// string handles a Go string.
func (g *goReader) string(value string) {
	if g.imports > 0 {
		g.add(Packages, value, g.powers(value))
		if value == "C" {
			g.add(Commands, g.comment, "")
		}
		name := value[strings.LastIndex(value, "/")+1:]
		if token.IsIdentifier(g.before[0]) {
			name = g.before[0]
		}
		g.packages[name] = value
		return
	}
	if !g.joined || g.before[0] != "+" {
		g.literalEnds()
	}
	g.literal, g.joined = g.literal+value, true
}

// literalEnds handles the end of a string that is joined with +.
func (g *goReader) literalEnds() {
	if !g.joined {
		return
	}
	value := g.literal
	g.literal, g.joined = "", false
	g.addresses(value)
	pkg := g.call[:max(strings.LastIndex(g.call, "."), 0)]
	switch {
	case g.call == "os.StartProcess" || pkg == "os/exec" || pkg == "syscall" || len(g.command) > 0:
		if len(g.command) == 0 {
			g.command = []string{g.call}
		}
		g.command = append(g.command, value)
	case isNetwork(pkg) && hostPort.MatchString(value):
		g.add(Addresses, value, "")
	case strings.HasSuffix(g.call, "/nb.JavaScript"), strings.HasSuffix(value, "/javascript"):
		g.add(Page, "JavaScript that the cell shows", "")
	case opensFiles[pkg] && !strings.HasSuffix(strings.ToLower(g.call), "env"), looksLikeFile(value):
		g.add(Files, value, "")
	}
}

// opensFiles are packages whose strings are file names, whatever they look like.
var opensFiles = map[string]bool{"os": true, "io/ioutil": true, "github.com/hierml/notebook/hierml/files": true}

// powersOf says what code can do with a package besides computing.
var powersOf = map[string]string{
	"C":               "compiles and runs C",
	"os":              "files, environment variables, processes",
	"os/exec":         "starts programs",
	"os/signal":       "signals",
	"os/user":         "users of the machine",
	"io/ioutil":       "files",
	"path/filepath":   "lists folders",
	"embed":           "files",
	"debug/buildinfo": "files",
	"debug/elf":       "files",
	"archive/zip":     "files",
	"go/build":        "files, starts the go command",
	"go/parser":       "files",
	"html/template":   "files",
	"text/template":   "files",
	"database/sql":    "databases",
	"log/syslog":      "the log of the system",
	"plugin":          "loads machine code",
	"runtime/cgo":     "C",
	"syscall":         "calls the system",
	"testing":         "files",
	"unsafe":          "memory of the process",
	"expvar":          "network",
	"crypto/tls":      "network, files",
	"net/netip":       "",
	"net/url":         "",
	"net/mail":        "",
}

// hiermlPowers are those of hierml's own packages, by the last part of the path.
var hiermlPowers = map[string]string{
	"cache": "files", "collection": "network, files", "dataset": "files", "experiment": "files", "farm": "files, starts programs", "features": "files",
	"files": "files", "magic": "starts programs, files", "pipeline": "files", "chart": "files", "taxonomy": "files", "classifier": "files",
}

// isNetwork reports whether a package is net, or below it.
func isNetwork(path string) bool { return path == "net" || strings.HasPrefix(path, "net/") }

// powers says what code can do with a package, or that the package is unknown.
func (g *goReader) powers(path string) string {
	own, isOwn := strings.CutPrefix(path, "github.com/hierml/notebook/")
	powers, listed := powersOf[path]
	switch {
	case listed:
		return powers
	case isOwn:
		return hiermlPowers[own[strings.LastIndex(own, "/")+1:]]
	case isNetwork(path):
		return "network"
	case path != "" && !g.universe.Known(path):
		return "not part of Go or hierml: it is downloaded or taken from the notebook's folder, and importing it runs its code"
	}
	return ""
}

// address matches an address on the network.
var address = regexp.MustCompile(`(?i)\b(?:https?|wss?|ftps?|sftp|ssh|git|file|s3|gs|data|javascript|tcp|udp|ldap|smb)(?:\+\w+)?:(?://|\\\\)[^\s"'` + "`" + `<>()\[\]{}]+|\bgit@[\w.-]+:[\w./-]+`)

func (r *reader) addresses(text string) {
	for _, a := range address.FindAllString(text, -1) {
		r.add(Addresses, strings.TrimRight(a, ".,;:!?*_"), "")
	}
}

var (
	rooted    = regexp.MustCompile(`^(?:~[\w.-]*(?:/|$)|\.{1,2}[/\\]|/[^/\s*]|[A-Za-z]:[\\/]|\\\\|\$\w+[/\\]|\$\{\w+\}[/\\])`)
	extension = regexp.MustCompile(`^[^\s:;,<>|*?"]*[\pL\pN_-]\.(?:[a-z][a-z0-9]{0,7}|[A-Z]{2,5})$`)
	number    = regexp.MustCompile(`^[\d.]+[a-z]*$`)
	hostPort  = regexp.MustCompile(`^[\w.:\[\]-]*:\w+$`)
)

// looksLikeFile reports whether a string is probably a file name.
func looksLikeFile(s string) bool {
	return !strings.ContainsAny(s, "\n\x00") && !address.MatchString(s) && len(s) < 4096 &&
		(rooted.MatchString(s) || extension.MatchString(s) && !number.MatchString(s))
}

var (
	// linked matches the target of a Markdown link or image, or of an HTML attribute.
	linked = regexp.MustCompile(`(?:\]\(|\]:[ \t]*)<?([^\s)>]+)|(?i:\b(?:src|href|action|data|poster|background)\s*=\s*)["']?([^\s"'>]+)`)
	// markup matches HTML that a browser would run.
	markup = regexp.MustCompile(`(?i)<\s*(?:script|iframe|object|embed|form|meta|base|link)\b|<[^>]*\son\w+\s*=|javascript:|srcdoc\s*=`)
)

// markdown reads the text of a cell without code.
func (r *reader) markdown(text string) {
	r.addresses(text)
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		if to := m[1] + m[2]; !address.MatchString(to) && !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "attachment:") && !strings.Contains(to, ":") {
			r.add(Files, to, "")
		}
	}
	if markup.MatchString(text) {
		r.add(Page, "code in the text", "")
	}
}

// output reads a stored output of a cell, which a front end shows when the notebook is opened.
func (r *reader) output(o *notebook.Output) {
	r.addresses(o.Text)
	for _, mime := range slices.Sorted(maps.Keys(o.Data)) {
		text, isText := o.Data[mime].(string)
		switch {
		case strings.Contains(mime, "javascript"), strings.Contains(mime, "widget"):
			r.add(Page, "stored output of type "+mime, "")
		case isText && markup.MatchString(text):
			r.add(Page, "code in a stored output of type "+mime, "")
		}
		if isText && !strings.HasPrefix(mime, "image/") || mime == "image/svg+xml" {
			r.addresses(text)
		} else {
			r.any(o.Data[mime])
		}
	}
	r.any(o.Metadata)
	r.any(o.Extra)
}

// any reads a JSON value.
func (r *reader) any(v any) {
	switch v := v.(type) {
	case string:
		r.addresses(v)
		if markup.MatchString(v) {
			r.add(Page, "code in metadata, an attachment or a value", "")
		}
	case json.Number, bool, nil:
	case []any:
		for _, e := range v {
			r.any(e)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			r.any(k)
			r.any(v[k])
		}
	}
}
