package collection

import (
	"slices"
	"testing"
)

// withConverted adds the converted data sets to the catalogue during the test.
func withConverted(t *testing.T) {
	t.Helper()
	old := catalogue
	t.Cleanup(func() { catalogue = old })
	catalogue = slices.Concat(converted, catalogue)
}

// converted are public data sets that the authors of this package converted to the format of
// OpenContext, and test with where HIERML_DATA names the folder of their files. Nobody else can
// obtain these files, so the catalogue does not have them; the sums and figures tell whether the
// files are those that the published results were computed from.
var converted = []Entry{
	{
		Name: "ng15", Title: "20 Newsgroups, 15 of the 20 groups below 5 parents, division by date", Kind: "text",
		Licence:  "none stated by the repository; the posts are public USENET messages",
		Source:   "GitHub yao8839836/text_gcn at 962223652e9bb164ac2d83cd09fc7b8845ce860b",
		Citation: "K. Lang. NewsWeeder: learning to filter netnews. ICML 1995",
		Files: []File{
			{Name: "ng15.hier.tsv", SHA256: "ab7f7be8fab736b3c2f0cfabb856d5c0be364f3a3d8a41baade1b4b38e022f51", Bytes: 412},
			{Name: "ng15.raw.jsonl.gz", SHA256: "f90945a35976eb5157b61eff9630a59078c234186f1a3092a61cb732d862eed5", Bytes: 11053978, Optional: true},
			{Name: "ng15.test.svm.gz", SHA256: "f1df31a2b57c59c506dd7e2a3f3eb6a38dae2a7c6739c9011eb1a70708b98544", Bytes: 3486737},
			{Name: "ng15.train.svm.gz", SHA256: "02e62edaa4912ec5ae2ba33bb3d2d953639527b0a7d53cb2c0596cdf31bd1fe0", Bytes: 5352632},
			{Name: "ng15.vocab.gz", SHA256: "3c454367639ee51728e332bb60912f640621dcfe317c3b4c19fdb99840314d8e", Bytes: 111725, Optional: true},
		},
		Train: 8356, Test: 5563, Features: 28095,
		Nodes: 20, Leaves: 15, Tops: 5, Depth: 2, SeveralParents: 0, SeveralLabel: 0,
	},
	{
		Name: "reuters21578", Title: "Reuters-21578, ModApte division, topic groups as a tree", Kind: "text",
		Licence:  "README: free distribution \"for research purposes only\"",
		Source:   "GitHub yinhao0424/reuters at 9e30c0d6db582c6a0a210aba46cc9b59bd6256ea",
		Citation: "D. D. Lewis. Reuters-21578 text categorization test collection, distribution 1.0. 1997",
		Files: []File{
			{Name: "reuters21578.hier.tsv", SHA256: "68e0de58f60abd37b93f633970b163bfbf42b11cdc9e2116c158477b8498f8b8", Bytes: 2409},
			{Name: "reuters21578.raw.jsonl.gz", SHA256: "3c002d5f2993daabf039764f0d3b9f7ce62a172e8d1a9ba181fcd33c9244dc24", Bytes: 3294819, Optional: true},
			{Name: "reuters21578.test.svm.gz", SHA256: "d12a1d01ac7d55f94b131afa5ab61643664def5f8ad138273adcbdfb8c89d124", Bytes: 828375},
			{Name: "reuters21578.train.svm.gz", SHA256: "ecdafdf04c4eb35535123643ba2bacca6e024b940a98187234b78906ed5e3f57", Bytes: 2342436},
			{Name: "reuters21578.vocab.gz", SHA256: "9e5ba29f166b1642469908e11bd54abe3d7bc2fb0a2e4f4a539b99563445dc0f", Bytes: 55263, Optional: true},
		},
		Train: 7775, Test: 3019, Features: 13905,
		Nodes: 140, Leaves: 135, Tops: 8, Depth: 2, SeveralParents: 0, SeveralLabel: 1660,
	},
	{
		Name: "rcv1", Title: "RCV1-v2, 17,165 documents, the topics as a tree of depth 4; not the LYRL2004 division", Kind: "words",
		Licence:  "repository: LGPL version 3 or later; nothing is said there on the vectors themselves",
		Source:   "GitHub fcharte/mldr.datasets, rcv1sub1 to rcv1sub5 of November 2015",
		Citation: "D. D. Lewis, Y. Yang, T. G. Rose, F. Li. RCV1: a new benchmark collection for text categorization research. JMLR 5, 2004",
		Files: []File{
			{Name: "rcv1.hier.tsv", SHA256: "39ed74413b4dc12dea743a23a1135c6fb95d5f87d0e875bfa8b276a3368d025e", Bytes: 920},
			{Name: "rcv1.test.svm.gz", SHA256: "08f29b27659374242f835ec925713412d215191464c37c975daf443309813011", Bytes: 1075202},
			{Name: "rcv1.train.svm.gz", SHA256: "89678fc3dda6af11f0720681b679ba8c8d4f7f8a72fd73fe8aee0eabb5e05eb7", Bytes: 5564641},
		},
		Train: 14401, Test: 2764, Features: 47236,
		Nodes: 103, Leaves: 82, Tops: 4, Depth: 4, SeveralParents: 0, SeveralLabel: 5338,
	},
	{
		Name: "ec10", Title: "Enzymes with their EC numbers, 3-mers of their sequences", Kind: "sequences",
		Licence:  "repository: non-exclusive research use licence for CLEAN software; sequences of Swiss-Prot",
		Source:   "GitHub tttianhao/CLEAN at f2bf2a4f497fa2cc87dac2a1bb314fee587c0a15, split10",
		Citation: "T. Yu and others. Enzyme function prediction using contrastive learning. Science 379, 2023",
		Files: []File{
			{Name: "ec10.hier.tsv", SHA256: "40eae9fa0af823156a6670ec0966f96d4705d6ee5cfabda9d54355b8a86fb270", Bytes: 44798},
			{Name: "ec10.raw.jsonl.gz", SHA256: "904827c563471ddd4a5e9a3026dd38c3c76d08d7b3992d69944567f8732b682f", Bytes: 2157797, Optional: true},
			{Name: "ec10.test.svm.gz", SHA256: "f16ae083eeb45b3d1813b5395e5b5a11b6d061d24db45735edbe0cd97037cb3d", Bytes: 2937690},
			{Name: "ec10.train.svm.gz", SHA256: "4d8e3b4e24e595b81d15ce42d875aeba35d94ac09734bbbe525100c26b223936", Bytes: 11743357},
			{Name: "ec10.vocab.gz", SHA256: "8269b1802894defd8e1b85ca0417db939cdecece2665887a152a509dc67aa859", Bytes: 31575, Optional: true},
		},
		Train: 6206, Test: 1551, Features: 8100,
		Nodes: 3007, Leaves: 2702, Tops: 7, Depth: 4, SeveralParents: 0, SeveralLabel: 510,
	},
	{
		Name: "imclef07a", Title: "ImCLEF07A, X-ray images", Kind: "images",
		Licence:  "repository: GPL version 3; nothing is said there on the data themselves",
		Source:   "GitHub EGiunchiglia/C-HMCNN at e887855ab4b3b8f22e4fafc80a0a33c1d1ac0041",
		Citation: "I. Dimitrovski, D. Kocev, S. Loskovska, S. Džeroski. Hierarchical annotation of medical images. Pattern Recognition 44, 2011",
		Files: []File{
			{Name: "imclef07a.hier.tsv", SHA256: "fbfa20b626bf0896829e2007eb4a68eea5ef9cf7c86d7c9794a2ffaea21518e0", Bytes: 780},
			{Name: "imclef07a.test.svm.gz", SHA256: "7d5961652bbd95d580d406f488cb8e0911de4a90d184eccd84dbd5459c51d6b4", Bytes: 100518},
			{Name: "imclef07a.train.svm.gz", SHA256: "ff63bc0c0f005fbdc50b17a452ab5b437f880d5437f8136971ad0b93fe9d14d2", Bytes: 1039342},
			{Name: "imclef07a.vocab.gz", SHA256: "7ce0630f4b5228db32cf21fc9db8d069ea137418d54816fd86eb11c1e4135c90", Bytes: 162, Optional: true},
		},
		Train: 10000, Test: 1006, Features: 80,
		Nodes: 96, Leaves: 63, Tops: 8, Depth: 3, SeveralParents: 0, SeveralLabel: 0,
	},
	{
		Name: "enron_corr", Title: "Enron, e-mails with several labels", Kind: "words",
		Licence:  "repository: GPL version 3; nothing is said there on the data themselves",
		Source:   "GitHub EGiunchiglia/C-HMCNN at e887855ab4b3b8f22e4fafc80a0a33c1d1ac0041",
		Citation: "B. Klimt, Y. Yang. The Enron corpus: a new dataset for email classification research. ECML 2004",
		Files: []File{
			{Name: "enron_corr.hier.tsv", SHA256: "666d58b4267e7b53cdc3b4d419bff0d10ebb3c0d2a19d127259f5ef754e00feb", Bytes: 388},
			{Name: "enron_corr.test.svm.gz", SHA256: "b786a62d7284ba2185a1921390d50edad43c02187399732d7e21b178dc8f8283", Bytes: 100280},
			{Name: "enron_corr.train.svm.gz", SHA256: "b938ba30e70c213ca2b888c4b38d85f64d7803585f7d1ae37117c4ab964e2952", Bytes: 205630},
			{Name: "enron_corr.vocab.gz", SHA256: "f764916de08f79f9c63c98550436a1b2630d89464315303993b7af94e70a3b6d", Bytes: 3125, Optional: true},
		},
		Train: 984, Test: 656, Features: 1001,
		Nodes: 56, Leaves: 52, Tops: 3, Depth: 3, SeveralParents: 0, SeveralLabel: 1394,
	},
	{
		Name: "cellcycle_fun", Title: "Yeast genes through the cell cycle, functions of FunCat", Kind: "expression",
		Licence:  "repository: GPL version 3; nothing is said there on the data themselves",
		Source:   "GitHub EGiunchiglia/C-HMCNN at e887855ab4b3b8f22e4fafc80a0a33c1d1ac0041",
		Citation: "C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel. Decision trees for hierarchical multi-label classification. Machine Learning 73, 2008",
		Files: []File{
			{Name: "cellcycle_fun.hier.tsv", SHA256: "ab8dd81e57508893932e32806addc603e6ecf06eb637d3cb6e57dd02d2a54003", Bytes: 8586},
			{Name: "cellcycle_fun.test.svm.gz", SHA256: "ee2aa354c52e4d7e46dc7e0ac83aff32919e45e2f11a466c13f3dba3155f8219", Bytes: 320196},
			{Name: "cellcycle_fun.train.svm.gz", SHA256: "6ac8bda1f39d80e3daa11f436a541dbe70f6697178c44ca2b61471002314fc80", Bytes: 614319},
			{Name: "cellcycle_fun.vocab.gz", SHA256: "26747a17cbcbb4b296211f115ec731e5d1960f04c1cfdded58a76ae0cc006f03", Bytes: 205, Optional: true},
		},
		Train: 2476, Test: 1281, Features: 77,
		Nodes: 499, Leaves: 324, Tops: 18, Depth: 6, SeveralParents: 0, SeveralLabel: 3055,
	},
	{
		Name: "phyletic_go", Title: "Phyletic profiles of gene families, functions of the Gene Ontology", Kind: "profiles",
		Licence:  "repository: MIT licence, Vedrana Vidulin",
		Source:   "GitHub vedranav/hierarchy-decomposition-pipeline at c1886298c4d0999517c3c7b1f7037e79f2a01b0d",
		Citation: "V. Vidulin, S. Džeroski. Hierarchy decomposition pipeline: a toolbox for comparison of model induction algorithms on hierarchical multi-label classification problems. Discovery Science 2020",
		Files: []File{
			{Name: "phyletic_go.hier.tsv", SHA256: "173365710ade204a3ffa283121263881d6a9f3185bd9b23796ce389f083821fa", Bytes: 40026},
			{Name: "phyletic_go.test.svm.gz", SHA256: "2335eeacfeb06401f28660a5a5f0e29da449ec16d43d5ead14f66103514f3861", Bytes: 1627942},
			{Name: "phyletic_go.train.svm.gz", SHA256: "dd82054a275d25f8222412648b0994b2ddc72daa9885758da64c8f7e0ede74be", Bytes: 3850255},
			{Name: "phyletic_go.vocab.gz", SHA256: "c151b4231acb73fc553ad76acf3636601225c47a6af7e758cba92fa4069382f7", Bytes: 29889, Optional: true},
		},
		Train: 7000, Test: 3000, Features: 2071,
		Nodes: 1260, Leaves: 377, Tops: 34, Depth: 14, SeveralParents: 648, SeveralLabel: 7030,
	},
}
