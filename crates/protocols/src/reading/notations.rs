//! Verdicts in a notation of the field, for prompts in others' words.

use super::{Reader, no_verdict, still_thinking};
use crate::Form;
use crate::extraction::{NoVerdict, Notation, Stated, extract};
use crate::probabilities::make_choice;
use crate::replies::{clean, excerpt};
use crate::verdicts::compare_scores;
use evenhand_core::{Failure, FailureKind, Finish, Grade, Reply, Verdict, VerdictSource};

impl Reader<'_> {
    /// Reads what the text states in a notation.
    pub(super) fn read_notation(
        self,
        notation: Notation,
        reply: &Reply,
    ) -> Result<Verdict, Failure> {
        let stated = extract(notation, &clean(&reply.text)).map_err(|why| match why {
            NoVerdict::CutShort if reply.finish == Finish::Length => {
                Failure::new(FailureKind::Truncated, excerpt(&reply.text))
            }
            NoVerdict::Thinking => still_thinking(reply),
            why => no_verdict(reply, &format!("a verdict as {notation}"), &why.to_string()),
        })?;
        make_stated_verdict(self.form(), stated).ok_or_else(|| {
            let expected = format!("a verdict of the form {}", self.form());
            no_verdict(reply, &expected, "it is another kind")
        })
    }
}

/// Returns a statement as a verdict of the form; None where it is of another kind.
pub(super) fn make_stated_verdict(form: Form, stated: Stated) -> Option<Verdict> {
    let options = form.options().len();
    let at = match (form, stated) {
        (Form::Pointwise(..), Stated::Score(score)) => {
            return Some(Verdict::Pointwise {
                score,
                distribution: Vec::new(),
                outside: 0.0,
                source: VerdictSource::Text,
            });
        }
        (Form::PairwiseScore(_), Stated::Scores(a, b)) => {
            let grade = Grade::Scores([a, b]);
            return Some(compare_scores([a, b], grade, 0.0, VerdictSource::Text));
        }
        (Form::Pairwise5Point, Stated::Strength(strength)) => strength as usize,
        // In PORTIA's table 14 a preference is larger the better the first is; here the steps begin
        // with it.
        (Form::PairwiseLikert, Stated::Score(score)) => {
            let mut steps = (1..=options).rev();
            steps.position(|step| step as f64 == score)?
        }
        (Form::Pairwise | Form::PairwiseTie, stated) => match stated.preferred()? {
            Stated::First => 0,
            Stated::Second => 1,
            _ => 2,
        },
        _ => return None,
    };
    (at < options).then(|| make_choice(form, at, options, VerdictSource::Text))
}
