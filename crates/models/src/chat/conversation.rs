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
    let texts = system.into_iter().map(|message| message.content).collect();
    say_before(&mut rest, texts);
    rest
}

/// Puts texts before the first message of the user, which is made where there is none.
fn say_before(messages: &mut Vec<Message>, mut texts: Vec<String>) {
    let mut turns = messages.iter_mut();
    match turns.find(|message| message.role == Role::User) {
        Some(first) => {
            texts.push(std::mem::take(&mut first.content));
            first.content = join_texts(texts);
        }
        None => messages.insert(0, Message::user(join_texts(texts))),
    }
}

fn join_texts(mut texts: Vec<String>) -> String {
    texts.retain(|text| !text.is_empty());
    texts.join("\n\n")
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
