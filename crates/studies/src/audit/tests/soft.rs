//! Judges that give probabilities: what is counted is the verdict that they come to, and a slow
//! twin that counts case by case finds the same.

use super::*;
use crate::audit::asks::{Duel, Known};
use evenhand_core::{Outcome, Verdict, VerdictSource};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::BTreeMap;

/// What a judge says of a look, by the numbers of the systems in slot order; whether it shows a
/// pair follows from how many there are.
type Says<'a> = &'a dyn Fn(&Key) -> Outcome;

/// Answers every look in memory.
struct Planted<'a>(Says<'a>);

impl Answering for Planted<'_> {
    fn write(&mut self, _: &str, _: &mut Rewriter, _: Vec<ToRewrite<'_>>) -> Replies {
        unreachable!("no model rewrites")
    }

    fn ask(
        &mut self,
        looks: BTreeSet<Key>,
        _: &[Material],
        known: &mut Known,
    ) -> Result<(), EngineError> {
        let answered = looks.into_iter().map(|key| {
            let outcome = (self.0)(&key);
            (key, outcome)
        });
        known.answers.extend(answered);
        Ok(())
    }
}

const PAIRS: &str = "pairwise-tie/direct/swap";
const SCORES: &str = "pointwise:1-7/direct/single";

/// Runs the probes over a judge in memory, on this many items.
fn run_planted(says: Says<'_>, items: usize, probes: &[Probe]) -> (World, Vec<Finding>) {
    let mut options = options("simulated", probes, std::path::Path::new("unused"));
    options.protocols = [PAIRS, SCORES].map(String::from).into();
    let severity = probes.contains(&Probe::Severity).then(|| tweaked(items));
    let what = What::new(&data(items), severity.as_ref(), &options).unwrap();
    let mut world = World {
        what,
        known: Known::default(),
        only_counts: false,
    };
    let found = until_answered(&mut world, &options, &mut Planted(says)).unwrap();
    let mut findings = found.findings;
    finding::adjust_findings(&mut findings, 0.95).unwrap();
    (world, findings)
}

/// A draw in [-1, 1] that belongs to a look.
fn noise(key: &Key, what: u64) -> f64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (key, what).hash(&mut hasher);
    let mut random = ChaCha8Rng::seed_from_u64(hasher.finish());
    f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0
}

fn pair(shares: [f64; 3]) -> Outcome {
    Ok(Verdict::pair(shares, 0.0, VerdictSource::Probabilities))
}

/// A score from 1 to 7 by these weights.
fn score(weights: [f64; 7]) -> Outcome {
    let mass: f64 = weights.iter().sum();
    let distribution: Vec<f64> = weights.iter().map(|weight| weight / mass).collect();
    let parts = distribution.iter().zip(1..);
    Ok(Verdict::Pointwise {
        score: parts.map(|(p, value)| p * f64::from(value)).sum(),
        distribution,
        outside: 0.0,
        source: VerdictSource::Probabilities,
    })
}

/// A judge to whom two responses are equal: in every look a tie has 0.6 of the probability, give or
/// take 0.005, and the score 6 has 0.7 of it.
fn always_equal(key: &Key) -> Outcome {
    if key.systems.len() == 2 {
        let tie = 0.6 + 0.005 * noise(key, 0);
        let lean = 0.005 * noise(key, 1);
        return pair([(1.0 - tie) / 2.0 + lean, tie, (1.0 - tie) / 2.0 - lean]);
    }
    let mut weights = [0.02, 0.02, 0.03, 0.05, 0.1, 0.7, 0.08];
    for (at, weight) in weights.iter_mut().enumerate() {
        *weight += 0.005 * noise(key, at as u64);
    }
    score(weights)
}

fn value(findings: &[Finding], name: &str, protocol: &str) -> Option<f64> {
    let mut of = findings
        .iter()
        .filter(|finding| finding.name.to_string() == name && finding.protocol == protocol);
    let found = of.next().unwrap_or_else(|| panic!("no {name}"));
    assert!(of.next().is_none(), "{name} twice");
    found.figure.value
}

