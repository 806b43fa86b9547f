package release

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// relative is the program as the kernel.json of a wheel names it, from its own folder: the wheel
// does not know into which environment it is installed.
func (p Parts) relative() string {
	bin := "bin"
	if p.System.OS == "windows" {
		bin = "Scripts"
	}
	return "{resource_dir}/../../../../" + bin + "/" + p.programName()
}

// Wheel makes the wheel of the program and of the Python reader of models, whose folder is
// SOURCE/python. It has the program as a script, which pip puts where programs are, and the kernel
// as data (PEP 427).
func (p Parts) Wheel(source string) (Artifact, error) {
	version, err := p.Version.Python()
	if err != nil {
		return Artifact{}, err
	}
	tag, err := p.tag()
	if err != nil {
		return Artifact{}, err
	}
	files, err := readerFiles(filepath.Join(source, "python"), version)
	if err != nil {
		return Artifact{}, err
	}
	data, info := "hierml-"+version+".data", "hierml-"+version+".dist-info"
	share, err := p.share(p.relative())
	if err != nil {
		return Artifact{}, err
	}
	for _, f := range share {
		f.Name = path.Join(data, "data", f.Name)
		files = append(files, f)
	}
	files = append(files, File{path.Join(data, "scripts", p.programName()), 0o755, p.Program})
	description, err := os.ReadFile(filepath.Join(source, "install", "internal", "release", "description.md"))
	if err != nil {
		return Artifact{}, err
	}
	licence, err := os.ReadFile(filepath.Join(source, "LICENSE"))
	if err != nil {
		return Artifact{}, err
	}
	files = append(files,
		File{path.Join(info, "METADATA"), 0o644, []byte(fmt.Sprintf(metadata, version, description))},
		File{path.Join(info, "WHEEL"), 0o644, []byte("Wheel-Version: 1.0\nGenerator: hierml\nRoot-Is-Purelib: false\nTag: py3-none-" + tag + "\n")},
		File{path.Join(info, "entry_points.txt"), 0o644, []byte(entryPoints)},
		File{path.Join(info, "licenses", "LICENSE"), 0o644, licence},
		File{path.Join(info, "licenses", "licences.txt"), 0o644, p.Licences},
	)
	files = append(files, record(files, path.Join(info, "RECORD")))
	var b bytes.Buffer
	err = writeZip(&b, files, p.Version.Time)
	return Artifact{"hierml-" + version + "-py3-none-" + tag + ".whl", b.Bytes()}, err
}

// metadata is what pip and the package index show. It takes the version and the description.
const metadata = `Metadata-Version: 2.4
Name: hierml
Version: %s
Summary: A Go kernel for Jupyter, and hierarchical classification
License-Expression: BSD-3-Clause
License-File: LICENSE
License-File: licences.txt
Project-URL: Source, https://github.com/hierml/notebook
Classifier: Framework :: Jupyter
Classifier: Intended Audience :: Science/Research
Classifier: Programming Language :: Go
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.4; extra == "sklearn"
Description-Content-Type: text/markdown

%s`

// entryPoints is what other Python packages load of this one, as python/pyproject.toml says.
const entryPoints = "[papermill.engine]\nhierml = hierml._papermill:Engine\n"

// readerVersion is the line of the Python package that says which version it is.
var readerVersion = regexp.MustCompile(`(?m)^__version__ = .*$`)

// readerFiles returns the Python package of a folder, with a version.
func readerFiles(dir, version string) ([]File, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "hierml"))
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, "hierml", e.Name()))
		if err != nil {
			return nil, err
		}
		if e.Name() == "__init__.py" {
			if !readerVersion.Match(content) {
				return nil, fmt.Errorf("%s says nothing of its version", e.Name())
			}
			content = readerVersion.ReplaceAll(content, []byte("__version__ = "+strconv.Quote(version)))
		}
		files = append(files, File{path.Join("hierml", e.Name()), 0o644, content})
	}
	return files, nil
}

// record returns the file that lists the others with their sums, and itself without.
func record(files []File, name string) File {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, f := range files {
		sum := sha256.Sum256(f.Content)
		_ = w.Write([]string{f.Name, "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(f.Content))}) // to memory
	}
	_ = w.Write([]string{name, "", ""})
	w.Flush()
	return File{name, 0o644, b.Bytes()}
}

// writeZip writes files as a zip archive, whose times are of UTC.
func writeZip(w io.Writer, files []File, at time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(f.Mode)
		out, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := out.Write(f.Content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// tag returns the tag of the platform that the program runs on.
func (p Parts) tag() (string, error) {
	switch system := p.System.OS + "/" + p.System.Arch; system {
	case "linux/amd64", "linux/arm64":
		minor, err := glibc(p.Program)
		return fmt.Sprintf("manylinux_2_%d_%s", minor, map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.System.Arch]), err
	case "windows/amd64":
		return "win_amd64", nil
	case "darwin/amd64":
		return "macosx_" + oldestMacOS + "_x86_64", nil
	case "darwin/arm64":
		return "macosx_" + oldestMacOS + "_arm64", nil
	default:
		return "", fmt.Errorf("no wheels are made for %s", system)
	}
}

// oldestMacOS is the version of the oldest macOS that programs of this Go run on.
const oldestMacOS = "12_0"

// oldestGlibc is the minor version of the C library of the oldest systems that wheels are for.
const oldestGlibc = 17

// glibc returns the minor version 2.N of the C library that a program for Linux needs at least. One
// that is linked statically needs none.
func glibc(program []byte) (minor int, err error) {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return 0, err
	}
	minor = oldestGlibc
	symbols, err := f.ImportedSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return minor, nil
	}
	if err != nil {
		return 0, err
	}
	for _, s := range symbols {
		version, ok := strings.CutPrefix(s.Version, "GLIBC_2.")
		if !ok {
			continue
		}
		version, _, _ = strings.Cut(version, ".")
		n, err := strconv.Atoi(version)
		if err != nil {
			return 0, fmt.Errorf("the program needs the symbol %s of version %s, which is unknown", s.Name, s.Version)
		}
		minor = max(minor, n)
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return 0, err
	}
	for _, l := range libraries {
		if !slices.Contains(systemLibraries, l) {
			return 0, fmt.Errorf("the program needs %s, which is not on every system", l)
		}
	}
	return minor, nil
}

// systemLibraries are those of the C library, which wheels may need.
var systemLibraries = []string{"libc.so.6", "libdl.so.2", "libpthread.so.0", "libm.so.6", "libresolv.so.2", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
