//! What comes of a condition.

use super::super::change::{Change, POWER};
use super::super::{
    AnswerFigure, CategoryChange, Comparison, Drift, DriftLooks, Measure, Measured,
    SMALLEST_CATEGORY, SystemChange, holm_of_changes,
};
use super::missing::{hold_back, least_items};
use super::{COMPARISON, FigureRange, Gate, GateFigure, GateOutcome, GateTest, Part, Scope, Who};
use evenhand_core::{Refusal, Setting, items_in_words, p_value_text};
use evenhand_stats::change::least_p_value;
use evenhand_stats::minimum_detectable_difference;

/// A condition that a user gave, and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The condition, as the user wrote it.
    pub text: String,
    /// Whether it is met, passed or open.
    pub outcome: GateOutcome,
    /// The figures that decided, or what the data lack, in words.
    pub why: String,
    /// The step that would decide it, as a sentence without its full stop; None unless it is open and
    /// that step is known.
    pub advice: Option<String>,
}

impl GateResult {
    /// Returns the condition with why it came so, and behind it what would decide it.
    pub fn sentence(&self) -> String {
        let GateResult { text, why, .. } = self;
        let step = match self.outcome {
            GateOutcome::Inconclusive(Some(1)) => {
                Some("1 more item would probably decide it".into())
            }
            GateOutcome::Inconclusive(Some(more)) => {
                Some(format!("{more} more items would probably decide it"))
            }
            _ => self.advice.clone(),
        };
        match step {
            Some(step) => format!("{text} ({why}). {step}"),
            None => format!("{text} ({why})"),
        }
    }

    /// Returns why it came so, and behind it what was advised.
    pub fn reason(&self) -> String {
        match &self.advice {
            Some(advice) => format!("{}. {advice}", self.why),
            None => self.why.clone(),
        }
    }
}

/// What comes of a condition, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// What comes of it.
    pub outcome: GateOutcome,
    /// The figures that decide, or what the data lack, in words.
    pub why: String,
    /// The step that would decide it; None unless it is open and that step is known.
    pub advice: Option<String>,
}

impl Decided {
    /// Returns what the figures say.
    pub fn new(outcome: GateOutcome, why: impl Into<String>) -> Decided {
        let why = why.into();
        let advice = None;
        Decided {
            outcome,
            why,
            advice,
        }
    }

    /// Returns that the data do not decide a condition.
    pub fn open(why: impl Into<String>) -> Decided {
        Decided::new(GateOutcome::Inconclusive(None), why)
    }

    /// Returns that what is missing leaves a condition open. The figures of the rest say nothing of
    /// that, and stand elsewhere.
    pub fn missing(lacking: &str) -> Decided {
        let allowed = Setting::AllowMissing;
        Decided::open(format!("missing: {lacking}")).advised(format!(
            "Complete what is missing, or give {allowed} to decide by what is there"
        ))
    }

    fn advised(self, advice: impl Into<String>) -> Decided {
        Decided {
            advice: Some(advice.into()),
            ..self
        }
    }

    /// Returns what came of the condition that is written so.
    pub fn of(self, text: &str) -> GateResult {
        GateResult {
            text: text.into(),
            outcome: self.outcome,
            why: self.why,
            advice: self.advice,
        }
    }
}

/// Figures of the current side that the comparison itself does not hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct GateFigures {
    /// Whether a condition is decided by the data that are there where others are missing.
    pub allow_missing: bool,
    /// What the run cost in USD, where that is known.
    pub cost: Option<f64>,
}

/// The figures that conditions on a comparison can name.
#[derive(Clone, Copy, Debug)]
pub struct ComparedFigures {
    /// The share of what should be there that is: of the current side's plan that came to a
    /// verdict, or of the baseline's systems and items that are compared, whichever is smaller.
    pub coverage: Option<f64>,
    /// The current side's judgments without a verdict.
    pub failures: u64,
    /// Items that the comparison rests on: the least of the systems that conditions are on.
    pub items: usize,
    /// The cost of the current run, in USD; None where it is not known.
    pub cost: Option<f64>,
}

/// Decides each condition.
///
/// # Errors
/// A condition on a system or a category that is not compared, or with a bound beyond what its
/// figure can be.
pub fn decide_gates(
    gates: &[Gate],
    comparison: &Comparison,
    figures: GateFigures,
) -> Result<Vec<GateResult>, Refusal> {
    let bench = Bench {
        gates,
        comparison,
        figures,
    };
    gates.iter().map(|gate| bench.decide(gate)).collect()
}

