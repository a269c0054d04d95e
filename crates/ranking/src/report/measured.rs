//! Warns of what rankings by a small model's likelihood were measured to be worth on other data.

use evenhand_protocols::Form;
use std::sync::Arc;

/// How often SmolLM2-135M-Instruct Q8_0 picks the better of two labelled responses of a set, by the
/// form of likelihood that does best on the other sets: what it is worth on data that had no say.
/// The mean over pairs whose better response is the longer and pairs whose better response is the
/// shorter, then over sets (docs/likelihood.md).
const LEFT_OUT: f64 = 0.53;
/// Its 95 % interval, over sets and questions.
const INTERVAL: [f64; 2] = [0.39, 0.66];
/// The pairs that count.
const PAIRS: u32 = 278;
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
    let [low, high] = INTERVAL;
    Some(format!(
        "the likelihood of a small model tells answers that are on topic from those that are off, \
         orders strong systems roughly at best, and does not see which derivation is right. \
         {MODEL} was measured{other}: on labelled sets that had no say in the choice of its form \
         it picks the better response in {LEFT_OUT:.2} of {PAIRS} pairs ({low:.2} to {high:.2}, \
         95 % interval over seven sets; balanced over length; a coin: 0.50); its rankings by \
         {VARIANT} of {SYSTEMS}"
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
                && own.contains("0.53 of 278 pairs (0.39 to 0.66,")
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
