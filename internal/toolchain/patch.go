package toolchain

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// patchFiles are the changes of Go's compiler and linker, see patches/README.md.
//
//go:embed patches
var embedded embed.FS

// patchFiles is where the changes are read; tests have others.
var patchFiles fs.FS = embedded

// A tool is a program of the tool chain that is built with changes.
type tool struct {
	// name is that of its folder in cmd, and of the folder in patches that is its own.
	name, description string
}

var (
	// compiler compiles cells: for it, all packages whose paths begin with Prefix are one package.
	compiler = tool{"compile", "compiler"}
	// linker links plugins, which import the program's symbols.
	linker = tool{"link", "linker"}
)

// A patch is a change of a tool for one purpose: a unified diff against the source of Go.
type patch struct {
	name string
	// purpose says what the patch is for.
	purpose string
	// required says that cells are wrong without the patch. Without another one, they only take
	// longer to build.
	required bool
	// needs are the names of patches of the same tool that this one builds on.
	needs   []string
	changes []fileChange
	// text is the whole patch.
	text string
}

// A fileChange changes one file, or adds it.
type fileChange struct {
	// file is a path below GOROOT.
	file string
	// added is the text of a file that Go does not have.
	added string
	hunks []hunk
}

// A hunk is a part of a unified diff: lines that begin with a space, a minus or a plus.
type hunk []string

// old returns the text that a hunk replaces.
func (h hunk) old() string {
	var old strings.Builder
	for _, line := range h {
		if line[0] != '+' {
			old.WriteString(line[1:])
		}
	}
	return old.String()
}

// An edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

// edits returns the changes that the hunk makes to a text. It reports false if the text does not
// contain the old lines exactly once.
func (h hunk) edits(text string) ([]edit, bool) {
	old := h.old()
	at := -1
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		i += from
		from = i + 1
		if i > 0 && text[i-1] != '\n' {
			continue
		}
		if at >= 0 {
			return nil, false
		}
		at = i
	}
	if at < 0 {
		return nil, false
	}
	var edits []edit
	for _, line := range h {
		content := line[1:]
		switch line[0] {
		case ' ':
			at += len(content)
		case '-':
			edits = append(edits, edit{at, at + len(content), ""})
			at += len(content)
		case '+':
			edits = append(edits, edit{at, at, content})
		}
	}
	return edits, true
}

