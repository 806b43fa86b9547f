package release

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// An Artifact is a file of a release.
type Artifact struct {
	Name    string
	Content []byte
}

// tree returns all files to install below a prefix, in order. The kernel starts program.
func (p Parts) tree(program string) ([]File, error) {
	files, err := p.share(program)
	if err != nil {
		return nil, err
	}
	files = append(files, File{path.Join("bin", p.programName()), 0o755, p.Program})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// Archive makes a compressed tar archive, to be unpacked below a prefix such as ~/.local or
// /usr/local.
func (p Parts) Archive() (Artifact, error) {
	files, err := p.tree("{resource_dir}/../../../../bin/" + p.programName())
	if err != nil {
		return Artifact{}, err
	}
	var b bytes.Buffer
	err = writeTar(&b, files, p.Version.Time)
	name := "hierml-" + strings.TrimPrefix(p.Version.Go, "v") + "-" + p.System.OS + "-" + p.System.Arch + ".tar.gz"
	return Artifact{name, b.Bytes()}, err
}
