"""What the releases of scikit-learn do differently: the checks of X, and tags (since 1.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # before 1.6 it was a method of the estimator
    _validate_data = None


def check_names_and_number(estimator: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Check the names and the number of the columns of a dataframe, or learn them with `reset`."""
    if _validate_data is None:
        estimator._validate_data(X, reset=reset, cast_to_ndarray=False)
    else:
        _validate_data(estimator, X, reset=reset, skip_check_array=True)


def checked_array(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return X as a dense array of any type, in which cells may be missing; otherwise as above."""
    if _validate_data is None:
        return estimator._validate_data(X, reset=reset, dtype=None, force_all_finite="allow-nan")
    return _validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")


def tagged(usual: Callable[[], Any]) -> Any:
    """Return the tags of an estimator that takes missing cells, categories and texts."""
    tags = usual()
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags


TAGS_BEFORE_1_6 = {"allow_nan": True, "X_types": ["2darray", "categorical", "string"]}
"""The same, as it was said before."""
