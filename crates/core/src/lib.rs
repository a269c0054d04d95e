//! The terms of Evenhand as plain data, and the readers of the ecosystem's file formats.
//!
//! Nothing here opens a file, reads a clock or draws a random number: readers take any
//! [`std::io::BufRead`].

mod dataset;
mod embeddings;
mod item;
mod judgment;
mod request;
mod style;
mod trial;
mod verdict;

pub mod battles;
pub mod formats;
pub mod judgments;

pub use dataset::{Dataset, DatasetBuilder, InMemory, Label, Selection, TextRef, Texts};
pub use embeddings::Embeddings;
pub use item::{Item, Message, Others, Response, Role, View};
pub use judgment::{Judgment, Look, Outcome};
pub use request::{
    About, AnswerOptions, CallError, CallErrorKind, CallResult, Decoding, Finish, Likelihood,
    Reply, Request, RequestKey, Task, Usage, Wanted,
};
pub use style::{Style, StyleCovariate, count_covariates, count_style, count_tokens};
pub use trial::{Order, Trial};
pub use verdict::{Failure, FailureKind, Grade, Side, Source, Verdict};