#[test]
fn a_judge_that_always_says_tie_flips_nothing_and_is_never_right() {
    let probes = [
        Probe::Position,
        Probe::Distractors,
        Probe::Severity,
        Probe::People,
        Probe::Null,
        Probe::Transitivity,
    ];
    let (_, findings) = run_planted(&always_equal, 40, &probes);
    for (name, expected) in [
        ("assertive: flips", 0.0),
        ("flips by a neutral rewrite", 0.0),
        ("assertive: equal", 1.0),
        ("assertive: preferred", 0.5),
        ("1 broken: accuracy", 0.0),
        ("1 broken, assertive: accuracy", 0.0),
        ("3 broken: accuracy", 0.0),
        ("flips by order", 0.0),
        ("first slot", 0.5),
        ("wins", 0.0),
        ("circles", 0.0),
        ("certain circles", 0.0),
        ("longer, by the judge", 0.5),
        ("agrees with people", 0.0),
        ("consistency, lowest third by length", 1.0),
    ] {
        // A neutral rewrite has a figure of that name in two topics; both are 0.
        let mut of = findings
            .iter()
            .filter(|finding| finding.name.to_string() == name && finding.protocol == PAIRS)
            .peekable();
        assert!(of.peek().is_some(), "no {name}");
        for finding in of {
            assert_eq!(finding.figure.value, Some(expected), "{finding:?}");
        }
    }
    // What its probabilities say stands beside that.
    for (name, expected, within) in [
        ("assertive: equal, by probability", 0.6, 0.006),
        ("assertive: preferred, by probability", 0.5, 0.006),
        ("1 broken: accuracy, by probability", 0.5, 0.006),
        ("first slot, by probability", 0.5, 0.006),
    ] {
        let found = value(&findings, name, PAIRS).unwrap();
        assert!((found - expected).abs() < within, "{name}: {found}");
    }
    // The same configuration gives both tables: equal scores by the most probable one, and flips of
    // the weighted one.
    assert_eq!(value(&findings, "assertive: equal", SCORES), Some(1.0));
    assert!(value(&findings, "assertive: flips", SCORES).is_some());
    // Scores tell nothing from an answer by a hair's breadth alone, as they tell the worse response
    // from the better one: that is weakness, and nothing is found.
    assert!(findings.iter().all(|finding| !finding.biased));
    assert!(value(&findings, "wins", SCORES) > Some(0.2));
}

/// A protocol that prefers nothing is never moved, and is not recommended for that.
#[test]
fn a_protocol_without_a_preference_is_not_advised() {
    let (world, findings) = run_planted(&always_equal, 30, &[Probe::Distractors]);
    let advice = advice::recommend_protocol(&findings, &world.what.asked, &HashMap::new()).unwrap();
    assert_eq!(advice.protocol.as_deref(), Some(SCORES));
    let pairs = advice
        .candidates
        .iter()
        .find(|one| one.protocol == PAIRS)
        .unwrap();
    assert_eq!(
        pairs.out.as_deref(),
        Some("prefers neither response of any pair")
    );
}

