"""Runs a query over battles in Parquet in one engine: engine.py duckdb|spark QUERY DIR OUT."""

import pathlib
import sys


def duckdb(query, directory, out):
    import duckdb

    database = duckdb.connect()
    files = f"'{directory}/*.parquet'"
    database.execute(f"CREATE VIEW battles AS SELECT * FROM {files}")
    database.execute(f"COPY ({query}) TO '{out}' (HEADER)")


def spark(query, directory, out):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.read.parquet(directory).createOrReplaceTempView("battles")
    counted = session.sql(query).coalesce(1)
    counted.write.option("header", True).mode("overwrite").csv(f"{out}.parts")
    [part] = pathlib.Path(f"{out}.parts").glob("part-*.csv")
    part.rename(out)
    session.stop()


if __name__ == "__main__":
    engine, query, directory, out = sys.argv[1:]
    {"duckdb": duckdb, "spark": spark}[engine](query, directory, out)