struct Bench<'a> {
    gates: &'a [Gate],
    comparison: &'a Comparison,
    figures: GateFigures,
}

/// A change that a condition is about.
struct Case<'a> {
    name: String,
    change: &'a Change,
    /// Its p-value, corrected where it is one of several that the condition looks at.
    p: Option<f64>,
    /// How many the correction is for, this one among them.
    looked_at: usize,
    /// What those are: "systems".
    among: &'static str,
    /// A category with too few items.
    too_small: bool,
    as_share: bool,
}

impl Bench<'_> {
    fn decide(&self, gate: &Gate) -> Result<GateResult, Refusal> {
        let is_of_answers = matches!(gate.test, GateTest::Bound(GateFigure::Answers(..), ..));
        let (mut ranges, mut note) = (vec![None], None);
        if let Some(who) = gate.who().filter(|_| !is_of_answers) {
            let systems = self.find(gate, who)?;
            let scores = self.comparison.score_range;
            let range = |system: &&SystemChange| match system.measure {
                Measure::HeadToHead => Some(FigureRange::difference_of_shares(0.5)),
                Measure::WinShare => Some(FigureRange::difference_of_shares(1.0)),
                Measure::Score => scores.map(FigureRange::difference_of_scores),
            };
            ranges = systems.iter().map(range).collect();
            if scores.is_none() {
                note = note_on_bound(gate, &systems);
            }
        }
        for range in ranges {
            gate.check_range(range).map_err(Refusal::of_input)?;
        }
        let level = self.comparison.level;
        let found = match (&gate.test, gate.who()) {
            (GateTest::Bound(GateFigure::Named { name, of, .. }, comparison, bound), _) => {
                let figures = ComparedFigures {
                    coverage: self.comparison.coverage(),
                    failures: self.comparison.failures[1],
                    items: least_items(self.gates, self.comparison),
                    cost: self.figures.cost,
                };
                let value = COMPARISON.value(name, of.as_deref(), &figures);
                decide_bound(name.to_string(), value, *comparison, *bound)
            }
            (GateTest::Bound(GateFigure::Answers(figure, who, part), comparison, bound), _) => {
                worst(
                    self.measure(gate, who, *figure)?
                        .iter()
                        .map(|(name, measured)| {
                            let allow_missing = self.figures.allow_missing;
                            decide_measured(
                                name,
                                measured,
                                *part,
                                (*comparison, *bound),
                                allow_missing,
                            )
                        }),
                )
            }
            (test, Some(who)) => {
                let cases = self.cases(gate, who)?;
                worst(cases.iter().map(|case| case.decide(test, level)))
            }
            (_, None) => self.decide_drift(),
        };
        let mut found = match self.figures.allow_missing {
            true => found,
            false => hold_back(gate, self.comparison, found),
        };
        found.why += &note.unwrap_or_default();
        Ok(found.of(&gate.text))
    }

    /// The figures of answers that a condition is on, and whose they are: of every system of the
    /// current side that is compared, of the one that is named, or the change that is.
    fn measure(
        &self,
        gate: &Gate,
        who: &Who,
        figure: AnswerFigure,
    ) -> Result<Vec<(String, Measured)>, Refusal> {
        let level = self.comparison.level;
        if let Who::System(_, Some(_)) = who {
            let changes = self.find(gate, who)?.into_iter().map(|system| {
                let name = format!("{} against {}", system.current, system.baseline);
                (name, system.measure_change(figure, level))
            });
            return Ok(changes.collect());
        }
        let mut found: Vec<(String, Measured)> = Vec::new();
        for system in &self.comparison.systems {
            for (name, measured) in system.measure(figure, level) {
                let is_meant = match who {
                    Who::Any => true,
                    Who::System(named, _) => named == name,
                };
                if is_meant && found.iter().all(|(known, _)| known != name) {
                    found.push((name.into(), measured));
                }
            }
        }
        if found.is_empty() {
            // One that is missing is no mistake; one that nobody knows is.
            self.find(gate, who)?;
        }
        Ok(found)
    }

    fn decide_drift(&self) -> Decided {
        let Some(drift) = &self.comparison.drift else {
            return Decided::open("no answer that did not change was judged on both sides");
        };
        if drift.judgments == 0 {
            return Decided::open(
                "all judgments of unchanged answers rest on the same replies on both sides",
            );
        }
        if let Some(looks) = &drift.looks {
            return self.decide_looks(drift, looks);
        }
        let tested = drift.tests.iter().map(|test| test.change.questions);
        let questions = tested.max().unwrap_or(0);
        if !drift.can_be_found(self.comparison.level) {
            let judged = items_in_words(drift.items as u64, questions as u64);
            return Decided::open(format!(
                "{judged} that were judged twice are too few to say"
            ));
        }
        let least = drift.tests.iter().filter_map(|test| test.p_adjusted);
        let p = least.fold(1.0, f64::min);
        let turned = match drift.changed {
            0 => String::new(),
            changed => format!(", of which {changed} turned"),
        };
        let why = format!(
            "smallest p {} on {} judgments of the same answers{turned}",
            p_value_text(p),
            drift.judgments
        );
        if drift.is_significant(self.comparison.level) {
            return Decided::new(GateOutcome::Met, why);
        }
        if drift.has_turned_much() && !drift.compares_with_noise(self.comparison.level) {
            let again = match drift.are_scores() {
                true => "Repeat each judgment",
                false => "Judge each in both orders, repeat it",
            };
            return Decided::open(format!("{why}: that may be the judge's noise or a change"))
                .advised(format!("{again}, or judge more of them"));
        }
        Decided::new(GateOutcome::Passed, why)
    }

    fn decide_looks(&self, drift: &Drift, looks: &DriftLooks) -> Decided {
        let level = self.comparison.level;
        let count = match looks.looks.len() {
            1 => "1 look".into(),
            count => format!("{count} looks"),
        };
        let why = format!(
            "p {} over {count} at the same answers",
            p_value_text(looks.p)
        );
        if let Some(look) = looks.found_at(level) {
            let run = &looks.looks[look - 1].run;
            let why = format!("{why}; found at look {look}, {run}");
            return Decided::new(GateOutcome::Met, why);
        }
        if !looks.can_be_found(level) {
            return Decided::open(format!("{count} at so few answers cannot show a change"));
        }
        if drift.has_turned_much() && !drift.compares_with_noise(level) {
            return Decided::open(format!(
                "{why}; {} judgments turned: one look does not tell the judge's noise from a change",
                drift.changed
            ))
            .advised("Name the runs between");
        }
        Decided::new(GateOutcome::Passed, why)
    }

    /// The changes that a condition is about.
    fn cases(&self, gate: &Gate, who: &Who) -> Result<Vec<Case<'_>>, Refusal> {
        let systems = self.find(gate, who)?;
        let mut cases = Vec::new();
        for system in &systems {
            cases.extend(cases_of(gate, system)?);
        }
        let level = self.comparison.level;
        let changes: Vec<Option<&Change>> = cases.iter().map(|case| Some(case.change)).collect();
        let adjusted = holm_of_changes(&changes, level);
        let can_be_found = |case: &Case| case.change.can_be_found(level);
        let counted = cases.iter().filter(|case| can_be_found(case)).count();
        let among = match gate.scope {
            Scope::AnyCategory if systems.len() > 1 => "comparisons",
            Scope::AnyCategory => "categories",
            _ => "systems",
        };
        for (case, p) in cases.iter_mut().zip(adjusted) {
            (case.p, case.among) = (p, among);
            case.looked_at = counted + usize::from(!can_be_found(case));
        }
        Ok(cases)
    }

    /// The changes of the systems that are meant; none where they are missing.
    fn find(&self, gate: &Gate, who: &Who) -> Result<Vec<&SystemChange>, Refusal> {
        let systems = self.comparison.systems.iter();
        let Who::System(new, old) = who else {
            return Ok(systems.collect());
        };
        let matches = |system: &&SystemChange| {
            let same = old.as_ref().is_none_or(|old| *old == system.baseline);
            system.current == *new && same
        };
        let found: Vec<&SystemChange> = systems.clone().filter(matches).collect();
        // A system that is gone, or has no item on both sides, is missing, and no mistake.
        let mut known = self.comparison.missing.systems.iter();
        let is_missing = known.any(|one| one.is_named(new, old.as_deref()));
        if found.is_empty() && !is_missing {
            let pairs = systems.map(|system| format!("{},{}", system.current, system.baseline));
            let pairs: Vec<String> = pairs.collect();
            return Err(Refusal::of_input(format!(
                "{} {}: that is not compared here; what is, as NEW,OLD: {}",
                Setting::FailIf,
                gate.text,
                pairs.join("; ")
            )));
        }
        Ok(found)
    }
}

