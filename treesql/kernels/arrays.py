"""Types of NumPy arrays, for all modules outside of kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
SmallInts = NDArray[np.int32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
