//! A protocol that is written outside the workspace is planned, judged, resumed, estimated and
//! ranked like any other (examples/own-protocol, which `make test-slow` builds as the crate of its
//! own that it is).

#[path = "../../../../examples/own-protocol/src/lib.rs"]
#[allow(
    unreachable_pub,
    clippy::module_inception,
    reason = "it is a library, seen from here as a part of a test"
)]
mod own_protocol;

use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    DataOptions, Design, Finished, Job, JudgeOptions, JudgeSpec, Session, Sink, bench, estimate,
    load, open_store,
};
use evenhand_protocols::Protocol;
use evenhand_ranking::{Collected, RankOptions, rank};
use own_protocol::Differences;
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart");

#[derive(Default)]
struct Gather(Collected);

impl Sink for Gather {
    fn judgment(&mut self, judgment: Judgment, _: &Item, responses: &[Response]) {
        self.0.add(&judgment, responses);
    }
}

fn plan_job(judge: &str) -> (Job, Box<dyn evenhand_models::Model>) {
    let options = DataOptions {
        paths: vec![DATA.into()],
        ..DataOptions::default()
    };
    let dataset = load(&options).unwrap();
    let judge = JudgeSpec::parse(judge).unwrap();
    let bench = bench(
        &[judge],
        None,
        None,
        &dataset.systems,
        JudgeOptions::default(),
    )
    .unwrap();
    let protocol = Protocol::custom(Differences);
    let job = Job::new(dataset, protocol, Design::AllPairs, bench.judges, 1).unwrap();
    (job, bench.model)
}

fn judge(dir: &Path) -> (Job, Collected, Finished) {
    let (job, mut model) = plan_job("simulated:gap=1.5");
    let mut store = open_store(&job, Some(dir), &[]).unwrap();
    let mut gather = Gather::default();
    let finished = Session::new(model.as_mut(), &mut store, &mut gather)
        .run(&job)
        .unwrap();
    (job, gather.0, finished)
}

#[test]
fn it_is_judged_once_and_ranks_what_was_planted() {
    let dir = tempfile::tempdir().unwrap();
    let (job, collected, first) = judge(dir.path());
    let trials = job.plan.len();
    assert_eq!(first.progress.judged, trials);
    assert_eq!(first.progress.calls, 2 * trials);
    let report = rank(&job, &collected, &RankOptions::default()).unwrap();
    assert_eq!(report.protocol, "differences");
    let ranked: Vec<&str> = report.ranking.iter().map(|row| &*row.system).collect();
    let planted: Vec<&str> = job.dataset.systems.iter().map(|system| &**system).collect();
    assert_eq!(ranked, planted);
    // The same command again finds every reply.
    let (_, _, again) = judge(dir.path());
    assert_eq!((again.progress.judged, again.progress.calls), (trials, 0));
}

#[test]
fn it_is_estimated_by_the_same_code() {
    let (job, model) = plan_job("simulated");
    let estimate = estimate(&job, model.as_ref(), &[]).unwrap();
    assert_eq!(
        (estimate.trials, estimate.calls),
        (job.plan.len(), 2 * job.plan.len())
    );
}