// patches returns the patches of the tool for a version of Go, such as go1.26.8. Of the files
// NAME.diff, NAME.go1.27.diff and so on, it takes the one of the latest release that is not later
// than the version.
func (t tool) patches(version string) ([]patch, error) {
	minor := minorOf(version)
	var all []patch
	for _, folder := range []string{"both", t.name} {
		entries, err := fs.ReadDir(patchFiles, path.Join("patches", folder))
		if err != nil {
			return nil, err
		}
		files := map[string]string{}
		releases := map[string]int{}
		for _, e := range entries {
			name, release, variant := strings.Cut(strings.TrimSuffix(e.Name(), ".diff"), ".")
			first := 0
			if variant {
				first = minorOf(release)
			}
			if first <= minor && (files[name] == "" || first > releases[name]) {
				files[name], releases[name] = path.Join("patches", folder, e.Name()), first
			}
		}
		for name, file := range files {
			content, err := fs.ReadFile(patchFiles, file)
			if err != nil {
				return nil, err
			}
			p, err := parsePatch(string(content))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			p.name = name
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b patch) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// minorOf returns the minor number of a release: 26 for go1.26.8, and the maximum for a version
// that is not a release.
func minorOf(version string) int {
	rest, ok := strings.CutPrefix(version, "go1.")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	if n, err := strconv.Atoi(rest); ok && err == nil {
		return n
	}
	return 1<<31 - 1
}

// parsePatch reads a unified diff with a header: the purpose, and lines "Required: correctness" or
// "Required: speed" and "Needs: NAME ...".
func parsePatch(text string) (patch, error) {
	p := patch{text: text}
	known := false
	var change *fileChange
	var left [2]int // lines of the old and the new side that belong to the current hunk
	number := 0
	for line := range strings.Lines(text) {
		number++
		plain := strings.TrimSuffix(line, "\n")
		bad := func() (patch, error) { return p, fmt.Errorf("line %d is not part of a unified diff", number) }
		if left[0] > 0 || left[1] > 0 {
			if line == "\n" { // an editor has removed the space
				line = " \n"
			}
			switch line[0] {
			case ' ':
				left[0]--
				left[1]--
			case '-':
				left[0]--
			case '+':
				left[1]--
			default:
				return bad()
			}
			if left[0] < 0 || left[1] < 0 {
				return bad()
			}
			h := &change.hunks[len(change.hunks)-1]
			*h = append(*h, line)
			continue
		}
		switch {
		case strings.HasPrefix(line, "--- "):
			p.changes = append(p.changes, fileChange{})
			change = &p.changes[len(p.changes)-1]
		case strings.HasPrefix(line, "+++ b/") && change != nil:
			change.file = strings.TrimPrefix(plain, "+++ b/")
		case strings.HasPrefix(line, "@@ ") && change != nil && change.file != "":
			var at [2]int
			if n, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &at[0], &left[0], &at[1], &left[1]); n != 4 || err != nil {
				return bad()
			}
			change.hunks = append(change.hunks, nil)
		case change != nil:
			return bad()
		case strings.HasPrefix(line, "Required: "):
			why := strings.TrimPrefix(plain, "Required: ")
			p.required = why == "correctness"
			if known = p.required || why == "speed"; !known {
				return bad()
			}
		case strings.HasPrefix(line, "Needs: "):
			p.needs = strings.Fields(strings.TrimPrefix(plain, "Needs: "))
		case !known:
			p.purpose = strings.TrimSpace(p.purpose + " " + plain)
		}
	}
	if left != [2]int{} || !known || p.purpose == "" || len(p.changes) == 0 {
		return p, errors.New("the patch is not complete")
	}
	for i := range p.changes {
		c := &p.changes[i]
		if len(c.hunks) == 1 && c.hunks[0].old() == "" {
			for _, line := range c.hunks[0] {
				c.added += line[1:]
			}
			c.hunks = nil
		}
	}
	return p, nil
}

// build builds the tool into path, with dir for its temporary files. It returns the patches that it
// left out because they do not fit: cells take longer to build without them.
func (t tool) build(ctx context.Context, tc toolchain, dir, path string) (without []patch, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	texts, without, err := t.adapt(tc)
	if err == nil && t == compiler {
		err = omitOtherMachines(tc.GOROOT, texts)
	}
	if err != nil {
		return nil, err
	}
	overlay, err := writeOverlay(tc.GOROOT, texts, dir)
	if err != nil {
		return nil, err
	}
	// With the distribution's profile, the go command would compile the standard library once more,
	// for a tool that is hardly faster on cells.
	_, err = tc.goCommand(ctx, filepath.Join(tc.GOROOT, "src", "cmd"), plainBuild,
		"build", "-v", "-overlay", overlay, "-pgo=off", "-gcflags=cmd/...=-dwarf=false", "-ldflags=-s -w", "-o", path, "cmd/"+t.name)
	if err != nil {
		return nil, fmt.Errorf("the %s adapted to cells does not build: %w", t.description, err)
	}
	return without, os.RemoveAll(dir)
}

// adapt returns the changed files of the tool. It leaves out patches that do not fit, unless cells
// are wrong without them.
func (t tool) adapt(tc toolchain) (texts map[string]string, without []patch, err error) {
	all, err := t.patches(tc.GOVERSION)
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{} // of Go's files and of added ones
	edits := map[string][]edit{}
	fits := func(p patch) (misfit string, err error) {
		for _, name := range p.needs {
			if i := slices.IndexFunc(without, func(p patch) bool { return p.name == name }); i >= 0 {
				return "patch " + name, nil
			}
		}
		mine := map[string][]edit{}
		for _, c := range p.changes {
			if c.added != "" {
				continue
			}
			if _, ok := texts[c.file]; !ok {
				content, err := os.ReadFile(filepath.Join(tc.GOROOT, filepath.FromSlash(c.file)))
				if err != nil {
					return c.file, err
				}
				texts[c.file] = string(content)
			}
			for _, h := range c.hunks {
				e, ok := h.edits(texts[c.file])
				if !ok {
					return c.file, nil
				}
				mine[c.file] = append(mine[c.file], e...)
			}
		}
		for _, c := range p.changes {
			edits[c.file] = append(edits[c.file], mine[c.file]...)
			if c.added != "" {
				texts[c.file] = c.added
			}
		}
		return "", nil
	}
	for pending := all; len(pending) > 0; {
		p := pending[0]
		pending = pending[1:]
		if slices.ContainsFunc(pending, func(other patch) bool { return slices.Contains(p.needs, other.name) }) {
			pending = append(pending, p)
			continue
		}
		misfit, err := fits(p)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(filepath.Join(tc.GOROOT, "src", "cmd", t.name)); err != nil {
				return nil, nil, &MisfitError{tc.GOVERSION, fmt.Sprintf("it has no source of the %s, in %s", t.description, filepath.Join(tc.GOROOT, "src", "cmd", t.name))}
			}
		} else if err != nil {
			return nil, nil, err
		}
		if misfit != "" && p.required {
			return nil, nil, &MisfitError{tc.GOVERSION, fmt.Sprintf("patch %s/%s does not fit %s, in %s", t.name, p.name, misfit, tc.GOROOT)}
		}
		if misfit != "" {
			without = append(without, p)
		}
	}
	for file, text := range texts {
		if texts[file], err = apply(text, edits[file]); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return texts, without, nil
}

// writeOverlay writes the texts of files below goroot into dir, and the file for go build's
// -overlay, whose name it returns.
func writeOverlay(goroot string, texts map[string]string, dir string) (string, error) {
	replace := map[string]string{}
	for file, text := range texts {
		changed := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(goroot, filepath.FromSlash(file))] = changed
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, content, 0o600)
}

var (
	rulesFile = regexp.MustCompile(`^rewrite([0-9A-Z][0-9A-Za-z]*?)(splitload|latelower)?\.go$`)
	rulesFunc = regexp.MustCompile(`(?m)^func rewrite(Value|Block)[0-9A-Za-z]+\(.*\{\n`)
)

// omitOtherMachines empties the files with the compiler's rules for other machines. They take half
// the time in which the compiler compiles.
func omitOtherMachines(goroot string, texts map[string]string) error {
	const dir = "src/cmd/compile/internal/ssa"
	entries, err := os.ReadDir(filepath.Join(goroot, dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		match := rulesFile.FindStringSubmatch(e.Name())
		// ppc64le has the rules of PPC64.
		if match == nil || strings.HasPrefix(runtime.GOARCH, strings.ToLower(match[1])) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(goroot, dir, e.Name()))
		if err != nil {
			return err
		}
		text := "package ssa\n"
		for _, f := range rulesFunc.FindAllString(string(content), -1) {
			text += f + "panic(\"the rules of another machine\")\n}\n"
		}
		texts[dir+"/"+e.Name()] = text
	}
	return nil
}

// apply makes changes, which must not overlap, to a text.
func apply(text string, edits []edit) (string, error) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		if e.from < at {
			return "", errors.New("two patches change the same lines")
		}
		out.WriteString(text[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.WriteString(text[at:])
	return out.String(), nil
}
