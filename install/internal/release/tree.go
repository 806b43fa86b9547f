package release

import (
	"io/fs"
	"path"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/internal/beside"
)

// A System is one that a program is built for.
type System struct {
	// OS and Arch are as GOOS and GOARCH.
	OS, Arch string
	// CC is the C compiler for the system. Without one the program is built without C, and can only
	// interpret cells.
	CC string
}

// A File is one of a distribution.
type File struct {
	Name    string // path with slashes
	Mode    fs.FileMode
	Content []byte
}

// Parts are the files to install.
type Parts struct {
	System  System
	Version Version
	// Program is hierml, built for the system.
	Program []byte
	// Source is the archive of the program's sources; nil if cells are not compiled.
	Source []byte
	// SourceID identifies the sources for package internal/toolchain.
	SourceID []byte
	// Documentation is that of Go, in the form of package beside.
	Documentation []byte
	// Course is the archive of the notebooks, as [Course] makes it.
	Course []byte
	// Manual is the page for man.
	Manual []byte
	// Licences are those of everything in the program.
	Licences []byte
}

// manualFile is the path of the manual page below the prefix.
const manualFile = "share/man/man1/hierml.1"

// programName returns the name of the program on the system.
func (p Parts) programName() string {
	if p.System.OS == "windows" {
		return "hierml.exe"
	}
	return "hierml"
}

// share returns the files below PREFIX/share, in order, the kernel among them, whose kernel.json
// starts a program.
func (p Parts) share(program string) ([]File, error) {
	spec := kernelspec.Spec{Name: kernelspec.DefaultName, DisplayName: kernelspec.DefaultDisplayName, Program: program}
	kernel, err := spec.Files()
	if err != nil {
		return nil, err
	}
	var files []File
	files = append(files, File{path.Join(beside.Folder, beside.Documentation), 0o644, p.Documentation})
	files = append(files, File{path.Join(beside.Folder, beside.Course), 0o644, p.Course})
	files = append(files, File{path.Join(beside.Folder, "licences.txt"), 0o644, p.Licences})
	if p.Source != nil {
		files = append(files, File{path.Join(beside.Folder, beside.SourceID), 0o644, p.SourceID})
		files = append(files, File{path.Join(beside.Folder, beside.Source), 0o644, p.Source})
	}
	files = append(files, File{manualFile, 0o644, p.Manual})
	for _, f := range kernel {
		files = append(files, File{path.Join("share/jupyter/kernels", spec.Name, f.Name), 0o644, f.Content})
	}
	return files, nil
}
