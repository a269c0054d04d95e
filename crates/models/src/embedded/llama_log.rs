//! The log of llama.cpp, kept from the terminal and quoted in errors.

use std::sync::{Mutex, PoisonError};

/// The errors that llama.cpp logged since the last complaint.
static HEARD: Mutex<String> = Mutex::new(String::new());
const MOST_HEARD: usize = 4096;

/// Keeps a line of llama.cpp's log.
pub(super) fn record_error(text: &str) {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    if heard.len() + text.len() <= MOST_HEARD {
        heard.push_str(text);
    }
}

/// Takes what llama.cpp said went wrong.
pub(super) fn take_complaint() -> String {
    let heard = std::mem::take(&mut *HEARD.lock().unwrap_or_else(PoisonError::into_inner));
    join_lines(&heard).unwrap_or_else(|| "llama.cpp gave no reason".to_owned())
}

/// Joins the lines of a text that say something; None where none does.
fn join_lines(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}
