//! The terms of Evenhand as plain data: items, responses, requests, replies, verdicts, judgments.
//!
//! Nothing here opens a file, reads a clock or draws a random number.

mod clusters;
mod criterion;
mod decision;
mod embeddings;
mod free_fields;
mod item;
mod judge_kind;
mod judgment;
mod looks;
mod names;
mod nearest;
mod p_value;
mod printable;
mod question;
mod refusal;
mod request;
mod setting;
mod stage;
mod tokens;
mod trajectory;
mod trial;
mod verdict;
mod whole_pairs;

pub use clusters::{Clusters, ItemShares, items_in_words, name_of_text};
pub use criterion::{Criterion, JudgedCriterion};
pub use decision::{Side, are_consistent, average, exceeds, likeliest, says_equal};
pub use embeddings::Embeddings;
pub use free_fields::{FreeFields, ShownFields};
pub use item::{Item, Message, Others, Response, Role, View, are_same};
pub use judge_kind::JudgeKind;
pub use judgment::{Judgment, Look, Outcome};
pub use looks::{are_flipped, are_split};
pub use names::{
    in_order, list_names, name_in_words, quote, shell_word, split_list, split_unquoted, unquote,
};
pub use nearest::{did_you_mean, nearest};
pub use p_value::{p_value_or_bound_text, p_value_text};
pub use printable::{escape_where, is_acted_on, printable};
pub use question::{Question, QuestionAnswers, StateField};
pub use refusal::{Cause, Refusal};
pub use request::{
    About, AnswerOptions, AnswerPlace, Answerer, AskedCriterion, CallError, CallErrorKind,
    CallResult, Decoding, Finish, Likelihood, Reply, ReplySchema, Request, RequestKey, Statement,
    Task, Usage, Wanted,
};
pub use setting::Setting;
pub use stage::Stage;
pub use tokens::approximate_tokens;
pub use trajectory::{Gap, Piece, Step, StepKind, Trajectory};
pub use trial::{Order, Trial};
pub use verdict::{
    Failure, FailureKind, Grade, LARGEST_REWARD, LARGEST_SCORE, Verdict, VerdictSource,
    check_reward, have_same_score,
};
pub use whole_pairs::{ShownOrder, whole_pairs};
