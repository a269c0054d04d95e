//! An answer and what it follows as one text, as reward models are given them.

use evenhand_core::{Message, Request, Role};

/// Returns what an answer follows, and the answer; None where the conversation ends otherwise.
pub(crate) fn split_answer(request: &Request) -> Option<(&[Message], &Message)> {
    let (answer, before) = request.messages.split_last()?;
    (answer.role == Role::Assistant).then_some((before, answer))
}

/// Returns what an answer follows as one text: an instruction as it stands, a longer conversation
/// with who speaks.
pub(crate) fn as_query(before: &[Message]) -> String {
    if let [only] = before {
        return only.content.clone();
    }
    let turns = before.iter().map(|turn| {
        let speaker = match turn.role {
            Role::System => "System",
            Role::User => "User",
            Role::Assistant => "Assistant",
        };
        format!("{speaker}: {}", turn.content)
    });
    turns.collect::<Vec<_>>().join("\n\n")
}
