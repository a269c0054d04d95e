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
    let Ok(timeout) = Duration::try_from_secs_f64(timeout) else {
        let why = "timeout=: expected a number of seconds above 0";
        return Err(PyValueError::new_err(why));
    };
    let sending = Sending {
        under_way,
        together,
        timeout,
    };
    let functions = Arc::new(Functions { submit, recall });
    let name = identity.clone();
    let open = move || {
        let (sender, receiver) = channel();
        let carrier = Box::new(PythonCarrier {
            functions: functions.clone(),
            answers: Answers(sender),
        });
        let judge = Outside::new(identity.clone(), carrier, receiver, sending);
        let judge: Box<dyn Model> = Box::new(judge);
        Ok(judge)
    };
    Ok(RegisteredJudge(register_judge(&name, open)))
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
        let requests: Vec<(u64, String)> = requests
            .iter()
            .map(|(number, request)| (*number, request.canonical()))
            .collect();
        let answers = self.answers.clone();
        let submit = &self.functions.submit;
        let called = Python::attach(|py| submit.call1(py, (requests, answers)).map(drop));
        called.map_err(|e| ModelError::Serve(format!("the judge's threads cannot start: {e}")))
    }

    fn recall(&mut self) {
        // What is not recalled is waited for a while, and then left to the next run as well.
        Python::attach(|py| drop(self.functions.recall.call0(py)));
    }
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
        number, text=None, probabilities=None, error=None, prompt_tokens=0, completion_tokens=0,
        reward=None
    ))]
    #[allow(
        clippy::too_many_arguments,
        reason = "they are named where it is called"
    )]
    fn give(
        &self,
        number: u64,
        text: Option<String>,
        probabilities: Option<BTreeMap<String, f64>>,
        error: Option<String>,
        prompt_tokens: u64,
        completion_tokens: u64,
        reward: Option<f64>,
    ) {
        let replied = Replied {
            reward,
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
