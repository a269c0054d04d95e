//! The driver against scripted models: any order of delivery, failures, resuming, stopping.

use super::*;
use crate::{Design, Finished, Session, Sink};
use evenhand_core::{
    CallErrorKind, Item, Item as CoreItem, Message, Outcome, Reply, Task, Verdict,
};
use evenhand_formats::records::{ItemRef, Place, Record, SystemOutput};
use evenhand_formats::{Dataset, DatasetBuilder};
use evenhand_models::{Model, ModelError};
use evenhand_protocols::{Judges, Protocol};
use evenhand_store::{Reader, RunState, Store};
use std::sync::atomic::{AtomicBool, Ordering};

fn dataset(items: usize, systems: usize) -> Dataset {
    let mut builder = DatasetBuilder::default();
    let place = Place::file("test");
    for item in 0..items {
        let messages = vec![Message::user(format!("Instruction {item}"))];
        builder
            .add_record(
                Record::Item(CoreItem {
                    id: item.to_string(),
                    messages,
                    ..CoreItem::default()
                }),
                &place,
            )
            .unwrap();
    }
    for (item, system) in (0..items).flat_map(|item| (0..systems).map(move |system| (item, system)))
    {
        let answer = SystemOutput::new(format!("s{system}"), format!("answer {system} to {item}"));
        builder
            .add_record(
                Record::Response {
                    item: ItemRef::Id(item.to_string()),
                    answer,
                },
                &place,
            )
            .unwrap();
    }
    builder.finish(false).unwrap()
}

fn job(protocol: &str, items: usize, systems: usize) -> Job {
    Job::new(
        dataset(items, systems),
        Protocol::parse(protocol).unwrap(),
        Design::AllPairs,
        Judges::one("scripted"),
        0,
    )
    .unwrap()
}

fn reply(text: &str) -> Reply {
    Reply {
        text: text.into(),
        ..Reply::default()
    }
}

/// Pulls up to `batch` requests, then answers them in reverse; gives up after `most` answers.
struct Scripted<'a> {
    batch: usize,
    most: usize,
    asked: Vec<RequestKey>,
    answer: &'a dyn Fn(&Request) -> CallResult,
}

impl Model for Scripted<'_> {
    fn identity(&self) -> &str {
        "scripted"
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        loop {
            let batch: Vec<_> = std::iter::from_fn(|| work.next_request())
                .take(self.batch)
                .collect();
            if batch.is_empty() {
                return Ok(());
            }
            for (key, request) in batch.into_iter().rev() {
                if self.asked.len() == self.most || work.is_stopped() {
                    return Ok(());
                }
                self.asked.push(key);
                work.deliver(key, (self.answer)(&request).into());
            }
        }
    }
}

#[derive(Default)]
struct Kept(Vec<(u64, Outcome)>);

impl Sink for Kept {
    fn judgment(&mut self, judgment: Judgment, _: &Item, _: &[Response]) {
        self.0
            .push((judgment.trial.index, judgment.outcome.clone()));
    }
}

fn play(
    job: &Job,
    dir: &std::path::Path,
    model: &mut Scripted,
) -> (Result<Finished, EngineError>, Kept) {
    let mut store = Store::open(dir, &job.manifest().unwrap()).unwrap();
    let mut kept = Kept::default();
    let finished = Session::new(model, &mut store, &mut kept).run(job);
    (finished, kept)
}

/// Judged trials, failures and calls.
fn counts(finished: Result<Finished, EngineError>) -> (u64, u64, u64) {
    let progress = finished.unwrap().progress;
    (
        progress.judged,
        progress.failed.iter().sum(),
        progress.calls,
    )
}

fn first(_: &Request) -> CallResult {
    Ok(reply("A"))
}