/// Nor is one in which the order decides, whose few preferences no rewrite moves: a rate counts as
/// far as it has pairs.
#[test]
fn a_protocol_in_which_the_order_decides_is_not_advised() {
    let first = |key: &Key| {
        if key.systems.len() == 2 {
            let is_first = key.item < 27 || key.systems[0] < key.systems[1];
            return pair(if is_first {
                [0.9, 0.05, 0.05]
            } else {
                [0.05, 0.05, 0.9]
            });
        }
        let mut weights = [0.0; 7];
        weights[key.systems[0] as usize % 7] = 1.0;
        score(weights)
    };
    let (world, mut findings) = run_planted(&first, 30, &[Probe::Position, Probe::Distractors]);
    assert_eq!(value(&findings, "flips by order", PAIRS), Some(0.9));
    let advice = advice::recommend_protocol(&findings, &world.what.asked, &HashMap::new()).unwrap();
    assert_eq!(advice.protocol.as_deref(), Some(SCORES));
    let pairs = advice.candidates.iter().find(|one| one.protocol == PAIRS);
    let pairs = pairs.unwrap();
    assert_eq!(
        pairs.out.as_deref(),
        Some("the order turns more than half of its verdicts")
    );
    let (mut flips, mut of) = (0.0, 0.0);
    for finding in findings.iter().filter(|one| one.protocol == PAIRS) {
        if finding.name.is_flip_rate()
            && let Some(rate) = finding.figure.value
        {
            flips += rate * finding.items as f64;
            of += finding.items as f64;
        }
    }
    assert!((pairs.moved.unwrap() - flips / of).abs() < 1e-12);

    // Where no probe looked at the other one, that is out, too.
    findings.retain(|one| one.protocol == PAIRS);
    let advise = |findings: &[Finding]| {
        advice::recommend_protocol(findings, &world.what.asked, &HashMap::new()).unwrap()
    };
    let alone = advise(&findings);
    assert_eq!(alone.protocol, None);
    let scores = alone.candidates.iter().find(|one| one.protocol == SCORES);
    assert_eq!(scores.unwrap().out.as_deref(), Some("not looked at"));
    // What was found is all under the pairs: they are out even where the order turns few verdicts.
    for finding in &mut findings {
        if finding.name.to_string() == "flips by order" {
            finding.figure.ci = Some([Some(0.1), Some(0.95)]);
        }
    }
    let biased = advise(&findings);
    let pairs = biased.candidates.iter().find(|one| one.protocol == PAIRS);
    let why = pairs.unwrap().out.as_deref();
    assert_eq!(why, Some("all that was found is under it"));
    // An interval that holds a half does not show that the order turns more.
    findings.iter_mut().for_each(|one| one.biased = false);
    for (low, expected) in [(0.49, Some(PAIRS)), (0.5, Some(PAIRS)), (0.51, None)] {
        for finding in &mut findings {
            if finding.name.to_string() == "flips by order" {
                finding.figure.ci = Some([Some(low), Some(0.95)]);
            }
        }
        assert_eq!(advise(&findings).protocol.as_deref(), expected, "{low}");
    }
}

/// The verdict of both orders, or of two scores, counted case by case: 1 for the first, -1 for the
/// second, 0 for neither; and whether the two are said to be equal.
fn slow_verdict(world: &World, protocol: &str, duel: Duel, again: [u32; 2]) -> Option<(i8, bool)> {
    let look = |systems: Vec<u32>, replicate| {
        let key = Key {
            material: duel.material,
            protocol: protocol.into(),
            item: duel.item,
            systems,
            replicate,
        };
        world.known.answers.get(&key)?.as_ref().ok()
    };
    let thousandths = |p: f64| (p * 1e12).round() as i128;
    if protocol == PAIRS {
        let [a, tie, b] = look(vec![duel.a, duel.b], again[0])?.preference()?;
        let [c, turned, d] = look(vec![duel.b, duel.a], again[0])?.preference()?;
        let [first, tie, second] = [a + d, tie + turned, b + c].map(thousandths);
        return Some(if tie > first && tie > second {
            (0, true)
        } else {
            ((first - second).signum() as i8, false)
        });
    }
    let scored = |system, replicate| match look(vec![system], replicate)? {
        Verdict::Pointwise {
            score,
            distribution,
            ..
        } => {
            let most = distribution.iter().copied().fold(0.0, f64::max);
            let mode = distribution.iter().position(|p| *p == most)?;
            Some((thousandths(*score), mode))
        }
        _ => None,
    };
    let ((a, mode_a), (b, mode_b)) = (scored(duel.a, again[0])?, scored(duel.b, again[1])?);
    Some(((a - b).signum() as i8, mode_a == mode_b))
}

fn share(counts: &[bool]) -> Option<f64> {
    let count = counts.iter().filter(|yes| **yes).count();
    (!counts.is_empty()).then(|| count as f64 / counts.len() as f64)
}

