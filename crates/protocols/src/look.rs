//! One look at the responses: what comes before the verdict, and the verdict.

use crate::ask::{Ask, Stop, all};
use crate::prompts::{Context, Shown, TextPrompt};
use crate::{Protocol, ReasoningKind, reading, second_stage};
use evenhand_core::{Failure, FailureKind, Finish, Item, Reply, Response, Verdict, View};

/// What a judge is shown of a trial.
#[derive(Clone)]
pub(crate) struct Scene<'a> {
    pub(crate) item: &'a Item,
    /// In the order in which they are shown.
    pub(crate) responses: Vec<Response>,
    /// The two responses cut into parts that are shown by turns; empty where they are shown whole.
    pub(crate) parts: Vec<[String; 2]>,
    /// Whether this is the reverse of the trial's order.
    pub(crate) reversed: bool,
}

impl<'a> Scene<'a> {
    /// A trial as it was planned.
    pub(crate) fn new(view: &View<'a>) -> Scene<'a> {
        Scene {
            item: view.item,
            responses: view.responses.to_vec(),
            parts: Vec::new(),
            reversed: false,
        }
    }

    /// The same with the responses in reverse.
    pub(crate) fn swapped(&self) -> Scene<'a> {
        let mut swapped = self.clone();
        swapped.responses.reverse();
        swapped.parts.iter_mut().for_each(|part| part.reverse());
        swapped.reversed = !self.reversed;
        swapped
    }

    /// One of the responses by itself.
    fn alone(&self, slot: usize) -> Scene<'a> {
        let responses = self.responses.get(slot).cloned().into_iter().collect();
        Scene {
            item: self.item,
            responses,
            parts: Vec::new(),
            reversed: false,
        }
    }
}

/// What a look came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// In the slots that were shown.
    pub(crate) verdict: Verdict,
    /// What the judge wrote.
    pub(crate) text: String,
}

impl Seen {
    /// The same in terms of the other order.
    pub(crate) fn swapped(self) -> Seen {
        Seen {
            verdict: self.verdict.swapped(),
            text: self.text,
        }
    }
}

/// Criteria and reference, then analyses, then the verdict: at most three rounds, each only where
/// the reasoning has it.
pub(crate) fn look(protocol: &Protocol, scene: &Scene, ask: &Ask) -> Result<Seen, Stop> {
    let context = context(protocol, scene, ask)?;
    let notes = notes(protocol, scene, &context, ask)?;
    let shown = Shown {
        notes: &notes,
        ..Shown::new(protocol.form, scene, &context, ask.breaks_marks())
    };
    let asked = prompt(protocol.prompts.verdict(&shown))?;
    seen(
        protocol,
        &shown,
        ask.whole(asked, |reply| says_verdict(protocol, &shown, reply))?,
        ask,
    )
}

/// The verdict once more, with two assessments that contradict one another in view.
pub(crate) fn look_again(
    protocol: &Protocol,
    scene: &Scene,
    assessments: [&str; 2],
    ask: &Ask,
) -> Result<Seen, Stop> {
    let context = context(protocol, scene, ask)?;
    let shown = Shown {
        assessments,
        ..Shown::new(protocol.form, scene, &context, ask.breaks_marks())
    };
    let asked = prompt(protocol.prompts.reconsider(&shown))?;
    seen(
        protocol,
        &shown,
        ask.whole(asked, |reply| says_verdict(protocol, &shown, reply))?,
        ask,
    )
}

/// Whether a reply that was cut short had said its verdict all the same.
fn says_verdict(protocol: &Protocol, shown: &Shown, reply: &Reply) -> bool {
    let read = reading::read(
        protocol.form,
        shown.scene.responses.len(),
        reply,
        &protocol.prompts,
    );
    !matches!(read, Err(failure) if failure.kind == FailureKind::Truncated)
}

