//! `exec:PROGRAM`: a program that reads a request from each line of its stdin, and writes a reply
//! with the request's `id` on a line of its stdout, in any order.

use super::{Carried, Carrier, Numbered, Outside, Replied, Sending};
use crate::ModelError;
use evenhand_core::Request;
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How many requests a program has at a time, and for how long it may take over one.
const SENDING: Sending = Sending {
    under_way: 64,
    together: 64,
    timeout: Duration::from_secs(600),
};

/// The longest line that a reply may have.
const LONGEST_LINE: u64 = 16 << 20;

/// Starts a program as a judge. `command` is its path and its arguments, as a shell would split
/// them; no shell runs. The identity holds a digest of the program's file, so that another version
/// of it is another judge.
///
/// # Errors
/// A command that cannot be split, or a program that does not start.
pub fn open_program(command: &str) -> Result<Outside, ModelError> {
    let words = split_command(command)?;
    let (child, stdin, stdout) = start_with_pipes(command, &words)?;
    let (replies, received) = channel();
    read_replies(command, stdout, replies.clone())?;
    let lines = write_requests(command, stdin, replies)?;
    let identity = identity_of(command, &words);
    let carrier = Box::new(ProgramCarrier { child, lines });
    Ok(Outside::new(identity, carrier, received, SENDING))
}

fn read_replies(
    command: &str,
    stdout: ChildStdout,
    replies: Sender<Carried>,
) -> Result<(), ModelError> {
    let reader = ReplyReader {
        command: command.into(),
        lines: BufReader::new(stdout),
        replies,
    };
    start_thread(command, || reader.run())
}

fn write_requests(
    command: &str,
    stdin: ChildStdin,
    replies: Sender<Carried>,
) -> Result<Sender<Vec<u8>>, ModelError> {
    let (sender, lines) = channel();
    let writer = RequestWriter {
        command: command.into(),
        stdin,
        lines,
        replies,
    };
    start_thread(command, || writer.run())?;
    Ok(sender)
}

fn start_thread(command: &str, run: impl FnOnce() + Send + 'static) -> Result<(), ModelError> {
    let thread = std::thread::Builder::new().name("judge's program".into());
    let started = thread.spawn(run);
    started
        .map(drop)
        .map_err(|e| refuse(command, &e.to_string()))
}

fn split_command(command: &str) -> Result<Vec<String>, ModelError> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    words.ok_or_else(|| refuse(command, "expected exec:PROGRAM [ARGUMENT ..]"))
}

fn start_with_pipes(
    command: &str,
    words: &[String],
) -> Result<(Child, ChildStdin, ChildStdout), ModelError> {
    let mut child = start(words).map_err(|e| refuse(command, &e.to_string()))?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (stdin, stdout) = pipes.ok_or_else(|| refuse(command, "it has no stdin or stdout"))?;
    Ok((child, stdin, stdout))
}

fn start(words: &[String]) -> std::io::Result<Child> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn()
}

fn refuse(command: &str, why: &str) -> ModelError {
    ModelError::Open(format!("exec:{command}: {why}"))
}

/// The command, with a digest of each of its words that is a file: the program, and a script that
/// an interpreter runs.
fn identity_of(command: &str, words: &[String]) -> String {
    let mut digest = blake3::Hasher::new();
    for word in words {
        if let Ok(bytes) = std::fs::read(word) {
            digest.update(&bytes);
        }
    }
    format!("exec:{command}:{}", &digest.finalize().to_hex()[..16])
}

struct ProgramCarrier {
    child: Child,
    lines: Sender<Vec<u8>>,
}

impl Carrier for ProgramCarrier {
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError> {
        for (number, request) in requests {
            // Where nobody takes it any more, the reason comes with the replies.
            drop(self.lines.send(write_line(number, &request)));
        }
        Ok(())
    }
}

fn write_line(number: u64, request: &Request) -> Vec<u8> {
    format!("{}\n", write_request(number, request)).into_bytes()
}

/// Writes the lines of requests to the program: on a thread of its own, so that a program that
/// reads nothing for a while holds up neither limits nor a stop.
struct RequestWriter {
    command: String,
    stdin: ChildStdin,
    lines: Receiver<Vec<u8>>,
    replies: Sender<Carried>,
}

impl RequestWriter {
    fn run(mut self) {
        if let Err(e) = self.write_lines() {
            let message = format!("exec:{}: it reads no more: {e}", self.command);
            // Nobody may listen any more.
            drop(self.replies.send(Err(ModelError::Serve(message))));
        }
    }

    fn write_lines(&mut self) -> std::io::Result<()> {
        while let Ok(line) = self.lines.recv() {
            self.stdin.write_all(&line)?;
        }
        Ok(())
    }
}

impl Drop for ProgramCarrier {
    fn drop(&mut self) {
        // It may have ended already; whether it did, nobody waits for it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request as a judge outside reads it.
fn write_request(number: u64, request: &Request) -> serde_json::Value {
    json!({
        "id": number,
        "messages": request.messages,
        "task": request.task,
        "sample": request.sample,
    })
}

#[derive(Deserialize)]
struct Line {
    id: u64,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// Reads what the program writes, and hands over its replies.
struct ReplyReader {
    command: String,
    lines: BufReader<ChildStdout>,
    replies: Sender<Carried>,
}

impl ReplyReader {
    fn run(mut self) {
        let ended = self.read_lines();
        let why = ended.err().unwrap_or_else(|| "its output ended".into());
        let message = format!("exec:{}: {why}", self.command);
        // Nobody may listen any more.
        drop(self.replies.send(Err(ModelError::Serve(message))));
    }

    /// Reads replies until the program writes no more, or nobody listens any more.
    ///
    /// # Errors
    /// A line that belongs to no request: from there on nothing can be told apart.
    fn read_lines(&mut self) -> Result<(), String> {
        while let Some(line) = read_line(&mut self.lines)? {
            if !self.hand_over(&line)? {
                break;
            }
        }
        Ok(())
    }

    /// Hands over the reply of a line, unless the line is blank, and returns whether somebody still
    /// listens.
    fn hand_over(&self, line: &str) -> Result<bool, String> {
        if line.trim().is_empty() {
            return Ok(true);
        }
        let Line { id, rest } = serde_json::from_str(line).map_err(|_| describe_line(line))?;
        Ok(self.replies.send(Ok((id, Some(read_rest(rest))))).is_ok())
    }
}

fn read_rest(rest: serde_json::Map<String, serde_json::Value>) -> Replied {
    serde_json::from_value(rest.into())
        .unwrap_or_else(|e| Replied::failed(format!("the reply is not understood: {e}")))
}

fn read_line(lines: &mut BufReader<ChildStdout>) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    let read = lines.take(LONGEST_LINE).read_until(b'\n', &mut line);
    match read.map_err(|e| e.to_string())? {
        0 => Ok(None),
        _ if line.len() as u64 == LONGEST_LINE => Err("it wrote a line of more than 16 MiB".into()),
        _ => Ok(Some(String::from_utf8_lossy(&line).into_owned())),
    }
}

fn describe_line(line: &str) -> String {
    let shown: String = line.trim_end().chars().take(120).collect();
    format!(
        "it wrote {shown:?}; expected a line such as {{\"id\": 1, \"text\": \"A\"}}, and what it has \
         to say beside replies on stderr"
    )
}
