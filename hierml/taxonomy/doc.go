// Package taxonomy represents the category hierarchy of a classification problem: an immutable
// tree, forest or directed acyclic graph of named nodes. It has queries (ancestors, descendants,
// siblings, depths, distances), file formats for reading and writing, and miscellaneous leaves for
// instances labelled with an inner node.
//
// A node is an id from 0 to Len()-1. A leaf is a node without children, a root one without parents;
// a single node is both. Ancestors and Descendants include the node itself, as in all sums of the
// papers. Packages dataset, loss and weighting handle instances, costs and weights.
//
// A miscellaneous leaf represents the inner node above it, which is the label in the data: Label,
// LabelName and LabelNode translate between the two. Files of taxonomies have the leaf under its
// own name, without the label that it represents.
//
// # Files
//
// Open reads a file and detects its format; Edges, Paths, Newick, OBO, JSON, DOT and RCV1 are the
// formats with their settings. By default the first fault of a file is a *SyntaxError with file,
// line, column and advice. If the field Repair of a format points to Faults, faults are repaired
// where possible and counted there:
//
//	self loop            left out
//	duplicate edge       left out
//	cycle                the edge that closes it is left out, on a depth-first walk from the roots
//	duplicate name       a number is put behind the second, in formats in which a name is not the node itself
//	empty name           see the format
//	titles               see the format
//	name not in UTF-8    read as Latin-1
//	unknown parent       the edge is left out (OBO)
//
// Several roots, nodes without edges, several parents and redundant edges are not faults, because
// forests and graphs are also taxonomies. Use Rules to forbid them, in a file or in a taxonomy.
//
// A truncated file, or one of another format, is an error even with repairs. Reading takes memory
// in proportion to the decompressed contents of the file; the lengths of lines, names and paths are
// bounded.
package taxonomy
