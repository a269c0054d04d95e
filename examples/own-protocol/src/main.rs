//! Ranks the systems of a data set by the protocol of this crate, with a simulated judge:
//! `cargo run -- ../quickstart`.

use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{DataOptions, Design, EngineError, Job, JudgeOptions, JudgeSpec, Session, Sink, bench, load, open_store};
use evenhand_ranking::{Collected, RankOptions, Report, rank};
use evenhand_protocols::Protocol;
use own_protocol::Differences;
use std::path::Path;

/// Gathers the judgments of a run.
#[derive(Default)]
struct Gather(Collected);

impl Sink for Gather {
    fn judgment(&mut self, judgment: Judgment, _: &Item, responses: &[Response]) {
        self.0.add(&judgment, responses);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = std::env::args()
        .nth(1)
        .ok_or("expected the path of a data set")?;
    let run = tempfile::tempdir()?;
    let report = rank_by_differences(Path::new(&data), run.path())?;
    println!(
        "{} judgments by {}",
        report.coverage.verdicts, report.protocol
    );
    for row in &report.ranking {
        let score = row.score.map_or("-".into(), |score| format!("{score:.0}"));
        println!("{:12} {score}", row.system);
    }
    Ok(())
}

fn rank_by_differences(data: &Path, run: &Path) -> Result<Report, EngineError> {
    let dataset = load(&DataOptions {
        paths: vec![data.into()],
        ..DataOptions::default()
    })?;
    let judge = JudgeSpec::parse("simulated:accuracy=0.8")?;
    let options = JudgeOptions::default();
    let mut bench = bench(&[judge], None, None, &dataset.systems, options)?;
    let protocol = Protocol::custom(Differences);
    let job = Job::new(dataset, protocol, Design::AllPairs, bench.judges, 1)?;
    let mut store = open_store(&job, Some(run), &[])?;
    let mut gather = Gather::default();
    Session::new(bench.model.as_mut(), &mut store, &mut gather).run(&job)?;
    rank(&job, &gather.0, &RankOptions::default())
}
