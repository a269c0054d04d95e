//! Over 200 seeds for each defect: how often the interval holds what was planted, and how often a
//! fair judge is accused.
//!
//! `EVENHAND_SLOW=1` runs 200 seeds each, otherwise a few, so that the code is run; the shares are
//! printed.

use super::*;
use evenhand_testing::is_slow;

/// How many seeds; a share of at least 0.95 - 3.3 standard errors is asked of 200, and nothing that
/// chance could undo of fewer.
fn seeds() -> u64 {
    if is_slow() { 200 } else { 6 }
}

fn least(seeds: u64) -> u64 {
    if seeds < 200 { 1 } else { 179 }
}

/// In how many seeds the interval of a finding holds the value, and in how many it is found to be
/// biased.
fn covered(
    defect: &str,
    name: &str,
    protocol: &str,
    planted: f64,
    probes: &[Probe],
    change: impl Fn(&mut AuditOptions),
) {
    let n = seeds();
    let (mut held, mut accused, mut sum) = (0, 0, 0.0);
    for seed in 0..n {
        let report = run(
            &format!("simulated:{defect},seed={seed}"),
            50,
            |options| change(options),
            probes,
        );
        let finding = found(&report, name, protocol);
        let [low, high] = finding.figure.ci.unwrap().map(Option::unwrap);
        held += u64::from(low <= planted && planted <= high);
        accused += u64::from(finding.biased);
        sum += finding.figure.value.unwrap();
    }
    let mean = sum / n as f64;
    println!(
        "{defect}: {name} ({protocol}): planted {planted:.3}, mean {mean:.3}, interval holds it \
         {held} of {n}, found {accused}"
    );
    assert!(
        held >= least(n),
        "{defect}: {name}: {held} of {n} intervals hold {planted}, mean {mean}"
    );
}

#[test]
fn position() {
    covered(
        "gap=0,first-slot=0.4",
        "first slot",
        "pairwise",
        0.7,
        &[Probe::Position],
        |_| (),
    );
    covered(
        "gap=0,first-slot=-0.3",
        "first slot",
        "pairwise",
        0.35,
        &[Probe::Position],
        |_| (),
    );
    // Noise: the verdict changes with the order half of the time when nothing is known, and when
    // asked again too.
    covered(
        "gap=0",
        "flips by order",
        "pairwise",
        0.5,
        &[Probe::Position],
        |_| (),
    );
    for placebo in ["repetition", "neutral"] {
        let name = format!("flips beyond {placebo}");
        covered(
            "gap=0,first-slot=0.4",
            &name,
            "pairwise",
            0.58 - 0.42,
            &[Probe::Position],
            |_| (),
        );
    }
}

/// With all pairs of four systems a question counts once, whatever the number of questions.
#[test]
fn all_pairs() {
    let n = seeds();
    let sizes: &[usize] = if n < 200 { &[20] } else { &[20, 50, 100] };
    for &items in sizes {
        for (defect, name, planted) in [
            ("first-slot=0.4", "first slot", 0.7),
            ("first-slot=0.4", "flips beyond neutral", 0.16),
            ("distractor=0.4", "assertive: flips beyond neutral", 0.24),
            ("gap=0", "assertive: flips beyond neutral", 0.0),
        ] {
            let probe = match name.starts_with("assertive") {
                true => Probe::Distractors,
                false => Probe::Position,
            };
            let (mut held, mut accused) = (0, 0);
            for seed in 0..n {
                let report = run(
                    &format!("simulated:gap=0,{defect},seed={seed}"),
                    items,
                    |options| {
                        options.pairs = PairChoice::All;
                        options.protocols = vec!["pairwise-tie/direct/swap".into()];
                    },
                    &[probe],
                );
                let finding = found(&report, name, "pairwise");
                let [low, high] = finding.figure.ci.unwrap().map(Option::unwrap);
                held += u64::from(low <= planted && planted <= high);
                accused += u64::from(finding.biased);
                assert!(finding.clusters <= items as u64 && finding.items > finding.clusters);
            }
            println!(
                "{items} items, {defect}: {name}: interval holds {planted} {held} of {n}, found \
                 {accused}"
            );
            assert!(held >= least(n), "{items} {defect} {name}: {held} of {n}");
        }
    }
}

#[test]
fn distractors() {
    for (defect, rewrite) in PLANTED_DISTRACTORS {
        let name = format!("{}: preferred", rewrite.name());
        let change = |options: &mut AuditOptions| options.rewrites = vec![rewrite];
        covered(
            &format!("gap=0,{defect}=0.4"),
            &name,
            "pairwise",
            0.7,
            &[Probe::Distractors],
            change,
        );
    }
}