/// Every figure of fixed quality, flips and severity as a reader of the paper would count it.
fn slow_figures(world: &World, protocol: &str) -> BTreeMap<&'static str, Option<f64>> {
    let options = options("simulated", &[], std::path::Path::new("unused"));
    let asks = Asks {
        slice: None,
        world,
        options: &options,
        wanted: RefCell::default(),
    };
    let material = asks.data();
    let (mut equal, mut preferred) = (Vec::new(), Vec::new());
    let (mut flips, mut neutral) = (Vec::new(), Vec::new());
    for item in material.item_numbers() {
        let [duel] = asks.duels(item)[..] else {
            panic!("one pair is drawn of each item")
        };
        let rewritten = material.rewritten(duel.a, 0);
        let fixed = Duel::new(0, item, [rewritten, duel.a]);
        if let Some((side, is_equal)) = slow_verdict(world, protocol, fixed, [0, 0]) {
            equal.push(is_equal);
            // A half of a preference is one of two.
            preferred.extend([side == 1, side >= 0]);
        }
        let Some((side, _)) = slow_verdict(world, protocol, duel, [0, 0]) else {
            continue;
        };
        let [loser, winner] = match side {
            1 => [duel.b, duel.a],
            -1 => [duel.a, duel.b],
            _ => continue,
        };
        let now = |shown| {
            let shown = Duel::new(0, item, [shown, winner]);
            slow_verdict(world, protocol, shown, [0, 1]).map(|(side, _)| side == 1)
        };
        flips.extend(now(material.rewritten(loser, 0)));
        neutral.extend(now(material.neutrally(loser)));
    }
    let accuracy = |dressed: bool| {
        let tweaks = &world.what.materials[1];
        let right = tweaks.item_numbers().filter_map(|item| {
            let broken = if dressed { tweaks.rewritten(2, 0) } else { 2 };
            let duel = Duel::new(1, item, [0, broken]);
            Some(slow_verdict(world, protocol, duel, [0, 0])?.0 == 1)
        });
        share(&right.collect::<Vec<bool>>())
    };
    BTreeMap::from([
        ("assertive: equal", share(&equal)),
        ("assertive: preferred", share(&preferred)),
        ("assertive: flips", share(&flips)),
        ("flips by a neutral rewrite", share(&neutral)),
        ("2 broken: accuracy", accuracy(false)),
        ("2 broken, assertive: accuracy", accuracy(true)),
    ])
}

/// Over judges of every mind, with draws of three outcomes and of seven scores from sure to flat:
/// in tenths, so that exact ties are frequent.
#[test]
fn figures_are_what_a_slow_count_of_verdicts_finds() {
    let mut compared = 0;
    for seed in 0..30_u64 {
        let tenths = |key: &Key, what: u64| {
            let draw = noise(key, what.wrapping_mul(1 << 20).wrapping_add(seed));
            ((draw + 1.0) * 5.0).floor().min(9.0)
        };
        let says = |key: &Key| {
            if key.systems.len() == 2 {
                let [a, b] = [tenths(key, 1), tenths(key, 2)];
                let (low, high) = (a.min(b), a.max(b));
                return pair([low / 10.0, (high - low) / 10.0, (10.0 - high) / 10.0]);
            }
            let peak = (tenths(key, 3) as usize).min(6);
            let mut weights = [seed as f64 % 3.0 / 10.0; 7];
            weights[peak] += 1.0 + tenths(key, 4);
            score(weights)
        };
        let probes = [Probe::Distractors, Probe::Severity];
        let (world, findings) = run_planted(&says, 20, &probes);
        for protocol in [PAIRS, SCORES] {
            for (name, expected) in slow_figures(&world, protocol) {
                let found = value(&findings, name, protocol);
                match (found, expected) {
                    (Some(found), Some(expected)) => assert!(
                        (found - expected).abs() < 1e-9,
                        "seed {seed}, {protocol}, {name}: {found}, not {expected}"
                    ),
                    other => assert_eq!(other, (None, None), "seed {seed}, {protocol}, {name}"),
                }
                compared += 1;
            }
        }
    }
    println!("{compared} figures compared");
}
