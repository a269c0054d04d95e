//! Warns of what rankings by a small model's likelihood were measured to be worth, by kind of data.

use crate::Job;
use evenhand_protocols::Form;

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
pub(crate) fn likelihood_limits(job: &Job) -> Option<String> {
    match job.protocol.form() {
        Form::Likelihood(_) => Some(describe_limits(is_measured(job))),
        _ => None,
    }
}

fn describe_limits(measured: bool) -> String {
    let shares = KINDS.each_ref().map(describe_share).join("; ");
    let other = if measured {
        ""
    } else {
        " (this judge and form were not)"
    };
    format!(
        "the likelihood of a small model tells answers that are on topic from those that are off, \
         orders strong systems roughly at best, and does not see which derivation is right. \
         {MODEL} by {VARIANT} was measured{other}: balanced over length (a coin: 0.50) it picks \
         the better response in {shares}; its rankings of {SYSTEMS}"
    )
}

fn describe_share(kind: &MeasuredData) -> String {
    format!("{:.2} of the pairs of {}", kind.balanced, kind.data)
}

fn is_measured(job: &Job) -> bool {
    let mut judges = job.judges.panel.iter();
    job.protocol.form().to_string() == VARIANT && judges.all(|judge| judge.contains(MODEL))
}
