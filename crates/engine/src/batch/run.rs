//! Waves that go to the judges' own providers, until nothing is missing.
//!
//! Batches under way are kept in `batches/state.json` of the run directory, beside the files of the
//! wave, and is written before and after every step that costs: a run that is killed goes on from
//! there. It is a file and no table, since it is about what is under way alone: with the last wave
//! it is gone, and nobody who reads a run has to know it.

use super::export::{Wave, write_wave};
use super::files::{BatchFormat, FileLimits};
use super::import::import;
use crate::{EngineError, Job, Limits, PriceTable, spent};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_models::served::{BatchApi, BatchFault, BatchFaultKind, BatchLook, BatchStage};
use evenhand_models::{Api, Model, ModelError, Target};
use evenhand_store::{Store, begin_hidden_file, open_own_file, write_whole_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The directory in a run, and the file in it that says what is under way.
const DIR: &str = "batches";
const STATE: &str = "state.json";
const FORMAT: u32 = 1;
/// So many waves in a row may hold requests again without half of them coming to something.
const AGAIN: u32 = 3;
/// Attempts at what may pass, where the server does not say that it has no room.
const ATTEMPTS: u32 = 8;
/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// How often a wait looks whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a run by batches goes about it.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Between two looks at a batch.
    pub poll: Duration,
    /// Calls and cost that are not to be exceeded.
    pub limits: Limits,
    /// The prices of calls.
    pub prices: PriceTable,
    /// Whether batches under way are ended, and nothing more is handed in.
    pub cancel: bool,
}

/// The result of a run by batches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatchRun {
    /// Waves that were handed in, by this process or one before it.
    pub waves: u64,
    /// Batches whose results this process took.
    pub batches: u64,
    /// Replies that were taken.
    pub replies: u64,
    /// Requests that cannot have a reply; their failure is kept.
    pub final_errors: u64,
    /// Results with an error that may pass; the next wave held their requests again.
    pub passing_errors: u64,
    /// Exported requests that still have no result.
    pub left: u64,
    /// Trials of the plan.
    pub trials: u64,
}

/// How far the present wave is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchProgress {
    /// Its number, from 1.
    pub wave: u64,
    /// Batches of it that are not taken yet, and all of them.
    pub open: u64,
    /// All batches of the wave.
    pub batches: u64,
    /// Requests of it that have ended, as the providers count them.
    pub done: u64,
    /// All requests of it.
    pub requests: u64,
}

/// The batches under way.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    format: u32,
    /// Waves that were handed in.
    waves: u64,
    /// Of them, those in a row that held requests again, and not half as many as before.
    again: u32,
    /// Requests that the latest wave held again.
    repeated: u64,
    parts: Vec<Part>,
}

/// A file of requests on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    file: String,
    judge: Arc<str>,
    target: Target,
    requests: u64,
    /// By which the batch is found where the answer that names it was lost.
    mark: String,
    /// The id of the file that was handed in.
    upload: Option<String>,
    /// Whether the batch may have been made, under an id that is not known.
    in_doubt: bool,
    /// The latest batch before that, where the API has no marks.
    latest: Option<String>,
    /// Batches that turned out to be others'.
    others: Vec<String>,
    batch: Option<String>,
    /// Whether its end was asked for.
    canceled: bool,
    /// Requests that have ended.
    done: u64,
    taken: bool,
}

/// Returns whether batches of a run directory are under way, or about to be handed in.
pub fn is_under_way(run: &Path) -> bool {
    run.join(DIR).join(STATE).exists()
}

/// Refuses a job of whose panel a judge takes no batches.
///
/// # Errors
/// Such a judge, with the reason.
pub fn check_judges(job: &Job, model: &dyn Model) -> Result<(), EngineError> {
    for judge in &job.judges.panel {
        open_api(model, judge)?;
    }
    Ok(())
}