#[test]
fn judgments_come_in_plan_order_whatever_the_order_of_the_replies() {
    let (job, dir) = (job("pairwise", 3, 4), tempfile::tempdir().unwrap());
    for batch in [1, 7, 1000] {
        let dir = dir.path().join(batch.to_string());
        let (finished, kept) = play(
            &job,
            &dir,
            &mut Scripted {
                batch,
                most: usize::MAX,
                asked: vec![],
                answer: &first,
            },
        );
        assert_eq!(counts(finished), (36, 0, 36));
        assert!(
            kept.0
                .iter()
                .enumerate()
                .all(|(at, (index, _))| *index == at as u64)
        );
    }
}

#[test]
fn a_run_that_broke_off_goes_on_and_asks_nothing_twice() {
    let (job, dir) = (job("pairwise", 4, 4), tempfile::tempdir().unwrap());
    let mut asked = Vec::new();
    let mut starts = 0;
    let kept = loop {
        let mut model = Scripted {
            batch: 5,
            most: 11,
            asked: vec![],
            answer: &first,
        };
        let (finished, kept) = play(&job, dir.path(), &mut model);
        asked.extend(model.asked);
        starts += 1;
        match finished {
            Ok(_) => break kept,
            Err(EngineError::Stuck { .. }) => assert!(starts < 10),
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(
        (starts, asked.len(), kept.0.len()),
        (5, 48, 48),
        "48 trials, 11 at a time"
    );
    let distinct: std::collections::BTreeSet<_> = asked.iter().collect();
    assert_eq!(distinct.len(), 48);
}

#[test]
fn what_was_judged_out_of_turn_is_kept_where_a_run_ends_early() {
    let (job, dir) = (job("pairwise", 3, 2), tempfile::tempdir().unwrap());
    let mut model = Scripted {
        batch: 1000,
        most: 4,
        asked: Vec::new(),
        answer: &first,
    };
    // The first two of six trials never get their replies: the others come before their turn.
    let (finished, kept) = play(&job, dir.path(), &mut model);
    assert!(finished.is_err());
    assert_eq!(kept.0, [], "nothing is handed out of turn");
    let progress = || Reader::open(dir.path()).unwrap().progress().unwrap();
    let stopped = progress();
    assert_eq!((stopped.judgments, stopped.planned), (4, Some(6)));
    assert_eq!(stopped.state, RunState::Stopped);
    (model.most, model.asked) = (usize::MAX, Vec::new());
    let (finished, kept) = play(&job, dir.path(), &mut model);
    assert_eq!(counts(finished), (6, 0, 2));
    let order: Vec<u64> = kept.0.iter().map(|(index, _)| *index).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    assert_eq!(progress().state, RunState::Complete);
}

#[test]
fn a_call_that_several_trials_need_is_made_once() {
    // Both calls of the likelihood form have the response alone in view: no pair asks for them
    // again, and the unconditional one of equal texts is shared.
    let (job, dir) = (job("likelihood", 2, 3), tempfile::tempdir().unwrap());
    let answer = |request: &Request| match &request.task {
        Task::Score { .. } => Ok(Reply {
            likelihood: Some(evenhand_core::Likelihood {
                logprob: -2.0,
                tokens: 2,
                apart: 0.0,
            }),
            ..reply("")
        }),
        other => panic!("{other:?}"),
    };
    let mut model = Scripted {
        batch: 3,
        most: usize::MAX,
        asked: vec![],
        answer: &answer,
    };
    let (finished, _) = play(&job, dir.path(), &mut model);
    assert_eq!(counts(finished), (6, 0, 12));
}

#[test]
fn a_model_error_is_a_failure_now_and_asked_again_later() {
    let (job, dir) = (job("pairwise", 1, 2), tempfile::tempdir().unwrap());
    let broken = |_: &Request| {
        Err(CallError {
            kind: CallErrorKind::Model,
            message: "out of order".into(),
        })
    };
    let (finished, kept) = play(
        &job,
        dir.path(),
        &mut Scripted {
            batch: 1,
            most: 9,
            asked: vec![],
            answer: &broken,
        },
    );
    assert_eq!(counts(finished), (2, 2, 2));
    assert_eq!(kept.0[0].1.as_ref().unwrap_err().detail, "out of order");
    let (finished, kept) = play(
        &job,
        dir.path(),
        &mut Scripted {
            batch: 1,
            most: 9,
            asked: vec![],
            answer: &first,
        },
    );
    assert_eq!(counts(finished), (2, 0, 2));
    assert!(matches!(kept.0[0].1, Ok(Verdict::Pairwise { .. })));
}

fn no_answer() -> CallResult {
    Err(CallError {
        kind: CallErrorKind::Model,
        message: "refused".into(),
    })
}

/// None of the first trials has an answer: others are asked from all over the plan, and where one
/// has, all are.
#[test]
fn trials_from_all_over_the_plan_are_asked_before_a_run_is_given_up() {
    // Twelve trials an item.
    let job = job("pairwise", 40, 4);
    for batch in [1, 7, 1000] {
        let play_of = |answered: &str| {
            let dir = tempfile::tempdir().unwrap();
            let answer = |request: &Request| match &format!("{:?}", request.messages) {
                prompt if prompt.contains(answered) => first(request),
                _ => no_answer(),
            };
            let mut model = Scripted {
                batch,
                most: usize::MAX,
                asked: vec![],
                answer: &answer,
            };
            let (finished, kept) = play(&job, dir.path(), &mut model);
            (finished, kept, model.asked.len())
        };
        let (finished, kept, asked) = play_of("Instruction 30");
        assert_eq!((counts(finished), asked), ((480, 468, 480), 480), "{batch}");
        let order: Vec<u64> = kept.0.iter().map(|(index, _)| *index).collect();
        assert_eq!(order, (0..480).collect::<Vec<_>>(), "{batch}");
        let (finished, _, asked) = play_of("nobody's words");
        assert_eq!(asked, WIDELY as usize, "{batch}");
        assert_eq!(
            finished.unwrap_err().to_string(),
            "the first 20 trials, and 140 from all over the plan, all ended as `model-error`, so \
             the others are not asked"
        );
    }
}

/// Whoever goes on with a run is told which calls had no answer before, and a run that had others
/// is not given up.
#[test]
fn a_run_of_which_only_unanswered_trials_are_left_says_so_and_ends() {
    /// Answers item 5 alone; how many calls were said to have failed before.
    struct Choosy(Vec<bool>);
    impl Model for Choosy {
        fn identity(&self) -> &str {
            "scripted"
        }
        fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
            None
        }
        fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
            while let Some((key, request)) = work.next_request() {
                self.0.push(work.failed_before(&key));
                let is_answered = format!("{:?}", request.messages).contains("Instruction 5");
                let result = if is_answered {
                    first(&request)
                } else {
                    no_answer()
                };
                work.deliver(key, result.into());
            }
            Ok(())
        }
    }
    let (job, dir) = (job("pairwise", 6, 4), tempfile::tempdir().unwrap());
    for (asked, failed_before) in [(72, 0), (60, 60)] {
        let mut store = Store::open(dir.path(), &job.manifest().unwrap()).unwrap();
        let mut model = Choosy(Vec::new());
        let finished = Session::new(&mut model, &mut store, &mut Kept::default()).run(&job);
        let progress = finished.unwrap().progress;
        assert_eq!(
            (progress.verdicts, progress.calls, progress.lost),
            (12, asked, 60)
        );
        let told = model.0.iter().filter(|failed| **failed).count();
        assert_eq!((model.0.len() as u64, told), (asked, failed_before));
    }
}

