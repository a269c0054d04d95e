//! Protocols that are written outside this crate.

use crate::ask::{Ask, VerdictOrStop};
use crate::form::Form;
use crate::methods::Presentation;
use evenhand_core::View;
use std::fmt;

/// A protocol that is written outside this crate.
///
/// [`CustomProtocol::judge`] is straight-line code. It learns from a model through [`Ask`] alone,
/// and hands on with `?` that a reply is missing; it is run again from the top when the reply is
/// there. So it must be pure: no clock, no random numbers, no order of a hash map. In return it can
/// be run, resumed, replayed, estimated and sent as batch files like any other protocol.
///
/// Responses are hostile: show them by [`Ask::show_between_marks`], and read verdicts from the
/// judge's own reply alone.
///
/// ```
/// use evenhand_core::{
///     About, Decoding, Failure, FailureKind, Message, VerdictSource, Task, Verdict, View,
/// };
/// use evenhand_protocols::{
///     AnswerReading, Ask, CustomProtocol, Form, Presentation, Prompt, VerdictOrStop,
/// };
///
/// /// Asks which answer is shorter to read.
/// #[derive(Debug)]
/// struct Shorter;
///
/// impl CustomProtocol for Shorter {
///     fn name(&self) -> &str {
///         "shorter"
///     }
///     fn fingerprint(&self) -> String {
///         "1".into()
///     }
///     fn form(&self) -> Form {
///         Form::Pairwise(AnswerReading::Mean)
///     }
///     fn presentation(&self) -> Presentation {
///         Presentation::BothAsTrials
///     }
///     fn rounds_at_most(&self) -> u32 {
///         1
///     }
///     fn is_adaptive(&self) -> bool {
///         false
///     }
///     fn wants_probabilities(&self) -> bool {
///         false
///     }
///     fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop {
///         let [a, b] = view.responses else {
///             return Err(Failure::new(FailureKind::Invalid, "two responses are needed").into());
///         };
///         let shown = ask.show_between_marks(&[("ANSWER A", &a.text), ("ANSWER B", &b.text)]);
///         let shown = shown.join("\n\n");
///         let question = format!("{shown}\n\nWhich is shorter to read? Reply with A or B.");
///         let decoding = Decoding::greedy(8);
///         let reply = ask.one(Prompt {
///             messages: vec![Message::user(question)],
///             task: Task::Generate { decoding, answers: None },
///             about: About::new(view.item, view.responses),
///         })?;
///         let first = f64::from(reply.text.trim() == "A");
///         Ok(Verdict::pair([first, 0.0, 1.0 - first], 0.0, VerdictSource::Text))
///     }
/// }
/// ```
pub trait CustomProtocol: fmt::Debug + Send + Sync {
    /// Returns its name, as reports show it.
    fn name(&self) -> &str;

    /// Returns a digest of what decides, beside the name, what is asked and how it is read. A run
    /// directory belongs to one fingerprint.
    fn fingerprint(&self) -> String;

    /// Returns the form of its verdicts: how many responses are in view, and what may be decided.
    fn form(&self) -> Form;

    /// Returns in which orders the plan shows two responses.
    fn presentation(&self) -> Presentation;

    /// Returns the rounds of calls, one after the other, where every call is needed.
    fn rounds_at_most(&self) -> u32;

    /// Returns whether further calls depend on what the first ones say.
    fn is_adaptive(&self) -> bool;

    /// Returns whether it asks for the probabilities of answers.
    fn wants_probabilities(&self) -> bool;

    /// Judges the responses in view, by one judge; those of a panel are averaged.
    ///
    /// # Errors
    /// A missing reply, as [`Ask`] gives it, or a failure of the judgment.
    fn judge(&self, view: &View, ask: &Ask) -> VerdictOrStop;
}
