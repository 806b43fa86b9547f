// Package enginetest is what the tests of the engine and of its stages share: sessions without
// anything that runs, golden files, and whole programs with what they print. Only tests use it.
// What one package alone needs is in the tests of that package.
package enginetest
