//! Forms of verdicts.

mod likelihood;
mod scale;

pub use likelihood::{Baseline, FLUENT, GainUnit, LikelihoodVariant};
pub use scale::Scale;

use std::fmt;

/// The scale where none is named.
const USUAL: Scale = Scale::whole(1, 10);

/// The letters of the responses in a list.
pub(crate) const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// How a verdict is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One response, a value of a scale.
    Pointwise(Scale, AnswerReading),
    /// Two responses, one is better (RealRank's base form).
    Pairwise(AnswerReading),
    /// Two responses, one is better or they are equal (PORTIA's relation-based form).
    PairwiseTie(AnswerReading),
    /// Two responses, one is much better, better, or they are equal (RealRank's five outcomes;
    /// Arena-Hard's).
    Pairwise5Point(AnswerReading),
    /// Two responses, a score for each, and the higher one is better (PORTIA's score-based form;
    /// FairEval's).
    PairwiseScore(Scale),
    /// Two responses, one preference from 1 to 7 (PORTIA's likert-based form, table 14).
    PairwiseLikert(AnswerReading),
    /// Several responses, put in order: groups of this many, or all that an item has.
    Listwise(Option<u32>),
    /// One response; no verdict is asked for: how much more probable the instruction makes it.
    Likelihood(LikelihoodVariant),
    /// One response; no verdict is asked for: the number that a reward model gives it.
    Reward,
    /// One response, and of each criterion of its item whether it is met: the weighted share.
    Checklist(ChecklistCalls),
}

/// How the probabilities of the answers become one verdict. What is asked is the same. A text
/// without probabilities states one answer, so that both readings are the same.
///
/// Wang et al. 2025 compare the two ("Improving LLM-as-a-Judge Inference with the Judgment
/// Distribution").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerReading {
    /// Soft: each answer counts by its probability. A score is the mean (Liu et al. 2023, G-Eval),
    /// hardly ever the same for two responses; a preference of 0.55 is 0.55 of a win.
    #[default]
    Mean,
    /// Hard: the most probable answer alone, as greedy decoding states it in its text (Gao et al.
    /// 2025, appendix C). Of equally probable values of a scale the worst; of other answers that
    /// are equally probable each has the same share, for none of them was preferred.
    Mode,
}

impl AnswerReading {
    /// Reads `mean` or `mode`.
    pub fn parse(name: &str) -> Option<AnswerReading> {
        match name {
            "mean" => Some(AnswerReading::Mean),
            "mode" => Some(AnswerReading::Mode),
            _ => None,
        }
    }
}

/// How the criteria of a checklist are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecklistCalls {
    /// All in one call: a numbered list in, a numbered list of verdicts out.
    Together,
    /// One call for each criterion.
    Each(AnswerReading),
}

/// How many responses a judge sees at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    /// One.
    One,
    /// Two.
    Two,
    /// Groups of this many, at least two, or all that an item has.
    Many(Option<u32>),
}

impl Form {
    /// The names that [`Form::parse`] takes, for messages.
    pub const NAMES: &'static str = "pairwise, pairwise-tie, pairwise-5point, pairwise-score, \
                                     pairwise-likert, pointwise, listwise, checklist, reward or \
                                     likelihood (pointwise and pairwise-score take a scale, as in \
                                     pointwise:1-5 or pointwise:0..1:0.1; listwise a group size, \
                                     as in listwise:3; checklist whether each criterion is a call \
                                     of its own, as in checklist:each; likelihood what it is set \
                                     against, as in likelihood:inverse; ,mode behind pointwise, \
                                     pairwise, pairwise-tie, pairwise-5point, pairwise-likert or \
                                     checklist:each takes the most probable answer alone, as in \
                                     pairwise,mode)";

    /// Reads a form's name, with `,mean` or `,mode` behind it where its answers have
    /// probabilities (`:mean`, `:mode` where it has no other option). Scales are 1-10 where none is
    /// named, and answers are read by their mean.
    pub fn parse(name: &str) -> Option<Form> {
        let split = name.rsplit_once(',').or_else(|| name.split_once(':'));
        let read = split.and_then(|(form, last)| Some((form, AnswerReading::parse(last)?)));
        match read {
            Some((form, reading)) => Form::parse_unread(form)?.with_reading(reading),
            None => Form::parse_unread(name),
        }
    }

