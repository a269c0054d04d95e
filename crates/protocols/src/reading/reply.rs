//! Reads a whole reply: where its words stand, and whether they are in the form asked for.

use super::exact::{find_option, parse_order, parse_scores, strip_marks};
use super::{KNOWN_MARKERS, Reader, own_text_of};
use crate::Form;
use crate::probabilities::make_choice;
use crate::replies::{excerpt, is_one_object};
use crate::structured::{Held, Shape};
use evenhand_core::{
    AnswerPlace, Failure, FailureKind, Finish, Outcome, Reply, Verdict, VerdictSource,
};

/// A verdict, and the reply as the judge's own words.
pub(crate) type Said = Result<(Verdict, String), Failure>;

impl Reader<'_> {
    /// Reads the verdict that a reply expresses. `shape` is that to which the server was to hold
    /// it, if it was.
    ///
    /// The reply itself comes first: by its shape, else by the probabilities of its answers or its
    /// text. Only where it has no text, and the server says that it is complete, is a verdict
    /// looked for in what the judge thought before, or in the tool that it called; the verdict's
    /// source says so.
    pub(crate) fn read_reply(self, reply: &Reply, shape: Option<Shape>) -> Said {
        if let Some(shape) = shape {
            match shape.read(&reply.text) {
                Some(Held { verdict, text }) => {
                    let Some(answers) = &reply.answers else {
                        return Ok((verdict, text));
                    };
                    let measured = self.read_verdict(reply)?;
                    return Ok((self.hold_against(measured, answers, &verdict), text));
                }
                // What stands in half an object is no line that the judge closed with.
                None if reply.finish == Finish::Length => {
                    let found = excerpt(&reply.text);
                    let why = format!(
                        "the object that was asked for ended at its limit of tokens: {found}"
                    );
                    return Err(Failure::new(FailureKind::Truncated, why));
                }
                None => {}
            }
        }
        if is_silent(reply) {
            return self.read_thinking(reply);
        }
        let stated = self.read_words(reply, &reply.text);
        let verdict = match (&reply.answers, reply.places.is_empty()) {
            (None, true) => stated?,
            (Some(answers), true) => {
                let measured = self.read_verdict(reply)?;
                // A program, or an embedded model, need not say anything beside them.
                match stated {
                    Ok(stated) => self.hold_against(measured, answers, &stated),
                    Err(_) => measured,
                }
            }
            (_, false) => self.read_at_statement(reply, stated)?,
        };
        let source = match verdict.source() {
            VerdictSource::Text if reply.is_tool_call => VerdictSource::ToolCall,
            VerdictSource::Text if self.keeps_to_form(reply) => VerdictSource::Text,
            VerdictSource::Text if own_text_of(reply).is_ok_and(|text| is_one_object(&text)) => {
                VerdictSource::Json
            }
            VerdictSource::Text => VerdictSource::Prose,
            source => source,
        };
        Ok((verdict.with_source(source), reply.text.clone()))
    }

    /// Reads what words of a reply state, whatever is probable.
    fn read_words(self, reply: &Reply, words: &str) -> Outcome {
        self.read_verdict(&Reply {
            text: words.into(),
            finish: reply.finish,
            ..Reply::default()
        })
    }

    /// Reads a reply whose text is more than the bare answer that was asked for: what its words
    /// state, with the probabilities at the place where they have stated it. In "A careful look: B"
    /// the first word is an article, and what is probable there says nothing. Words that state
    /// nothing are a failure, whatever was probable at their beginning.
    fn read_at_statement(self, reply: &Reply, stated: Outcome) -> Outcome {
        let options = self.form().options();
        let stated = match stated {
            Ok(stated) => stated,
            Err(why) if why.kind == FailureKind::Truncated && !self.prompts.reasons_in_reply() => {
                // `A. It is`: a reply that was cut in its remark began with the answer, which a
                // full stop or the line's end closes. More room would help no other: the answer was
                // due at once.
                let closed = reply.places.iter().find(|place| {
                    let first = reply.text.get(..place.end).unwrap_or_default().trim_start();
                    let behind = reply.text.get(place.end..).unwrap_or_default();
                    options.iter().any(|option| option == first) && behind.starts_with(['.', '\n'])
                });
                return match closed {
                    Some(place) => self.read_place(reply, place),
                    None => Err(Failure::new(FailureKind::Unparsed, why.detail)),
                };
            }
            Err(why) => return Err(why),
        };
        // The words so far, up to the first place at which the reader knows what they state. In
        // "The worse answer is A" it states B, of which the probability of `A` says nothing.
        let Some(spelled) = self.find_stated(&stated).map(|at| &options[at]) else {
            return Ok(stated);
        };
        let place = reply.places.iter().find(|place| {
            let so_far = reply.text.get(..place.end).unwrap_or_default();
            so_far.ends_with(spelled) && self.read_words(reply, so_far).as_ref() == Ok(&stated)
        });
        let Some(place) = place else {
            return Ok(stated);
        };
        let measured = self.read_place(reply, place)?;
        Ok(self.hold_against(measured, &place.answers, &stated))
    }

    /// Returns which of the form's answers a text stated.
    fn find_stated(self, stated: &Verdict) -> Option<usize> {
        let options = self.form().options().len();
        let stated = stated.clone().with_source(VerdictSource::Text);
        (0..options)
            .find(|&at| make_choice(self.form(), at, options, VerdictSource::Text) == stated)
    }

    /// Returns a verdict of the answers' probabilities, which says so where the most probable is
    /// not the answer that the text states.
    fn hold_against(self, measured: Verdict, answers: &[f64], stated: &Verdict) -> Verdict {
        let of_stated = self.find_stated(stated).and_then(|at| answers.get(at));
        match of_stated {
            Some(stated) if answers.iter().any(|p| p > stated) => {
                measured.with_source(VerdictSource::AgainstText)
            }
            _ => measured,
        }
    }

    /// Reads the probabilities at a place of a reply.
    fn read_place(self, reply: &Reply, place: &AnswerPlace) -> Outcome {
        self.read_verdict(&Reply {
            answers: Some(place.answers.clone()),
            answers_within: place.within,
            ..reply.clone()
        })
    }

    /// Reads what a judge thought before an empty reply. Its verdict must stand at the end: in
    /// between it weighs what it does not mean.
    fn read_thinking(self, reply: &Reply) -> Said {
        let thought = reply.reasoning.as_deref().unwrap_or("").trim();
        let spoken = Reply {
            text: format!("...\n{thought}"),
            reasoning: None,
            ..reply.clone()
        };
        match self.read_verdict(&spoken) {
            Ok(verdict) => Ok((
                verdict.with_source(VerdictSource::Reasoning),
                thought.to_string(),
            )),
            Err(failure) => Err(Failure::new(
                failure.kind,
                format!(
                    "the reply is empty, and what the judge thought before it ends without a \
                     verdict: {}",
                    failure.detail
                ),
            )),
        }
    }

    /// Whether a text is in the form that the prompt asks for: in the notation of its pack; else
    /// the bare answer alone, or in the last line, behind the mark that the prompt names or any
    /// that the readers know.
    fn keeps_to_form(self, reply: &Reply) -> bool {
        if self.prompts.notation().is_some() {
            return true;
        }
        let Ok(text) = own_text_of(reply) else {
            return false;
        };
        let options = self.form().options();
        let is_exact = |answer: &str| {
            let answer = strip_marks(answer);
            match self.form() {
                Form::PairwiseScore(scale) => parse_scores(answer, scale).is_some(),
                Form::Listwise(_) => parse_order(answer, self.count).is_some(),
                _ => find_option(answer, &options).is_some(),
            }
        };
        let last = strip_marks(text.trim().lines().next_back().unwrap_or(""));
        let marks = KNOWN_MARKERS.into_iter().chain([self.prompts.marker()]);
        let mut behind = marks.filter(|mark| !mark.is_empty()).filter_map(|mark| {
            let (head, answer) = last.split_at_checked(mark.len())?;
            head.eq_ignore_ascii_case(mark).then_some(answer)
        });
        is_exact(&text) || behind.any(is_exact)
    }
}

