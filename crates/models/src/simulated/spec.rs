//! The planted defects, as the user writes them: `accuracy=0.8,first-slot=0.1,invalid=0.02`.

use super::taste::Taste;
use crate::ModelError;
use std::fmt;

/// The planted defects of a simulated judge. Probabilities are in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Probability of choosing the better of two, whatever the gap; None: Bradley-Terry with `gap`.
    pub accuracy: Option<f64>,
    /// Planted log-odds between a system and the next one.
    pub gap: f64,
    /// Probability that the slot decides: the first if positive, the second if negative.
    pub first_slot: f64,
    /// Probability that the longer response is chosen for being longer.
    pub length: f64,
    /// Probability that words such as "definitely" decide.
    pub distractor: f64,
    /// What else decides, and how often.
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
    /// Milliseconds that a call takes.
    pub delay_ms: f64,
    /// Seed of its draws.
    pub seed: u64,
    /// A file to which each call's key is appended, to see what was asked.
    pub log: Option<String>,
}

impl Default for Spec {
    fn default() -> Self {
        Spec {
            accuracy: None,
            gap: 0.5,
            first_slot: 0.0,
            length: 0.0,
            distractor: 0.0,
            tastes: Vec::new(),
            own: None,
            own_bonus: 0.0,
            intransitive: 0.0,
            choice_set: 0.0,
            wide_scale: 0.0,
            tie: 0.0,
            compression: 0.0,
            invalid: 0.0,
            refuse: 0.0,
            misread: 0.0,
            greedy: false,
            probabilities: false,
            delay_ms: 0.0,
            seed: 0,
            log: None,
        }
    }
}

const KEYS: &str = "accuracy, gap, first-slot, length, distractor, flattery, markdown, emoji, \
                    authority, injection, self=SYSTEM:SHARE, intransitive, choice-set, wide-scale, \
                    tie, compression, invalid, refuse, misread, greedy, probabilities, delay-ms, \
                    seed, log";

impl Spec {
    /// Reads `key=value,…`; an empty text is the judge without defects.
    pub fn parse(text: &str) -> Result<Spec, ModelError> {
        let mut spec = Spec::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| bad(part, "expected key=value"))?;
            spec.set(part, key.trim(), value.trim())?;
        }
        Ok(spec)
    }

    fn set(&mut self, part: &str, key: &str, value: &str) -> Result<(), ModelError> {
        match key {
            "accuracy" => self.accuracy = Some(number(part, value, 0.0, 1.0)?),
            "gap" => self.gap = number(part, value, -100.0, 100.0)?,
            "first-slot" => self.first_slot = number(part, value, -1.0, 1.0)?,
            "length" => self.length = number(part, value, 0.0, 1.0)?,
            "distractor" => self.distractor = number(part, value, 0.0, 1.0)?,
            "self" => self.set_own(part, value)?,
            "intransitive" => self.intransitive = number(part, value, 0.0, 1.0)?,
            "tie" => self.tie = number(part, value, 0.0, 1.0)?,
            "compression" => self.compression = number(part, value, 0.0, 1.0)?,
            "invalid" => self.invalid = number(part, value, 0.0, 1.0)?,
            "refuse" => self.refuse = number(part, value, 0.0, 1.0)?,
            "misread" => self.misread = number(part, value, 0.0, 1.0)?,
            "greedy" => self.greedy = truth(part, value)?,
            "probabilities" => self.probabilities = truth(part, value)?,
            "delay-ms" => self.delay_ms = number(part, value, 0.0, 60_000.0)?,
            "seed" => {
                self.seed = value
                    .parse()
                    .map_err(|_| bad(part, "expected a whole number"))?
            }
            "log" => self.log = Some(value.to_string()),
            "choice-set" => self.choice_set = number(part, value, 0.0, 1.0)?,
            "wide-scale" => self.wide_scale = number(part, value, 0.0, 1.0)?,
            taste => match Taste::named(taste) {
                Some(taste) => self.tastes.push((taste, number(part, value, 0.0, 1.0)?)),
                None => return Err(bad(part, &format!("unknown key; expected one of {KEYS}"))),
            },
        }
        Ok(())
    }

    fn set_own(&mut self, part: &str, value: &str) -> Result<(), ModelError> {
        let (system, share) = value
            .rsplit_once(':')
            .ok_or_else(|| bad(part, "expected self=SYSTEM:SHARE"))?;
        self.own_bonus = number(part, share, 0.0, 1.0)?;
        self.own = Some(system.to_string());
        Ok(())
    }
}

fn number(part: &str, value: &str, low: f64, high: f64) -> Result<f64, ModelError> {
    let number: Option<f64> = value.parse().ok();
    number
        .filter(|n| (low..=high).contains(n))
        .ok_or_else(|| bad(part, &format!("expected a number from {low} to {high}")))
}

fn truth(part: &str, value: &str) -> Result<bool, ModelError> {
    value
        .parse()
        .map_err(|_| bad(part, "expected true or false"))
}

fn bad(part: &str, why: &str) -> ModelError {
    ModelError::Open(format!("simulated judge: `{part}`: {why}"))
}

/// What can change a reply, in a fixed order: the delay and the log are left out.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.accuracy {
            Some(accuracy) => write!(f, "accuracy={accuracy}")?,
            None => write!(f, "gap={}", self.gap)?,
        }
        let shares = [
            ("first-slot", self.first_slot),
            ("length", self.length),
            ("distractor", self.distractor),
            ("intransitive", self.intransitive),
            ("choice-set", self.choice_set),
            ("wide-scale", self.wide_scale),
            ("tie", self.tie),
            ("compression", self.compression),
            ("invalid", self.invalid),
            ("refuse", self.refuse),
            ("misread", self.misread),
        ];
        for (key, share) in shares.iter().filter(|(_, share)| *share != 0.0) {
            write!(f, ",{key}={share}")?;
        }
        for (taste, share) in self.tastes.iter().filter(|(_, share)| *share != 0.0) {
            write!(f, ",{}={share}", taste.name())?;
        }
        if let Some(own) = &self.own {
            write!(f, ",self={own}:{}", self.own_bonus)?;
        }
        for (key, _) in [
            ("greedy", self.greedy),
            ("probabilities", self.probabilities),
        ]
        .iter()
        .filter(|(_, set)| *set)
        {
            write!(f, ",{key}=true")?;
        }
        write!(f, ",seed={}", self.seed)
    }
}
