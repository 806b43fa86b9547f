// Package synthetic generates data sets by the recipes of the papers (LinearTree, Hyperplanes), or
// with the size of their collections (TextLike): DMOZLike has 12,294 classes, WikipediaLike 36,504.
// A seed determines everything, for any number of CPUs.
package synthetic
