package release

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// control describes the package to dpkg. Its arguments are the version, the processor, the
// dependencies, and the size in KiB.
const control = `Package: hierml
Version: %s
Architecture: %s
Maintainer: The hierml authors <noreply@github.com>
Installed-Size: %d
Depends: %s
Recommends: jupyter-client
Suggests: golang-go, gcc
Section: science
Priority: optional
Homepage: https://github.com/hierml/notebook
Description: Go kernel for Jupyter, and hierarchical classification
 A kernel in which cells are Go, a runner for scripts and notebooks, and a
 library for learning classifiers over taxonomies, ready in every cell.
 .
 Cells are interpreted as they are, and compiled where the Go is installed that
 the package was built by.
`

// copyright is the file that Debian asks for, before the licences.
const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hierml
Source: https://github.com/hierml/notebook

Files: *
Copyright: the hierml authors
License: BSD-3-Clause
Comment: /usr/share/hierml/licences.txt has the licences of all that is in the program.

License: BSD-3-Clause
`

// Debian makes a package of Debian, for systems with the C library that the program needs.
func (p Parts) Debian(licence []byte) (Artifact, error) {
	tree, err := p.tree("/usr/bin/" + p.programName())
	if err != nil {
		return Artifact{}, err
	}
	for i := range tree {
		if tree[i].Name == manualFile { // Debian's manuals are compressed
			var b bytes.Buffer
			if err := compress(&b, tree[i].Content); err != nil {
				return Artifact{}, err
			}
			tree[i] = File{manualFile + ".gz", 0o644, b.Bytes()}
		}
		tree[i].Name = path.Join("usr", tree[i].Name)
	}
	text := copyright
	for line := range strings.Lines(string(licence)) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			line = "."
		}
		text += " " + line + "\n"
	}
	tree = append(tree, File{"usr/share/doc/hierml/copyright", 0o644, []byte(text)})
	slices.SortFunc(tree, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	depends := "libc6"
	if p.System.CC != "" {
		minor, err := glibc(p.Program)
		if err != nil {
			return Artifact{}, err
		}
		depends = fmt.Sprintf("libc6 (>= 2.%d)", minor)
	}
	size, sums := 0, ""
	for _, f := range tree {
		size += (len(f.Content) + 1023) / 1024
		sums += fmt.Sprintf("%x  %s\n", md5.Sum(f.Content), f.Name)
	}
	version := p.Version.Debian()
	about := []File{
		{"./control", 0o644, fmt.Appendf(nil, control, version, p.System.Arch, size, depends)},
		{"./md5sums", 0o644, []byte(sums)},
	}
	var members [2]bytes.Buffer
	for i, files := range [][]File{about, withFolders(tree)} {
		if err := writeTar(&members[i], files, p.Version.Time); err != nil {
			return Artifact{}, err
		}
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range []File{
		{Name: "debian-binary", Content: []byte("2.0\n")},
		{Name: "control.tar.gz", Content: members[0].Bytes()},
		{Name: "data.tar.gz", Content: members[1].Bytes()},
	} {
		writeMember(&b, m, p.Version.Time)
	}
	return Artifact{"hierml_" + version + "_" + p.System.Arch + ".deb", b.Bytes()}, nil
}

// compress writes content as gzip does, without a name and a time.
func compress(w io.Writer, content []byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = z.Write(content)
	return errors.Join(err, z.Close())
}

// withFolders returns the files with the folders that they are in before them, as dpkg asks for.
func withFolders(files []File) []File {
	var all []File
	seen := map[string]bool{".": true}
	for _, f := range files {
		var above []string
		for dir := path.Dir(f.Name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			above = append(above, dir)
		}
		slices.Reverse(above)
		for _, dir := range above {
			all = append(all, File{Name: "./" + dir + "/", Mode: 0o755})
		}
		f.Name = "./" + f.Name
		all = append(all, f)
	}
	return all
}

// writeMember writes a file of an ar archive, which lies on even places.
func writeMember(b *bytes.Buffer, f File, at time.Time) {
	fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.Name, at.Unix(), 0, 0, 0o100644, len(f.Content))
	b.Write(f.Content)
	if len(f.Content)%2 != 0 {
		_, _ = io.WriteString(b, "\n") // to memory
	}
}
