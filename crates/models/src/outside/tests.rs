use super::*;
use evenhand_core::{AnswerOptions, CallErrorKind, CallResult, Decoding, Message, Task};
use std::sync::mpsc::channel;

fn request(text: &str) -> Request {
    Request::new(
        "j".into(),
        vec![Message::user(text)],
        Task::Generate {
            decoding: Decoding::greedy(8),
            answers: Some(AnswerOptions {
                options: vec!["A".into(), "B".into()],
                after: String::new(),
            }),
        },
    )
}

#[derive(Default)]
struct Queue {
    ready: Vec<Request>,
    answers: Vec<CallResult>,
    stop_after: Option<usize>,
    notes: Vec<String>,
}

impl Work for Queue {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        let request = self.ready.pop()?;
        Some((request.key(), Arc::new(request)))
    }

    fn deliver(&mut self, _: RequestKey, answer: Answer) {
        self.answers.push(answer.result);
    }

    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn is_stopped(&self) -> bool {
        self.stop_after
            .is_some_and(|most| self.answers.len() >= most)
    }
}

/// Replies with the last word of the prompt; `silent` is not begun, and `slow` is begun and
/// answered once the run is to end.
struct Echo {
    replies: std::sync::mpsc::Sender<Carried>,
    silent: Vec<u64>,
    slow: Vec<u64>,
}

fn says(word: &str) -> Option<Replied> {
    Some(Replied {
        text: Some(word.into()),
        ..Replied::default()
    })
}

impl Carrier for Echo {
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError> {
        for (number, request) in requests {
            match &*request.messages[0].content {
                "silent" => self.silent.push(number),
                "slow" => self.slow.push(number),
                word => self.replies.send(Ok((number, says(word)))).unwrap(),
            }
        }
        Ok(())
    }

    fn recall(&mut self) {
        for number in self.silent.drain(..) {
            self.replies.send(Ok((number, None))).unwrap();
        }
        for number in self.slow.drain(..) {
            self.replies.send(Ok((number, says("slow")))).unwrap();
        }
    }

    fn explain_silence(&self) -> Option<(Duration, &'static str)> {
        Some((Duration::from_millis(25), "it may have a reason"))
    }
}

fn echo(timeout: Duration) -> Outside {
    let (sender, receiver) = channel();
    let sending = Sending {
        under_way: 3,
        together: 2,
        timeout,
    };
    let echo = Echo {
        replies: sender,
        silent: Vec::new(),
        slow: Vec::new(),
    };
    Outside::new("echo".into(), Box::new(echo), receiver, sending)
}

#[test]
fn every_request_is_answered_and_a_late_one_is_given_up() {
    let words = ["A", "silent", "B", "silent", "A", "A", "B"];
    let mut queue = Queue {
        ready: words.map(request).into(),
        ..Queue::default()
    };
    echo(Duration::from_millis(50)).serve(&mut queue).unwrap();
    let (answered, failed): (Vec<_>, Vec<_>) = queue.answers.iter().partition(|r| r.is_ok());
    assert_eq!((answered.len(), failed.len()), (5, 2));
    let error = failed[0].as_ref().unwrap_err();
    assert_eq!(error.kind, CallErrorKind::Model);
    assert_eq!(error.message, "no reply within 0.05 s");
    // It answered others before.
    assert_eq!(queue.notes, [""; 0]);
}

#[test]
fn the_silence_of_a_judge_that_never_answered_is_explained_once() {
    let mut queue = Queue {
        ready: ["silent"; 7].map(request).into(),
        ..Queue::default()
    };
    echo(Duration::from_millis(50)).serve(&mut queue).unwrap();
    assert_eq!(queue.answers.len(), 7);
    assert_eq!(queue.notes, ["echo: it may have a reason"]);
}