/// Whether a complete reply has no text, and the judge thought something before it.
fn is_silent(reply: &Reply) -> bool {
    let thought = reply.reasoning.as_deref().unwrap_or("");
    reply.finish == Finish::Stop
        && reply.answers.is_none()
        && reply.text.trim().is_empty()
        && !thought.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgedProtocol, ProtocolOptions};

    fn said(form: &str, reply: &Reply, is_held: bool) -> Said {
        let protocol = JudgedProtocol::parse(form, &ProtocolOptions::default()).unwrap();
        let shape = protocol.prompts.shape(2).filter(|_| is_held);
        protocol.prompts.reader(2).read_reply(reply, shape)
    }

    fn text(text: &str) -> Reply {
        Reply {
            text: text.into(),
            ..Reply::default()
        }
    }

    fn thought(reasoning: &str) -> Reply {
        Reply {
            reasoning: Some(reasoning.into()),
            ..Reply::default()
        }
    }

    /// The side and the source, or the kind of failure.
    fn brief(said: Said) -> Result<([f64; 3], VerdictSource), FailureKind> {
        said.map(|(verdict, _)| (verdict.preference().unwrap(), verdict.source()))
            .map_err(|failure| failure.kind)
    }

    const SECOND: [f64; 3] = [0.0, 0.0, 1.0];

    #[test]
    fn the_form_asked_for_is_told_from_prose() {
        for (words, source) in [
            ("B", VerdictSource::Text),
            ("**B**", VerdictSource::Text),
            ("Why.\n\nVerdict: B", VerdictSource::Text),
            ("Why.\n**Verdict: B**", VerdictSource::Text),
            ("The better answer is B.", VerdictSource::Prose),
            ("Verdict: B\n\nIt is clearer.", VerdictSource::Prose),
        ] {
            let read = brief(said("pairwise/cot/single", &text(words), false));
            assert_eq!(read, Ok((SECOND, source)), "{words}");
        }
    }

    #[test]
    fn a_json_object_that_is_all_of_a_reply_is_no_prose() {
        let read = |words: &str| brief(said("pairwise/direct/single", &text(words), false));
        for words in [
            r#"{"winner": "B"}"#,
            "```json\n{\"winner\": \"B\"}\n```",
            "```\n{\n  \"reason\": \"B is clear.\",\n  \"verdict\": \"B\"\n}\n```\n",
            "<think>A or B?</think>\n\n{\"winner\": \"B\"}",
        ] {
            assert_eq!(read(words), Ok((SECOND, VerdictSource::Json)), "{words}");
        }
        for words in [
            "Here it is:\n```json\n{\"winner\": \"B\"}\n```",
            "{\"winner\": \"B\"}\n\nIt is clearer.",
        ] {
            assert_eq!(read(words), Ok((SECOND, VerdictSource::Prose)), "{words}");
        }
    }

    #[test]
    fn a_held_reply_is_read_by_its_shape_and_half_of_one_says_nothing() {
        let whole = r#"{"reasoning": "Verdict: A", "verdict": "B"}"#;
        let read = |reply: &Reply| brief(said("pairwise/cot/single", reply, true));
        assert_eq!(read(&text(whole)), Ok((SECOND, VerdictSource::Schema)));
        for end in 0..whole.len() {
            let cut = Reply {
                finish: Finish::Length,
                ..text(&whole[..end])
            };
            assert_eq!(read(&cut), Err(FailureKind::Truncated), "{}", cut.text);
        }
        // A server that let go of the schema is read as any other.
        assert_eq!(
            read(&text("Why.\nVerdict: B")),
            Ok((SECOND, VerdictSource::Text))
        );
    }

    #[test]
    fn probabilities_are_those_at_the_place_where_the_words_state_the_verdict() {
        let place = |text: &str, word: &str, answers: [f64; 2]| AnswerPlace {
            end: text.rfind(word).unwrap() + word.len(),
            answers: answers.to_vec(),
            within: 0.0,
        };
        let read = |words: &str, places: &[(&str, [f64; 2])]| {
            let reply = Reply {
                answers: Some(vec![0.7, 0.3]),
                places: places
                    .iter()
                    .map(|(word, p)| place(words, word, *p))
                    .collect(),
                ..text(words)
            };
            brief(said("pairwise/direct/single", &reply, false))
        };
        let measured =
            |first: f64, second: f64| Ok(([first, 0.0, second], VerdictSource::Probabilities));
        let article = "A careful look.\nVerdict: B";
        let both = [("A", [0.7, 0.3]), ("B", [0.25, 0.75])];
        assert_eq!(read(article, &both), measured(0.25, 0.75));
        let colon = read("A careful look: B", &both);
        assert_ne!(colon, measured(0.7, 0.3), "read right or not at all");
        let sentence = "The better answer is B.";
        assert_eq!(read(sentence, &[("B", [0.25, 0.75])]), measured(0.25, 0.75));
        let reason = "A\n\nB forgets the units.";
        let at_first = [("A", [0.875, 0.125]), ("B", [0.0, 1.0])];
        assert_eq!(read(reason, &at_first), measured(0.875, 0.125));
        let nothing = "A or B, I cannot say.";
        assert_eq!(read(nothing, &both), Err(FailureKind::Unparsed));
        // Without a place beyond it the reply is bare, and its answer's place is the one.
        assert_eq!(read("A", &[]), measured(0.7, 0.3));
        // The word at the place is not what it states, so that its probability is another's.
        for inverted in ["The worse answer is A.", "Not A, clearly."] {
            let found = read(inverted, &[("A", [0.9, 0.1])]);
            assert_ne!(found, measured(0.9, 0.1), "{inverted}");
            assert!(
                matches!(found, Ok((SECOND, VerdictSource::Prose)) | Err(_)),
                "{inverted} {found:?}"
            );
        }
    }

    #[test]
    fn a_reasoned_reply_that_was_cut_behind_its_mark_is_asked_for_again() {
        for (form, kind) in [
            ("pairwise/cot/single", FailureKind::Truncated),
            ("pairwise/direct/single", FailureKind::Unparsed),
        ] {
            let words = "Why.\nVerdict: A careful look";
            let cut = Reply {
                finish: Finish::Length,
                places: vec![AnswerPlace {
                    end: words.find(" careful").unwrap(),
                    answers: vec![0.7, 0.3],
                    within: 0.0,
                }],
                ..text(words)
            };
            assert_eq!(brief(said(form, &cut, false)), Err(kind), "{form}");
        }
    }

    #[test]
    fn probabilities_that_go_against_the_words_say_so() {
        let against = Ok(([0.7, 0.0, 0.3], VerdictSource::AgainstText));
        let reply = |words: &str| Reply {
            answers: Some(vec![0.7, 0.3]),
            ..text(words)
        };
        let read = |words: &str| brief(said("pairwise/direct/single", &reply(words), false));
        assert_eq!(read("B"), against);
        assert_eq!(read("**B**"), against);
        let agreed = Ok(([0.7, 0.0, 0.3], VerdictSource::Probabilities));
        for words in ["A", "", "Both have their merits"] {
            assert_eq!(
                read(words),
                agreed,
                "a program need not say it in words: {words:?}"
            );
        }
        let held = r#"{"reasoning": "Why.", "verdict": "B"}"#;
        let held = brief(said("pairwise/cot/single", &reply(held), true));
        assert_eq!(held, against);
        // Neither of two that are equally probable goes against the other.
        let even = Reply {
            answers: Some(vec![0.5, 0.5]),
            ..text("B")
        };
        let even = brief(said("pairwise/direct/single", &even, false));
        assert_eq!(even, Ok(([0.5, 0.0, 0.5], VerdictSource::Probabilities)));
    }

    #[test]
    fn a_score_has_the_probabilities_of_the_place_that_states_it() {
        let read = |words: &str, places: &[(usize, usize)]| {
            let places = places.iter().map(|&(end, likeliest)| {
                let mut answers = vec![0.05; 5];
                answers[likeliest - 1] = 0.8;
                AnswerPlace {
                    end,
                    answers,
                    within: 0.0,
                }
            });
            let reply = Reply {
                places: places.collect(),
                ..text(words)
            };
            said("pointwise:1..5/direct/single", &reply, false)
                .map(|(verdict, _)| match verdict {
                    Verdict::Pointwise {
                        score,
                        distribution,
                        ..
                    } => ((score * 100.0).round() / 100.0, distribution.len()),
                    other => panic!("{other:?}"),
                })
                .map_err(|failure| failure.kind)
        };
        assert_eq!(read("Score: 4", &[(8, 4)]), Ok((3.75, 5)));
        assert_eq!(read("4/5", &[(1, 4), (3, 5)]), Ok((3.75, 5)));
        assert_eq!(
            read("I count 3 slips. Score: 2", &[(9, 3), (25, 2)]),
            Ok((2.25, 5))
        );
        assert_eq!(
            read("No score comes to mind", &[]),
            Err(FailureKind::Unparsed)
        );
    }

    #[test]
    fn an_empty_reply_is_read_from_the_thinking_or_a_tool_call_and_says_so() {
        for form in ["pairwise/direct/single", "pairwise/cot/single"] {
            let read = |reply: &Reply| brief(said(form, reply, false));
            for words in [
                "A is longer, hm.\nVerdict: B",
                "Both fine.\n\nThe better answer is B.",
            ] {
                let from = Ok((SECOND, VerdictSource::Reasoning));
                assert_eq!(read(&thought(words)), from, "{words}");
            }
            for words in [
                "Verdict: B? No, let me see",
                "A or B",
                "The user wants a letter.",
            ] {
                assert_eq!(read(&thought(words)), Err(FailureKind::Unparsed), "{words}");
            }
            let cut = Reply {
                finish: Finish::Length,
                ..thought("So far:\nVerdict: B")
            };
            assert_eq!(
                read(&cut),
                Err(FailureKind::Truncated),
                "the server said so"
            );
            let beside = Reply {
                reasoning: Some("Verdict: A".into()),
                ..text("B")
            };
            assert_eq!(
                read(&beside),
                Ok((SECOND, VerdictSource::Text)),
                "the reply counts"
            );
            let called = Reply {
                is_tool_call: true,
                ..text(r#"{"verdict": "B"}"#)
            };
            assert_eq!(read(&called), Ok((SECOND, VerdictSource::ToolCall)));
        }
        let failed = said("pairwise/direct/single", &thought("Hm."), false).unwrap_err();
        assert!(
            failed.detail.starts_with("the reply is empty"),
            "{}",
            failed.detail
        );
    }

    #[test]
    fn only_a_server_says_that_tokens_ran_out() {
        for (finish, kind) in [
            (Finish::Length, FailureKind::Truncated),
            (Finish::Stop, FailureKind::Unparsed),
        ] {
            for words in ["<think>Let me see", "I find that", ""] {
                let reply = Reply {
                    finish,
                    ..text(words)
                };
                let read = brief(said("pairwise/direct/single", &reply, false));
                assert_eq!(read, Err(kind), "{words}");
            }
        }
    }
}
