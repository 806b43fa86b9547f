package dataset

import (
	"fmt"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// CheckVocabulary returns an error if the columns of the matrix have other names than those given,
// those of the columns that a model was trained on, say: it names the first column that differs.
// What has no names, nil, is compared with nothing. It looks at no name where both are one slice.
func (m *Matrix) CheckVocabulary(vocabulary []string) error {
	if m == nil {
		return noRow{}
	}
	own := m.Vocabulary
	if len(own) == 0 || len(vocabulary) == 0 || len(own) == len(vocabulary) && &own[0] == &vocabulary[0] {
		return nil
	}
	for j := range min(len(own), len(vocabulary)) {
		if own[j] != vocabulary[j] {
			return fmt.Errorf("column %d of the matrix is %s, and that of the training data is %s; %s", j, textfile.Quote(own[j]), textfile.Quote(vocabulary[j]), columnsAdvice)
		}
	}
	switch j := min(len(own), len(vocabulary)); {
	case j < len(own):
		return fmt.Errorf("column %d of the matrix is %s, and the training data have %d columns; %s", j, textfile.Quote(own[j]), j, columnsAdvice)
	case j < len(vocabulary):
		return fmt.Errorf("the matrix has %d columns, and column %d of the training data is %s; %s", j, j, textfile.Quote(vocabulary[j]), columnsAdvice)
	}
	return nil
}

// CheckColumns returns the error of CheckVocabulary, or one if the matrix has instances with more
// or fewer columns than a model was trained on. Models ask it before they score.
func (m *Matrix) CheckColumns(columns int, vocabulary []string) error {
	if err := m.CheckVocabulary(vocabulary); err != nil {
		return err
	}
	if m.Rows > 0 && m.Cols != columns {
		return fmt.Errorf("the matrix has %d columns, and the training data have %d: read files of numbers with that many, as files.SVMLight{Columns: train.X.Cols} does, and transform texts by the vectorizer of the training texts", m.Cols, columns)
	}
	return nil
}

const columnsAdvice = "transform the texts by the vectorizer that the training texts were transformed by, and other data by the steps of the training data"
