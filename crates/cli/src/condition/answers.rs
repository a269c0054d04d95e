//! `--fail-if` on the answers of systems that are ranked: `p95_latency(v2)>2.5`,
//! `answer_length(v2,v1)>50`.

use evenhand_compare::gate::{
    Decided, Gate, GateFigure, GateOutcome, GateTest, Who, decide_measured,
};
use evenhand_compare::{AnswerFigure, AnswerSize, Measured};
use evenhand_engine::{EngineError, Job};

/// Decides a condition on a figure of the data's answers: of one system, of each where none is
/// named, or the change from the second that is named to the first. `level` is that of intervals.
pub(super) fn decide(
    gate: &Gate,
    job: &Job,
    level: f64,
    allow_missing: bool,
) -> Result<Decided, EngineError> {
    let GateTest::Bound(GateFigure::Answers(figure, who, part), comparison, bound) = &gate.test
    else {
        return Ok(Decided::open("it is on no answers"));
    };
    let names: Vec<&str> = match who {
        Who::Any => job.dataset.systems.iter().map(|name| &**name).collect(),
        Who::System(new, _) => vec![new],
    };
    let mut open = None;
    let mut passed = Decided::open("there is no system");
    for name in names {
        let (name, measured) = match who {
            Who::System(new, Some(old)) => (
                format!("{new} against {old}"),
                change(*figure, job, [new, old], level)?,
            ),
            _ => (name.to_string(), measure(*figure, job, name, level)?),
        };
        let bound = (*comparison, *bound);
        let found = decide_measured(&name, &measured, *part, bound, allow_missing);
        match found.outcome {
            // Any that is met counts before those that are not decided.
            GateOutcome::Met => return Ok(found),
            GateOutcome::Inconclusive(_) => open = open.or(Some(found)),
            GateOutcome::Passed => passed = found,
        }
    }
    Ok(open.unwrap_or(passed))
}

fn measure(
    figure: AnswerFigure,
    job: &Job,
    system: &str,
    level: f64,
) -> Result<Measured, EngineError> {
    let sizes = sizes_of(job, system)?;
    let answers = sizes.iter().enumerate();
    let answers = answers.filter_map(|(item, size)| Some((question(job, item), size.as_ref()?)));
    Ok(figure.measure(answers, level))
}

fn change(
    figure: AnswerFigure,
    job: &Job,
    [new, old]: [&str; 2],
    level: f64,
) -> Result<Measured, EngineError> {
    let [new, old] = [sizes_of(job, new)?, sizes_of(job, old)?];
    let pairs = old
        .iter()
        .zip(&new)
        .enumerate()
        .filter_map(|(item, (old, new))| Some((question(job, item), old.as_ref()?, new.as_ref()?)));
    Ok(figure.measure_change(pairs, level))
}

fn question(job: &Job, item: usize) -> u32 {
    job.clusters.of(item as u32)
}

/// The size of a system's answer to each item; None where it has none.
fn sizes_of(job: &Job, system: &str) -> Result<Vec<Option<AnswerSize>>, EngineError> {
    let Some(system) = job.dataset.system_index(system) else {
        return Ok(Vec::new());
    };
    let items = 0..job.dataset.items.len();
    let sizes = items.map(|item| {
        let response = job.dataset.response(item, system)?;
        Ok(response.as_ref().map(AnswerSize::of))
    });
    sizes.collect()
}
