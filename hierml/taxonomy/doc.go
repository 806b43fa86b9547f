// Package taxonomy holds the categories of a classification problem and how they contain each
// other: an immutable tree, forest or directed acyclic graph of named nodes, its walks (ancestors,
// descendants, siblings, depths, distances), the formats of files that it is read from and written
// to, and the miscellaneous leaves that take the instances labelled with an inner node.
//
// A node is an id from 0 to Len()-1. A leaf is a node without children, a root one without parents;
// a node alone is both. Ancestors and Descendants contain the node itself, as in all sums of the
// papers. Instances, costs and weights belong to the packages dataset, loss and weighting.
//
// A miscellaneous leaf stands for the label that the inner node above it is in the data: Label,
// LabelName and LabelNode translate between the two. Files of taxonomies have the leaf under its
// own name, and not what it stands for.
//
// # Files
//
// Open reads a file whose form it finds out; Edges, Paths, Newick, OBO, JSON, DOT and RCV1 are the
// forms with their settings. By default the first fault of a file is an error, a *SyntaxError with
// file, line, column and what to do. A format whose field Repair points to Faults repairs instead
// what can be, and counts it there:
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
// Several roots, nodes without any edge, several parents and redundant edges are no faults, as
// forests and graphs are taxonomies too. They are where Rules ask for something else, of a file or
// of a taxonomy.
//
// A file that is cut or not of its format is an error, repairs or not. What reading takes in memory
// is in proportion to what the file has, decompressed; the length of a line, a name and a path is
// bounded.
package taxonomy
