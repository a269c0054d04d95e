//! A run that people judge, and what a page of theirs sends.

use super::{Answer, Server, make_run};
use evenhand_viewer::{ReviewOptions, ViewOptions};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A run on the desk.
pub(crate) struct Desk {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) server: Server,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk::with(ReviewOptions::default())
    }

    pub(crate) fn with(review: ReviewOptions) -> Desk {
        let dir = tempfile::tempdir().unwrap();
        make_run(dir.path());
        let server = Server::start(ViewOptions {
            review: Some(review),
            ..ViewOptions::new(dir.path())
        });
        Desk { dir, server }
    }

    pub(crate) fn labels(&self) -> PathBuf {
        self.dir.path().join("labels.jsonl")
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        lines_of(&self.labels())
    }

    pub(crate) fn next(&self, annotator: &str, queue: &str) -> Value {
        let path = format!("api/review/next?annotator={annotator}&queue={queue}");
        self.server.json(&path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let target = format!("{}api/review/{path}", self.server.base);
        let (host, origin) = (self.server.host(), self.server.origin());
        self.server
            .send("POST", &target, &host, &origin, &body.to_string())
    }

    /// Labels the next pair, and returns what was sent.
    pub(crate) fn label(&self, annotator: &str, queue: &str, choice: &str, key: &str) -> Value {
        let task = &self.next(annotator, queue)["task"];
        let body = json!({
            "annotator": annotator, "id": task["id"], "draw": task["draw"], "choice": choice,
            "queue": queue, "key": key, "comment": null,
        });
        let answer = self.post("label", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(
            answer.json(),
            json!({"saved": true, "repeated": false, "key": key})
        );
        body
    }
}

pub(crate) fn options(dir: &Path) -> ViewOptions {
    ViewOptions {
        review: Some(ReviewOptions::default()),
        ..ViewOptions::new(dir)
    }
}

pub(crate) fn lines_of(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