    /// Reads a form's name without how its answers are read.
    fn parse_unread(name: &str) -> Option<Form> {
        let mean = AnswerReading::Mean;
        let Some((kind, option)) = name.split_once(':') else {
            return match name {
                "pointwise" => Some(Form::Pointwise(USUAL, mean)),
                "pairwise" => Some(Form::Pairwise(mean)),
                "pairwise-tie" => Some(Form::PairwiseTie(mean)),
                "pairwise-5point" => Some(Form::Pairwise5Point(mean)),
                "pairwise-score" => Some(Form::PairwiseScore(USUAL)),
                "pairwise-likert" => Some(Form::PairwiseLikert(mean)),
                "listwise" => Some(Form::Listwise(None)),
                "checklist" => Some(Form::Checklist(ChecklistCalls::Together)),
                "likelihood" => Some(Form::Likelihood(LikelihoodVariant::DEFAULT)),
                "reward" => Some(Form::Reward),
                _ => None,
            };
        };
        match kind {
            "pointwise" => Scale::parse(option).map(|scale| Form::Pointwise(scale, mean)),
            "pairwise-score" => Scale::parse(option).map(Form::PairwiseScore),
            "listwise" => {
                let size: u32 = option.parse().ok()?;
                let has_letters = (2..=LETTERS.len()).contains(&(size as usize));
                has_letters.then_some(Form::Listwise(Some(size)))
            }
            "likelihood" => LikelihoodVariant::parse(option).map(Form::Likelihood),
            "checklist" if option == "each" => Some(Form::Checklist(ChecklistCalls::Each(mean))),
            _ => None,
        }
    }

    /// Returns the form's name without its scale, size or variant.
    pub fn kind(self) -> &'static str {
        match self {
            Form::Pointwise(..) => "pointwise",
            Form::Pairwise(_) => "pairwise",
            Form::PairwiseTie(_) => "pairwise-tie",
            Form::Pairwise5Point(_) => "pairwise-5point",
            Form::PairwiseScore(_) => "pairwise-score",
            Form::PairwiseLikert(_) => "pairwise-likert",
            Form::Listwise(_) => "listwise",
            Form::Likelihood(_) => "likelihood",
            Form::Reward => "reward",
            Form::Checklist(_) => "checklist",
        }
    }

    /// Returns the name of its prompt file, without `.toml`.
    pub(crate) fn prompt_file(self) -> &'static str {
        match self {
            Form::Checklist(ChecklistCalls::Each(_)) => "checklist-each",
            form => form.kind(),
        }
    }

    /// Returns how many responses the judge sees at once.
    pub fn slots(self) -> Slots {
        match self {
            Form::Pointwise(..) | Form::Likelihood(_) | Form::Reward | Form::Checklist(_) => {
                Slots::One
            }
            Form::Listwise(size) => Slots::Many(size),
            _ => Slots::Two,
        }
    }

    /// Whether no verdict is asked for: a response has a number, which is the same in every order
    /// and every sample, and which no reasoning comes before.
    pub(crate) fn asks_nothing(self) -> bool {
        matches!(self, Form::Likelihood(_) | Form::Reward)
    }

    /// Returns this form with another scale; None for a form that has none.
    pub fn with_scale(self, scale: Scale) -> Option<Form> {
        match self {
            Form::Pointwise(_, reading) => Some(Form::Pointwise(scale, reading)),
            Form::PairwiseScore(_) => Some(Form::PairwiseScore(scale)),
            _ => None,
        }
    }

    /// Returns how its answers are read; None for a form whose answers have no probabilities.
    pub fn reading(mut self) -> Option<AnswerReading> {
        self.reading_mut().copied()
    }

    /// Returns this form with its answers read so; None where they have no probabilities.
    pub fn with_reading(mut self, read: AnswerReading) -> Option<Form> {
        *self.reading_mut()? = read;
        Some(self)
    }

    fn reading_mut(&mut self) -> Option<&mut AnswerReading> {
        match self {
            Form::Pointwise(_, reading)
            | Form::Pairwise(reading)
            | Form::PairwiseTie(reading)
            | Form::Pairwise5Point(reading)
            | Form::PairwiseLikert(reading)
            | Form::Checklist(ChecklistCalls::Each(reading)) => Some(reading),
            Form::PairwiseScore(_)
            | Form::Listwise(_)
            | Form::Likelihood(_)
            | Form::Reward
            | Form::Checklist(ChecklistCalls::Together) => None,
        }
    }

    /// Returns the form's scale, where it has one.
    pub fn scale(self) -> Option<Scale> {
        match self {
            Form::Pointwise(scale, _) | Form::PairwiseScore(scale) => Some(scale),
            _ => None,
        }
    }

    /// Returns the answers between which the judge decides, in slot order; empty where the verdict
    /// is not one of a few answers.
    pub fn options(self) -> Vec<String> {
        match self {
            Form::Pointwise(scale, _) => scale.texts(),
            Form::Pairwise(_) => ["A", "B"].map(String::from).to_vec(),
            Form::PairwiseTie(_) => ["A", "B", "C"].map(String::from).to_vec(),
            Form::Pairwise5Point(_) => count_to(5),
            Form::PairwiseLikert(_) => count_to(7),
            Form::Checklist(ChecklistCalls::Each(_)) => ["yes", "no"].map(String::from).to_vec(),
            Form::Checklist(ChecklistCalls::Together)
            | Form::PairwiseScore(_)
            | Form::Listwise(_)
            | Form::Likelihood(_)
            | Form::Reward => Vec::new(),
        }
    }

    /// Returns the verdicts between which the second stage decides. Of two scores it says only
    /// which is higher.
    pub(crate) fn second_stage_options(self) -> Vec<String> {
        match self {
            Form::PairwiseScore(_) => Form::PairwiseTie(AnswerReading::Mean).options(),
            form => form.options(),
        }
    }

    /// Describes what the second stage is to reply.
    pub(crate) fn describe_second_stage(self) -> String {
        match self {
            Form::Listwise(_) => "the letters of the responses from best to worst, each once, \
                                  joined by > or =, as in B > A = C"
                .into(),
            form => form.second_stage_options().join(", "),
        }
    }
}

