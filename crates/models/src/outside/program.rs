//! `exec:PROGRAM`: a program that reads a request from each line of its stdin, and writes a reply
//! with the request's `id` on a line of its stdout, in any order.

use super::{Carried, Carrier, Numbered, Outside, Replied, Sending};
use crate::ModelError;
use serde::Deserialize;
use serde_json::json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many requests a program has at a time, and for how long it may take over one.
const SENDING: Sending = Sending {
    under_way: 64,
    together: 64,
    timeout: Duration::from_secs(600),
};

/// After how long without any reply it is said what may keep them back.
const SILENT: Duration = Duration::from_secs(20);

/// For how long a program that closed its output may take to end.
const ENDING: Duration = Duration::from_secs(1);

/// The longest line that a reply may have.
const LONGEST_LINE: u64 = 16 << 20;

/// Starts a program as a judge. `command` is its path and its arguments, as a shell would split
/// them; no shell runs. The identity holds a digest of the program's file, so that another version
/// of it is another judge.
///
/// # Errors
/// A command that cannot be split, or a program that does not start.
pub fn open_program(command: &str) -> Result<Outside, ModelError> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| refuse(command, "expected exec:PROGRAM [ARGUMENT ..]"))?;
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| refuse(command, &explain_start(&words[0], &e)))?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (stdin, stdout) = pipes.ok_or_else(|| refuse(command, "it has no stdin or stdout"))?;

    let (replies, received) = channel();
    let (lines, requests) = channel();
    // Each on a thread of its own, so that a program that reads nothing for a while holds up
    // neither limits nor a stop.
    let (name, told) = (command.to_owned(), replies.clone());
    let child = Arc::new(Mutex::new(child));
    let (ending, reading) = (child.clone(), child.clone());
    start_thread(command, move || {
        let ended = read_replies(BufReader::new(stdout), &told);
        let closed = || describe_end(&ending, "it closed its output");
        let why = ended.err().unwrap_or_else(closed);
        let message = format!("exec:{name}: {why}");
        // Nobody may listen any more.
        drop(told.send(Err(ModelError::Serve(message))));
    })?;
    let name = command.to_owned();
    start_thread(command, move || {
        if let Err(e) = write_requests(stdin, &requests) {
            let why = describe_end(&reading, &format!("it reads no more: {e}"));
            let message = format!("exec:{name}: {why}");
            drop(replies.send(Err(ModelError::Serve(message))));
        }
    })?;

    // A digest of each word that is a file: the program, and a script that an interpreter runs.
    let mut digest = blake3::Hasher::new();
    for word in &words {
        if let Ok(bytes) = std::fs::read(word) {
            digest.update(&bytes);
        }
    }
    let identity = format!("exec:{command}:{}", &digest.finalize().to_hex()[..16]);
    let carrier = Box::new(ProgramCarrier { child, lines });
    Ok(Outside::new(identity, carrier, received, SENDING))
}

fn start_thread(command: &str, run: impl FnOnce() + Send + 'static) -> Result<(), ModelError> {
    let thread = std::thread::Builder::new().name("judge's program".into());
    thread
        .spawn(run)
        .map(drop)
        .map_err(|e| refuse(command, &e.to_string()))
}

fn refuse(command: &str, why: &str) -> ModelError {
    ModelError::Open(format!("exec:{command}: {why}"))
}

/// Says why a program does not start, and what to write in its place.
pub(super) fn explain_start(program: &str, error: &io::Error) -> String {
    // ENOEXEC, of which the standard library has no kind.
    let is_no_program = error.raw_os_error() == Some(8);
    let is_there = Path::new(program).is_file();
    let advice = match error.kind() {
        io::ErrorKind::NotFound if is_there && !program.contains('/') => {
            format!("it is a file of this directory: name it ./{program}")
        }
        io::ErrorKind::NotFound if is_there => {
            "what its first line names (#!) is not there".to_owned()
        }
        io::ErrorKind::NotFound => {
            "give the path of a program, or the name of one that the shell finds".to_owned()
        }
        io::ErrorKind::PermissionDenied if Path::new(program).is_dir() => {
            "it is a directory: give the path of a program".to_owned()
        }
        io::ErrorKind::PermissionDenied => format!(
            "make it executable (chmod +x '{program}'), or name what runs it, as in \
             'exec:python3 {program}'"
        ),
        _ if is_no_program => format!(
            "its first line does not say what runs it (such as #!/usr/bin/env python3): write \
             that, or name what runs it, as in 'exec:python3 {program}'"
        ),
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

/// Says how a program ended, or what it did in its place.
fn describe_end(child: &Mutex<Child>, instead: &str) -> String {
    let end = Instant::now() + ENDING;
    loop {
        let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
        match child.try_wait() {
            Ok(Some(status)) => {
                return format!(
                    "the program ended ({status}) before it had answered all; its stderr may say \
                     why"
                );
            }
            Ok(None) if Instant::now() < end => {}
            _ => return instead.to_owned(),
        }
        drop(child);
        std::thread::sleep(Duration::from_millis(10));
    }
}

struct ProgramCarrier {
    child: Arc<Mutex<Child>>,
    lines: Sender<Vec<u8>>,
}

impl Carrier for ProgramCarrier {
    fn send(&mut self, requests: Vec<Numbered>) -> Result<(), ModelError> {
        for (number, request) in requests {
            let line = json!({
                "id": number,
                "messages": request.messages,
                "task": request.task,
                "sample": request.sample,
            });
            // Where nobody takes it any more, the reason comes with the replies.
            drop(self.lines.send(format!("{line}\n").into_bytes()));
        }
        Ok(())
    }

    fn explain_silence(&self) -> Option<(Duration, &'static str)> {
        let why = "it has written no reply yet; a program that has answered must send each line at \
                   once (in Python, print(.., flush=True))";
        Some((SILENT, why))
    }
}

impl Drop for ProgramCarrier {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended already; whether it did, nobody waits for it.
        drop(child.kill());
        drop(child.wait());
    }
}

/// Writes the lines of requests to the program, until no more come.
fn write_requests(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) -> io::Result<()> {
    while let Ok(line) = lines.recv() {
        stdin.write_all(&line)?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Line {
    id: u64,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// Reads replies until the program writes no more, or nobody listens any more.
///
/// # Errors
/// A line that belongs to no request: from there on nothing can be told apart.
fn read_replies(
    mut lines: BufReader<ChildStdout>,
    replies: &Sender<Carried>,
) -> Result<(), String> {
    loop {
        let mut line = Vec::new();
        let mut within = (&mut lines).take(LONGEST_LINE);
        let read = within.read_until(b'\n', &mut line);
        if read.map_err(|e| e.to_string())? == 0 {
            return Ok(());
        }
        if line.len() as u64 == LONGEST_LINE {
            return Err("it wrote a line of more than 16 MiB".into());
        }
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        let Line { id, rest } = serde_json::from_str(&line).map_err(|_| {
            let shown: String = line.trim_end().chars().take(120).collect();
            format!(
                "it wrote {shown:?}; expected a line such as {{\"id\": 1, \"text\": \"A\"}}, and \
                 what it has to say beside replies on stderr"
            )
        })?;
        let replied = serde_json::from_value(rest.into())
            .unwrap_or_else(|e| Replied::failed(format!("the reply is not understood: {e}")));
        if replies.send(Ok((id, Some(replied)))).is_err() {
            return Ok(());
        }
    }
}
