"""Writes battles in Parquet as CSV without a header: as-csv.py DIR."""

import pathlib
import sys

import pyarrow.csv
import pyarrow.parquet

COLUMNS = ["model_a", "model_b", "winner", "question_id"]

options = pyarrow.csv.WriteOptions(include_header=False)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(columns=COLUMNS):
        names = [batch.column(name).cast("string") for name in COLUMNS[:3]]
        plain = pyarrow.record_batch([*names, batch.column(COLUMNS[3])], names=COLUMNS)
        pyarrow.csv.write_csv(plain, sys.stdout.buffer, options)
