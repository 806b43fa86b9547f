package doc

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A room is an entry of arrows.txt.
type room struct {
	name     string
	packages []string // paths in the module; one that ends in /... includes what is below
	imports  []string // rooms
}

var code = regexp.MustCompile("`([^`]+)`")

// rooms reads arrows.txt, whose head describes its format.
func rooms(t *testing.T) []room {
	t.Helper()
	text, err := os.ReadFile("arrows.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []room
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		entry, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !indented:
			name, _, found := strings.Cut(line, ": ")
			if !found {
				t.Fatalf("arrows.txt: %q is not \"ROOM: what is in it\"", line)
			}
			all = append(all, room{name: name})
		case len(all) == 0:
			t.Fatalf("arrows.txt: %q belongs to no room", line)
		default:
			r := &all[len(all)-1]
			names, imports := strings.CutPrefix(entry, "> ")
			if !imports {
				r.packages = append(r.packages, strings.Fields(entry)...)
				continue
			}
			for name := range strings.SplitSeq(names, ",") {
				if name = strings.TrimSpace(name); name != "" {
					r.imports = append(r.imports, name)
				}
			}
		}
	}
	return all
}

// of returns the room of a package, by the longest of the patterns that it fits.
func of(all []room, pkg string) (found *room, pattern string) {
	for i := range all {
		for _, p := range all[i].packages {
			tree, isTree := strings.CutSuffix(p, "/...")
			if (pkg == p || isTree && (pkg == tree || strings.HasPrefix(pkg, tree+"/"))) && len(p) > len(pattern) {
				found, pattern = &all[i], p
			}
		}
	}
	return found, pattern
}

// TestArrows compares arrows.txt with the imports of all packages.
func TestArrows(t *testing.T) {
	all := rooms(t)
	var names []string
	for _, r := range all {
		if slices.Contains(names, r.name) {
			t.Errorf("two rooms are called %q", r.name)
		}
		names = append(names, r.name)
	}
	cmd := exec.Command("go", "list", "-f", "{{.Module.Path}} {{.ImportPath}} {{join .Imports \" \"}}", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // patterns, and arrows as "from > to"
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		module := words[0]
		inside := func(path string) string {
			rest, ok := strings.CutPrefix(path, module+"/")
			if !ok {
				return ""
			}
			return rest
		}
		pkg := inside(words[1])
		if pkg == "" || pkg == "doc" {
			continue
		}
		from, pattern := of(all, pkg)
		if from == nil {
			t.Errorf("%s is in no room", pkg)
			continue
		}
		used[pattern] = true
		for _, path := range words[2:] {
			imported := inside(path)
			if imported == "" {
				continue
			}
			to, _ := of(all, imported)
			if to == nil || to == from {
				continue // a package without a room is reported above
			}
			if !slices.Contains(from.imports, to.name) {
				t.Errorf("%s (%s) imports %s (%s), which arrows.txt does not allow", pkg, from.name, imported, to.name)
			}
			used[from.name+" > "+to.name] = true
		}
	}
	for _, r := range all {
		for _, p := range r.packages {
			if !used[p] {
				t.Errorf("%s: there is no package %s", r.name, p)
			}
		}
		for _, to := range r.imports {
			switch {
			case !slices.Contains(names, to):
				t.Errorf("%s: there is no room %q", r.name, to)
			case !used[r.name+" > "+to]:
				t.Errorf("no package of %s imports one of %s: remove the arrow", r.name, to)
			}
		}
	}
	if cycle := circle(all); cycle != nil {
		t.Errorf("the rooms import each other in a circle: %s", strings.Join(cycle, " > "))
	}
}

// circle returns rooms that import each other in a circle, nil if there are none.
func circle(all []room) []string {
	done := map[string]bool{}
	var visit func(name string, path []string) []string
	visit = func(name string, path []string) []string {
		if i := slices.Index(path, name); i >= 0 {
			return append(path[i:], name)
		}
		if done[name] {
			return nil
		}
		for _, r := range all {
			if r.name != name {
				continue
			}
			for _, to := range r.imports {
				if found := visit(to, append(slices.Clone(path), name)); found != nil {
					return found
				}
			}
		}
		done[name] = true
		return nil
	}
	for _, r := range all {
		if found := visit(r.name, nil); found != nil {
			return found
		}
	}
	return nil
}

// TestPathsExist checks that the files and folders that the documents name exist. A name without a
// folder is in the folder of the path before it in the line.
func TestPathsExist(t *testing.T) {
	top := regexp.MustCompile(`^(doc|hierml|install|internal|kernel|notebooks|stdlib)/[\w./-]*$`)
	for _, page := range []string{"architecture.md", "workarounds.md", "../CONTRIBUTING.md", "../NOTICE.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			folder := ""
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				path := strings.TrimSuffix(m[1], "/...")
				switch {
				case strings.Contains(path, "NAME"):
					continue
				case top.MatchString(path):
					folder = filepath.Dir(path)
				case folder != "" && strings.HasSuffix(path, ".go") && !strings.Contains(path, " ") && filepath.Base(path) == path:
					path = filepath.Join(folder, path)
				default:
					continue
				}
				if _, err := os.Stat(filepath.Join(root, path)); err != nil {
					t.Errorf("%s names %s, which is not there", page, path)
				}
			}
		}
	}
}