/// Warns of a margin or a bound beyond all that scores of an unknown scale differ by: it is
/// probably in another unit.
fn note_on_bound(gate: &Gate, systems: &[&SystemChange]) -> Option<String> {
    let bound = match gate.test {
        GateTest::Worse(_, margin) | GateTest::Inferior(_, margin) => margin,
        GateTest::Bound(GateFigure::Difference(_, part), _, bound) if part != Part::P => bound,
        _ => return None,
    };
    let scored = systems
        .iter()
        .filter(|system| system.measure == Measure::Score);
    let items = scored.flat_map(|system| &system.by_item);
    let values = items.flat_map(|item| [item.baseline, item.current]);
    let ends = values.map(|value| [value, value]);
    let [low, high] = ends.reduce(|[low, high], [other, _]| [low.min(other), high.max(other)])?;
    // Scores are kept to a millionth.
    let width = ((high - low) * 1e6).round() / 1e6;
    (bound.abs() > width).then(|| {
        format!(
            "; check {}: all of these scores lie within {width} points of each other, and their \
             scale is not known",
            bound.abs()
        )
    })
}

fn cases_of<'a>(gate: &Gate, system: &'a SystemChange) -> Result<Vec<Case<'a>>, Refusal> {
    let as_share = system.measure != Measure::Score;
    let of_category = |one: &'a CategoryChange| {
        let name = format!("{} in {}", system.current, one.category);
        Case {
            too_small: one.too_small,
            ..Case::new(name, &one.change, as_share)
        }
    };
    match &gate.scope {
        Scope::All => {
            let name = system.current.clone();
            Ok(vec![Case::new(name, system.change(), as_share)])
        }
        Scope::AnyCategory => {
            let large = system.categories.iter().filter(|one| !one.too_small);
            let cases: Vec<Case> = large.map(of_category).collect();
            if cases.is_empty() {
                return Err(Refusal::of_input(format!(
                    "{} {}: none of the {} categories has {SMALLEST_CATEGORY} items or \
                     more, which a test needs",
                    Setting::FailIf,
                    gate.text,
                    system.categories.len()
                )));
            }
            Ok(cases)
        }
        Scope::Category(name) => {
            let mut categories = system.categories.iter();
            if let Some(one) = categories.find(|one| one.category == *name) {
                return Ok(vec![of_category(one)]);
            }
            let names = system.categories.iter().map(|one| one.category.as_str());
            let names: Vec<&str> = names.collect();
            let known = match names[..] {
                [] => "the items have no categories".to_string(),
                _ => format!("the categories are {}", names.join(", ")),
            };
            Err(Refusal::of_input(format!(
                "{} {}: there is no such category; {known}",
                Setting::FailIf,
                gate.text
            )))
        }
    }
}

