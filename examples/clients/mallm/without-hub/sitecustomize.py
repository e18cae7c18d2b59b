"""Stands for what MALLM imports and these discussions do not use: its metrics, data sets of the hub, and an embedding
model that it would download when it is imported. Together they would take 5 GB."""
import sys
from unittest.mock import MagicMock

for name in ("mallm.evaluation.evaluator", "contextplus", "datasets", "sentence_transformers",
             "sentence_transformers.util", "sklearn", "sklearn.metrics", "sklearn.metrics.pairwise", "torch"):
    sys.modules[name] = MagicMock()