#[test]
fn a_final_error_is_kept_like_a_reply() {
    let (job, dir) = (job("pairwise", 1, 2), tempfile::tempdir().unwrap());
    let long = |_: &Request| {
        Err(CallError {
            kind: CallErrorKind::TooLong,
            message: "9 tokens, room for 8".into(),
        })
    };
    play(
        &job,
        dir.path(),
        &mut Scripted {
            batch: 1,
            most: 9,
            asked: vec![],
            answer: &long,
        },
    )
    .0
    .unwrap();
    let mut model = Scripted {
        batch: 1,
        most: 9,
        asked: vec![],
        answer: &first,
    };
    let (finished, kept) = play(&job, dir.path(), &mut model);
    assert_eq!(counts(finished), (2, 2, 0));
    assert_eq!(
        kept.0[0].1.as_ref().unwrap_err().kind,
        evenhand_core::FailureKind::TooLong
    );
}

#[test]
fn a_reply_that_nobody_asked_for_ends_the_run_loudly() {
    struct Liar;
    impl Model for Liar {
        fn identity(&self) -> &str {
            "scripted"
        }
        fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
            None
        }
        fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
            work.deliver(RequestKey([7; 32]), Ok(reply("A")).into());
            Ok(())
        }
    }
    let (job, dir) = (job("pairwise", 1, 2), tempfile::tempdir().unwrap());
    let mut store = Store::open(dir.path(), &job.manifest().unwrap()).unwrap();
    let error = Session::new(&mut Liar, &mut store, &mut Kept::default())
        .run(&job)
        .unwrap_err();
    assert!(matches!(error, EngineError::Unasked), "{error}");
}

