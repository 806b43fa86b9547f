package collection

const newsgroupsLicence = "none stated; public USENET messages"

const newsgroupsCitation = "K. Lang. NewsWeeder: learning to filter netnews. ICML 1995"

const rcv1Citation = "D. D. Lewis, Y. Yang, T. G. Rose, F. Li. RCV1: a new benchmark collection for text categorization research. JMLR 5, 2004"

const bydate = "a folder of messages for each group, in one of training and one of test messages; headers are left out of vectors"

var bydateFiles = []File{{
	Name: "20news-bydate.tar.gz", URL: "https://ndownloader.figshare.com/files/5975967",
	SHA256: "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
}}

// catalogue has public data sets as they are distributed. Sums, and URLs with them, are those that
// published programs check: scikit-learn's loaders (20news-bydate, lyrl2004) and the records of the
// datasets library (the others).
var catalogue = []Entry{
	{
		Name: "20news-bydate", Title: "20 Newsgroups, division by date", Kind: "text",
		Licence: newsgroupsLicence, Citation: newsgroupsCitation,
		Source: "https://people.csail.mit.edu/jrennie/20Newsgroups/",
		Files:  bydateFiles,
		Format: bydate,
		Train:  11314, Test: 7532, Nodes: 26, Leaves: 20, Tops: 7, Depth: 2,
		texts: newsgroupTexts, read: newsgroupRows,
	},
	{
		Name: "20news-bydate-15", Title: "20 Newsgroups, the 15 groups of [Cai08] below 5 parents, division by date", Kind: "text",
		Licence: newsgroupsLicence, Citation: newsgroupsCitation,
		Source: "https://people.csail.mit.edu/jrennie/20Newsgroups/",
		Files:  bydateFiles, home: "20news-bydate",
		Format: bydate,
		Train:  8356, Test: 5563, Nodes: 20, Leaves: 15, Tops: 5, Depth: 2,
		texts: thesisTexts, read: newsgroupRows,
	},
	{
		Name: "20news-18828", Title: "20 Newsgroups without duplicates, headers From and Subject only, not divided", Kind: "text",
		Licence: newsgroupsLicence, Citation: newsgroupsCitation,
		Source: "http://qwone.com/~jason/20Newsgroups/",
		Files: []File{{
			Name: "20news-18828.tar.gz", URL: "http://qwone.com/~jason/20Newsgroups/20news-18828.tar.gz",
			SHA256: "380962ab5174e64eb8fee393d539d0793e03eb2b59a69df2318398935f4a48e2", Bytes: 14666916,
		}},
		Format: "a folder of messages for each group; read by OpenTexts, and divided by Corpus.Split and the like",
		Train:  18828, Nodes: 26, Leaves: 20, Tops: 7, Depth: 2,
		texts: newsgroupTexts,
	},
	{
		Name: "20news-19997", Title: "20 Newsgroups as first released, with cross-posts; not divided", Kind: "text",
		Licence: newsgroupsLicence, Citation: newsgroupsCitation,
		Source: "http://qwone.com/~jason/20Newsgroups/",
		Files: []File{{
			Name: "20news-19997.tar.gz", URL: "http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz",
			SHA256: "ab7bbf82b7831f7dbb1a09d9312f66fa78565c8de25526999b0d66f69d37e414", Bytes: 17332201,
		}},
		Format: "a folder of messages for each group; read by OpenTexts, and divided by Corpus.Split and the like",
		Train:  19997, Nodes: 26, Leaves: 20, Tops: 7, Depth: 2,
		texts: newsgroupTexts,
	},
	{
		Name: "lyrl2004", Title: "RCV1-v2, all documents in the LYRL2004 division, the topics as a tree of depth 4", Kind: "words",
		Licence: "none stated with the vectors; the stories are Reuters'", Citation: rcv1Citation,
		Source: "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/lyrl2004_rcv1v2_README.htm",
		Files: []File{
			{Name: "lyrl2004_vectors_train.dat.gz", URL: "https://ndownloader.figshare.com/files/5976057", SHA256: "5468f656d0ba7a83afc7ad44841cf9a53048a5c083eedc005dcdb5cc768924ae"},
			{Name: "lyrl2004_vectors_test_pt0.dat.gz", URL: "https://ndownloader.figshare.com/files/5976069", SHA256: "ed40f7e418d10484091b059703eeb95ae3199fe042891dcec4be6696b9968374"},
			{Name: "lyrl2004_vectors_test_pt1.dat.gz", URL: "https://ndownloader.figshare.com/files/5976066", SHA256: "87700668ae45d45d5ca1ef6ae9bd81ab0f5ec88cc95dcef9ae7838f727a13aa6"},
			{Name: "lyrl2004_vectors_test_pt2.dat.gz", URL: "https://ndownloader.figshare.com/files/5976063", SHA256: "48143ac703cbe33299f7ae9f4995db49a258690f60e5debbff8995c34841c7f5"},
			{Name: "lyrl2004_vectors_test_pt3.dat.gz", URL: "https://ndownloader.figshare.com/files/5976060", SHA256: "dfcb0d658311481523c6e6ca0c3f5a3e1d3d12cde5d7a8ce629a9006ec7dbb39"},
			{Name: "rcv1v2.topics.qrels.gz", URL: "https://ndownloader.figshare.com/files/5976048", SHA256: "2a98e5e5d8b770bded93afc8930d88299474317fe14181aee1466cc754d0d1c1"},
		},
		Format: "vectors and qrels of LYRL2004; the tree of topics comes with this package",
		Train:  23149, Test: 781265, Features: 47236, Nodes: 103, Leaves: 82, Tops: 4, Depth: 4,
		read: rcv1Rows,
	},
	{
		Name: "reuters21578-sgml", Title: "Reuters-21578 as it is distributed", Kind: "text",
		Licence:  "README: free distribution \"for research purposes only\"",
		Source:   "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.html",
		Citation: "D. D. Lewis. Reuters-21578 text categorization test collection, distribution 1.0. 1997",
		Files: []File{{
			Name: "reuters21578.tar.gz", URL: "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
			SHA256: "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30", Bytes: 8150596,
		}},
		Format: "SGML",
	},
	{
		Name: "wos", Title: "Web of Science, abstracts of papers (WOS-46985, WOS-11967, WOS-5736)", Kind: "text",
		Licence:  "none stated by the library that records the sum; see the source",
		Source:   "https://data.mendeley.com/datasets/9rw3vkcfy4/6",
		Citation: "K. Kowsari and others. HDLTex: hierarchical deep learning for text classification. ICMLA 2017",
		Files: []File{{
			Name: "WebOfScience.zip", URL: "https://data.mendeley.com/public-files/datasets/9rw3vkcfy4/files/c9ea673d-5542-44c0-ab7b-f1311f7d61df/file_downloaded",
			SHA256: "b787d484bff88b0dcdb3fa291d06ec9d2f025dc2a67ce1045d0c688cd96ccf8a", Bytes: 60222421,
		}},
		Format: "in each of three folders X.txt with an abstract a line, and YL1.txt and YL2.txt with the numbers of its domain and of its area there",
		Train:  46985, Nodes: 141, Leaves: 134, Tops: 7, Depth: 2,
	},
	{
		Name: "rcv1-topics-libsvm", Title: "RCV1-v2 as the LIBSVM page has it, topics without names", Kind: "words",
		Licence: "none stated", Citation: rcv1Citation,
		Source: "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multilabel.html",
		Files: []File{
			{Name: "rcv1_topics_train.svm.bz2", URL: "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multilabel/rcv1_topics_train.svm.bz2"},
			{Name: "rcv1_topics_combined_test.svm.bz2", URL: "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multilabel/rcv1_topics_combined_test.svm.bz2"},
		},
		Hand:   "No checksum of the files is published: fetch the files from their URLs. lyrl2004 has the same documents with names and tree.",
		Format: "LIBSVM with label lists",
		Train:  23149, Test: 781265, Features: 47236, Leaves: 101,
	},
	{
		Name: "lshtc4", Title: "LSHTC4, Wikipedia; its hierarchy has cycles", Kind: "words",
		Licence:  "terms of the challenge, to be accepted there",
		Source:   "https://www.kaggle.com/c/lshtc/data",
		Citation: "I. Partalas and others. LSHTC: a benchmark for large-scale text classification. arXiv 1503.08581, 2015",
		Files:    []File{{Name: "train.zip"}, {Name: "test.zip"}, {Name: "hierarchy.zip"}},
		Hand:     "The challenge asks for an account and its terms to be accepted: fetch the files from the source.",
		Format:   "LSHTC",
		Train:    2400000, Leaves: 325056,
	},
	{
		Name: "wipo-alpha", Title: "WIPO-alpha, English patents by the International Patent Classification", Kind: "text",
		Licence:  "terms of WIPO, to be accepted there",
		Source:   "https://www.wipo.int/classifications/ipc/en/ITsupport/Categorization/dataset",
		Citation: "C. J. Fall, A. Törcsvári, K. Benzineb, G. Karetka. Automated categorization in the International Patent Classification. SIGIR Forum 37, 2003",
		Hand:     "WIPO gives the collection on request: see the source.",
		Format:   "WIPO-alpha XML",
	},
	{
		Name: "clus-hmc", Title: "Yeast and plant genes with functions of FunCat and the Gene Ontology, 24 sets", Kind: "expression",
		Licence:  "none stated",
		Source:   "https://dtai.cs.kuleuven.be/clus/hmcdatasets/",
		Citation: "C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel. Decision trees for hierarchical multi-label classification. Machine Learning 73, 2008",
		Hand:     "No checksums of the files are published: fetch the files from the source.",
		Format:   "hierarchical ARFF of Clus",
	},
}
