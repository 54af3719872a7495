"""Apache Spark as an engine, for folders of Parquet."""
