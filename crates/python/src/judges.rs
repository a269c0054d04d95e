//! Judges written in Python: requests go to a function on a thread of Python's, replies come back
//! through an object.

use evenhand_core::Request;
use evenhand_engine::{OwnJudge, register_judge};
use evenhand_models::outside::{Carried, Carrier, Numbered, Outside, Replied, Sending, read_reply};
use evenhand_models::{Model, ModelError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A judge under a name; it is forgotten with this object.
#[pyclass(frozen)]
pub(crate) struct RegisteredJudge(OwnJudge);

#[pymethods]
impl RegisteredJudge {
    /// What names it where a judge is expected.
    #[getter]
    fn spec(&self) -> String {
        self.0.spec()
    }
}

/// Registers a judge. `submit` takes a list of `(number, request as JSON)` and an [`Answers`], and
/// returns at once; whoever answers gives each reply to the latter.
#[pyfunction]
#[pyo3(signature = (identity, submit, *, under_way, together, timeout))]
pub(crate) fn register_python_judge(
    identity: String,
    submit: Py<PyAny>,
    under_way: usize,
    together: usize,
    timeout: f64,
) -> PyResult<RegisteredJudge> {
    let sending = Sending {
        under_way,
        together,
        timeout: read_timeout(timeout)?,
    };
    let submit = Arc::new(submit);
    let name = identity.clone();
    let open = move || Ok(open_judge(&identity, &submit, sending));
    Ok(RegisteredJudge(register_judge(&name, open)))
}

fn read_timeout(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err("timeout=: expected a number of seconds above 0"))
}

fn open_judge(identity: &str, submit: &Arc<Py<PyAny>>, sending: Sending) -> Box<dyn Model> {
    let (sender, receiver) = channel();
    let carrier = PythonCarrier {
        submit: submit.clone(),
        answers: Answers::new(sender),
    };
    let identity = identity.to_string();
    Box::new(Outside::new(identity, Box::new(carrier), receiver, sending))
}

impl Answers {
    fn new(sender: Sender<Carried>) -> Answers {
        Answers(Arc::new(Shared {
            waiting: Mutex::default(),
            sender,
        }))
    }
}

struct PythonCarrier {
    submit: Arc<Py<PyAny>>,
    answers: Answers,
}

impl Carrier for PythonCarrier {
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError> {
        let written = write_numbered(&requests);
        self.answers.0.lock().extend(requests);
        let called = self.submit(written);
        called.map_err(|e| ModelError::Serve(format!("the judge's threads cannot start: {e}")))
    }
}

impl PythonCarrier {
    fn submit(&self, requests: Vec<(u64, String)>) -> PyResult<()> {
        let answers = self.answers.clone();
        Python::attach(|py| self.submit.call1(py, (requests, answers)).map(drop))
    }
}

fn write_numbered(requests: &[Numbered]) -> Vec<(u64, String)> {
    requests
        .iter()
        .map(|(number, request)| (*number, write(request)))
        .collect()
}

/// A request as Python reads it.
fn write(request: &Request) -> String {
    let Request {
        judge,
        messages,
        task,
        sample,
        ..
    } = request;
    json!({"judge": judge, "messages": messages, "task": task, "sample": sample}).to_string()
}

/// Where replies go, from any thread.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Answers(Arc<Shared>);

struct Shared {
    waiting: Mutex<BTreeMap<u64, Arc<Request>>>,
    sender: Sender<Carried>,
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Arc<Request>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Answers {
    /// Takes the reply to the request of this number, by its parts. One that comes twice, or after
    /// the run has ended, is passed over.
    #[pyo3(signature = (number, text=None, probabilities=None, error=None, prompt_tokens=0, completion_tokens=0))]
    fn give(
        &self,
        number: u64,
        text: Option<String>,
        probabilities: Option<BTreeMap<String, f64>>,
        error: Option<String>,
        prompt_tokens: u64,
        completion_tokens: u64,
    ) {
        let Some(request) = self.0.lock().remove(&number) else {
            return;
        };
        let replied = Replied {
            text,
            probabilities,
            error,
            prompt_tokens,
            completion_tokens,
        };
        let result = read_reply(&request, replied);
        // The run may have ended.
        drop(self.0.sender.send(Ok((number, result))));
    }
}
