package lite

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// application unpacks JupyterLite from the archive in its wheel, without source maps and build
// files.
func (w *writer) application(wheel string) (err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s: %w", wheel, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, file := range z.File {
		if !strings.HasPrefix(path.Base(file.Name), "jupyterlite-app-") {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return err
		}
		return errors.Join(w.unpack(r), r.Close())
	}
	return fmt.Errorf("%s has no file jupyterlite-app-VERSION.tgz: this version of JupyterLite is not supported", wheel)
}

func (w *writer) unpack(r io.Reader) error {
	plain, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(path.Clean(header.Name), "/")
		if header.Typeflag != tar.TypeReg || name == entranceFile || path.Ext(name) == ".map" || strings.HasPrefix(name, "rspack") || strings.HasPrefix(name, "doc/") {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		switch {
		case name == "service-worker.js":
			data = serviceWorker
		case path.Base(name) == "favicon.ico" && len(w.icon) > 0: // JupyterLite's has a third of a megabyte
			data = w.icon
		}
		if err := w.write(name, data); err != nil {
			return err
		}
		if name == "lab/favicon.ico" { // browsers ask for it here, since the pages name none
			if err := w.write("favicon.ico", data); err != nil {
				return err
			}
		}
	}
}

// widgets unpacks the extensions of JupyterLab in a wheel.
func (w *writer) widgets(wheel string) (err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s: %w", wheel, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, file := range z.File {
		_, name, found := strings.Cut(path.Clean(file.Name), "/share/jupyter/labextensions/")
		if !found || file.FileInfo().IsDir() || path.Ext(name) == ".orig" {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
		if err := w.extension(name, data); err != nil {
			return err
		}
	}
	return nil
}

// wheelLicence returns the licence of the package in a wheel.
func wheelLicence(wheel string) (text string, err error) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return "", fmt.Errorf("%s: %w", wheel, err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	for _, file := range z.File {
		if !strings.HasSuffix(file.Name, ".dist-info/licenses/LICENSE") {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(r)
		return string(data), errors.Join(err, r.Close())
	}
	return "", fmt.Errorf("%s has no licence", wheel)
}