/// Returns the whole numbers from 1 to `most`, as texts.
fn count_to(most: u32) -> Vec<String> {
    (1..=most).map(|step| step.to_string()).collect()
}

/// Returns the letters of so many responses.
pub(crate) fn letters(count: usize) -> Vec<String> {
    LETTERS.chars().take(count).map(String::from).collect()
}

/// Returns the letters of so many responses, as in `A, B, C`.
pub(crate) fn list_letters(count: usize) -> String {
    letters(count).join(", ")
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Form::Pointwise(scale, _) | Form::PairwiseScore(scale) => write!(f, ":{scale}")?,
            Form::Listwise(Some(size)) => write!(f, ":{size}")?,
            Form::Checklist(ChecklistCalls::Each(_)) => f.write_str(":each")?,
            Form::Likelihood(variant) if *variant != LikelihoodVariant::DEFAULT => {
                write!(f, ":{variant}")?;
            }
            _ => {}
        }
        match self.reading() {
            Some(AnswerReading::Mode) => f.write_str(",mode"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_round() {
        for name in [
            "pairwise",
            "pairwise-tie",
            "pairwise-5point",
            "pairwise-score:1-10",
            "pairwise-likert",
            "listwise",
            "listwise:3",
            "checklist",
            "checklist:each",
            "likelihood",
            "likelihood:given",
            "likelihood:novel",
            "likelihood:novel,sum",
            "likelihood:novel,surprisal=0.1",
            "likelihood:null,surprisal=0.05",
            "likelihood:null,sum",
            "likelihood:contrast=3",
            "likelihood:inverse,sum",
            "reward",
            "pointwise:0-9",
            "pointwise:1-5",
            "pointwise:0..1:0.1",
            "pointwise:1-5,mode",
            "pointwise:0..1:0.1,mode",
            "pairwise,mode",
            "pairwise-tie,mode",
            "pairwise-5point,mode",
            "pairwise-likert,mode",
            "checklist:each,mode",
        ] {
            assert_eq!(
                Form::parse(name).map(|form| form.to_string()).as_deref(),
                Some(name)
            );
        }
        assert_eq!(Form::parse("likelihood:null"), Form::parse("likelihood"));
        assert_eq!(
            Form::parse("likelihood:sum"),
            Form::parse("likelihood:null,sum")
        );
        assert_eq!(
            Form::parse("likelihood:surprisal=0.10"),
            Form::parse("likelihood:null,surprisal=0.1")
        );
        assert_eq!(Form::parse("pointwise"), Form::parse("pointwise:1-10"));
        assert_eq!(Form::parse("pointwise"), Form::parse("pointwise:mean"));
        assert_eq!(
            Form::parse("pointwise:mode"),
            Form::parse("pointwise:1-10,mode")
        );
        for name in ["pointwise:1-10", "pairwise", "pairwise-5point"] {
            let mode = Form::parse(&format!("{name},mode")).unwrap();
            assert_eq!(Form::parse(&format!("{name},mean")), Form::parse(name));
            assert_eq!(mode.with_reading(AnswerReading::Mean), Form::parse(name));
        }
        assert_eq!(Form::parse("pairwise:mode"), Form::parse("pairwise,mode"));
        assert_eq!(
            Form::parse("pairwise-score"),
            Form::parse("pairwise-score:1-10")
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for name in [
            "",
            "pointwise:",
            "pointwise:5-1",
            "pointwise:1-5,",
            "pointwise:1-5,median",
            "pointwise:mode,1-5",
            "pairwise-score:1-5,mode",
            "pairwise-score,mode",
            "pairwise:1-5",
            "pairwise,",
            "pairwise,median",
            "pairwise,mode,mode",
            "pointwise:1-5:mode",
            "listwise,mode",
            "listwise:3,mean",
            "likelihood,mode",
            "likelihood:novel,mean",
            "checklist,mode",
            "listwise:1",
            "listwise:27",
            "listwise:x",
            "checklist:",
            "checklist:all",
            "Pairwise",
            "likelihood:",
            "reward:",
            "reward,mode",
            "likelihood:contrast",
            "likelihood:contrast=0",
            "likelihood:contrast=33",
            "likelihood:nullsum",
            "likelihood:surprisal=1",
            "likelihood:surprisal=0.00",
            "likelihood:surprisal=0.125",
            "likelihood:surprisal=0.+5",
            "likelihood:given,surprisal=0.1",
            "likelihood:novel,surprisal=0.1,sum",
        ] {
            assert_eq!(Form::parse(name), None, "{name}");
        }
    }
}
