package syntax

import "strings"

// A Counterpart is hierml's equivalent of names that Python users know.
type Counterpart struct {
	// Names are these names, separated by blanks. One with a dot is only the name of a method, a
	// field or an argument, since it may be any name elsewhere.
	Names string
	// Says adds to the code. It may be empty, and so may Code.
	Says string
	// Code compiles in a cell with the variables corpus, train and test (texts), trainSet and
	// testSet (their vectors by words), table, model, report and p, a pipeline.
	Code string
}

// Counterparts are all of them. For a name, the first match counts.
var Counterparts = []Counterpart{
	// Reading.
	{"read_csv read_table read_excel", "", `table := files.Table{}.Open(nb.Context(), "my.csv", nil)`},
	{"read_parquet read_feather Parquet Feather", "", `table := files.Table{}.Open(nb.Context(), "my.parquet", nil)`},
	{"read_json", "", `table := files.Table{}.Open(nb.Context(), "my.jsonl", nil)`},
	{"load_files", "", `corpus := files.Folders{}.Open(nb.Context(), "folder", nil)`},
	{"load_svmlight_file load_svmlight_files", "", `trainSet := files.SVMLight{}.Open(nb.Context(), "my.svm", nil)`},
	{"dump_svmlight_file", "", `files.SVMLight{}.Write(nb.Context(), os.Stdout, trainSet)`},
	{"DataFrame Series", "", `table := dataset.NewTable("mine", dataset.Numbers("size", 1, 2), dataset.Words("kind", "a", "b"))`},

	// Looking.
	{".head .tail .info .describe .dtypes .isna .isnull .to_string", "alone at the end of a cell, it shows its first rows and a summary", ""},
	{".shape", "the rows, and the columns of features", `fmt.Println(trainSet.Len(), trainSet.X.Cols)`},
	{".iloc .loc", "some of the rows", `table.Subset([]int{0, 1, 2})`},
	{".value_counts .groupby", "", `table.CountBy("column")`},
	{".sort_values", "", `table.Sort("column")`},
	{".merge .join", "", `table.Join(other, "key")`},
	{".dropna .query", "", `table.Filter(func(row dataset.Row) bool { return !row.Missing("column") })`},
	{".columns", "", `table.Columns`},
	{"array asarray", "", `[]float64{1, 2, 3}`},
	{"zeros", "", `make([]float64, 3)`},
	{".show .figure .imshow", "a picture shows itself at the end of a cell, or by", `nb.Display(chart.ConfusionOf(report))`},

	// Features.
	{"TfidfVectorizer TfidfTransformer", "", `words := features.Text{MinDocuments: 2}.Fit(train)`},
	{"CountVectorizer", "", `words := features.Text{Weight: features.Counts, Norm: features.NoNorm}.Fit(train)`},
	{"HashingVectorizer", "", `words := features.Text{Bits: 18, Weight: features.LogCounts}.Fit(train)`},
	{"ngram_range", "", `words := features.Text{NGrams: [2]int{1, 2}}.Fit(train)`},
	{"min_df max_df max_features stop_words", "", `words := features.Text{MinDocuments: 2, MaxShare: 0.5, MaxFeatures: 10000, StopWords: features.EnglishStopWords()}.Fit(train)`},
	{"StandardScaler", "", `scaler := features.Scaling{Columns: features.ZScore}.Fit(trainSet)`},
	{"MinMaxScaler", "", `scaler := features.Scaling{Columns: features.UnitRange}.Fit(trainSet)`},
	{"MaxAbsScaler", "", `scaler := features.Scaling{}.Fit(trainSet)`},
	{"Normalizer normalize", "", `scaler := features.Scaling{Columns: features.Unscaled, UnitLength: true}.Fit(trainSet)`},
	{"fit_intercept intercept_scaling", "Intercept is a field of linear estimators", `model := svm.OneVsRest{C: 1, Intercept: 1}.Fit(nb.Context(), trainSet)`},
	{"class_weight compute_class_weight compute_sample_weight", "", `model := svm.Balanced{Estimator: svm.Flat{C: 1}}.Fit(nb.Context(), trainSet)`},
	{"sample_weight", "a data set has a weight for each row", `trainSet.Weights = slices.Repeat([]float64{2}, trainSet.Len())`},
	{"SelectKBest chi2 SelectPercentile", "", `best := features.ChiSquare{Features: 1000}.Fit(trainSet)`},
	{"LabelEncoder LabelBinarizer MultiLabelBinarizer", "labels need no encoding: they are nodes of the taxonomy", `trainSet.Taxonomy.Name(trainSet.Labels[0][0])`},
	{"ColumnTransformer make_column_transformer ColumnSelector FeatureUnion make_union", "", `columns := features.Columns{}.Fit(nb.Context(), table)`},
	{"OneHotEncoder OneHot OrdinalEncoder get_dummies DictVectorizer TargetEncoder", "nominal columns of a table become a feature for each value", `columns := features.Columns{Nominal: features.Nominal{MinRows: 2}}.Fit(nb.Context(), table)`},
	{"SimpleImputer Imputer KNNImputer IterativeImputer", "", `columns := features.Columns{Number: features.Number{Missing: features.Median, Indicator: true}}.Fit(nb.Context(), table)`},
	{".fillna", "a setting of the features replaces missing numbers", `columns := features.Columns{Number: features.Number{Missing: features.Median}}.Fit(nb.Context(), table)`},
	{"hstack concatenate", "", `dataset.Beside(trainSet, trainSet)`},
	{"Pipeline make_pipeline", "", `p := pipeline.Pipeline{Vectorizer: words, Model: model}`},

	// Learning.
	{"LinearSVC", "", `model := svm.OneVsRest{C: 1, Loss: solver.SquaredHinge}.Fit(nb.Context(), trainSet)`},
	{"SVC", "", `model := svm.Flat{C: 1, Kernel: gram.RBF{Gamma: 0.5}}.Fit(nb.Context(), trainSet)`},
	{"LogisticRegression", "", `model := svm.OneVsRest{C: 1, Loss: solver.Logistic}.Fit(nb.Context(), trainSet)`},
	{"SGDClassifier", "", `model := svm.OneVsRest{C: 1}.Fit(nb.Context(), trainSet)`},
	{"OneVsRestClassifier", "of several labels an instance", `sets := svm.NodeSets{Method: svm.OneVsRest{C: 1}}.Fit(nb.Context(), trainSet)`},
	{"Perceptron", "package perceptron has several", `model := perceptron.Hieron{}.Fit(nb.Context(), trainSet)`},
	{"MultinomialNB ComplementNB", "", `model := bayes.Multinomial{}.Fit(nb.Context(), trainSet)`},
	{"RandomForestClassifier ExtraTreesClassifier BaggingClassifier", "", `trees := forest.Forest{Trees: 100}.Fit(nb.Context(), trainSet)`},
	{"DecisionTreeClassifier", "", `tree := forest.Tree{}.Fit(nb.Context(), trainSet)`},
	{"AgglomerativeClustering linkage dendrogram", "", `tree := clustering.Agglomerative{}.Fit(nb.Context(), trainSet)`},
	{"FlatClassifier", "", `model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet)`},
	{"LocalClassifierPerParentNode", "", `model := svm.Recursive{C: 1}.Fit(nb.Context(), trainSet)`},
	{"LocalClassifierPerNode", "", `model := svm.PLT{C: 1}.Fit(nb.Context(), trainSet)`},
	{"LocalClassifierPerLevel", "there is none by levels; this one learns all levels together", `model := svm.Hierarchical{C: 1}.Fit(nb.Context(), trainSet)`},
	{"CalibratedClassifierCV", "", `sure := svm.Calibrate(nb.Context(), svm.Flat{C: 1}, trainSet)`},
	{".fit", "", `model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet)`},
	{".fit_transform", "", `trainSet := features.Text{}.Fit(train).Transform(train)`},
	{".partial_fit", "perceptrons learn from one instance after the other", `model := perceptron.Hieron{}.Fit(nb.Context(), trainSet)`},

	// Predicting.
	{".predict_proba .predict_log_proba", "", `svm.Calibrate(nb.Context(), svm.Flat{C: 1}, trainSet).LeafProbabilities(testSet.X)`},
	{".decision_function", "", `model.LeafScores(testSet.X)`},
	{".score", "", `report := metric.Evaluate(model, testSet)`},
	{".coef_ .feature_importances_", "", `model.Informative(1, 10)`},
	{".classes_", "", `fmt.Print(model.Taxonomy)`},
	{".get_feature_names_out .get_feature_names .vocabulary_", "", `words.Vocabulary()`},
	{"joblib pickle", "a pipeline saves itself", `p.Save("my.hierml")`},
	{".dump", "", `p.Save("my.hierml")`},
	{".load", "", `p := pipeline.Load("my.hierml")`},

	// Evaluating.
	{"train_test_split", "", `train, test := corpus.Split(0.3, 1)`},
	{"StratifiedShuffleSplit ShuffleSplit", "", `rounds := trainSet.Rounds(10, 0.3, 1)`},
	{"KFold StratifiedKFold RepeatedStratifiedKFold", "", `folds := trainSet.Folds(5, 1)`},
	{"GroupKFold GroupShuffleSplit StratifiedGroupKFold", "no division separates rows of one group", `folds := table.WithGroups("author").Folds(5, 1)`},
	{"LeaveOneGroupOut LeavePGroupsOut", "", `divisions := table.WithGroups("author").LeaveGroupsOut()`},
	{"TimeSeriesSplit", "", `divisions := table.Forward("date", 5)`},
	{"cross_val_score cross_validate cross_val_predict", "", `experiment.CrossValidate(nb.Context(), svm.Flat{C: 1}, trainSet, 5)`},
	{"GridSearchCV", "", `choice := svm.ChooseC(nb.Context(), svm.Flat{}, trainSet)`},
	{"RandomizedSearchCV", "points of a grid are drawn", `experiment.CrossValidate(nb.Context(), experiment.Method{Estimator: svm.Flat{}, Grid: experiment.Grid{"C": {experiment.Range{Low: 0.01, High: 100, Log: true}}}, Draws: 10}, trainSet, 3)`},
	{"accuracy_score balanced_accuracy_score f1_score precision_score recall_score top_k_accuracy_score jaccard_score hamming_loss matthews_corrcoef cohen_kappa_score roc_auc_score label_ranking_loss", "", `report := metric.Evaluate(model, testSet)`},
	{"classification_report precision_recall_fscore_support", "", `metric.Evaluate(model, testSet).Classes()`},
	{"confusion_matrix ConfusionMatrixDisplay plot_confusion_matrix", "", `chart.ConfusionOf(metric.Evaluate(model, testSet))`},
	{"log_loss brier_score_loss", "a report of probabilities has them", `metric.Evaluate(svm.Calibrate(nb.Context(), svm.Flat{C: 1}, trainSet), testSet)`},
	{"precision_recall_curve", "", `metric.HierarchicalCurve(svm.Calibrate(nb.Context(), svm.Flat{C: 1}, trainSet).NodeProbabilities(testSet.X), testSet.Labels, testSet.Taxonomy)`},
	{"calibration_curve", "use package calibration", `calibration.NewReliability([]float64{0.2, 0.9}, []bool{false, true}, calibration.DefaultBins, calibration.EqualWidth)`},

	// Python itself.
	{"None", "write nil", ""},
	{"self", "use the receiver of the method", ""},
	{"str", "it makes text of a value", `fmt.Sprint(3)`},
	{"input", "it reads a line", `fmt.Scanln(new(string))`},
	{"help dir", "a name with a question mark, as svm?, shows what it has, and %help lists the commands", ""},
	{"enumerate", "", `for i, document := range corpus.Documents { fmt.Println(i, document.Text) }`},
	{"sorted", "", `slices.Sorted(slices.Values([]int{3, 1, 2}))`},
	{"np numpy", "mat, floats and stat of gonum need no import", ""},
	{"sp scipy", "mat, floats, stat and optimize of gonum need no import", ""},
	{"pd pandas", "tables are of package dataset, and files reads them", `table := files.Table{}.Open(nb.Context(), "my.csv", nil)`},
	{"plt sns", "package chart needs no import", `chart.ConfusionOf(report)`},
	{"sklearn hiclass", "svm, features, metric and the other packages of hierml need no import", ""},
}

// CounterpartOf returns the text about a name, or "". member says that the name is a method, a
// field or an argument.
func CounterpartOf(name string, member bool) string {
	for _, c := range Counterparts {
		for known := range strings.FieldsSeq(c.Names) {
			if known == name || member && known == "."+name {
				return c.String()
			}
		}
	}
	return ""
}

// String returns the counterpart in the form of a hint.
func (c Counterpart) String() string {
	if c.Says == "" || c.Code == "" {
		return c.Says + c.Code
	}
	return c.Says + ": " + c.Code
}