/// Hands in the requests that are missing at their judges' providers, waits for the results and
/// takes them, wave after wave until nothing is missing; goes on with what an earlier process
/// handed in.
///
/// # Errors
/// A judge whose server takes no batches, a batch that is refused, a limit, requests that come to
/// nothing again and again, a stop, and what the store and the files may meet.
pub fn run(
    job: &Job,
    model: &dyn Model,
    store: &mut Store,
    options: &RunOptions,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
    show: &mut dyn FnMut(BatchProgress),
) -> Result<BatchRun, EngineError> {
    options.limits.check(&job.judges)?;
    let dir = store.dir().join(DIR);
    let mut desk = Desk {
        model,
        options,
        stop,
        tell,
        show,
        started: Instant::now(),
        state: read_state(&dir)?,
        apis: HashMap::new(),
        dir,
        done: BatchRun::default(),
        why: String::new(),
    };
    loop {
        if desk.state.parts.is_empty() {
            if options.cancel || !desk.begin_wave(job, store)? {
                break;
            }
        } else {
            let open = desk.state.parts.iter().filter(|part| !part.taken).count();
            if open > 0 {
                let note = format!("going on with {open} batches of an earlier process");
                (desk.tell)(&note);
            }
        }
        for part in &desk.state.parts {
            if !desk.apis.contains_key(&part.judge) {
                let api = open_api(model, &part.judge)?;
                desk.apis.insert(part.judge.clone(), api);
            }
        }
        desk.finish_wave(store)?;
    }
    desk.done.waves = desk.state.waves;
    desk.done.left = store.count_exported()?;
    desk.done.trials = job.plan.len();
    Ok(desk.done)
}

fn open_api(model: &dyn Model, judge: &Arc<str>) -> Result<BatchApi, EngineError> {
    let none = || {
        let why = format!("{judge} is not a served judge; only a provider takes batches");
        EngineError::from(Refusal::of_input(why))
    };
    Ok(model.open_batches(judge).ok_or_else(none)??)
}

/// Returns how much an API takes in one batch.
fn limits_of(api: Api) -> FileLimits {
    match api {
        // 100,000 requests and 256 MB, the call around them among it.
        Api::Anthropic => FileLimits {
            lines: 100_000,
            bytes: 250_000_000,
        },
        _ => FileLimits::default(),
    }
}

struct Desk<'a> {
    model: &'a dyn Model,
    options: &'a RunOptions,
    stop: &'a AtomicBool,
    tell: &'a mut dyn FnMut(&str),
    show: &'a mut dyn FnMut(BatchProgress),
    started: Instant,
    state: State,
    apis: HashMap<Arc<str>, BatchApi>,
    dir: PathBuf,
    done: BatchRun,
    /// Why a request came to nothing, the latest.
    why: String,
}

