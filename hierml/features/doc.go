// Package features makes the columns that models learn from: from texts (TFIDF, and Text with all
// settings), from counts without texts (Weighing), from tables (Columns), and from features of any
// kind (Scaling, which also gives linear models an intercept). It also selects columns (ChiSquare,
// DocumentFrequency). All follow one rule: Fit measures the training data, and its result
// transforms all data in the same way, prints what it does, and can be saved as JSON for new data.
//
// Text turns texts into vectors; it has settings for tokens, stop words, n-grams, a vocabulary or
// hashing, and weights such as tf-idf or BM25:
//
//	words, err := features.Text{StopWords: features.EnglishStopWords(), NGrams: [2]int{1, 2}, MinDocuments: 3}.Fit(train)
//	rows := words.Transform(train)
//	best, err := features.ChiSquare{Features: 5000}.Fit(rows) // or DocumentFrequency
//	few, err := words.Keep(best.Columns)                      // vectors of the chosen words alone
//	err = few.Save("words.json")
//
// Package pipeline saves it in one file with the model.
//
// Package dataset has the types of texts and rows, and package files reads them.
package features