impl<'a> Case<'a> {
    /// A change that is looked at alone.
    fn new(name: String, change: &'a Change, as_share: bool) -> Case<'a> {
        Case {
            name,
            change,
            p: change.p_value,
            looked_at: 1,
            among: "systems",
            too_small: false,
            as_share,
        }
    }

    fn decide(&self, test: &GateTest, level: f64) -> Decided {
        match test {
            GateTest::Worse(_, margin) => self.decide_worse(*margin, level),
            GateTest::Inferior(_, margin) => self.decide_inferior(*margin, level),
            GateTest::Bound(GateFigure::Difference(_, part), comparison, bound) => {
                let (name, value) = self.part(*part);
                let found = decide_bound(name, value, *comparison, *bound);
                // The difference itself is what it is, however few the items.
                let is_estimate = *part == Part::Estimate;
                if found.outcome == GateOutcome::Passed && !is_estimate {
                    return self.cannot_find(1.0 - level, &found.why).unwrap_or(found);
                }
                found
            }
            GateTest::Bound(..) | GateTest::Drift => Decided::open("that is of no two systems"),
        }
    }

    fn decide_worse(&self, margin: f64, level: f64) -> Decided {
        let Some(p) = self.p else {
            return self.undecided();
        };
        let alpha = 1.0 - level;
        let is_met = |p: f64| {
            let beyond = |[_, high]: [f64; 2]| high < -margin;
            let far = margin == 0.0 || self.change.interval.is_some_and(beyond);
            self.change.difference < 0.0 && p < alpha && far
        };
        let mut why = self.describe();
        if is_met(p) {
            return Decided::new(GateOutcome::Met, why);
        }
        if let Some(open) = self.cannot_find(alpha, &why) {
            return open;
        }
        // One of several that would stop the pipeline by itself is no pass: more that are looked
        // at, which say nothing of it, would let anything through.
        if self.change.p_value.is_some_and(is_met) {
            return Decided::open(format!(
                "{why}; alone it would be found, but among {} it may be chance",
                self.looked_at
            ))
            .advised("Name the one that matters, or judge more items");
        }
        if let Some(least) = self.change.detectable {
            let least = self.number(least);
            why += &format!("; a drop of {least} would probably have been found");
        }
        Decided::new(GateOutcome::Passed, why)
    }

    /// Returns that it is open, where there are fewer questions than a test needs to find anything
    /// among so many that are looked at, or the judge may be what changed: a condition that could
    /// never be met is not passed. `why` are the figures.
    fn cannot_find(&self, alpha: f64, why: &str) -> Option<Decided> {
        if let (true, Some(doubt)) = (self.change.judge_in_doubt, &self.change.undefined) {
            return Some(Decided::open(format!("{why}; {doubt}")));
        }
        let least = |questions: usize| least_p_value(questions) * self.looked_at as f64;
        let Change {
            items, questions, ..
        } = *self.change;
        if questions == 0 || least(questions) < alpha {
            return None;
        }
        let needed = (questions..).find(|more| least(*more) < alpha)?;
        let counted = if questions < items {
            "questions"
        } else {
            "items"
        };
        let among = match self.looked_at {
            1 => String::new(),
            several => format!(" among {several}"),
        };
        let few = format!("with fewer than {needed} {counted} nothing can be found{among}");
        let advice = format!("Judge {needed} {counted} or more");
        Some(Decided::open(format!("{why}; {few}")).advised(advice))
    }

    fn decide_inferior(&self, margin: f64, level: f64) -> Decided {
        let Some([low, high]) = self.change.interval else {
            return self.undecided();
        };
        let why = self.describe();
        let outcome = if low >= -margin {
            GateOutcome::Passed
        } else if high < -margin {
            GateOutcome::Met
        } else {
            GateOutcome::Inconclusive(self.items_needed(margin, level))
        };
        Decided::new(outcome, why)
    }

    /// How many more items would probably tell the change from the margin, if it is what it is
    /// here.
    fn items_needed(&self, margin: f64, level: f64) -> Option<u64> {
        let change = self.change;
        let gap = (change.difference + margin).abs();
        let deviation = change.deviation?;
        let seen = minimum_detectable_difference(change.questions, deviation, level, POWER).ok()?;
        let needed = change.items as f64 * (seen / gap).powi(2);
        let more = (needed - change.items as f64).ceil().max(1.0);
        (more < 1e9).then_some(more as u64)
    }

    fn undecided(&self) -> Decided {
        let why = match (&self.change.undefined, self.too_small) {
            (_, true) => format!("only {}", self.change.items_in_words()),
            (Some(why), _) => why.clone(),
            _ => "there is no interval".into(),
        };
        Decided::open(format!("{}: {why}", self.name))
    }

    fn describe(&self) -> String {
        let difference = self.number(self.change.difference);
        let ends = self.change.interval.map(|ends| {
            let [low, high] = ends.map(|end| self.bare_number(end));
            format!("{low} to {high}")
        });
        // The interval is of this one alone, and so is the p-value beside it.
        let alone = self
            .change
            .p_value
            .map(|p| format!("p {}", p_value_text(p)));
        let trust: Vec<String> = ends.into_iter().chain(alone).collect();
        let corrected = match self.p {
            Some(p) if self.looked_at > 1 => {
                format!(
                    "; p {} corrected for {} {}",
                    p_value_text(p),
                    self.looked_at,
                    self.among
                )
            }
            _ => String::new(),
        };
        let items = match self.change.items {
            0 => String::new(),
            _ => format!(" on {}", self.change.items_in_words()),
        };
        format!(
            "{}: {difference} ({}{corrected}){items}",
            self.name,
            trust.join(", ")
        )
    }

    /// Shares in points of a hundred, scores as they are.
    fn number(&self, value: f64) -> String {
        let bare = self.bare_number(value);
        if self.as_share {
            format!("{bare} points")
        } else {
            bare
        }
    }

    fn bare_number(&self, value: f64) -> String {
        if self.as_share {
            format!("{:.1}", 100.0 * value)
        } else {
            number(value)
        }
    }

    fn part(&self, part: Part) -> (String, Option<f64>) {
        let ends = self.change.interval;
        let (name, value) = match part {
            Part::Estimate => ("the difference", Some(self.change.difference)),
            Part::Low => ("the lower end", ends.map(|[low, _]| low)),
            Part::High => ("the upper end", ends.map(|[_, high]| high)),
            Part::P => ("p", self.p),
        };
        (format!("{name} for {}", self.name), value)
    }
}

/// Decides a condition on one change, which `name` says whose it is; `as_share` where it is one of
/// shares, `level` is that of its interval.
pub fn decide_change(
    test: &GateTest,
    name: &str,
    change: &Change,
    as_share: bool,
    level: f64,
) -> Decided {
    Case::new(name.into(), change, as_share).decide(test, level)
}

/// Decides a condition on a figure of answers, which `name` says whose they are. One that is not
/// met is not decided while answers lack what the figure is made of, unless that is allowed.
pub fn decide_measured(
    name: &str,
    measured: &Measured,
    part: Part,
    (comparison, bound): (super::Comparison, f64),
    allow_missing: bool,
) -> Decided {
    let value = measured.figure.and_then(|figure| match part {
        Part::Estimate => Some(figure.value),
        Part::Low => figure.low,
        Part::High => figure.high,
        // Conditions on it are not read.
        Part::P => None,
    });
    let why = format!("{name}: {} is {}", measured.of.name(), measured.describe());
    let Some(value) = value else {
        let why = match measured.figure {
            Some(_) => format!("{why}; so few answers have no such end"),
            None => format!(
                "{name}: {} is undefined: {}",
                measured.of.name(),
                measured.describe()
            ),
        };
        return Decided::open(why);
    };
    if comparison.holds(value, bound) {
        return Decided::new(GateOutcome::Met, why);
    }
    match measured.describe_lacking().filter(|_| !allow_missing) {
        Some(lacking) => Decided::missing(&lacking),
        None => Decided::new(GateOutcome::Passed, why),
    }
}

fn decide_bound(
    name: String,
    value: Option<f64>,
    comparison: super::Comparison,
    bound: f64,
) -> Decided {
    let Some(value) = value else {
        return match &*name {
            "cost" => Decided::open("cost is undefined: prices of the run's calls are not known")
                .advised(format!("Give the prices with {}", Setting::Prices)),
            _ => Decided::open(format!("{name} is undefined")),
        };
    };
    let outcome = match comparison.holds(value, bound) {
        true => GateOutcome::Met,
        false => GateOutcome::Passed,
    };
    Decided::new(outcome, format!("{name} is {}", number(value)))
}

/// Of several outcomes the one that counts: met before undecided before passed.
fn worst(all: impl Iterator<Item = Decided>) -> Decided {
    let order = |outcome: GateOutcome| match outcome {
        GateOutcome::Met => 2,
        GateOutcome::Inconclusive(_) => 1,
        GateOutcome::Passed => 0,
    };
    let mut found: Option<Decided> = None;
    for one in all {
        let counts_more = |kept: &Decided| order(one.outcome) > order(kept.outcome);
        if found.as_ref().is_none_or(counts_more) {
            found = Some(one);
        }
    }
    found.unwrap_or_else(|| Decided::open("nothing is compared"))
}

/// Whole numbers as they are, others with at most three decimals.
fn number(value: f64) -> String {
    let text = match value.abs() {
        _ if value.fract() == 0.0 => format!("{value}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        size if size >= 0.0005 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    };
    match text.strip_prefix('-') {
        Some(rest) if rest.parse() == Ok(0.0) => rest.into(),
        _ => text,
    }
}
