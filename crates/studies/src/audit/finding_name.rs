//! The figures of an audit: which each is, what it is called, and what it estimates.
//!
//! Code asks for a [`FindingName`]; the texts here are what reports show.

use std::fmt;

/// Which figure of an audit a finding is. Its text is unique among the findings of a topic and a
/// protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingName {
    /// How often the first of two is preferred.
    FirstSlot,
    /// Verdicts that change with the order.
    FlipsByOrder,
    /// Verdicts that change when nothing does.
    FlipsByRepetition,
    /// Verdicts that change with spaces that no reader sees.
    FlipsByNeutral,
    /// Flips by order less flips by repetition.
    FlipsBeyondRepetition,
    /// Flips by order less flips by a neutral rewrite.
    FlipsBeyondNeutral,
    /// Equal verdicts in both orders, in a third of the pairs.
    Consistency {
        /// Which third.
        third: Third,
        /// By which order of the pairs.
        by: LengthOrder,
    },
    /// How often the response preferred less is preferred after the neutral rewrite.
    LoserFlipsByNeutral,
    /// The effect of a rewrite.
    Rewritten {
        /// The rewrite's name.
        rewrite: String,
        /// Which figure of it.
        effect: RewriteEffect,
    },
    /// The flips by all rewrites together.
    MeanFlips,
    /// The ties of responses with themselves, rewritten, over all rewrites together.
    MeanTies,
    /// Flips on the items of one turn of a conversation.
    FlipsInTurn {
        /// The rewrite's name; None for all together.
        rewrite: Option<String>,
        /// The turn, from 1.
        turn: u32,
    },
    /// Flips beyond neutral under one protocol less those under another.
    ProtocolDifference {
        /// The rewrite's name.
        rewrite: String,
    },
    /// How often a kind of response is preferred.
    Preference {
        /// Which response.
        of: Preferred,
        /// By whom.
        by: Prefers,
    },
    /// How often judge and people agree.
    AgreesWithPeople,
    /// How often an answer that says nothing wins.
    NullWins,
    /// Preferences that go round.
    Circles,
    /// Those that do in both orders and every repetition.
    CertainCircles,
    /// How often the order of two changes with a third.
    Reversals {
        /// The placebo whose reversals are taken off, if any.
        beyond: Option<Placebo>,
        /// Whether the third stands first, and not last.
        third_first: bool,
    },
    /// The mean score on one scale less that from 0 to 10.
    ScoreShift(ScoreRange),
    /// Equal scores on three scales.
    SameScores,
    /// Scores at the ends of a scale.
    ScaleEnds,
    /// Scores in the middle of a scale.
    ScaleMiddle,
    /// The most frequent score.
    MostFrequentScore,
    /// The entropy of the scores.
    ScoreEntropy,
    /// How often a response that keeps all constraints is preferred to one that breaks some.
    BrokenAccuracy {
        /// How many constraints are broken.
        broken: u32,
    },
    /// How often it is where the other is rewritten.
    RewrittenAccuracy {
        /// How many constraints are broken.
        broken: u32,
        /// The rewrite's name.
        rewrite: String,
    },
    /// How much of the accuracy the rewrite costs.
    AccuracyLost {
        /// How many constraints are broken.
        broken: u32,
        /// The rewrite's name.
        rewrite: String,
    },
    /// How much the lowest systems gain by being rewritten.
    WinRateGained {
        /// The rewrite's name.
        rewrite: String,
    },
    /// Texts without a verdict where probabilities have one.
    TextWithoutVerdict,
    /// Texts with another verdict than the probabilities.
    TextWithOtherVerdict,
    /// Looks without a verdict.
    NoVerdict {
        /// Of the items of this category; None for all.
        category: Option<String>,
    },
    /// Looks that the judge refuses.
    Refusals {
        /// Of the items of this category; None for all.
        category: Option<String>,
    },
    /// A figure that is counted by verdicts, by the judge's probabilities.
    ByProbability(Box<FindingName>),
}

/// A third of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Third {
    Lowest,
    Middle,
    Highest,
}

/// An order of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthOrder {
    /// The mean length of the two responses.
    Mean,
    /// The difference of their lengths.
    Difference,
}

/// An effect of a rewrite on verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteEffect {
    /// A response is preferred to itself for being rewritten.
    Preferred,
    /// A response and itself, rewritten, are called equal.
    EqualVerdict,
    /// They have the same score.
    EqualScore,
    /// The response preferred less is preferred once it is rewritten.
    Flips,
    /// Those flips less the flips by repetition.
    FlipsBeyondRepetition,
    /// Those flips less the flips by the neutral rewrite.
    FlipsBeyondNeutral,
}

/// Which of two responses is preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preferred {
    /// The longer one.
    Longer,
    /// The judge's own.
    Own,
}

/// Who prefers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefers {
    /// The judge.
    Judge,
    /// People.
    People,
    /// The judge, less people.
    BeyondPeople,
}

/// A change that must not matter, against which another is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placebo {
    /// The question asked again, unchanged.
    Repetition,
    /// Spaces that no reader sees.
    Neutral,
}

