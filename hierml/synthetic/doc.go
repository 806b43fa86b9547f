// Package synthetic generates data sets: by the recipes of the papers (LinearTree, Hyperplanes), as
// large as their collections (TextLike; DMOZLike has 12,294 classes, WikipediaLike 36,504), and to
// look at (Gaussians). The seed determines everything, whatever the number of processors.
package synthetic
