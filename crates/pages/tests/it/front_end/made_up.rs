//! A run made up from a seed: pairs in one order and in both, repeats, ties, failures, lists,
//! scores, panels and samples, in an order that is not that of the data.

use evenhand_core::{
    About, CallResult, Decoding, Failure, FailureKind, Item, Judgment, Look, Message, Outcome,
    Reply, Request, Response, Stage, Task, Trial, Usage, Verdict, VerdictSource,
};
use evenhand_store::{Call, Manifest, Store};
use std::path::Path;

pub(crate) const SYSTEMS: [&str; 4] = ["careful", "hot~er", "warm", "terse ✓"];
pub(crate) const ITEMS: [&str; 6] = ["zebra", "tides", "sp ace & more", "b", "a", "long"];

const KINDS: [FailureKind; 3] = [
    FailureKind::Unparsed,
    FailureKind::TooLong,
    FailureKind::Inconsistent,
];

/// Numbers from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

fn item(number: usize) -> Item {
    let text = match number {
        0 => "Wie\u{85} heißt  die\n\n\tSTRASSE, straße?\u{3000} (b.t()".to_owned(),
        5 => format!("{}end {}", " ".repeat(1200), "ausführlich ✓ ".repeat(40)),
        _ => format!("How do the tides come about? Answer for a child of {number}."),
    };
    Item {
        id: ITEMS[number].into(),
        messages: vec![Message::user(text)],
        category: (number != 3).then(|| {
            if number.is_multiple_of(2) {
                "earth"
            } else {
                "sky"
            }
            .into()
        }),
        ..Item::default()
    }
}

fn response(system: usize, item: usize) -> Response {
    let text = match (system, item) {
        (3, 4) => "The Moon.".to_owned(),
        _ => format!(
            "It is {} who pulls the water of {item}, a little.",
            SYSTEMS[system]
        ),
    };
    let earlier = if system == 2 {
        vec![Message::user("And what is it?")]
    } else {
        Vec::new()
    };
    Response {
        earlier: earlier.into(),
        ..Response::new(SYSTEMS[system], text)
    }
}

fn request(judge: u64, question: &str, sample: u32) -> Request {
    let decoding = Decoding::greedy(1);
    Request {
        judge: if judge == 0 {
            "simulated:gap=0.5,seed=0"
        } else {
            "exec:unpriced"
        }
        .into(),
        messages: vec![Message::system("Judge."), Message::user(question)],
        task: Task::Generate {
            decoding,
            answers: None,
        },
        sample,
        about: About::default(),
    }
}

/// Judges everything, and keeps it.
pub(crate) fn judge_all(dir: &Path) -> Store {
    let mut maker = Maker {
        store: Store::open(dir, &Manifest::default()).unwrap(),
        draws: Draws(7),
        trial: 0,
    };
    for number in 0..ITEMS.len() {
        let responses = [0, 1, 2, 3].map(|system| response(system, number));
        maker.store.put_texts(&item(number), &responses).unwrap();
    }
    for item in [3, 0, 5, 1, 4, 2] {
        maker.judge_item(item);
    }
    maker.store.commit().unwrap();
    maker.store
}

struct Maker {
    store: Store,
    draws: Draws,
    trial: u64,
}

impl Maker {
    fn judge_item(&mut self, item: usize) {
        for (a, b) in [(0, 1), (2, 0), (1, 3), (3, 2)] {
            for replicate in 0..1 + self.draws.below(2) {
                self.judge_pair(item, [a, b], replicate as u32);
            }
        }
        self.judge(item, &[item % 4], 0);
        self.judge(item, &[item % 4], 0);
        self.judge(item, &[2, 0, 3], 0);
    }

    /// Judges a pair once to four times, each in an order of its own.
    fn judge_pair(&mut self, item: usize, [a, b]: [usize; 2], replicate: u32) {
        let orders: &[[usize; 2]] = match self.draws.below(6) {
            0 => &[[a, b]],
            1 => &[[b, a], [b, a], [a, b]],
            2 => &[[a, b], [b, a], [a, b], [b, a]],
            _ => &[[a, b], [b, a]],
        };
        for order in orders {
            self.judge(item, order, replicate);
        }
    }