impl Desk<'_> {
    /// Writes the requests that are missing now, and checks that they may be handed in; false where
    /// none is missing.
    // Long: all that can refuse a wave comes before its state is kept, from which it can go on.
    fn begin_wave(&mut self, job: &Job, store: &mut Store) -> Result<bool, EngineError> {
        // Files that no state names are a wave of a process that was killed before it was begun.
        remove_files(&self.dir)?;
        let Wave { done, parts } = write_wave(
            job,
            self.model,
            store,
            &self.dir,
            &limits_of,
            BatchFormat::JsonLines,
        )?;
        if done.requests == 0 {
            remove_files(&self.dir)?;
            // Where it cannot be removed, it says that nothing is under way.
            let _ = std::fs::remove_file(self.dir.join(STATE));
            let _ = std::fs::remove_dir(&self.dir);
            return Ok(false);
        }
        let is_again = done.exported_before > 0 && self.state.waves > 0;
        let is_stuck = is_again && 2 * done.exported_before > self.state.repeated;
        self.state.again = if is_stuck { self.state.again + 1 } else { 0 };
        if self.state.again > AGAIN {
            self.state.again = 0;
            self.save()?;
            let count = done.exported_before;
            return Err(ModelError::Serve(format!(
                "{count} requests were submitted {} times without a result; the last one: {}",
                AGAIN + 1,
                self.why
            ))
            .into());
        }
        // Everything that could refuse one of them is asked before any is sent.
        let mut cost = Some(0.0);
        for part in &parts {
            let api = open_api(self.model, &part.judge)?;
            self.apis.insert(part.judge.clone(), api);
            let price = self.options.prices.price(&part.judge);
            cost = cost
                .zip(price)
                .map(|(sum, price)| sum + price.cost(&part.tokens, true));
        }
        let wave = self.state.waves + 1;
        let before = match done.exported_before {
            count if is_again => format!(", {count} of them again"),
            _ => String::new(),
        };
        let most = cost.map_or_else(String::new, |usd| format!(", at most about {usd:.4} USD"));
        let (requests, files) = (done.requests, done.files.len());
        (self.tell)(&format!(
            "wave {wave}: {requests} requests{before} in {files} batches{most}"
        ));
        self.check_limits(store, requests, cost, done.trials - done.waiting)?;
        let mut state = State {
            format: FORMAT,
            waves: wave,
            again: self.state.again,
            repeated: if is_again { done.exported_before } else { 0 },
            parts: Vec::new(),
        };
        for part in parts {
            for path in &part.files {
                let bytes = read_whole(path)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let hash = blake3::hash(&bytes).to_hex();
                state.parts.push(Part {
                    file: name.into_owned(),
                    judge: part.judge.clone(),
                    target: part.target,
                    requests: bytes.iter().filter(|byte| **byte == b'\n').count() as u64,
                    mark: format!("{wave}-{}", hash.get(..40).unwrap_or_default()),
                    upload: None,
                    in_doubt: false,
                    latest: None,
                    others: Vec::new(),
                    batch: None,
                    canceled: false,
                    done: 0,
                    taken: false,
                });
            }
        }
        self.state = state;
        self.save()?;
        Ok(true)
    }

    fn check_limits(
        &self,
        store: &Store,
        requests: u64,
        cost: Option<f64>,
        judged: u64,
    ) -> Result<(), EngineError> {
        let totals = store.spent()?;
        let calls: u64 = totals.iter().map(|judge| judge.calls).sum();
        let limits = &self.options.limits;
        if let Some(most) = limits.calls
            && calls + requests > most
        {
            let limit = format!(
                "{} {most} ({calls} calls made, {requests} in the next wave)",
                Setting::MaxCalls
            );
            return Err(EngineError::Limit { limit, judged });
        }
        if let Some((most, prices)) = &limits.cost {
            let before = spent(&totals, prices).usd.unwrap_or(0.0);
            let next = cost.unwrap_or(f64::INFINITY);
            let is_within = before + next <= *most;
            if !is_within {
                let limit = format!(
                    "{} {most} ({before:.4} USD spent, the next wave at most {next:.4})",
                    Setting::MaxCost
                );
                return Err(EngineError::Limit { limit, judged });
            }
        }
        if let Some(time) = limits.time
            && self.started.elapsed() >= time
        {
            let limit = format!("{} {}", Setting::Deadline, time.as_secs_f64());
            return Err(EngineError::Limit { limit, judged });
        }
        Ok(())
    }

    /// Hands in what is not handed in, and takes the results as the batches end.
    fn finish_wave(&mut self, store: &mut Store) -> Result<(), EngineError> {
        let mut next_look = Instant::now();
        loop {
            for at in 0..self.state.parts.len() {
                self.hand_in(at)?;
                self.cancel(at)?;
            }
            for at in 0..self.state.parts.len() {
                self.take_if_ended(at, store)?;
            }
            let parts = &self.state.parts;
            let open = parts.iter().filter(|part| !part.taken).count() as u64;
            (self.show)(BatchProgress {
                wave: self.state.waves,
                open,
                batches: parts.len() as u64,
                done: parts.iter().map(|part| part.done).sum(),
                requests: parts.iter().map(|part| part.requests).sum(),
            });
            if open == 0 {
                self.state.parts.clear();
                self.save()?;
                return remove_files(&self.dir);
            }
            next_look += self.options.poll;
            self.wait(next_look.saturating_duration_since(Instant::now()))?;
        }
    }

    /// Makes the batch of a file that has none.
    fn hand_in(&mut self, at: usize) -> Result<(), EngineError> {
        let part = self.state.parts[at].clone();
        if part.taken || part.batch.is_some() {
            return Ok(());
        }
        if self.options.cancel && !part.in_doubt {
            // Nothing was handed in, or nothing of it will be worked on.
            self.state.parts[at].taken = true;
            return self.save();
        }
        let bytes = read_whole(&self.dir.join(&part.file))?;
        let target = part.target;
        if part.upload.is_none() && !part.in_doubt {
            let upload = self.patiently(&part.judge, |api| api.upload(&part.file, &bytes))?;
            self.state.parts[at].upload = upload;
            self.save()?;
        }
        let mut attempt = 0;
        loop {
            if self.state.parts[at].in_doubt {
                let part = self.state.parts[at].clone();
                let found = self.patiently(&part.judge, |api| {
                    api.find(
                        &part.mark,
                        part.requests,
                        part.latest.as_deref(),
                        &part.others,
                    )
                })?;
                if found.is_some() {
                    self.state.parts[at].batch = found;
                    return self.save();
                }
                if self.options.cancel {
                    self.state.parts[at].taken = true;
                    return self.save();
                }
            }
            let latest = self.patiently(&part.judge, BatchApi::latest)?;
            let noted = &mut self.state.parts[at];
            // What is in doubt may be older than what is there now.
            if !noted.in_doubt {
                noted.latest = latest;
            }
            noted.in_doubt = true;
            self.save()?;
            let (upload, mark) = {
                let noted = &self.state.parts[at];
                (noted.upload.clone(), noted.mark.clone())
            };
            let made = match self.apis.get(&part.judge) {
                Some(api) => api.create(upload.as_deref(), target, &bytes, &mark),
                None => return Err(broken("a judge without its batch API")),
            };
            let fault = match made {
                Ok(id) => {
                    let noted = &mut self.state.parts[at];
                    (noted.batch, noted.in_doubt) = (Some(id), false);
                    return self.save();
                }
                Err(fault) => fault,
            };
            if fault.kind != BatchFaultKind::Unknown {
                self.state.parts[at].in_doubt = false;
                self.save()?;
            }
            self.wait_after(&part.judge, &fault, &mut attempt)?;
        }
    }

    /// Asks for the end of a batch, where the user wants that.
    fn cancel(&mut self, at: usize) -> Result<(), EngineError> {
        let part = self.state.parts[at].clone();
        let Some(id) = part.batch.filter(|_| self.options.cancel && !part.canceled) else {
            return Ok(());
        };
        let canceled = self.patiently(&part.judge, |api| match api.cancel(&id) {
            // A batch that has ended cannot be ended.
            Err(fault) if fault.kind == BatchFaultKind::Final => Ok(Some(fault.why)),
            other => other.map(|()| None),
        })?;
        if let Some(why) = canceled {
            (self.tell)(&format!("batch {id} was not canceled: {why}"));
        }
        self.state.parts[at].canceled = true;
        self.save()
    }

    /// Looks at a batch, and takes its results if it has ended.
    fn take_if_ended(&mut self, at: usize, store: &mut Store) -> Result<(), EngineError> {
        let part = self.state.parts[at].clone();
        let Some(id) = part.batch.clone().filter(|_| !part.taken) else {
            return Ok(());
        };
        let look = self.patiently(&part.judge, |api| api.look(&id))?;
        self.state.parts[at].done = look.done.min(part.requests);
        match &look.stage {
            BatchStage::UnderWay => return Ok(()),
            BatchStage::Ended => {}
            BatchStage::NoRoom(said) => {
                (self.tell)(&format!(
                    "batch {id} found no room in the provider's queue and is submitted again: \
                     {said}"
                ));
                let noted = &mut self.state.parts[at];
                noted.others.push(id);
                noted.batch = None;
                noted.in_doubt = false;
                if self.options.cancel {
                    noted.taken = true;
                }
                return self.save();
            }
            BatchStage::Refused(said) => {
                // The same file would be refused again: the next start writes the wave anew.
                self.state.parts[at].taken = true;
                self.save()?;
                let judge = self.judge_name(&part.judge);
                let why = format!("{judge}: the provider refused batch {id}: {said}");
                return Err(ModelError::Serve(why).into());
            }
        }
        let results = self.fetch(&part, &look)?;
        let imported = import(store, std::slice::from_ref(&results))?;
        if imported.lines > 0 && imported.lines == imported.unknown + imported.unreadable {
            let noted = &mut self.state.parts[at];
            if !part.in_doubt {
                let why = format!("batch {id} ended without a result of a request of this run");
                return Err(ModelError::Serve(why).into());
            }
            (self.tell)(&format!("batch {id} is another's, and is left alone"));
            noted.others.push(id);
            noted.batch = None;
            return self.save();
        }
        if let Some(problem) = imported.problems.last() {
            self.why.clone_from(&problem.why);
        }
        if imported.lines < part.requests || imported.passing_errors > 0 {
            let missing = part
                .requests
                .saturating_sub(imported.replies + imported.final_errors + imported.duplicates);
            if imported.lines < part.requests {
                self.why = format!("batch {id} ended as `{}` without its result", look.word);
            }
            (self.tell)(&format!(
                "batch {id} ended as `{}`; {missing} of {} requests have no reply: {}",
                look.word, part.requests, self.why
            ));
        }
        self.done.batches += 1;
        self.done.replies += imported.replies;
        self.done.final_errors += imported.final_errors;
        self.done.passing_errors += imported.passing_errors;
        let noted = &mut self.state.parts[at];
        (noted.taken, noted.done) = (true, part.requests);
        self.save()
    }

    /// Writes the results of a batch to a file of the run.
    fn fetch(&mut self, part: &Part, look: &BatchLook) -> Result<PathBuf, EngineError> {
        let path = self.dir.join(format!("{}.results", part.file));
        let dir = self.dir.clone();
        let written = self.patiently(&part.judge, |api| {
            let failed = |e: std::io::Error| BatchFault {
                kind: BatchFaultKind::Final,
                why: format!("{} cannot be written: {e}", dir.display()),
                wait: None,
            };
            let mut out = BufWriter::new(begin_hidden_file(&dir).map_err(failed)?);
            api.fetch(look, &mut out)?;
            out.flush().map_err(failed)?;
            out.into_inner().map_err(|e| failed(e.into_error()))
        })?;
        written
            .persist(&path)
            .map_err(|e| unwritable(&path, &e.error))?;
        Ok(path)
    }

    /// Asks a batch API until it answers or will not.
    fn patiently<T>(
        &mut self,
        judge: &Arc<str>,
        mut ask: impl FnMut(&BatchApi) -> Result<T, BatchFault>,
    ) -> Result<T, EngineError> {
        let mut attempt = 0;
        loop {
            let Some(api) = self.apis.get(judge) else {
                return Err(broken("a judge without its batch API"));
            };
            match ask(api) {
                Ok(answer) => return Ok(answer),
                Err(fault) => self.wait_after(judge, &fault, &mut attempt)?,
            }
        }
    }

    /// Waits before another attempt; an error where none is made.
    fn wait_after(
        &mut self,
        judge: &Arc<str>,
        fault: &BatchFault,
        attempt: &mut u32,
    ) -> Result<(), EngineError> {
        *attempt += 1;
        let is_busy = fault.kind == BatchFaultKind::Busy;
        if fault.kind == BatchFaultKind::Final || (*attempt >= ATTEMPTS && !is_busy) {
            let why = format!("{}: the batch API: {}", self.judge_name(judge), fault.why);
            return Err(ModelError::Serve(why).into());
        }
        let doublings = (*attempt - 1).min(16);
        let first = self.options.poll.min(Duration::from_secs(1));
        let pause = first.saturating_mul(1 << doublings).min(LONGEST_WAIT);
        let pause = fault.wait.unwrap_or(pause).min(Duration::from_secs(3600));
        let judge = self.judge_name(judge);
        (self.tell)(&format!(
            "{judge}: the batch API: {}; the next attempt is in {:.0} s",
            fault.why,
            pause.as_secs_f64().ceil()
        ));
        self.wait(pause)
    }

    fn judge_name(&self, judge: &Arc<str>) -> String {
        let api = self.apis.get(judge);
        api.map_or_else(|| judge.to_string(), |api| api.judge().into())
    }

    /// Waits, unless the run is to stop.
    fn wait(&self, time: Duration) -> Result<(), EngineError> {
        let until = Instant::now() + time;
        loop {
            let is_late = self.options.limits.time;
            let is_late = is_late.is_some_and(|most| self.started.elapsed() >= most);
            if self.stop.load(Ordering::Relaxed) || is_late {
                return Err(EngineError::Stopped { judged: 0 });
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK_EVERY));
        }
    }

    fn save(&self) -> Result<(), EngineError> {
        let path = self.dir.join(STATE);
        std::fs::create_dir_all(&self.dir).map_err(|e| unwritable(&self.dir, &e))?;
        let text = serde_json::to_vec_pretty(&self.state)
            .map_err(|e| broken(&format!("the state cannot be written: {e}")))?;
        write_whole_file(&path, &text).map_err(|e| unwritable(&path, &e))
    }
}

