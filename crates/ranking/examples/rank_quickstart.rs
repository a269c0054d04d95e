//! Ranks the systems of examples/quickstart with a simulated judge, without any model:
//! `cargo run -p evenhand-engine --example rank_quickstart`.

#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec, Session, Sink, bench, load,
    open_store,
};
use evenhand_protocols::Protocol;
use evenhand_ranking::{Collected, RankOptions, Report, rank};
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");

/// Gathers the judgments of a run.
#[derive(Default)]
struct Gather(Collected);

impl Sink for Gather {
    fn judgment(&mut self, judgment: Judgment, _: &Item, responses: &[Response]) {
        self.0.add(&judgment, responses);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let report = rank_by_simulated_judge(dir.path())?;
    for row in &report.ranking {
        let rank = row.rank.map_or("-".into(), |rank| rank.to_string());
        let score = row.score.map_or("-".into(), |score| format!("{score:.0}"));
        let ranks = row
            .rank_ci
            .map(|[low, high]| format!("ranks {low} to {high}"));
        println!(
            "{rank} {:10} {score} {}",
            row.system,
            ranks.unwrap_or_default()
        );
    }
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    Ok(())
}

/// Data, protocol and judge become a job; a session obtains its judgments, and `rank` makes the
/// ranking of them.
fn rank_by_simulated_judge(run: &Path) -> Result<Report, EngineError> {
    let dataset = load(&DataOptions {
        paths: vec![DATA.into()],
        ..DataOptions::default()
    })?;
    let judge = JudgeSpec::parse("simulated:accuracy=0.8")?;
    let protocol = Protocol::parse("pairwise")?;
    let options = JudgeOptions::default();
    let mut bench = bench(&[judge], None, None, &dataset.systems, options)?;
    let job = Job::new(dataset, protocol, Design::AllPairs, bench.judges, 1)?;
    let mut store = open_store(&job, Some(run), &[])?;
    let mut gather = Gather::default();
    Session::new(bench.model.as_mut(), &mut store, &mut gather).run(&job)?;
    rank(&job, &gather.0, &RankOptions::default())
}
