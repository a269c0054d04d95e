//! Dense linear algebra for a few thousand numbers: everything that the estimators share of it.
//!
//! Matrices are row-major lists, symmetric ones whole unless the lower triangle is said to be
//! enough. Sums run in a fixed order, so the same input gives the same bits everywhere.
//! `vectors.rs` has the inner loops, `cholesky.rs` the decomposition and what is solved with it,
//! `laplacian.rs` graphs, whose matrices are singular, `products.rs` products, `derivatives.rs`
//! what searches share, `leverage.rs` by how much a fit gives way to a cluster.

mod cholesky;
mod derivatives;
mod laplacian;
mod leverage;
mod products;
mod vectors;

pub(crate) use cholesky::{Cholesky, Dependent, semidefinite_root};
pub(crate) use derivatives::{Derivatives, halved_steps, shorten};
pub(crate) use laplacian::{add_edge, laplacian_inverse, laplacian_solve, strength_information};
pub(crate) use leverage::raise_by_leverage;
pub(crate) use products::{diagonal, mirror, sandwiched, trace};
pub(crate) use vectors::{
    add_scaled, centred, difference, dot, error_of_mean, greatest, lane_sum, largest, mean,
    mean_of, move_apart, sample_deviation, squared_deviations, weighted_mean,
};
