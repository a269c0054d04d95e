//! Verdicts in a notation of the field, for prompts in others' words.

use super::{Reader, no_verdict, still_thinking};
use crate::Form;
use crate::extraction::{NoVerdict, Notation, Stated, Strength, extract};
use crate::probabilities::make_choice;
use crate::replies::{clean, excerpt};
use crate::verdicts::compare_scores;
use evenhand_core::{
    Failure, FailureKind, Finish, Grade, Reply, Side, Statement, Verdict, VerdictSource,
};

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

/// Returns what states each answer of a form in a notation, for judges that are told what to say;
/// nothing where the notation cannot state them all.
pub(crate) fn list_statements(form: Form, notation: Notation) -> Vec<Statement> {
    let options = form.options();
    let count = options.len();
    let states = |at: usize, answer: &str| -> Vec<Stated> {
        let strength = |at| {
            let all = [
                Strength::FirstMuch,
                Strength::FirstSlightly,
                Strength::Equal,
                Strength::SecondSlightly,
                Strength::SecondMuch,
            ];
            Stated::Strength(all[at])
        };
        match form {
            Form::Pairwise(_) | Form::PairwiseTie(_) => vec![
                [Stated::First, Stated::Second, Stated::Tie][at],
                strength([1, 3, 2][at]),
            ],
            Form::Pairwise5Point(_) => vec![strength(at)],
            // See `make_stated_verdict`.
            Form::PairwiseLikert(_) => vec![Stated::Score((count - at) as f64)],
            Form::Pointwise(..) => answer.parse().map(Stated::Score).into_iter().collect(),
            _ => Vec::new(),
        }
    };
    let statements = options.into_iter().enumerate().map(|(at, answer)| {
        let mut ways = states(at, &answer).into_iter();
        let text = ways.find_map(|stated| notation.write(stated))?;
        Some(Statement { answer, text })
    });
    statements.collect::<Option<Vec<_>>>().unwrap_or_default()
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
        (Form::Pairwise5Point(_), Stated::Strength(strength)) => strength as usize,
        // In PORTIA's table 14 a preference is larger the better the first is; here the steps begin
        // with it.
        (Form::PairwiseLikert(_), Stated::Score(score)) => {
            let mut steps = (1..=options).rev();
            steps.position(|step| step as f64 == score)?
        }
        (Form::Pairwise(_) | Form::PairwiseTie(_), stated) => match stated.preferred()? {
            Side::First => 0,
            Side::Second => 1,
            Side::Tie => 2,
        },
        _ => return None,
    };
    (at < options).then(|| make_choice(form, at, options, VerdictSource::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a judge is told to say is read as what it is told to mean.
    #[test]
    fn statements_are_read_as_their_answers() {
        let forms = [
            "pairwise",
            "pairwise-tie",
            "pairwise-5point",
            "pairwise-likert",
            "pointwise:1-5",
        ];
        let notations = [
            "output-letter",
            "bracketed-letter",
            "bracketed-strength",
            "bracketed-number",
            "number:1-7",
            "five-point",
            "result-letter",
            "result-number",
            "final-decision",
            "first-line",
            "case-of-m",
        ];
        let mut stated = 0;
        for form in forms.map(|name| Form::parse(name).unwrap()) {
            for notation in notations.map(|name| name.parse::<Notation>().unwrap()) {
                let all = list_statements(form, notation);
                assert!(all.is_empty() || all.len() == form.options().len());
                for (at, statement) in all.iter().enumerate() {
                    let read = extract(notation, &statement.text).unwrap();
                    let verdict = make_stated_verdict(form, read).unwrap();
                    stated += 1;
                    if let Verdict::Pointwise { score, .. } = verdict {
                        assert_eq!(score.to_string(), statement.answer);
                    } else {
                        let meant = make_choice(form, at, all.len(), VerdictSource::Text);
                        assert_eq!(verdict, meant, "{form}, {notation}: {statement:?}");
                    }
                }
            }
        }
        assert!(stated > 40, "{stated}");
    }
}
