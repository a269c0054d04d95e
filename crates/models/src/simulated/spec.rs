//! The planted defects, as the user writes them: `accuracy=0.8,first-slot=0.1,invalid=0.02`.

use super::taste::Taste;
use crate::ModelError;
use evenhand_core::did_you_mean;
use std::fmt;
use std::str::FromStr;

/// The planted defects of a simulated judge. Probabilities are in [0, 1].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spec {
    /// Probability of choosing the better of two, whatever the gap; None: Bradley-Terry with `gap`.
    pub accuracy: Option<f64>,
    /// Planted log-odds between a system and the next one; None: 0.5.
    pub gap: Option<f64>,
    /// Probability that the slot decides: the first if positive, the second if negative.
    pub first_slot: f64,
    /// Probability that the longer response is chosen for being longer.
    pub length: f64,
    /// Probability that words such as "definitely" decide.
    pub distractor: f64,
    /// Other tastes that decide, and how often.
    pub tastes: Vec<(Taste, f64)>,
    /// The system that the judge takes for its own.
    pub own: Option<String>,
    /// Probability that its own system is chosen for being its own.
    pub own_bonus: f64,
    /// Probability that a cyclic preference decides.
    pub intransitive: f64,
    /// Probability that the order of a list is one that depends on all of its members together.
    pub choice_set: f64,
    /// How far scores are pulled up on scales that end above 10.
    pub wide_scale: f64,
    /// Probability of a tie, in forms that have one.
    pub tie: f64,
    /// How far pointwise scores are pulled to the middle of the scale.
    pub compression: f64,
    /// Probability of a reply that holds no verdict.
    pub invalid: f64,
    /// Probability of a refusal.
    pub refuse: f64,
    /// Probability that the text names another answer than the most probable one, where the judge
    /// chooses among answers.
    pub misread: f64,
    /// Whether the judge says the same whenever it is asked the same again, whichever sample is
    /// asked for.
    pub greedy: bool,
    /// Whether the judge gives token probabilities; text only otherwise.
    pub probabilities: bool,
    /// Whether it answers questions with probabilities, and writes no text.
    pub decides: bool,
    /// Of such a judge: the probability that it takes the option that stands first, whichever it
    /// is.
    pub option_flips: f64,
    /// Of such a judge: the probability that it answers with something else than an option.
    pub off_label: f64,
    /// Of such a judge: the probability that a sample says the reverse of the others.
    pub rerun_flips: f64,
    /// Milliseconds that a call takes.
    pub delay_ms: f64,
    /// Seed of its draws.
    pub seed: u64,
    /// A file to which each call's key is appended, to see what was asked.
    pub log: Option<String>,
}

/// The planted log-odds where none are given.
const USUAL_GAP: f64 = 0.5;

const KEYS: &str = "accuracy, gap, first-slot, length, distractor, flattery, markdown, emoji, \
                    authority, injection, self=SYSTEM:SHARE, intransitive, choice-set, wide-scale, \
                    tie, compression, invalid, refuse, misread, greedy, probabilities, decides, \
                    option-flips, off-label, rerun-flips, delay-ms, seed, log";

impl Spec {
    /// Reads `key=value,…`; an empty text is the judge without defects.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] with the part that cannot be read and what was expected.
    pub fn parse(text: &str) -> Result<Spec, ModelError> {
        let mut spec = Spec::default();
        for text in text.split(',').filter(|text| !text.is_empty()) {
            spec.set(&Part::parse(text)?)?;
        }
        Ok(spec)
    }

    /// Returns the planted log-odds between a system and the next one.
    pub(super) fn gap(&self) -> f64 {
        self.gap.unwrap_or(USUAL_GAP)
    }

