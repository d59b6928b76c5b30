"""How data are read: chunks of rows, sparse and dask matrices, products, second moments, orthonormal bases."""
