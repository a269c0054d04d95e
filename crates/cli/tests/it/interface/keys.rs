//! The keys that the JSON of each command has, and the shapes of their values.

use serde_json::Value;

/// The kinds of values that the tables below name: a number, a list, ..
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Number,
    Text,
    List,
    Object,
    /// Two numbers, either of which may be null where a bound is infinite.
    Interval,
    /// There, and null where nothing can be said.
    MayBeNull,
}

use Shape::{Interval, List, MayBeNull, Number, Object, Text};

impl Shape {
    pub(super) fn fits(self, value: &Value) -> bool {
        match self {
            Number => value.is_number(),
            Text => value.is_string(),
            List => value.is_array(),
            Object => value.is_object(),
            Interval => value.as_array().is_some_and(|bounds| bounds.len() == 2),
            MayBeNull => true,
        }
    }
}

/// The keys of a ranking, whether it was judged now or is made of recorded judgments.
const RANKING: &[(&str, Shape)] = &[
    ("/ranking/0/system", Text),
    ("/ranking/0/score", Number),
    ("/ranking/0/ci", Interval),
    ("/ranking/0/rank", Number),
    ("/ranking/0/rank_ci", Interval),
    ("/ranking/0/n", Number),
    ("/aggregation", Text),
    ("/ci/method", Text),
    ("/ci/cluster", Text),
    ("/ci/rounds", Number),
    ("/ci/level", Number),
    ("/seed", Number),
    ("/judge", Text),
    ("/protocol", Text),
    ("/design", Text),
    ("/coverage/trials", Number),
    ("/coverage/verdicts", Number),
    ("/coverage/failures", Object),
    ("/warnings", List),
    ("/usage/calls", Number),
    ("/usage/prompt_tokens", Number),
    ("/usage/completion_tokens", Number),
    ("/usage/cost_usd", MayBeNull),
    ("/usage/seconds", Number),
    ("/differences/0/a", Text),
    ("/differences/0/b", Text),
    ("/differences/0/difference", Number),
    ("/differences/0/ci", Interval),
    ("/differences/0/p", Number),
    ("/differences/0/p_adjusted", Number),
];

const META_JUDGE: &[(&str, Shape)] = &[
    ("/accuracy", Number),
    ("/accuracy_ci", Interval),
    ("/accuracy_forward", Number),
    ("/accuracy_forward_ci", Interval),
    ("/accuracy_swapped", Number),
    ("/accuracy_swapped_ci", Interval),
    ("/consistency", Number),
    ("/consistency_ci", Interval),
    ("/kappa", Number),
    ("/kappa_ci", Interval),
    ("/n", Number),
    ("/subsets", Object),
    ("/coverage/trials", Number),
    ("/coverage/verdicts", Number),
    ("/coverage/failures", Object),
];

const META_PEOPLE: &[(&str, Shape)] = &[
    ("/units", Number),
    ("/units_compared", Number),
    ("/items", Number),
    ("/annotators", Number),
    ("/labels", Number),
    ("/labels_without_annotator", Number),
    ("/units_by_annotators/0/annotators", Number),
    ("/units_by_annotators/0/units", Number),
    ("/alpha_nominal", Number),
    ("/alpha_nominal_ci", Interval),
    ("/alpha_nominal_n", Number),
    ("/alpha_ordinal", Number),
    ("/alpha_ordinal_ci", Interval),
    ("/agreement", Number),
    ("/agreement_ci", Interval),
    ("/agreement_n", Number),
    ("/agreement_without_ties", Number),
    ("/unanimous", Number),
    ("/unanimous_ci", Interval),
    ("/ties", Number),
    ("/ties_ci", Interval),
    ("/ceiling_leave_one_out", Number),
    ("/ceiling_leave_one_out_ci", Interval),
    ("/ceiling_in_sample", Number),
    ("/ceiling_in_sample_ci", Interval),
    ("/self_agreement", MayBeNull),
    ("/self_agreement_n", Number),
    ("/subsets", Object),
    ("/by_annotator/0/annotator", Text),
    ("/by_annotator/0/labels", Number),
    ("/by_annotator/0/units", Number),
    ("/by_annotator/0/agreement", Number),
    ("/by_annotator/0/agreement_ci", Interval),
    ("/by_annotator/0/kappa", Number),
    ("/by_annotator/0/kappa_ci", Interval),
    ("/ci/method", Text),
    ("/ci/rounds", Number),
    ("/ci/level", Number),
    ("/seed", Number),
];

const META_BENCHER: &[(&str, Shape)] = &[
    ("/spearman", Number),
    ("/spearman_ci", Interval),
    ("/kendall_tau_b", Number),
    ("/kendall_tau_b_ci", Interval),
    ("/tau_u/0/u", MayBeNull),
    ("/tau_u/0/share", Number),
    ("/tau_u/0/tau", MayBeNull),
    ("/tau_u/0/tau_ci", MayBeNull),
    ("/tau_u/0/pairs", Number),
    ("/n", Number),
];

const ALIGN: &[(&str, Shape)] = &[
    ("/length/a", List),
    ("/length/b", List),
    ("/semantic/a", List),
    ("/semantic/b", List),
    ("/semantic/score", Number),
];

/// Commands on the desk below, with what their JSON holds.
pub(super) const KEYS: &[(&str, &[(&str, Shape)])] = &[
    (
        "rank --data data --judge simulated --rounds 20 --differences --format json",
        RANKING,
    ),
    (
        "leaderboard battles.csv --rounds 20 --differences --format json",
        RANKING,
    ),
    (
        "meta judge --data data --judge simulated --rounds 20 --format json",
        META_JUDGE,
    ),
    (
        "meta bencher --ranking battles.csv --ratings data/ratings.csv --rounds 20 --format json",
        META_BENCHER,
    ),
    (
        "meta people --labels people.jsonl --rounds 20 --format json",
        META_PEOPLE,
    ),
    ("align pairs.jsonl", ALIGN),
    (
        "estimate --data data --judge simulated --format json",
        &[("/calls", Number)],
    ),
    (
        "audit --data data --judge simulated --format json",
        &[("/findings", List)],
    ),
    (
        "check constrained --rounds 20 --format json",
        &[("/systems", List)],
    ),
    ("models --format json", &[("", List)]),
    ("runs --format json", &[("", List)]),
];