    fn set(&mut self, part: &Part) -> Result<(), ModelError> {
        for (key, share) in self.shares_mut() {
            if key == part.key {
                let low = if key == "first-slot" { -1.0 } else { 0.0 };
                *share = part.number(low, 1.0)?;
                return Ok(());
            }
        }
        match part.key {
            "accuracy" => self.accuracy = Some(part.number(0.0, 1.0)?),
            "gap" => self.gap = Some(part.number(-100.0, 100.0)?),
            "self" => {
                let Some((system, share)) = part.value.rsplit_once(':') else {
                    return Err(part.refuse("expected self=SYSTEM:SHARE"));
                };
                // Errors show the whole part.
                let share = Part {
                    value: share,
                    ..*part
                };
                self.own_bonus = share.number(0.0, 1.0)?;
                self.own = Some(system.to_string());
            }
            "greedy" => self.greedy = part.parse_as("true or false")?,
            "probabilities" => self.probabilities = part.parse_as("true or false")?,
            "decides" => self.decides = part.parse_as("true or false")?,
            "delay-ms" => self.delay_ms = part.number(0.0, 60_000.0)?,
            "seed" => self.seed = part.parse_as("a whole number")?,
            "log" => self.log = Some(part.value.to_string()),
            _ => {
                let Ok(taste) = part.key.parse::<Taste>() else {
                    let keys = KEYS.split(", ").filter_map(|key| key.split('=').next());
                    let meant = did_you_mean(part.key, keys);
                    return Err(part.refuse(&format!("unknown key; expected one of {KEYS}{meant}")));
                };
                self.tastes.push((taste, part.number(0.0, 1.0)?));
            }
        }
        Ok(())
    }

    /// Returns the probabilities that can change a reply, in a fixed order.
    fn shares_mut(&mut self) -> [(&'static str, &mut f64); 14] {
        [
            ("first-slot", &mut self.first_slot),
            ("length", &mut self.length),
            ("distractor", &mut self.distractor),
            ("intransitive", &mut self.intransitive),
            ("choice-set", &mut self.choice_set),
            ("wide-scale", &mut self.wide_scale),
            ("tie", &mut self.tie),
            ("compression", &mut self.compression),
            ("invalid", &mut self.invalid),
            ("refuse", &mut self.refuse),
            ("misread", &mut self.misread),
            ("option-flips", &mut self.option_flips),
            ("off-label", &mut self.off_label),
            ("rerun-flips", &mut self.rerun_flips),
        ]
    }
}

/// One `key=value` of a specification.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// As the user wrote it.
    text: &'a str,
    key: &'a str,
    value: &'a str,
}

impl<'a> Part<'a> {
    fn parse(text: &'a str) -> Result<Part<'a>, ModelError> {
        match text.split_once('=') {
            Some((key, value)) => Ok(Part {
                text,
                key: key.trim(),
                value: value.trim(),
            }),
            None => Err(refuse(text, "expected key=value")),
        }
    }

    fn number(&self, low: f64, high: f64) -> Result<f64, ModelError> {
        match self.value.parse() {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            _ => Err(self.refuse(&format!("expected a number from {low} to {high}"))),
        }
    }

    fn parse_as<T: FromStr>(&self, expected: &str) -> Result<T, ModelError> {
        let value = self.value.parse();
        value.map_err(|_| self.refuse(&format!("expected {expected}")))
    }

    fn refuse(&self, why: &str) -> ModelError {
        refuse(self.text, why)
    }
}

fn refuse(part: &str, why: &str) -> ModelError {
    ModelError::Open(format!("simulated judge: `{part}`: {why}"))
}

/// Writes what can change a reply, in a fixed order: the delay and the log are left out.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accuracy {
            Some(accuracy) => write!(f, "accuracy={accuracy}")?,
            None => write!(f, "gap={}", self.gap())?,
        }
        let mut own = self.clone();
        let shares = own.shares_mut().map(|(key, share)| (key, *share));
        let tastes = self.tastes.iter();
        let tastes = tastes.map(|(taste, share)| (taste.name(), *share));
        for (key, share) in shares.into_iter().chain(tastes) {
            if share != 0.0 {
                write!(f, ",{key}={share}")?;
            }
        }
        if let Some(own) = &self.own {
            write!(f, ",self={own}:{}", self.own_bonus)?;
        }
        for (key, is_so) in [
            ("greedy", self.greedy),
            ("probabilities", self.probabilities),
            ("decides", self.decides),
        ] {
            if is_so {
                write!(f, ",{key}=true")?;
            }
        }
        write!(f, ",seed={}", self.seed)
    }
}
