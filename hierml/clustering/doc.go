// Package clustering learns a hierarchy of classes from data, if there is none or to compare with
// the given one. It merges classes step by step, always the nearest two, and cuts the tree of
// mergers, the dendrogram, into levels.
//
// [Agglomerative] is [Cai08, Algorithm 8]. The distance of classes is that of the centroids of
// their instances ([Agglomerative.Fit]), also in a kernel's feature space; or it depends on their
// common instances ([Agglomerative.CoOccurrence]); or it is given by any matrix
// ([Agglomerative.Link]). The result is a [Dendrogram]. Its method Taxonomy returns that
// algorithm's hierarchy of two levels, or another with a level for each of several cuts ([Height],
// [Number], [Depth], [Inconsistent]). chart.Dendrogram draws it.
//
// The taxonomies have the classes as leaves, under their names. dataset.Dataset's method Under puts
// instances under one, so that any method can be trained on it; [Translate] makes the model score
// the leaves of the true taxonomy again, for its evaluation; and [Automatic] does all of this as an
// estimator.
//
// [Balanced] instead splits the classes in halves from the top down, by balanced 2-means, which is
// fast for very many classes: the label trees of extreme classification. [Huffman] builds the tree
// in which frequent classes are nearest to the root.
//
// [Random] draws hierarchies with the shape of a given one, to measure the value of the true one;
// [Randomized] trains under them.
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
