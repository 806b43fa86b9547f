// Package clustering learns a hierarchy of classes from data that has none, or to compare with the
// one it has: it merges classes step by step, the nearest two first, and cuts the tree of mergers,
// the dendrogram, into levels.
//
// [Agglomerative] is [Cai08, Algorithm 8]. Classes are near each other if the centroids of their
// instances are ([Agglomerative.Fit]), in a kernel's feature space too; if they are labels of the
// same instances ([Agglomerative.CoOccurrence]); or if any matrix of distances says so
// ([Agglomerative.Link]). The result is a [Dendrogram]. Its method Taxonomy returns that
// algorithm's hierarchy of two levels, or another with a level for each of several cuts ([Height],
// [Number], [Depth], [Inconsistent]). chart.Dendrogram draws it.
//
// The taxonomies have the classes as leaves, under their names. dataset.Dataset's method Under puts
// instances under one, so that any method can be trained on it; [Translate] makes the model score
// the leaves of the true taxonomy again, by which it is to be judged; and [Automatic] does all of
// this as an estimator.
//
// [Balanced] halves the classes from the top down instead, by balanced 2-means, which takes little
// time for very many of them: the label trees of extreme classification. [Huffman] makes the tree
// in which frequent classes are nearest to the root.
//
// [Random] draws hierarchies of the same shape as a given one, which tell what the true one is
// worth; [Randomized] trains under them.
//
// # Ties and rounding
//
// Classes are numbered from 0, and the cluster of link t is number q+t. Of several pairs of
// clusters at the smallest distance the one whose smaller number is smallest is merged, then the
// one whose other number is. Links are found by nearest-neighbour chains [Mur83] in O(q^2) time and
// memory, 4 q^2 bytes; where ties leave the chain no unique answer, the pairs that are left are
// merged one by one. Distances tie if they are equal as float64. Average linkage keeps sums of
// distances, so that distances that are whole numbers tie exactly if they do in truth; Ward's has
// quotients, which may not.
//
// # Classes without instances
//
// They have no centroid and take no part in the clustering. In the taxonomies each is a cluster of
// its own, so that a learned taxonomy has the same leaves as the true one, whatever the sample;
// Agglomerative.OmitEmpty leaves them out.
package clustering