/// The verdict that a reply expresses, by the strict reader or else by the second stage, where one
/// is wanted.
fn seen(protocol: &Protocol, shown: &Shown, reply: Reply, ask: &Ask) -> Result<Seen, Stop> {
    let asked = ask.last();
    let verdict = match reading::read(
        protocol.form,
        shown.scene.responses.len(),
        &reply,
        &protocol.prompts,
    ) {
        Err(failure) if failure.kind == FailureKind::Unparsed => {
            second_stage::read(protocol, shown, &reply, failure, ask)
        }
        read => read.map_err(Stop::from),
    };
    if let (Err(Stop::Failed(failure)), Some(asked)) = (&verdict, asked) {
        ask.blame(failure.kind, asked);
    }
    Ok(Seen {
        verdict: verdict?,
        text: reply.text,
    })
}

/// What belongs to the item: asked once, whatever the responses and samples are.
fn context(protocol: &Protocol, scene: &Scene, ask: &Ask) -> Result<Context, Stop> {
    let own = scene
        .item
        .reference
        .as_deref()
        .filter(|text| !text.trim().is_empty());
    let wanted = protocol.reasoning;
    let bare = Scene {
        item: scene.item,
        responses: Vec::new(),
        parts: Vec::new(),
        reversed: false,
    };
    let write = |prompt, wanted: bool| match wanted {
        true => text(protocol, prompt, &bare, &Context::default(), &ask.once()).map(Some),
        false => Ok(None),
    };
    let texts = all([
        write(TextPrompt::Metrics, wanted.metrics),
        write(TextPrompt::Reference, wanted.reference && own.is_none()),
    ])?;
    let [metrics, written] = <[Option<String>; 2]>::try_from(texts).unwrap_or_default();
    Ok(Context {
        metrics,
        reference: written.or(own.filter(|_| wanted.reference).map(String::from)),
    })
}

/// The analyses: of each response by itself, or of all of them in one call.
fn notes(
    protocol: &Protocol,
    scene: &Scene,
    context: &Context,
    ask: &Ask,
) -> Result<Vec<String>, Stop> {
    match protocol.reasoning.kind {
        ReasoningKind::Prepair => {
            let alone = |slot| {
                text(
                    protocol,
                    TextPrompt::Analyse,
                    &scene.alone(slot),
                    context,
                    ask,
                )
            };
            all((0..scene.responses.len()).map(alone))
        }
        ReasoningKind::PrepairStar => Ok(vec![text(
            protocol,
            TextPrompt::AnalyseAll,
            scene,
            context,
            ask,
        )?]),
        _ => Ok(Vec::new()),
    }
}

/// A text that the judge writes.
fn text(
    protocol: &Protocol,
    what: TextPrompt,
    scene: &Scene,
    context: &Context,
    ask: &Ask,
) -> Result<String, Stop> {
    let shown = Shown::new(protocol.form, scene, context, ask.breaks_marks());
    let asked = prompt(protocol.prompts.text(what, &shown))?;
    let read = read_text(&ask.whole(asked, |reply| !reply.text.trim().is_empty())?);
    if let (Err(failure), Some(asked)) = (&read, ask.last()) {
        ask.blame(failure.kind, asked);
    }
    Ok(read?)
}

fn read_text(reply: &Reply) -> Result<String, Failure> {
    let text = reply.text.trim();
    match reply.finish {
        Finish::Refusal => Err(Failure::new(
            FailureKind::Refused,
            reading::excerpt(&reply.text),
        )),
        Finish::Length if text.is_empty() => Err(Failure::new(
            FailureKind::Truncated,
            "an analysis was asked for, and the reply ended before its first word",
        )),
        _ if text.is_empty() => Err(Failure::new(
            FailureKind::Unparsed,
            "an analysis was asked for, and the reply is empty",
        )),
        _ => Ok(text.to_string()),
    }
}

/// A prompt, or the failure that it cannot be rendered.
pub(crate) fn prompt<T>(rendered: Result<T, String>) -> Result<T, Stop> {
    rendered.map_err(|why| {
        Failure::new(
            FailureKind::Invalid,
            format!("the prompt cannot be rendered: {why}"),
        )
        .into()
    })
}
