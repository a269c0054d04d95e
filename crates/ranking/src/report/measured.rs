//! Warns of what rankings by a small model's likelihood were measured to be worth, by kind of data.

use evenhand_protocols::Form;
use std::sync::Arc;

/// How often the better of two labelled responses was picked.
struct MeasuredData {
    data: &'static str,
    /// The mean over pairs whose better response is the longer and pairs whose better response is
    /// the shorter.
    balanced: f64,
}

/// `likelihood:novel,surprisal=0.1` by SmolLM2-135M-Instruct Q8_0; the runs and their intervals are
/// in docs/likelihood.md.
const KINDS: [MeasuredData; 4] = [
    MeasuredData {
        data: "LLMBar, where one misses the instruction",
        balanced: 0.64,
    },
    MeasuredData {
        data: "MT-Bench and FairEval, where both follow it",
        balanced: 0.61,
    },
    MeasuredData {
        data: "PandaLM, of weak systems",
        balanced: 0.59,
    },
    MeasuredData {
        data: "JudgeBench, two derivations by one strong system",
        balanced: 0.40,
    },
];
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
    let shares = KINDS.each_ref().map(|kind| {
        let (share, data) = (kind.balanced, kind.data);
        format!("{share:.2} of the pairs of {data}")
    });
    Some(format!(
        "the likelihood of a small model tells answers that are on topic from those that are off, \
         orders strong systems roughly at best, and does not see which derivation is right. \
         {MODEL} by {VARIANT} was measured{other}: balanced over length (a coin: 0.50) it picks \
         the better response in {}; its rankings of {SYSTEMS}",
        shares.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_protocols::Protocol;

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
                && own.contains("LLMBar")
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
