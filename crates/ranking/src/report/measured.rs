//! Warns of what rankings by a small model's likelihood were measured to be worth, by kind of data.

use evenhand_protocols::Form;
use std::sync::Arc;

/// How often the better of two labelled responses was picked.
struct MeasuredData {
    data: &'static str,
    /// Labelled pairs.
    pairs: u32,
    /// The mean over pairs whose better response is the longer and pairs whose better response is
    /// the shorter.
    balanced: f64,
    /// Its 95 % interval.
    interval: [f64; 2],
}

/// Holds the accuracy, over all sets, of the way chosen on all sets but the one it is tried on: the
/// figure for other data. Once measured it is all that is said of shares; `data` names the sets.
const LEFT_OUT: Option<MeasuredData> = None;

/// `likelihood:novel,surprisal=0.1` by SmolLM2-135M-Instruct Q8_0; the runs are in
/// docs/likelihood.md.
const KINDS: [MeasuredData; 4] = [
    MeasuredData {
        data: "LLMBar, where one misses the instruction",
        pairs: 238,
        balanced: 0.64,
        interval: [0.58, 0.70],
    },
    MeasuredData {
        data: "MT-Bench and FairEval, where both follow it",
        pairs: 266,
        balanced: 0.61,
        interval: [0.54, 0.66],
    },
    MeasuredData {
        data: "PandaLM, of weak systems",
        pairs: 842,
        balanced: 0.59,
        interval: [0.55, 0.62],
    },
    MeasuredData {
        data: "JudgeBench, two derivations by one strong system",
        pairs: 350,
        balanced: 0.40,
        interval: [0.35, 0.45],
    },
];
/// The sets of [`KINDS`] that its form was chosen on.
const CHOSEN_ON: &str = "LLMBar, MT-Bench and FairEval";
/// Rankings of 14 systems on 25, 50, 100 and 200 items of each.
const SYSTEMS: &str = "14 strong systems have rank correlations of 0.5 to 0.6 (AlpacaEval) and 0.1 \
                       to 0.3 (Arena-Hard) with the Chatbot Arena's";
/// The variant of the figures.
const VARIANT: &str = "likelihood:novel,surprisal=0.1";
/// The model of the figures.
const MODEL: &str = "SmolLM2-135M-Instruct";

/// Says what a ranking by likelihood is good for, and where it is not to be trusted; None for other
/// forms.
pub(crate) fn likelihood_limits(form: &Form, panel: &[Arc<str>]) -> Option<String> {
    if !matches!(form, Form::Likelihood(_)) {
        return None;
    }
    let is_measured =
        form.to_string() == VARIANT && panel.iter().all(|judge| judge.contains(MODEL));
    let other = if is_measured {
        ""
    } else {
        " (this judge and form were not)"
    };
    Some(format!(
        "the likelihood of a small model tells answers that are on topic from those that are off, \
         orders strong systems roughly at best, and does not see which derivation is right. \
         {MODEL} by {VARIANT} was measured{other}: balanced over length (a coin: 0.50; in \
         brackets 95 % intervals) it picks the better response in {}; its rankings of {SYSTEMS}",
        describe_shares(LEFT_OUT.as_ref())
    ))
}

/// Says how often it picks the better response: on sets that were left out of the choice of its
/// form; where that was not measured, on each kind, and which of them it was chosen on.
fn describe_shares(left_out: Option<&MeasuredData>) -> String {
    let describe = |measured: &MeasuredData| {
        let MeasuredData {
            data,
            pairs,
            balanced,
            interval: [low, high],
        } = measured;
        format!("{balanced:.2} ({low:.2} to {high:.2}) of {pairs} pairs of {data}")
    };
    match left_out {
        Some(measured) => format!(
            "{}, each tried by what was chosen on the others",
            describe(measured)
        ),
        None => format!(
            "{}; its form was chosen on {CHOSEN_ON}, so that data like them may show less",
            KINDS.each_ref().map(describe).join("; ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_protocols::Protocol;

    #[test]
    fn shares_stand_with_pairs_intervals_and_what_the_form_was_chosen_on() {
        let said = describe_shares(None);
        for part in [
            "0.64 (0.58 to 0.70) of 238 pairs of LLMBar",
            "0.40 (0.35 to 0.45) of 350 pairs of JudgeBench",
            "chosen on LLMBar, MT-Bench and FairEval",
        ] {
            assert!(said.contains(part), "{said}");
        }
        // Where sets were left out of the choice, nothing else is said.
        let left_out = MeasuredData {
            data: "seven sets",
            pairs: 1000,
            balanced: 0.55,
            interval: [0.5, 0.6],
        };
        assert_eq!(
            describe_shares(Some(&left_out)),
            "0.55 (0.50 to 0.60) of 1000 pairs of seven sets, each tried by what was chosen on the \
             others"
        );
        for kind in KINDS.iter().chain(&LEFT_OUT) {
            let [low, high] = kind.interval;
            assert!(0.0 < low && low < kind.balanced && kind.balanced < high && high < 1.0);
            assert!(kind.pairs > 0);
        }
    }

    #[test]
    fn it_says_what_was_measured_and_of_whom() {
        let said = |protocol: &str, judge: &str| {
            let protocol = Protocol::parse(protocol).unwrap();
            likelihood_limits(&protocol.form(), &[judge.into()])
        };
        let measured = "gguf:SmolLM2-135M-Instruct-Q8_0:7b46609d11703c05:ctx8192:chunk64";
        assert_eq!(said("pairwise", measured), None);
        let own = said("likelihood:novel,surprisal=0.1", measured).unwrap();
        assert!(
            own.contains("orders strong systems roughly at best")
                && own.contains("pairs of")
                && !own.contains("(this judge"),
            "{own}"
        );
        for (protocol, judge) in [
            ("likelihood", measured),
            ("likelihood:novel,surprisal=0.1", "gguf:other:1"),
        ] {
            assert!(
                said(protocol, judge)
                    .unwrap()
                    .contains("(this judge and form were not)")
            );
        }
    }
}