#[test]
fn a_stop_ends_the_run_and_says_how_to_go_on() {
    let (job, dir) = (job("pairwise", 2, 3), tempfile::tempdir().unwrap());
    let stop = AtomicBool::new(false);
    let answer = |_: &Request| {
        stop.store(true, Ordering::Relaxed);
        first(&Request::new("".into(), vec![], Task::score(String::new())))
    };
    let mut store = Store::open(dir.path(), &job.manifest().unwrap()).unwrap();
    // The last of three trials is judged first, and is counted although it waits for its turn.
    let mut model = Scripted {
        batch: 3,
        most: 99,
        asked: vec![],
        answer: &answer,
    };
    let error = Session::new(&mut model, &mut store, &mut Kept::default())
        .with_stop(&stop)
        .run(&job)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "stopped after 1 judged trials; the same command goes on from here"
    );
    assert_eq!(model.asked.len(), 1);
}

#[test]
fn a_stop_that_comes_with_the_last_judgment_ends_nothing() {
    /// Stops the run when so many judgments are in.
    struct StopAt<'a> {
        left: u64,
        stop: &'a AtomicBool,
    }
    impl Sink for StopAt<'_> {
        fn judgment(&mut self, _: Judgment, _: &Item, _: &[Response]) {
            self.left -= 1;
            self.stop.store(self.left == 0, Ordering::Relaxed);
        }
    }
    let job = job("pairwise", 2, 3);
    let all = job.plan.len();
    for (at, batch) in [(all, 1), (all, 1000), (all - 1, 1)] {
        let (dir, stop) = (tempfile::tempdir().unwrap(), AtomicBool::new(false));
        let mut store = Store::open(dir.path(), &job.manifest().unwrap()).unwrap();
        let mut sink = StopAt {
            left: at,
            stop: &stop,
        };
        let mut model = Scripted {
            batch,
            most: usize::MAX,
            asked: vec![],
            answer: &first,
        };
        let finished = Session::new(&mut model, &mut store, &mut sink)
            .with_stop(&stop)
            .run(&job);
        drop(store);
        assert!(stop.load(Ordering::Relaxed));
        let state = Reader::open(dir.path()).unwrap().progress().unwrap().state;
        if at == all {
            assert_eq!(counts(finished), (all, 0, all));
            assert_eq!(state, RunState::Complete);
        } else {
            let error = finished.unwrap_err();
            assert!(
                matches!(error, EngineError::Stopped { judged } if judged == at),
                "{error}"
            );
            assert_eq!(state, RunState::Stopped);
        }
    }
}
