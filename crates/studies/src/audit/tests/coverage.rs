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

/// Plants several defects, each with the finding that shows it and what was planted, by
/// pairs.
fn all_covered(probe: Probe, planted: &[(&str, &str, f64)]) {
    for &(defect, name, planted) in planted {
        covered(defect, name, "pairwise", planted, &[probe], |_| ());
    }
}

#[test]
fn position() {
    let planted = [
        ("gap=0,first-slot=0.4", "first slot", 0.7),
        ("gap=0,first-slot=-0.3", "first slot", 0.35),
        // Noise: the verdict changes with the order half of the time when nothing is known, and
        // when asked again too.
        ("gap=0", "flips by order", 0.5),
        (
            "gap=0,first-slot=0.4",
            "flips beyond repetition",
            0.58 - 0.42,
        ),
        ("gap=0,first-slot=0.4", "flips beyond neutral", 0.58 - 0.42),
    ];
    all_covered(Probe::Position, &planted);
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
    let (distractor, coin) = ("gap=0,distractor=0.4", "gap=0,greedy=true");
    let both = "gap=0,greedy=true,distractor=0.4";
    let planted = [
        // A flip takes both orders: 0.7 squared, and a quarter without.
        (
            distractor,
            "assertive: flips beyond repetition",
            0.49 - 0.25,
        ),
        (distractor, "assertive: flips beyond neutral", 0.49 - 0.25),
        // Whatever is changed flips its coin anew, and nothing else does.
        (coin, "flips by a neutral rewrite", 0.25),
        (coin, "assertive: flips beyond repetition", 0.25),
        (coin, "assertive: flips beyond neutral", 0.0),
        (both, "assertive: flips beyond neutral", 0.24),
    ];
    all_covered(Probe::Distractors, &planted);
}

#[test]
fn people() {
    let own = |options: &mut AuditOptions| options.own = Some("b".into());
    for (name, planted) in [("own, by the judge", 0.75), ("own, beyond people", 0.25)] {
        covered(
            "gap=0,self=b:0.5",
            name,
            "pairwise",
            planted,
            &[Probe::People],
            own,
        );
    }
    all_covered(
        Probe::People,
        &[("gap=0,length=0.5", "longer, by the judge", 0.75)],
    );
}

#[test]
fn circles_and_lists() {
    // Along the circle 0.975: six looks.
    let planted = share_of_triples() * (0.975f64.powi(6) + 0.025f64.powi(6));
    all_covered(
        Probe::Transitivity,
        &[("gap=0,intransitive=0.95", "circles", planted)],
    );
    for place in ["last", "first"] {
        let name = format!("reversals beyond neutral, third response {place}");
        let probes = [Probe::ChoiceSet];
        covered(
            "gap=0,choice-set=1",
            &name,
            "listwise",
            0.5,
            &probes,
            |_| (),
        );
    }
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
    for (defect, name, planted) in [
        ("gap=0,wide-scale=0.4", "0 to 100 against 0 to 10", planted),
        ("gap=0", "0 to 1 against 0 to 10", 0.0),
    ] {
        covered(defect, name, "", planted, &[Probe::Scale], |_| ());
    }
    let failures = [Probe::Position, Probe::Failures];
    for (defect, name, planted) in [
        ("invalid=0.1", "no verdict", 0.1),
        ("refuse=0.15", "refusals", 0.15),
    ] {
        covered(defect, name, "pairwise", planted, &failures, |_| ());
    }
    all_covered(Probe::Null, &[("gap=0", "wins", 0.25)]);
}

#[test]
fn leaderboards() {
    let planted = [("gap=0,distractor=0.4", "assertive: win rate gained", 0.2)];
    all_covered(Probe::Leaderboard, &planted);
}

#[test]
fn severity() {
    // Preferred in both orders, where words decide in 0.4 of them.
    let planted = 0.8f64.powi(2) - (0.6f64 * 0.8).powi(2);
    let name = "2 broken, assertive: accuracy lost";
    all_covered(
        Probe::Severity,
        &[("accuracy=0.8,distractor=0.4", name, planted)],
    );
}

#[test]
fn reading() {
    let probes = [Probe::People, Probe::Reading];
    for protocol in ["pairwise", "pointwise"] {
        let defect = "accuracy=1,misread=0.1,probabilities=true";
        let name = "text has another verdict";
        covered(defect, name, protocol, 0.1, &probes, |_| ());
    }
}

#[test]
fn protocols() {
    // Pairs: both orders, as above. The same words move scores in another share of the items.
    let planted = 0.49 - 0.25 - score_flips(0.4);
    let found = [
        ("gap=0,distractor=0.4", PROTOCOLS, planted),
        // Scores of a coin are often equal, and then nothing flips; without a distractor neither
        // protocol has flips of its own.
        ("gap=0", PROTOCOLS, 0.0),
    ];
    all_covered(Probe::Protocols, &found);
    let pairs = |options: &mut AuditOptions| {
        options.protocols = ["pairwise-tie/direct/swap", "pairwise/direct/swap"]
            .map(String::from)
            .to_vec();
    };
    let (defect, probes) = ("gap=0,distractor=0.4", [Probe::Protocols]);
    covered(defect, PROTOCOLS, "pairwise", 0.0, &probes, pairs);
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
            Probe::ALL,
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