#[test]
fn flips() {
    // A flip takes both orders: 0.7 squared, and a quarter without.
    for placebo in ["repetition", "neutral"] {
        let name = format!("assertive: flips beyond {placebo}");
        covered(
            "gap=0,distractor=0.4",
            &name,
            "pairwise",
            0.49 - 0.25,
            &[Probe::Distractors],
            |_| (),
        );
    }
    // Whatever is changed flips its coin anew, and nothing else does.
    covered(
        "gap=0,greedy=true",
        "flips by a neutral rewrite",
        "pairwise",
        0.25,
        &[Probe::Distractors],
        |_| (),
    );
    covered(
        "gap=0,greedy=true",
        "assertive: flips beyond repetition",
        "pairwise",
        0.25,
        &[Probe::Distractors],
        |_| (),
    );
    covered(
        "gap=0,greedy=true",
        "assertive: flips beyond neutral",
        "pairwise",
        0.0,
        &[Probe::Distractors],
        |_| (),
    );
    covered(
        "gap=0,greedy=true,distractor=0.4",
        "assertive: flips beyond neutral",
        "pairwise",
        0.24,
        &[Probe::Distractors],
        |_| (),
    );
}

#[test]
fn people() {
    let own = |options: &mut AuditOptions| options.own = Some("b".into());
    covered(
        "gap=0,self=b:0.5",
        "own, by the judge",
        "pairwise",
        0.75,
        &[Probe::People],
        own,
    );
    covered(
        "gap=0,self=b:0.5",
        "own, beyond people",
        "pairwise",
        0.25,
        &[Probe::People],
        own,
    );
    covered(
        "gap=0,length=0.5",
        "longer, by the judge",
        "pairwise",
        0.75,
        &[Probe::People],
        |_| (),
    );
}

#[test]
fn circles_and_lists() {
    // Along the circle 0.975: six looks.
    let planted = share_of_triples() * (0.975f64.powi(6) + 0.025f64.powi(6));
    covered(
        "gap=0,intransitive=0.95",
        "circles",
        "pairwise",
        planted,
        &[Probe::Transitivity],
        |_| (),
    );
    covered(
        "gap=0,choice-set=1",
        "reversals beyond neutral, third response last",
        "listwise",
        0.5,
        &[Probe::ChoiceSet],
        |_| (),
    );
    covered(
        "gap=0,choice-set=1",
        "reversals beyond neutral, third response first",
        "listwise",
        0.5,
        &[Probe::ChoiceSet],
        |_| (),
    );
}

/// Of the triples of a, b, c and d that the audit draws, those with one of a and d: these two stand
/// in the same place of the planted circle, and with both there is none.
fn share_of_triples() -> f64 {
    let materials = [Material::new(&data(50)).unwrap()];
    let whole = |item: &u32| {
        !materials[0]
            .drawn_systems::<3>(0, *item)
            .is_some_and(|three| three.contains(&0) && three.contains(&3))
    };
    (0..50).filter(whole).count() as f64 / 50.0
}

#[test]
fn scales_and_failures() {
    let quality = |u: f64| 1.0 / (1.0 + (-(-(-u.ln()).ln())).exp());
    let step = |quality: f64| (quality * 11.0).floor().min(10.0) / 10.0;
    let mean = |of: &dyn Fn(f64) -> f64| {
        (0..200_000)
            .map(|i| of((f64::from(i) + 0.5) / 200_000.0))
            .sum::<f64>()
            / 200_000.0
    };
    let planted =
        mean(&|u| step(quality(u) + (1.0 - quality(u)) * 0.4)) - mean(&|u| step(quality(u)));
    covered(
        "gap=0,wide-scale=0.4",
        "0 to 100 against 0 to 10",
        "",
        planted,
        &[Probe::Scale],
        |_| (),
    );
    covered(
        "gap=0",
        "0 to 1 against 0 to 10",
        "",
        0.0,
        &[Probe::Scale],
        |_| (),
    );
    let failures = [Probe::Position, Probe::Failures];
    covered(
        "invalid=0.1",
        "no verdict",
        "pairwise",
        0.1,
        &failures,
        |_| (),
    );
    covered(
        "refuse=0.15",
        "refusals",
        "pairwise",
        0.15,
        &failures,
        |_| (),
    );
    covered("gap=0", "wins", "pairwise", 0.25, &[Probe::Null], |_| ());
}

#[test]
fn leaderboards() {
    covered(
        "gap=0,distractor=0.4",
        "assertive: win rate gained",
        "pairwise",
        0.2,
        &[Probe::Leaderboard],
        |_| (),
    );
}

