// Package synthetic draws data sets by the recipes of the papers (LinearTree, Hyperplanes), or as
// large as their collections (TextLike): DMOZLike has 12,294 classes, WikipediaLike 36,504. All is
// determined by a seed, whatever the number of processors.
package synthetic
