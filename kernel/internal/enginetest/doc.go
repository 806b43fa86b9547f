// Package enginetest has helpers for the tests of the engine and of its stages: sessions that run
// nothing, golden files, and whole programs with their output. Only tests use it. Helpers for a
// single package are in the tests of that package.
package enginetest
