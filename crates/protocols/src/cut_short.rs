//! Replies that end at their limit of tokens before they say what was asked for.

use crate::extraction::opens_with_thinking;
use evenhand_core::{Reply, Request, Task};

/// How many times the tokens a reply may take that was cut short.
pub const MORE_ROOM: u32 = 4;
/// Tokens that it may take at the least. A judge that says more than it should comes to its verdict
/// within.
const ROOM: u32 = 4096;
/// Tokens at the least for a judge that was thinking.
const ROOM_TO_THINK: u32 = 16_384;

/// How a run treats a reply that was cut short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutShort {
    /// It is final.
    #[default]
    Final,
    /// It is asked for once more with [`MORE_ROOM`] times the tokens, as it was before there was
    /// room to think.
    FourTimes,
    /// It is asked for once more with room to think.
    WithRoom,
}

impl CutShort {
    /// Returns the setting of a run, None where such replies are final.
    pub fn setting(self) -> Option<String> {
        let more = format!("asked once more, with {MORE_ROOM} times the tokens");
        match self {
            CutShort::Final => None,
            CutShort::FourTimes => Some(more),
            CutShort::WithRoom => Some(format!(
                "{more}, at least {ROOM}, or {ROOM_TO_THINK} where the judge was thinking"
            )),
        }
    }

    /// Returns what a run did that has this setting.
    pub fn of_setting(setting: Option<&str>) -> CutShort {
        match setting {
            None => CutShort::Final,
            some if some == CutShort::FourTimes.setting().as_deref() => CutShort::FourTimes,
            Some(_) => CutShort::WithRoom,
        }
    }

    /// Says in a sentence how many replies were cut short, and what was done; None where no reply
    /// was asked for again.
    pub fn describe(self, replies: u64) -> Option<String> {
        let setting = self.setting().filter(|_| replies > 0)?;
        Some(format!(
            "{replies} replies were cut short at their limit of tokens before a verdict: each was \
             {setting}"
        ))
    }

    /// Returns the limits of tokens with which a request is asked again whose reply was cut short,
    /// best first: a context that has no room for the first may have room for the second. They
    /// depend on the request and its reply alone. There are none for a reply that was held to a
    /// schema and went on with white space, which a schema allows without end.
    pub(crate) fn list_limits(self, request: &Request, reply: &Reply) -> Vec<u32> {
        let Task::Generate { decoding, .. } = &request.task else {
            return Vec::new();
        };
        if decoding.schema.is_some() && ends_in_white_space(&reply.text) {
            return Vec::new();
        }
        let more = decoding.max_tokens.saturating_mul(MORE_ROOM);
        match self {
            CutShort::Final => Vec::new(),
            CutShort::FourTimes => vec![more],
            CutShort::WithRoom => {
                // The judge may think apart from the text, or in it.
                let is_thinking = reply.reasoning.is_some()
                    || reply.usage.reasoning_tokens > 0
                    || reply.text.trim().is_empty()
                    || opens_with_thinking(&reply.text);
                let room = if is_thinking { ROOM_TO_THINK } else { ROOM };
                match room > more {
                    true => vec![room, more],
                    false => vec![more],
                }
            }
        }
    }
}

/// Whether a reply has come to nothing but white space.
fn ends_in_white_space(text: &str) -> bool {
    let said = text.trim_end();
    !said.is_empty() && text.len() - said.len() >= ENDLESS
}

/// Bytes of white space after which no model goes on.
const ENDLESS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_does_again_what_its_setting_says() {
        for kind in [CutShort::Final, CutShort::FourTimes, CutShort::WithRoom] {
            assert_eq!(CutShort::of_setting(kind.setting().as_deref()), kind);
        }
        assert_eq!(
            CutShort::FourTimes.setting().as_deref(),
            Some("asked once more, with 4 times the tokens"),
            "of stored runs"
        );
    }

    #[test]
    fn it_is_said_only_where_there_was_such_a_reply() {
        assert_eq!(CutShort::WithRoom.describe(0), None);
        assert!(
            CutShort::WithRoom
                .describe(3)
                .is_some_and(|text| text.starts_with("3 replies were cut short"))
        );
    }

    #[test]
    fn only_what_was_said_before_can_end_in_white_space() {
        let endless = format!("{{\"verdict\":{}", "\n\t".repeat(12));
        assert!(ends_in_white_space(&endless));
        let blank = " ".repeat(100);
        for other in ["", "{\"verdict\": ", "{}\n\n", blank.as_str()] {
            assert!(!ends_in_white_space(other), "{other:?}");
        }
    }
}
