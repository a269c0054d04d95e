//! The answer of several audits: in which judges biases were found.

use crate::numbers::count_of;
use evenhand_studies::audit::AuditReport;

/// Judges that the sentence names of each kind; of more it says how many.
const NAMED: usize = 3;

/// A judge, how many of its tests have items enough to find a bias, None where it had no tests, and
/// how many found one.
type Counted<'a> = (&'a str, Option<u64>, usize);

/// Says in which judges biases were found, without a full stop.
pub(super) fn audits_answer(reports: &[AuditReport]) -> String {
    let counted = reports.iter().map(|report| {
        let biased = report.findings.iter().filter(|one| one.biased);
        let tests = (report.tested > 0).then(|| report.deciding_tests());
        (report.judge.as_str(), tests, biased.count())
    });
    counted_answer(&counted.collect::<Vec<_>>())
}

fn counted_answer(judges: &[Counted<'_>]) -> String {
    type Kind = (&'static str, fn(&Counted<'_>) -> bool);
    let kinds: [Kind; 4] = [
        ("Biases were found in", |(.., biases)| *biases > 0),
        ("No bias was found in", |(_, tests, biases)| {
            *tests > Some(0) && *biases == 0
        }),
        (
            "There are too few items to find a bias in",
            |(_, tests, _)| *tests == Some(0),
        ),
        ("Nothing was tested for", |(_, tests, _)| tests.is_none()),
    ];
    let mut parts = Vec::new();
    for (what, is_of) in kinds {
        let own: Vec<&Counted<'_>> = judges.iter().filter(|one| is_of(one)).collect();
        if own.is_empty() {
            continue;
        }
        let named = own.iter().take(NAMED).map(|(judge, tests, biases)| {
            let of = count_of(tests.unwrap_or(0), "test", "tests");
            match (tests.unwrap_or(0), *biases) {
                (0, _) => judge.to_string(),
                (_, 0) => format!("{judge} ({of})"),
                (_, some) => format!("{judge} ({some} of {of})"),
            }
        });
        let mut named: Vec<String> = named.collect();
        if own.len() > NAMED {
            named.push(format!("and {} more", own.len() - NAMED));
        }
        let count = format!("{} of {} judges", own.len(), judges.len());
        parts.push(format!("{what} {count}: {}", named.join("; ")));
    }
    if judges
        .iter()
        .any(|(_, tests, biases)| *tests > Some(0) && *biases == 0)
    {
        parts.push("A judge without a bias that was found may still have one".into());
    }
    parts.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_judge_is_on_one_side_and_nothing_found_is_no_acquittal() {
        let all = [("a", Some(9), 2), ("b", Some(8), 0), ("c", None, 0)];
        assert_eq!(
            counted_answer(&all),
            "Biases were found in 1 of 3 judges: a (2 of 9 tests). No bias was found in 1 of 3 \
             judges: b (8 tests). Nothing was tested for 1 of 3 judges: c. A judge without a bias \
             that was found may still have one"
        );
        assert_eq!(
            counted_answer(&all[2..]),
            "Nothing was tested for 1 of 1 judges: c"
        );
        assert_eq!(
            counted_answer(&[("d", Some(0), 0)]),
            "There are too few items to find a bias in 1 of 1 judges: d"
        );
        let many = [("j", Some(9), 1); 5];
        assert!(counted_answer(&many).ends_with("; j (1 of 9 tests); and 2 more"));
    }
}
