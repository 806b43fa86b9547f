// Package features makes the columns that models learn from: of texts (TFIDF, and Text with all its
// settings), of counts that come without texts (Weighing), and of features of any kind (Scaling,
// which also gives linear models an intercept); and it chooses among them (ChiSquare,
// DocumentFrequency). One package, because all keep one rule: what depends on training data is
// measured by Fit, and what Fit returns transforms all data alike, prints what it does, and is
// saved as JSON for new data.
//
// Text says how texts become vectors: tokens, stop words, n-grams, a vocabulary or hashing, weights
// such as tf-idf or BM25:
//
//	words, err := features.Text{StopWords: features.EnglishStopWords(), NGrams: [2]int{1, 2}, MinDocuments: 3}.Fit(train)
//	rows := words.Transform(train)
//	best, err := features.ChiSquare{Features: 5000}.Fit(rows) // or DocumentFrequency
//	few, err := words.Keep(best.Columns)                      // vectors of the chosen words alone
//	err = few.Save("words.json")
//
// Package pipeline keeps it in one file with the model.
//
// Texts and rows are dataset's; reading them is left to files.
package features
