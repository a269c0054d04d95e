//! A trial with a hostile text in one place.

use super::parser::Block;
use crate::common::{item, responses};
use evenhand_core::{Item, Message, Request, Response, Role, Task};

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Instruction,
    Turn(Role),
    Answer(usize),
    Everywhere,
    Reference,
    /// The reference that the judge writes quotes it.
    OwnReference,
    /// The criteria that the judge writes quote it.
    Criteria,
    /// The judge's analysis of the first answer quotes it.
    Analysis,
}

impl Place {
    /// Whether a very large text is worth its time here: for each form once as a slot, once as
    /// what the judge writes.
    pub(crate) fn is_telling(self, reasoning: &str) -> bool {
        matches!(
            (self, reasoning),
            (Place::Answer(0), "cot") | (Place::Analysis, "prepair")
        )
    }

    /// Whether one reasoning alone has this place.
    pub(crate) fn is_rare(self) -> bool {
        matches!(
            self,
            Place::Reference | Place::OwnReference | Place::Criteria | Place::Analysis
        )
    }

    /// The places that a protocol has.
    pub(crate) fn of(name: &str) -> Vec<Place> {
        let mut places = vec![Place::Instruction, Place::Everywhere];
        places.extend([Role::User, Role::Assistant, Role::System].map(Place::Turn));
        places.extend((0..count(name)).map(Place::Answer));
        let rest = [
            ("reference", Place::Reference),
            ("reference", Place::OwnReference),
            ("metrics", Place::Criteria),
            ("prepair", Place::Analysis),
        ];
        places.extend(
            rest.iter()
                .filter(|(part, _)| name.contains(part))
                .map(|(_, place)| *place),
        );
        places
    }
}

/// How many responses a form shows.
fn count(name: &str) -> usize {
    match name {
        name if name.starts_with("pointwise") => 1,
        name if name.starts_with("listwise") => 3,
        _ => 2,
    }
}

/// A trial, and what the judge writes in it.
pub(crate) struct Stage {
    pub(crate) item: Item,
    pub(crate) responses: Vec<Response>,
    pub(crate) text: String,
    place: Place,
}

impl Stage {
    pub(crate) fn new(name: &str, place: Place, text: &str) -> Stage {
        let plain = ["Red is one.", "Blue, I think.", "Green it is."];
        let at = |here: bool, plain: &'static str| {
            if here || place == Place::Everywhere {
                text
            } else {
                plain
            }
        };
        let answers: Vec<&str> = (0..count(name))
            .map(|slot| at(place == Place::Answer(slot), plain[slot]))
            .collect();
        let mut item = item(at(place == Place::Instruction, "Name a colour."));
        let turn = |role| Message {
            role,
            content: at(place == Place::Turn(role), "Before.").into(),
        };
        item.messages
            .splice(0..0, [Role::System, Role::User, Role::Assistant].map(turn));
        let own = place == Place::OwnReference;
        // A reference of nothing but white space is none: the judge would write one.
        item.reference = (!own && !at(place == Place::Reference, "Red.").trim().is_empty())
            .then(|| at(place == Place::Reference, "Red.").to_string());
        if let (true, None) = (
            place == Place::Reference || place == Place::Everywhere,
            &item.reference,
        ) {
            item.reference = Some(format!(".{text}."));
        }
        Stage {
            item,
            responses: responses(&answers),
            text: text.into(),
            place,
        }
    }

    /// What the judge writes where a text is wanted.
    pub(crate) fn written(&self, request: &Request) -> String {
        let Task::Generate { decoding, .. } = &request.task else {
            panic!("{:?}", request.task)
        };
        let first = request
            .about
            .responses
            .first()
            .map(|response| &*response.system);
        let (place, plain) = match (first, decoding.max_tokens) {
            (Some(system), _) if system == "s0" || self.place == Place::Everywhere => {
                (Place::Analysis, "Analysis of the first.")
            }
            (Some("s1"), _) => return "Analysis of the second.".into(),
            (Some(_), _) => return "Analysis of the third.".into(),
            (None, 256) => (Place::Criteria, "1. Is it a colour?"),
            (None, _) => (Place::OwnReference, "Red, as an example."),
        };
        if self.place == place || self.place == Place::Everywhere {
            format!("The text:\n{}\nSo it says.", self.text)
        } else {
            plain.into()
        }
    }

    /// Each block must be the text that belongs there, byte for byte; gives how many hold the
    /// hostile text's place.
    pub(crate) fn check(&self, blocks: &[Block], request: &Request, case: &str) -> usize {
        let mut held = 0;
        for block in blocks {
            let (place, expected) = self.expected(&block.label, request);
            assert!(
                block.text == expected,
                "{case}: {} is not its text",
                block.label
            );
            held += usize::from(place == self.place || self.place == Place::Everywhere);
        }
        held
    }

    /// The place and text that a label announces.
    fn expected(&self, label: &str, request: &Request) -> (Place, String) {
        let turn = |role: Role| {
            let message = self
                .item
                .messages
                .iter()
                .find(|message| message.role == role)
                .unwrap();
            (Place::Turn(role), message.content.clone())
        };
        match label {
            "INSTRUCTION" => (
                Place::Instruction,
                self.item.messages.last().unwrap().content.clone(),
            ),
            "EARLIER SYSTEM TURN" => turn(Role::System),
            "EARLIER USER TURN" => turn(Role::User),
            "EARLIER ASSISTANT TURN" => turn(Role::Assistant),
            "REFERENCE ANSWER" => self.reference(),
            "CRITERIA" => (
                Place::Criteria,
                self.quoted(Place::Criteria, "1. Is it a colour?"),
            ),
            label => match label.strip_prefix("ANALYSIS OF ANSWER") {
                Some(" A" | "") => (
                    Place::Analysis,
                    self.quoted(Place::Analysis, "Analysis of the first."),
                ),
                Some(_) if self.place == Place::Everywhere => {
                    (Place::Analysis, self.quoted(Place::Analysis, ""))
                }
                Some(" B") => (Place::Answer(9), "Analysis of the second.".into()),
                Some(_) => (Place::Answer(9), "Analysis of the third.".into()),
                None => self.answer(label, request),
            },
        }
    }

    fn reference(&self) -> (Place, String) {
        match &self.item.reference {
            Some(reference) => (Place::Reference, reference.clone()),
            None => (
                Place::OwnReference,
                self.quoted(Place::OwnReference, "Red, as an example."),
            ),
        }
    }

    fn answer(&self, label: &str, request: &Request) -> (Place, String) {
        let letter = label
            .strip_prefix("ANSWER")
            .unwrap_or_else(|| panic!("{label} is no label"))
            .trim_start();
        let shown = letter
            .bytes()
            .next()
            .map_or(0, |letter| usize::from(letter - b'A'));
        let system = &request.about.responses[shown].system;
        let slot = self
            .responses
            .iter()
            .position(|response| response.system == *system)
            .unwrap();
        (Place::Answer(slot), self.responses[slot].text.to_string())
    }

    fn quoted(&self, place: Place, plain: &str) -> String {
        if self.place == place || self.place == Place::Everywhere {
            format!("The text:\n{}\nSo it says.", self.text)
        } else {
            plain.into()
        }
    }
}