/// A scale that is held against that from 0 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreRange {
    /// From 0 to 1.
    One,
    /// From 0 to 100.
    Hundred,
}

impl FindingName {
    /// Whether it is a rate of verdicts that flip with the order or with a rewrite, as it stands.
    pub fn is_flip_rate(&self) -> bool {
        *self == FindingName::FlipsByOrder || self.is_flip_of_loser()
    }

    /// Whether it is a rate of preferences that flip once the response preferred less is rewritten.
    pub(super) fn is_flip_of_loser(&self) -> bool {
        matches!(
            self,
            FindingName::Rewritten {
                effect: RewriteEffect::Flips,
                ..
            }
        )
    }

    /// Returns the heading under which reports show it.
    pub fn topic(&self) -> &'static str {
        self.texts()[0]
    }

    /// Returns what the figure estimates, in words.
    pub fn estimand(&self) -> &'static str {
        self.texts()[2]
    }

    /// Returns the topic, the name (empty where that depends on more) and what it estimates. It is
    /// a table, with a row for each figure.
    fn texts(&self) -> [&'static str; 3] {
        use FindingName as N;
        match self {
            N::FirstSlot => [
                "position",
                "first slot",
                "how often the first of two is preferred, over both orders",
            ],
            N::FlipsByOrder => [
                "position",
                "flips by order",
                "how often a verdict changes when the two change places",
            ],
            N::FlipsByRepetition => [
                "position",
                "flips by repetition",
                "how often a verdict changes when the same is asked again",
            ],
            N::FlipsByNeutral => [
                "position",
                "flips by a neutral rewrite",
                "how often a verdict changes once both have spaces that no reader sees",
            ],
            N::FlipsBeyondRepetition => [
                "position",
                "flips beyond repetition",
                "flips by order minus flips by repetition",
            ],
            N::FlipsBeyondNeutral => [
                "position",
                "flips beyond neutral",
                "flips by order minus flips by a neutral rewrite",
            ],
            N::Consistency { .. } => [
                "position",
                "",
                "how often both orders have the same verdict",
            ],
            N::LoserFlipsByNeutral => [
                "distractor",
                "flips by a neutral rewrite",
                "how often the response preferred less is preferred once it has spaces that no \
                 reader sees",
            ],
            N::Rewritten { effect, .. } => ["distractor", "", effect.texts()[1]],
            N::MeanFlips => [
                "distractor",
                "all distractors: flips",
                "how often the response preferred less is preferred once it is rewritten, over \
                 all distractors",
            ],
            N::MeanTies => [
                "distractor",
                "all distractors: equal",
                "how often a response and itself, rewritten, are called equal or have the same \
                 score, over all distractors",
            ],
            N::FlipsInTurn { .. } => [
                "distractor",
                "",
                "how often the response preferred less is preferred once it is rewritten, of the \
                 items that ask this turn",
            ],
            N::ProtocolDifference { .. } => [
                "protocols",
                "",
                "flips beyond neutral under the first protocol minus those under the second, on \
                 the same items",
            ],
            N::Preference { of, by } => {
                let topic = match of {
                    Preferred::Longer => "length preference",
                    Preferred::Own => "self-preference",
                };
                [topic, "", by.texts()[1]]
            }
            N::AgreesWithPeople => [
                "accuracy",
                "agrees with people",
                "how often judge and people prefer the same, both orders together",
            ],
            N::NullWins => [
                "null answer",
                "wins",
                "how often an answer that says nothing is preferred to a real one",
            ],
            N::Circles => [
                "transitivity",
                "circles",
                "how often three responses beat each other in a circle",
            ],
            N::CertainCircles => [
                "transitivity",
                "certain circles",
                "how often they do in both orders and every repetition",
            ],
            N::Reversals { beyond, .. } => {
                let estimand = match beyond {
                    None => "how often the order of two changes with the third of a list",
                    Some(Placebo::Repetition) => {
                        "those reversals minus the reversals when the same list is asked again"
                    }
                    Some(Placebo::Neutral) => {
                        "those reversals minus the reversals when the third has spaces that no \
                         reader sees"
                    }
                };
                ["choice set", "", estimand]
            }
            N::ScoreShift(_) => [
                "scale",
                "",
                "the mean score on one scale minus that on the other, both from 0 to 1",
            ],
            N::SameScores => [
                "scale",
                "same on all three",
                "how often the three scores are the same, from 0 to 1",
            ],
            N::ScaleEnds => [
                "scale",
                "ends",
                "how often the score is one of the scale's ends",
            ],
            N::ScaleMiddle => ["scale", "middle", "how often it is the middle of the scale"],
            N::MostFrequentScore => [
                "scale",
                "most frequent",
                "how often it is the most frequent score",
            ],
            N::ScoreEntropy => [
                "scale",
                "entropy",
                "entropy of the scores in bits, of at most 3.46",
            ],
            N::BrokenAccuracy { .. } => [
                "severity",
                "",
                "how often the answer that keeps all constraints is preferred to one that breaks \
                 so many",
            ],
            N::RewrittenAccuracy { .. } => [
                "severity",
                "",
                "the same where the answer that breaks them is rewritten",
            ],
            N::AccuracyLost { .. } => [
                "severity",
                "",
                "accuracy against plain answers minus that against rewritten ones",
            ],
            N::WinRateGained { .. } => [
                "leaderboard",
                "",
                "win rate of the lowest systems against the others when they are rewritten, minus \
                 that with spaces that no reader sees",
            ],
            N::TextWithoutVerdict => [
                "reading",
                "text has no verdict",
                "how often a reply's text holds no verdict where its probabilities do",
            ],
            N::TextWithOtherVerdict => [
                "reading",
                "text has another verdict",
                "how often a reply's text says another verdict than its most probable one",
            ],
            N::NoVerdict { .. } => [
                "failures",
                "no verdict",
                "how often a question to the judge leads to no verdict",
            ],
            N::Refusals { .. } => ["failures", "refusals", "how often the judge refuses"],
            N::ByProbability(of) => {
                let estimand = match **of {
                    N::Rewritten {
                        effect: RewriteEffect::EqualVerdict,
                        ..
                    } => "the mean probability of a tie, over both orders",
                    _ => "the mean probability instead of the verdict, a tie being half of either",
                };
                [of.topic(), "", estimand]
            }
        }
    }
}