#[test]
fn at_a_stop_what_is_begun_is_waited_for_and_the_rest_is_neither_answer_nor_failure() {
    for (words, kept) in [
        (["A", "silent", "silent", "A"], vec!["A"]),
        (["A", "silent", "slow", "A"], vec!["A", "slow"]),
        (["A", "slow", "slow", "A"], vec!["A", "slow", "slow"]),
    ] {
        // The last is asked first; the first one of the list is never sent.
        let mut queue = Queue {
            ready: words.map(request).into(),
            stop_after: Some(1),
            ..Queue::default()
        };
        echo(Duration::from_secs(3600)).serve(&mut queue).unwrap();
        let answers = queue.answers.into_iter().map(|reply| reply.unwrap().text);
        assert_eq!(answers.collect::<Vec<_>>(), kept, "{words:?}");
        assert_eq!(queue.ready.len(), 1);
    }
}

fn read(text: &str) -> Result<(String, Option<Vec<f64>>), String> {
    let replied: Replied = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let reply = read_reply(&request("x"), replied).map_err(|error| error.message)?;
    Ok((reply.text, reply.answers))
}

#[test]
fn a_reward_is_given_where_one_is_asked_for_and_is_finite() {
    let asked = Request {
        task: Task::Reward,
        ..request("x")
    };
    let read = |text: &str| {
        let replied: Replied = serde_json::from_str(text).unwrap();
        read_reply(&asked, replied).map(|reply| reply.reward)
    };
    assert_eq!(read(r#"{"reward": -2.5}"#).unwrap(), Some(-2.5));
    for text in ["{}", r#"{"text": "5"}"#, r#"{"probabilities": {"A": 1.0}}"#] {
        assert!(read(text).unwrap_err().message.contains("no `reward`"));
    }
    assert!(read(r#"{"error": "no room"}"#).is_err());
    // Where a text is asked for, a reward is none.
    let replied: Replied = serde_json::from_str(r#"{"reward": 1.0}"#).unwrap();
    assert!(read_reply(&request("x"), replied).is_err());
}

#[test]
fn replies_are_texts_probabilities_or_errors_and_nothing_else() {
    assert_eq!(read(r#"{"text": "B"}"#), Ok(("B".into(), None)));
    let likely = read(r#"{"probabilities": {"B": 0.5, "A": 0.5}}"#);
    assert_eq!(likely, Ok(("A".into(), Some(vec![0.5, 0.5]))));
    let one = read(r#"{"text": "well", "probabilities": {"B": 0.9}}"#);
    assert_eq!(one, Ok(("well".into(), Some(vec![0.0, 0.9]))));
    // Nothing is likeliest where no answer has any probability: no answer is written for the judge.
    for none in [
        "{}",
        r#"{"A": 0}"#,
        r#"{"A": 0, "B": 0.0}"#,
        r#"{"B": -0.0}"#,
    ] {
        let silent = read(&format!(r#"{{"probabilities": {none}}}"#));
        assert_eq!(silent, Ok((String::new(), Some(vec![0.0, 0.0]))), "{none}");
    }
    for (reply, expected) in [
        ("{}", "neither `text` nor `probabilities`"),
        (r#"{"error": "out of order"}"#, "out of order"),
        (
            r#"{"probabilities": {"C": 1}}"#,
            "no answer `C` was asked for; expected A, B",
        ),
        (
            r#"{"probabilities": {"A": 0.7, "B": 0.7}}"#,
            "sum to at most 1",
        ),
        (r#"{"probabilities": {"A": -1}}"#, "from 0 to 1"),
        (r#"{"verdict": "A"}"#, "unknown field `verdict`"),
        (r#"{"text": 3}"#, "expected a string"),
    ] {
        let error = read(reply).unwrap_err();
        assert!(error.contains(expected), "{reply}: {error}");
    }
}

fn run_program(script: &str, words: &[&str]) -> (Queue, Result<(), ModelError>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("judge.py");
    std::fs::write(&path, script).unwrap();
    let command = format!("python3 -u '{}'", path.display());
    let mut queue = Queue {
        ready: words.iter().map(|word| request(word)).collect(),
        ..Queue::default()
    };
    let mut judge = open_program(&command).unwrap();
    assert!(
        judge.identity().starts_with("exec:python3 -u "),
        "{}",
        judge.identity()
    );
    let served = judge.serve(&mut queue);
    (queue, served)
}

#[test]
fn a_program_answers_in_any_order() {
    let script = "import json, sys\nheld = []\nfor line in sys.stdin:\n    held.append(json.loads(\
                  line))\n    if len(held) == 2:\n        for one in reversed(held):\n            \
                  print(json.dumps({'id': one['id'], 'text': one['messages'][0]['content']}))\n        \
                  held = []\n";
    let (queue, served) = run_program(script, &["A", "B", "A", "B"]);
    served.unwrap();
    let mut texts: Vec<String> = queue.answers.into_iter().map(|r| r.unwrap().text).collect();
    texts.sort();
    assert_eq!(texts, ["A", "A", "B", "B"]);
}

#[test]
fn a_program_that_ends_or_chatters_ends_the_run_and_says_why() {
    for (script, expected) in [
        ("raise SystemExit(3)", "the program ended (exit status: 3)"),
        ("", "the program ended (exit status: 0)"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "the program ended (signal: 9",
        ),
        (
            "import os, sys, time\nos.close(1)\ntime.sleep(60)",
            "it closed its output",
        ),
        (
            "import sys\nsys.stdin.readline()\nraise SystemExit(4)",
            "the program ended (exit status: 4)",
        ),
    ] {
        // More than a pipe holds, so that it may end while it is written to.
        for word in ["A", &*"x".repeat(1 << 20)] {
            let (_, ended) = run_program(script, &[word]);
            let error = ended.unwrap_err().to_string();
            assert!(
                error.contains("exec:python3") && error.contains(expected),
                "{script}: {error}"
            );
        }
    }
    let chatter = "import sys\nfor line in sys.stdin: print('loading the model')";
    let (_, ended) = run_program(chatter, &["A"]);
    let error = ended.unwrap_err().to_string();
    assert!(
        error.contains("it wrote \"loading the model\"; expected a line such as"),
        "{error}"
    );
    let missing = open_program("/no/such/program").err().unwrap().to_string();
    assert!(missing.starts_with("exec:/no/such/program: "), "{missing}");
}

#[test]
fn a_program_that_cannot_start_is_refused_with_what_to_write() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("judge.py");
    std::fs::write(&path, "").unwrap();
    let there = path.to_str().unwrap();
    for (program, code, advice) in [
        (there, 13, "; make it executable (chmod +x '"),
        (
            there,
            8,
            "; its first line does not say what runs it (such as #!",
        ),
        (there, 2, "; what its first line names (#!) is not there"),
        ("no-such-program", 2, "; give the path of a program"),
        ("src", 13, "; it is a directory: give the path of a program"),
        (
            "Cargo.toml",
            2,
            "; it is a file of this directory: name it ./Cargo.toml",
        ),
    ] {
        let error = std::io::Error::from_raw_os_error(code);
        let told = program::explain_start(program, &error);
        assert!(told.contains(advice), "{told}");
    }
}

#[test]
fn a_program_that_reads_nothing_holds_up_no_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("judge.py");
    std::fs::write(&path, "import time; time.sleep(600)").unwrap();
    let mut judge = open_program(&format!("python3 '{}'", path.display())).unwrap();
    judge.sending.timeout = Duration::from_millis(50);
    // More than a pipe holds, so that a write waits.
    let mut queue = Queue {
        ready: vec![request(&"x".repeat(1 << 20))],
        ..Queue::default()
    };
    judge.serve(&mut queue).unwrap();
    let error = queue.answers[0].as_ref().unwrap_err();
    assert_eq!(error.message, "no reply within 0.05 s");
}

/// A reply under an id that nobody waits for ends the run at once: whoever it was meant for would
/// be waited for until its time is over.
#[test]
fn a_reply_to_no_request_is_an_error_of_the_judge() {
    for (id, expected) in [
        ("r['id'] + 1000", "of id 1001, which it was never sent"),
        ("0", "of id 0, which it was never sent"),
        ("1", "of id 1, which was answered before"),
    ] {
        let script = format!(
            "import json, sys\nfor line in sys.stdin:\n    r = json.loads(line)\n    \
             print(json.dumps({{'id': {id}, 'text': 'A'}}), flush=True)\n"
        );
        let (queue, served) = run_program(&script, &["A", "B", "A"]);
        let error = served.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(queue.answers.len() <= 1);
    }
}