#[test]
fn severity() {
    // Preferred in both orders, where words decide in 0.4 of them.
    let planted = 0.8f64.powi(2) - (0.6f64 * 0.8).powi(2);
    let name = "2 broken, assertive: accuracy lost";
    covered(
        "accuracy=0.8,distractor=0.4",
        name,
        "pairwise",
        planted,
        &[Probe::Severity],
        |_| (),
    );
}

#[test]
fn reading() {
    let probes = [Probe::People, Probe::Reading];
    for protocol in ["pairwise", "pointwise"] {
        let defect = "accuracy=1,misread=0.1,probabilities=true";
        covered(
            defect,
            "text has another verdict",
            protocol,
            0.1,
            &probes,
            |_| (),
        );
    }
}

#[test]
fn protocols() {
    // Pairs: both orders, as above. The same words move scores in another share of the items.
    let planted = 0.49 - 0.25 - score_flips(0.4);
    covered(
        "gap=0,distractor=0.4",
        PROTOCOLS,
        "pairwise",
        planted,
        &[Probe::Protocols],
        |_| (),
    );
    // Scores of a coin are often equal, and then nothing flips; without a distractor neither
    // protocol has flips of its own.
    covered(
        "gap=0",
        PROTOCOLS,
        "pairwise",
        0.0,
        &[Probe::Protocols],
        |_| (),
    );
    let pairs = |options: &mut AuditOptions| {
        options.protocols = ["pairwise-tie/direct/swap", "pairwise/direct/swap"]
            .map(String::from)
            .to_vec();
    };
    covered(
        "gap=0,distractor=0.4",
        PROTOCOLS,
        "pairwise",
        0.0,
        &[Probe::Protocols],
        pairs,
    );
}

const PROTOCOLS: &str = "assertive: flips beyond neutral";

/// How much more often the lower of two scores from 1 to 10 becomes the higher one when its
/// response is rewritten than when it is not, both scored anew, of responses as good as each other:
/// words decide in this share of the looks and give 10 where they are there, 1 where they are not.
fn score_flips(words: f64) -> f64 {
    let below = |k: usize| {
        if k == 0 {
            0.0
        } else {
            (1.0 - 10.0 / k as f64).exp()
        }
    };
    let latent = |k: usize| below(k) - below(k - 1);
    let plain = |k: usize| (1.0 - words) * latent(k) + if k == 1 { words } else { 0.0 };
    let above = |k: usize| (1.0 - words) * (1.0 - below(k)) + if k < 10 { words } else { 0.0 };
    let plain_above = |k: usize| (k + 1..=10).map(plain).sum::<f64>();
    (1..=10)
        .map(|k| plain(k) * (above(k) - plain_above(k)))
        .sum()
}

#[test]
fn a_fair_judge_is_rarely_accused() {
    let n = seeds();
    let all = |options: &mut AuditOptions| {
        options.rewrites = vec![Rewrite::Assertive, Rewrite::Filler, Rewrite::Flattery]
    };
    let accused = |seed: &u64| {
        let report = run(
            &format!("simulated:gap=1.2,seed={seed}"),
            40,
            all,
            &Probe::ALL,
        );
        report.findings.iter().any(|finding| finding.biased)
    };
    let count = (0..n).filter(accused).count();
    println!("a fair judge, all probes: accused of something in {count} of {n}");
    // 5 % of 200, and 3.3 standard errors.
    assert!(count <= if n < 200 { 3 } else { 20 }, "{count} of {n}");
}

/// A judge that answers with probabilities, and takes the option that stands first in 28 of 100
/// pairs: found; one that is sound, or says the reverse in 2 of 100 samples: not accused.
#[test]
fn decision_judges() {
    let n = seeds();
    let count = |defect: &str| {
        let (mut found_flips, mut accused) = (0, 0);
        for seed in 0..n {
            let judge = format!("simulated:gap=1,decides=true{defect},seed={seed}");
            let report = run(&judge, 100, |_| (), &[Probe::Position]);
            let flips = found(&report, "flips beyond neutral", "pairwise");
            found_flips += u64::from(flips.biased);
            accused += u64::from(report.findings.iter().any(|finding| finding.biased));
        }
        println!("{defect}: flips found {found_flips} of {n}, accused of anything {accused}");
        (found_flips, accused)
    };
    assert_eq!(count(",option-flips=0.28").0, n);
    assert!(count("").1 * 20 <= n);
    assert!(count(",rerun-flips=0.02").1 * 20 <= n);
}
