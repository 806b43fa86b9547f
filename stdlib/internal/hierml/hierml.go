// Package hierml holds the symbol tables, export data and documentation of hierml and of package
// nb.
package hierml