    fn judge(&mut self, item: usize, systems: &[usize], replicate: u32) {
        let outcome = self.draw_outcome(systems.len());
        let looks = if systems.len() == 2 {
            self.draw_looks()
        } else {
            Vec::new()
        };
        let responses: Vec<Response> = systems.iter().map(|at| response(*at, item)).collect();
        let judgment = Judgment {
            trial: Trial {
                index: self.trial,
                item: item as u32,
                systems: systems.iter().map(|at| *at as u32).collect(),
                replicate,
            },
            outcome,
            calls: self.ask(item, &responses),
            looks,
        };
        self.store
            .put_judgment(&judgment, ITEMS[item], &responses)
            .unwrap();
        self.trial += 1;
    }

    fn draw_outcome(&mut self, systems: usize) -> Outcome {
        if self.draws.below(9) == 0 {
            let kind = KINDS[self.draws.below(3) as usize];
            return Err(Failure::new(kind, "what was said instead"));
        }
        let source = VerdictSource::Text;
        Ok(match systems {
            1 => Verdict::Pointwise {
                score: self.draws.below(70) as f64 / 10.0,
                distribution: Vec::new(),
                outside: 0.0,
                source,
            },
            2 => self.draw_pair(),
            _ => Verdict::Listwise {
                places: vec![1.5, 3.0, 1.5],
                source,
            },
        })
    }

    fn draw_pair(&mut self) -> Verdict {
        let first = self.draws.below(11) as f64 / 10.0;
        let tie = if self.draws.below(4) == 0 {
            1.0 - first
        } else {
            0.0
        };
        Verdict::pair([first, tie, 1.0 - first - tie], 0.0, VerdictSource::Text)
    }

    /// Draws no looks, both orders of a method's step, or three votes of a panel.
    fn draw_looks(&mut self) -> Vec<Look> {
        let (stage, count) = match self.draws.below(5) {
            0 => (Stage::from("swap"), 4),
            1 => (Stage::Member, 3),
            2 => (Stage::Only, 2),
            _ => return Vec::new(),
        };
        (0..count).map(|at| self.draw_look(&stage, at)).collect()
    }

    fn draw_look(&mut self, stage: &Stage, at: u32) -> Look {
        Look {
            judge: if *stage == Stage::Member { at } else { 0 },
            stage: stage.clone(),
            sample: at / 2,
            swapped: at % 2 == 1 && *stage != Stage::Only,
            outcome: self.draw_outcome(2),
            criterion: None,
        }
    }

    /// Asks once or twice; returns what was asked.
    fn ask(&mut self, item: usize, responses: &[Response]) -> Vec<evenhand_core::RequestKey> {
        let texts = responses.iter().map(|one| one.text.to_string());
        let question = format!(
            "{}\n{}",
            self::item(item).instruction(),
            texts.collect::<Vec<_>>().join("\n")
        );
        let judge = self.draws.below(2);
        let count = 1 + self.draws.below(2) as u32;
        (0..count)
            .map(|sample| self.put_call(&request(judge, &question, self.trial as u32 * 2 + sample)))
            .collect()
    }

    fn put_call(&mut self, request: &Request) -> evenhand_core::RequestKey {
        let usage = Usage {
            prompt_tokens: 20 + self.draws.below(40),
            completion_tokens: self.draws.below(5),
            ..Usage::default()
        };
        let text = format!("verdict {}", self.draws.below(12));
        let reasoning = (self.draws.below(3) == 0).then(|| "Weighing it up.".to_owned());
        let result: CallResult = Ok(Reply {
            text,
            reasoning,
            usage,
            ..Reply::default()
        });
        let (key, canonical) = (request.key(), request.canonical());
        let call = Call {
            key: &key,
            judge: &request.judge,
            request: &canonical,
            about: &request.about,
            result: &result,
            raw: None,
            batch: false,
        };
        self.store.put(&call).unwrap();
        key
    }
}
