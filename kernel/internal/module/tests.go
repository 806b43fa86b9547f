package module

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// SetFlags implements program.Modules.
func (s *Session) SetFlags(flags []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flags = slices.Clone(flags)
}

// tags returns the -tags flag for packages of other modules: the tags of the program and of the
// user. It is empty if the user has set none.
func (s *Session) tags() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := tagsOf(s.flags)
	if chosen == "" {
		return ""
	}
	if own := tagsOf(s.program.Flags); own != "" {
		chosen = own + "," + chosen
	}
	return "-tags=" + chosen
}

// tagsOf returns the tags in flags of the go command.
func tagsOf(flags []string) (tags string) {
	for _, flag := range flags {
		if value, ok := strings.CutPrefix(flag, "-tags="); ok {
			tags = value
		}
	}
	return tags
}

// testsFolder is the folder of a test package in the session's module.
const testsFolder = "tests"

// BuildTests implements program.Modules.
func (s *Session) BuildTests(ctx context.Context, folder string, files map[string]string, progress func(line string)) (string, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	p, err := s.place(ctx, folder)
	if err != nil {
		return "", err
	}
	m, err := s.session(p)
	if err != nil {
		return "", err
	}
	if err := m.write("package session\n"); err != nil {
		return "", err
	}
	dir := filepath.Join(m.dir, testsFolder)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	out, err := toolchain.CodeFolder("tests")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(out, "cells.test")
	s.mu.Lock()
	arguments := slices.Concat([]string{"test", "-c", "-mod=mod", "-vet=off", "-o", binary}, s.flags, []string{"./" + testsFolder})
	s.mu.Unlock()
	if _, err := s.command(ctx, m.dir, progress, arguments...); err != nil {
		return "", fmt.Errorf("tests are not built: %w", errors.Join(err, temporary.Remove(out)))
	}
	return binary, nil
}
