package files

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// files calls f for every regular file of a folder or of an archive, but for those whose names, or
// folders, begin with a dot.
type files func(f func(name string, r io.Reader) error) error

// filesOfFS are the files of a file system, in the order of their names.
func filesOfFS(ctx context.Context, fsys fs.FS) files {
	return func(f func(name string, r io.Reader) error) error {
		if fsys == nil {
			return fmt.Errorf("files: the file system is nil; os.DirFS makes one from a folder")
		}
		return fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("files: %w", err)
			}
			if hidden := len(name) > 1 && strings.HasPrefix(path.Base(name), "."); hidden && entry.IsDir() {
				return fs.SkipDir
			} else if hidden || !entry.Type().IsRegular() {
				return nil
			}
			file, err := fsys.Open(name)
			if err != nil {
				return fmt.Errorf("files: %w", err)
			}
			err = f(name, textfile.WithContext(ctx, file))
			if errors.Is(err, errLeftOut) {
				err = nil
			}
			if closed := file.Close(); err == nil && closed != nil {
				return fmt.Errorf("files: %w", closed)
			}
			return err
		})
	}
}

// filesOf are the files of a folder, or what archive makes of a file.
func filesOf(ctx context.Context, name string, archive func(r io.Reader) files) files {
	return func(f func(name string, r io.Reader) error) error {
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("files: %w", err)
		}
		if info.IsDir() {
			return filesOfFS(ctx, os.DirFS(name))(f)
		}
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("files: %w", err)
		}
		err = archive(file)(f)
		if closed := file.Close(); err == nil && closed != nil {
			return fmt.Errorf("files: %w", closed)
		}
		return err
	}
}

// filesOfPath are the files of a folder or of an archive.
func filesOfPath(ctx context.Context, name string, repair *Faults) files {
	return filesOf(ctx, name, func(r io.Reader) files { return filesOfArchive(ctx, r, name, repair) })
}

// filesOfArchive are the files of a tar archive, compressed or not, in their order there; and of a
// zip archive, if r can read at any place, as files can.
func filesOfArchive(ctx context.Context, r io.Reader, name string, repair *Faults) files {
	return func(f func(name string, r io.Reader) error) error {
		if at, size, ok := zipSource(r); ok {
			return eachZipped(ctx, at, size, name, repair, f)
		}
		tarred, _, err := openArchive(ctx, r, name, repair)
		if err != nil {
			return err
		}
		if tarred == nil {
			return &SyntaxError{File: name, Line: 1, Msg: "neither a tar nor a zip archive; expected one of them, compressed or not"}
		}
		return tarred(f)
	}
}

// openArchive returns the files of a tar archive, compressed or not. If r is not one, it returns
// its decompressed contents.
func openArchive(ctx context.Context, r io.Reader, name string, repair *Faults) (tarred files, plain *textfile.File, err error) {
	file, err := textfile.Decompress(textfile.WithContext(ctx, r), name, syntaxError)
	if err != nil {
		return nil, nil, err
	}
	head, err := file.Peek(tarMagicAt + len(tarMagic))
	switch {
	case err != nil && !isCut(err) && !errors.Is(err, io.EOF):
		return nil, nil, file.Place(1, err)
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return nil, nil, &SyntaxError{File: name, Line: 1, Msg: "a zip archive cannot be read from a stream; open it as a file"}
	case !isTar(head):
		return nil, file, nil
	}
	// The checksum of the compression is at the end, after the data that an archive needs.
	end := func() error {
		_, err := io.Copy(io.Discard, file)
		if err == nil {
			return nil
		}
		if err = file.Place(1, err); isCut(err) {
			return report(repair, faultCut, err)
		}
		return err
	}
	return func(f func(name string, r io.Reader) error) error {
		// The holes of a sparse file are not stored.
		bound := &textfile.Bound{Packing: "tar", Stored: file.Stored}
		return eachTarred(tar.NewReader(file), bound, name, repair, f, end)
	}, nil, nil
}

