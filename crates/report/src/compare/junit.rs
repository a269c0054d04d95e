//! What came of conditions, as JUnit's XML: every CI system shows it.

use super::outcome_words;
use super::words::{copied_lines, missing_text};
use evenhand_compare::Comparison;
use evenhand_compare::gate::{GateOutcome, GateResult};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

/// Returns what is missing, what was copied from other runs, and a test case for each condition:
/// failed where it is met; where the data do not decide it, failed or skipped as `fails_undecided`
/// says.
///
/// # Errors
/// Those of the XML writer; no text is known to cause one.
pub fn gates_junit(
    comparison: &Comparison,
    gates: &[GateResult],
    suite: &str,
    fails_undecided: bool,
) -> Result<String, SerializeError> {
    let mut tests = TestSuite::new(suite);
    let told: Vec<String> = missing_text(comparison)
        .into_iter()
        .chain(copied_lines(comparison))
        .collect();
    if !told.is_empty() {
        tests.set_system_out(told.join("\n"));
    }
    for gate in gates {
        let mut status = match gate.outcome {
            GateOutcome::Passed => TestCaseStatus::success(),
            GateOutcome::Inconclusive(_) if !fails_undecided => TestCaseStatus::skipped(),
            _ => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        if gate.outcome != GateOutcome::Passed {
            status.set_message(format!(
                "{}: {}",
                outcome_words(gate.outcome),
                gate.reason()
            ));
        }
        let mut case = TestCase::new(gate.text.as_str(), status);
        case.set_classname("fail-if");
        // The others say it in their message.
        if gate.outcome == GateOutcome::Passed {
            case.set_system_out(gate.why.as_str());
        }
        tests.add_test_case(case);
    }
    let mut report = Report::new("evenhand");
    report.add_test_suite(tests);
    report.to_string()
}
