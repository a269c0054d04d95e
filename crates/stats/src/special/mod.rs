//! The logistic function and the normal distribution: what every estimator takes chances from; and
//! the search for where a chance is reached.

mod halving;
mod logistic;
mod normal;
mod student;

pub(crate) use halving::halve_range;
pub use logistic::sigmoid;
pub(crate) use logistic::{log_win_chance, win_chance};
pub(crate) use normal::{normal_below, normal_quantile, two_sided_quantile};
pub(crate) use student::{student_above, student_below, student_quantile};
