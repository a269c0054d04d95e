//! Judges written in Python: requests go to a function on a thread of Python's, replies come back
//! through an object.

use evenhand_engine::{OwnJudge, register_judge};
use evenhand_models::outside::{Carried, Carrier, Numbered, Outside, Replied, Sending};
use evenhand_models::{Model, ModelError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// A judge under a name; it is forgotten with this object.
#[pyclass(frozen)]
pub(crate) struct RegisteredJudge(OwnJudge);

#[pymethods]
impl RegisteredJudge {
    /// The text that names it where a judge is expected.
    #[getter]
    fn spec(&self) -> String {
        self.0.spec()
    }
}

/// Registers a judge. `submit` takes a list of `(number, request as JSON)` and an [`Answers`], and
/// returns at once; whoever answers gives each reply to the latter. `recall` drops what nobody has
/// begun to answer.
#[pyfunction]
#[pyo3(signature = (identity, submit, recall, *, under_way, together, timeout))]
pub(crate) fn register_python_judge(
    identity: String,
    submit: Py<PyAny>,
    recall: Py<PyAny>,
    under_way: usize,
    together: usize,
    timeout: f64,
) -> PyResult<RegisteredJudge> {
    let sending = Sending {
        under_way,
        together,
        timeout: read_timeout(timeout)?,
    };
    let functions = Arc::new(Functions { submit, recall });
    let name = identity.clone();
    let open = move || Ok(open_judge(&identity, &functions, sending));
    Ok(RegisteredJudge(register_judge(&name, open)))
}

fn read_timeout(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err("timeout=: expected a number of seconds above 0"))
}

fn open_judge(identity: &str, functions: &Arc<Functions>, sending: Sending) -> Box<dyn Model> {
    let (sender, receiver) = channel();
    let carrier = PythonCarrier {
        functions: functions.clone(),
        answers: Answers(sender),
    };
    let identity = identity.to_string();
    Box::new(Outside::new(identity, Box::new(carrier), receiver, sending))
}

/// The functions of Python by which a judge is reached.
struct Functions {
    submit: Py<PyAny>,
    recall: Py<PyAny>,
}

struct PythonCarrier {
    functions: Arc<Functions>,
    answers: Answers,
}

impl Carrier for PythonCarrier {
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError> {
        let called = self.submit(write_numbered(&requests));
        called.map_err(|e| ModelError::Serve(format!("the judge's threads cannot start: {e}")))
    }

    fn recall(&mut self) {
        // What is not recalled is waited for a while, and then left to the next run as well.
        Python::attach(|py| drop(self.functions.recall.call0(py)));
    }
}

impl PythonCarrier {
    fn submit(&self, requests: Vec<(u64, String)>) -> PyResult<()> {
        let answers = self.answers.clone();
        let submit = &self.functions.submit;
        Python::attach(|py| submit.call1(py, (requests, answers)).map(drop))
    }
}

fn write_numbered(requests: &[Numbered]) -> Vec<(u64, String)> {
    requests
        .iter()
        .map(|(number, request)| (*number, request.canonical()))
        .collect()
}

/// Takes replies, from any thread.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Answers(Sender<Carried>);

#[pymethods]
impl Answers {
    /// Takes the reply to the request of this number, by its parts. One that comes twice, or after
    /// the run has ended, is passed over.
    #[pyo3(signature = (
        number, text=None, probabilities=None, error=None, prompt_tokens=0, completion_tokens=0
    ))]
    fn give(
        &self,
        number: u64,
        text: Option<String>,
        probabilities: Option<BTreeMap<String, f64>>,
        error: Option<String>,
        prompt_tokens: u64,
        completion_tokens: u64,
    ) {
        let replied = Replied {
            text,
            probabilities,
            error,
            prompt_tokens,
            completion_tokens,
        };
        // The run may have ended.
        drop(self.0.send(Ok((number, Some(replied)))));
    }

    /// Says that the request of this number is not answered, since the run is to end.
    fn drop(&self, number: u64) {
        drop(self.0.send(Ok((number, None))));
    }
}
