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
			return fmt.Errorf("column %d of the matrix is %s, but column %[1]d of the training data is %[3]s. %[4]s", j, textfile.Quote(own[j]), textfile.Quote(vocabulary[j]), columnsAdvice)
		}
	}
	switch j := min(len(own), len(vocabulary)); {
	case j < len(own):
		return fmt.Errorf("column %d of the matrix is %s, but the model was trained on %d columns. %s", j, textfile.Quote(own[j]), j, columnsAdvice)
	case j < len(vocabulary):
		return fmt.Errorf("the matrix has %d columns, but column %d of the training data is %s. %s", j, j, textfile.Quote(vocabulary[j]), columnsAdvice)
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
		return fmt.Errorf("the matrix has %d columns, but the model was trained on %d. If the data come from a file of numbers, read it with files.SVMLight{Columns: N}, where N is the number of columns of the training data (train.X.Cols). If they are texts, transform them with the vectorizer that was fitted on the training texts", m.Cols, columns)
	}
	return nil
}

const columnsAdvice = "Transform texts with the vectorizer that was fitted on the training texts, and other data with the steps of the training data"