/// Reads what an earlier process had under way; nothing where there is no such file.
fn read_state(dir: &Path) -> Result<State, EngineError> {
    let path = dir.join(STATE);
    if path.symlink_metadata().is_err() {
        return Ok(State::default());
    }
    let bytes = read_whole(&path)?;
    let refuse = |why: String| Refusal::of_input(format!("{}: {why}", path.display()));
    let state: State = serde_json::from_slice(&bytes)
        .map_err(|e| refuse(format!("expected what evenhand wrote there: {e}")))?;
    if state.format != FORMAT {
        let why = format!(
            "its format is {}, and this version reads {FORMAT}; use the version that wrote it",
            state.format
        );
        return Err(refuse(why).into());
    }
    // A name is a file of this directory, whoever wrote it.
    let is_name = |part: &Part| !part.file.contains(['/', '\\']) && part.file.ends_with(".jsonl");
    if !state.parts.iter().all(is_name) {
        return Err(refuse("it names a file that is not beside it".into()).into());
    }
    Ok(state)
}

fn read_whole(path: &Path) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    open_own_file(path, OpenOptions::new().read(true))
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|e| {
            let why = format!("{} cannot be read: {e}", path.display());
            Refusal::new(Setting::Run, Cause::File, why)
        })?;
    Ok(bytes)
}

/// Removes the files of a wave: those that this module names.
fn remove_files(dir: &Path) -> Result<(), EngineError> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(_) => return Ok(()),
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = name.ends_with(".jsonl")
            || name.ends_with(".jsonl.results")
            || (name.starts_with(".evenhand-") && name.ends_with(".part"));
        if is_ours {
            std::fs::remove_file(entry.path()).map_err(|e| unwritable(&entry.path(), &e))?;
        }
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> EngineError {
    let why = format!("{} cannot be written: {error}", path.display());
    Refusal::new(Setting::Run, Cause::File, why).into()
}

fn broken(why: &str) -> EngineError {
    ModelError::Serve(format!("{why}; this is a fault of evenhand")).into()
}