impl fmt::Display for FindingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use FindingName as N;
        match self {
            N::Consistency { third, by } => {
                let third = match third {
                    Third::Lowest => "lowest",
                    Third::Middle => "middle",
                    Third::Highest => "highest",
                };
                let by = match by {
                    LengthOrder::Mean => "length",
                    LengthOrder::Difference => "difference in length",
                };
                write!(f, "consistency, {third} third by {by}")
            }
            N::Rewritten { rewrite, effect } => write!(f, "{rewrite}: {}", effect.texts()[0]),
            N::FlipsInTurn { rewrite, turn } => {
                let rewrite = rewrite.as_deref().unwrap_or("all distractors");
                write!(f, "{rewrite}: flips, turn {turn}")
            }
            N::ProtocolDifference { rewrite } => write!(f, "{rewrite}: flips beyond neutral"),
            N::Preference { of, by } => {
                let of = match of {
                    Preferred::Longer => "longer",
                    Preferred::Own => "own",
                };
                write!(f, "{of}, {}", by.texts()[0])
            }
            N::Reversals {
                beyond,
                third_first,
            } => {
                let beyond = match beyond {
                    None => "",
                    Some(Placebo::Repetition) => " beyond repetition",
                    Some(Placebo::Neutral) => " beyond neutral",
                };
                let place = if *third_first { "first" } else { "last" };
                write!(f, "reversals{beyond}, third response {place}")
            }
            N::ScoreShift(ScoreRange::One) => f.write_str("0 to 1 against 0 to 10"),
            N::ScoreShift(ScoreRange::Hundred) => f.write_str("0 to 100 against 0 to 10"),
            N::BrokenAccuracy { broken } => write!(f, "{broken} broken: accuracy"),
            N::RewrittenAccuracy { broken, rewrite } => {
                write!(f, "{broken} broken, {rewrite}: accuracy")
            }
            N::AccuracyLost { broken, rewrite } => {
                write!(f, "{broken} broken, {rewrite}: accuracy lost")
            }
            N::WinRateGained { rewrite } => write!(f, "{rewrite}: win rate gained"),
            N::NoVerdict {
                category: Some(category),
            }
            | N::Refusals {
                category: Some(category),
            } => write!(f, "{}, {category}", self.texts()[1]),
            N::ByProbability(of) => write!(f, "{of}, by probability"),
            named => f.write_str(named.texts()[1]),
        }
    }
}

impl RewriteEffect {
    /// Returns the name and what it estimates.
    fn texts(self) -> [&'static str; 2] {
        match self {
            RewriteEffect::Preferred => [
                "preferred",
                "how often a response is preferred to itself for being rewritten",
            ],
            RewriteEffect::EqualVerdict => [
                "equal",
                "how often a response and itself, rewritten, are called equal",
            ],
            RewriteEffect::EqualScore => [
                "equal",
                "how often a response and itself, rewritten, have the same score",
            ],
            RewriteEffect::Flips => [
                "flips",
                "how often the response preferred less is preferred once it is rewritten",
            ],
            RewriteEffect::FlipsBeyondRepetition => [
                "flips beyond repetition",
                "those flips minus the flips when the same is asked again",
            ],
            RewriteEffect::FlipsBeyondNeutral => [
                "flips beyond neutral",
                "those flips minus the flips when only spaces are added that no reader sees",
            ],
        }
    }
}

impl Prefers {
    /// Returns the name and what it estimates.
    fn texts(self) -> [&'static str; 2] {
        match self {
            Prefers::Judge => [
                "by the judge",
                "how often the judge prefers it, over both orders",
            ],
            Prefers::People => ["by people", "how often people do"],
            Prefers::BeyondPeople => [
                "beyond people",
                "how often the judge prefers it minus how often people do",
            ],
        }
    }
}
