//! A judge's server on loopback for tests and benchmarks.
