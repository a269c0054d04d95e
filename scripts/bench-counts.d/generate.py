"""Writes battles as Parquet files, to measure with: generate.py DIR BATTLES FILES [ITEMS].

60 systems of known strengths; 20 % ties in two spellings; an item has as many battles as another,
one after the other. The first 100 battles of a file name the systems in the order of their names.
Every file is a function of its number alone.
"""

import pathlib
import sys

import numpy
import pyarrow
import pyarrow.parquet

SYSTEMS = 60
PIECE = 1_000_000


def main(directory, battles, files, items):
    names = pyarrow.array([f"system-{number:02}" for number in range(SYSTEMS)])
    outcomes = pyarrow.array(["model_a", "model_b", "tie", "tie (bothbad)"])
    strengths = numpy.linspace(1.5, -1.5, SYSTEMS)
    of_file = battles // files
    directory.mkdir(parents=True, exist_ok=True)
    for file in range(files):
        random = numpy.random.default_rng(file)
        path = directory / f"part-{file:02}.parquet"
        writer = None
        for begin in range(0, of_file, PIECE):
            rows = min(PIECE, of_file - begin)
            # Any system, and another one.
            a = random.integers(0, SYSTEMS, rows, dtype=numpy.int8)
            b = ((a + random.integers(1, SYSTEMS, rows, dtype=numpy.int8)) % SYSTEMS).astype(numpy.int8)
            if begin == 0:
                first = min(rows, 100)
                a[:first] = numpy.arange(first) % (SYSTEMS - 1)
                b[:first] = a[:first] + 1
            wins = random.random(rows, dtype=numpy.float32) < 1 / (
                1 + numpy.exp(strengths[b] - strengths[a])
            )
            outcome = numpy.where(wins, 0, 1).astype(numpy.int8)
            tied = random.random(rows, dtype=numpy.float32)
            outcome[tied < 0.2] = 2
            outcome[tied < 0.05] = 3
            columns = {
                "model_a": pyarrow.DictionaryArray.from_arrays(a, names),
                "model_b": pyarrow.DictionaryArray.from_arrays(b, names),
                "winner": pyarrow.DictionaryArray.from_arrays(outcome, outcomes),
            }
            if items:
                row = numpy.arange(begin, begin + rows, dtype=numpy.int64) + file * of_file
                columns["question_id"] = pyarrow.array(row * items // battles)
            table = pyarrow.table(columns)
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
        writer.close()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[2:]]
    main(pathlib.Path(sys.argv[1]), numbers[0], numbers[1], numbers[2] if numbers[2:] else 0)
