"""Predicts labels of texts with models trained by the Go library hierml.

>>> import hierml
>>> model = hierml.load("model.hierml")
>>> model.predict(["Is there a fine if I park without a permit?"])
['traffic fines']

A file has everything that is needed: how texts become features, the weights, the taxonomy, the probabilities. It is
read with numpy alone, and nothing in it is executed.
"""

from ._errors import LoadError, UnknownTextWarning
from ._model import Model, load
from ._taxonomy import Taxonomy

__all__ = ["LoadError", "Model", "Taxonomy", "UnknownTextWarning", "load"]
__version__ = "0.1.0"