const (
	tarMagic   = "ustar"
	tarMagicAt = 257
	zipMagic   = "PK\x03\x04"
)

func isTar(head []byte) bool {
	return len(head) >= tarMagicAt+len(tarMagic) && string(head[tarMagicAt:]) == tarMagic
}

// zipSource returns what a zip archive is read from, if r is one.
func zipSource(r io.Reader) (at io.ReaderAt, size int64, ok bool) {
	at, isAt := r.(io.ReaderAt)
	seeker, isSeeker := r.(io.Seeker)
	if !isAt || !isSeeker {
		return nil, 0, false
	}
	head := make([]byte, len(zipMagic))
	if n, err := at.ReadAt(head, 0); n < len(head) || err != nil && !errors.Is(err, io.EOF) || string(head) != zipMagic {
		return nil, 0, false
	}
	here, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil || here != 0 {
		return nil, 0, false
	}
	size, err = seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, false
	}
	_, err = seeker.Seek(0, io.SeekStart)
	return at, size, err == nil
}

func eachZipped(ctx context.Context, at io.ReaderAt, size int64, name string, repair *Faults, f func(name string, r io.Reader) error) error {
	archive, err := zip.NewReader(at, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return syntaxError(name, 1, 0, fmt.Sprintf("the zip archive is damaged or not complete (%v); get it again", err), err)
	}
	// Entries may share their bytes, so their sizes are counted together.
	bound := &textfile.Bound{Packing: "zip", Stored: func() int64 { return size }}
	for _, entry := range archive.File {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !entry.Mode().IsRegular() || isHidden(entry.Name) {
			continue
		}
		err := eachZippedFile(ctx, entry, bound, name, repair, f)
		if isCut(err) {
			return report(repair, faultCut, archiveError(name, entry.Name, err))
		}
		if err != nil && !errors.Is(err, errLeftOut) {
			return err
		}
	}
	return nil
}

func eachZippedFile(ctx context.Context, entry *zip.File, bound *textfile.Bound, name string, repair *Faults, f func(name string, r io.Reader) error) error {
	damaged := func(err error) error {
		return report(repair, faultUnreadable, syntaxError(name+"/"+entry.Name, 1, 0, fmt.Sprintf("the file is damaged in the archive (%v); get the archive again", err), err))
	}
	content, err := entry.Open()
	if err != nil {
		return damaged(err)
	}
	err = f(entry.Name, bound.Reader(textfile.WithContext(ctx, content)))
	if closed := content.Close(); err == nil {
		err = closed
	}
	var syntax *SyntaxError
	if err == nil || isCut(err) || errors.As(err, &syntax) || errors.Is(err, errLeftOut) || errors.Is(err, errStopped) || ctx.Err() != nil {
		return err
	}
	return damaged(err)
}

// eachTarred calls f for the files of an archive, and end where it is whole.
func eachTarred(archive *tar.Reader, bound *textfile.Bound, name string, repair *Faults, f func(name string, r io.Reader) error, end func() error) error {
	last := ""
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return end()
		}
		if err == nil && (entry.Typeflag != tar.TypeReg || isHidden(entry.Name)) {
			last = entry.Name
			continue
		}
		if err == nil {
			last = entry.Name
			err = f(entry.Name, bound.Reader(archive))
		}
		switch {
		case err == nil || errors.Is(err, errLeftOut):
		case isCut(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, tar.ErrHeader) || errors.Is(err, tar.ErrFieldTooLong):
			return report(repair, faultCut, archiveError(name, last, err))
		default:
			return err
		}
	}
}

// archiveError returns the error that an archive cannot be read further, which ended the entry.
func archiveError(name, entry string, err error) error {
	msg := fmt.Sprintf("the archive ends or is damaged here (%v); get it again", err)
	var damaged *textfile.DamagedError
	if errors.As(err, &damaged) {
		msg = damaged.Error()
	}
	return syntaxError(path.Join(name, entry), 1, 0, msg, err)
}

// isHidden reports whether a part of the path begins with a dot.
func isHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}
