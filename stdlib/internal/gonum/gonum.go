// Package gonum holds the symbol tables, export data and documentation of gonum and gonum/plot.
package gonum
