//! Conversations without a system message, for templates that know none.

use evenhand_core::{Message, Role};

/// Returns the conversation with its system messages put before the first message of the user, a
/// blank line between.
#[must_use]
pub fn fold_system(messages: &[Message]) -> Vec<Message> {
    let (system, mut rest): (Vec<Message>, Vec<Message>) = messages
        .iter()
        .cloned()
        .partition(|message| message.role == Role::System);
    let join = |mut texts: Vec<String>| {
        texts.retain(|text| !text.is_empty());
        texts.join("\n\n")
    };
    let mut texts: Vec<String> = system.into_iter().map(|message| message.content).collect();
    match rest.iter_mut().find(|message| message.role == Role::User) {
        Some(first) => {
            texts.push(std::mem::take(&mut first.content));
            first.content = join(texts);
        }
        None => rest.insert(0, Message::user(join(texts))),
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_message_goes_before_the_first_user_message() {
        let system = Message {
            role: Role::System,
            content: "Judge.".to_owned(),
        };
        assert_eq!(
            fold_system(&[system.clone(), Message::user("Which?")]),
            [Message::user("Judge.\n\nWhich?")]
        );
        assert_eq!(
            fold_system(std::slice::from_ref(&system)),
            [Message::user("Judge.")]
        );
        assert_eq!(
            fold_system(&[system, Message::user("")]),
            [Message::user("Judge.")]
        );
    }
}
