//! Warns of what rankings by a small model's likelihood were measured to be worth on other data.

use evenhand_protocols::Form;
use std::sync::Arc;

/// Says how often SmolLM2-135M-Instruct Q8_0 picks the better of two labelled responses of a set, by
/// the form of likelihood that does best on the other sets: what it is worth on data that had no
/// say. The mean over pairs whose better response is the longer and pairs whose better response is
/// the shorter, then over sets (docs/likelihood.md).
const LEFT_OUT: f64 = 0.53;
/// Its 95 % interval, over sets and questions.
const INTERVAL: [f64; 2] = [0.34, 0.72];
/// The pairs that count.
const PAIRS: u32 = 278;
/// Rankings of 14 systems on 25, 50, 100 and 200 items of each.
const SYSTEMS: &str = "14 strong systems have rank correlations of 0.5 to 0.6 (AlpacaEval) and 0.1 \
                       to 0.3 (Arena-Hard) with the Chatbot Arena's";
/// The form of those rankings.
const VARIANT: &str = "likelihood:novel,surprisal=0.1";
/// The model of the figures.
const MODEL: &str = "SmolLM2-135M-Instruct";

/// Says what a ranking by likelihood is good for, and where it is not to be trusted; None for other
/// forms.
pub(crate) fn likelihood_limits(form: &Form, panel: &[Arc<str>]) -> Option<String> {
    if !matches!(form, Form::Likelihood(_)) {
        return None;
    }
    let other = match panel.iter().all(|judge| judge.contains(MODEL)) {
        true => "",
        false => " (this judge was not)",
    };
    let [low, high] = INTERVAL;
    Some(format!(
        "the likelihood of a small model tells answers that are on topic from those that are off, \
         orders strong systems roughly at best, and does not see which derivation is right. \
         {MODEL} was measured{other}: where its form was chosen on other labelled sets, it picks \
         the better response in {LEFT_OUT:.2} of pairs ({low:.2} to {high:.2}, 95 % interval; the \
         mean over seven sets, {PAIRS} pairs, balanced over length; a coin: 0.50); its rankings \
         by {VARIANT} of {SYSTEMS}"
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
                && own.contains(
                    "0.53 of pairs (0.34 to 0.72, 95 % interval; the mean over seven sets"
                )
                && !own.contains("(this judge"),
            "{own}"
        );
        // The form was chosen anew for each set, so the share is of no form alone.
        assert_eq!(said("likelihood", measured).as_ref(), Some(&own));
        for other in ["gguf:other:1", "gguf:SmolLM2-360M-Instruct-Q8_0:1"] {
            let said = said("likelihood:novel,surprisal=0.1", other).unwrap();
            assert!(said.contains("(this judge was not)"), "{said}");
        }
    }
}
