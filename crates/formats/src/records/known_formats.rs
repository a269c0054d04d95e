//! The formats that are known by name: how each is recognised, and which of its fields is which
//! term.

use super::map::Mapping;
use crate::error::{DataError, DataProblem, Result};
use crate::outcomes::Spellings;
use crate::source::json_words::split_fields;
use crate::source::value_source::ValueSource;
use serde_json::Value;

/// A format that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Our `items.jsonl`.
    Items,
    /// Our `responses.jsonl`.
    Responses,
    /// Our `labels.jsonl`.
    Labels,
    /// Our `ratings.csv`.
    Ratings,
    /// AlpacaEval's `model_outputs.json`.
    AlpacaEvalOutputs,
    /// Arena-Hard-Auto's `question.jsonl`, v0.1 and v2.
    ArenaHardQuestions,
    /// Arena-Hard-Auto's model answers, v0.1 and v2.
    ArenaHardAnswers,
    /// MT-Bench's `question.jsonl`.
    MtBenchQuestions,
    /// MT-Bench's model answers.
    MtBenchAnswers,
    /// LLMBar's `dataset.json`.
    LlmBar,
    /// JudgeBench's pairs.
    JudgeBench,
    /// Preference pairs as RewardBench writes them.
    PreferencePairs,
    /// The samples of Inspect's logs, one file a system.
    InspectSamples,
    /// IFEval's prompts with their verifiable constraints.
    IfEval,
    /// PandaLM's pairs with the labels of three people.
    PandaLm,
    /// Pairs that several people judged, as AlpacaFarm's cross-annotations.
    CrossAnnotations,
    /// Auto-J's pairs with labels.
    AutoJ,
    /// People's votes on two models' answers, as MT-Bench's and Chatbot Arena's.
    Votes,
    /// HealthBench's conversations with their rubrics.
    HealthBench,
    /// WildBench's conversations with their checklists.
    WildBench,
}

struct KnownFormat {
    format: Format,
    name: &'static str,
    /// A record of the format has all of these, and none of them null.
    needs: &'static str,
    /// A record of the format has none of these: they are another format's.
    lacks: &'static str,
    mapping: &'static str,
}

/// The mappings of formats whose records hold conversations, for readers of later turns.
const TURNS: [(Format, &str); 2] = [
    (
        Format::MtBenchQuestions,
        "item=question_id,instruction=turns,category=category,reference=reference",
    ),
    (
        Format::MtBenchAnswers,
        "item=question_id,system=model_id|model,output=choices.0.turns|turns",
    ),
];

/// The mapping of votes whose records hold what the two systems answered.
const VOTES_WITH_ANSWERS: &str = "item=question_id,instruction=conversation_a,\
                                  system_1=model_a|system_a,\
                                  system_2=model_b|system_b,output_1=conversation_a,\
                                  output_2=conversation_b,label=winner,annotator=judge.0|judge";

/// Meaning of the labels of Auto-J's pairs, which count from 0.
const AUTO_J_LABELS: &str = "0=first,1=second,2=tie";

/// In the order in which they are tried.
const KNOWN_FORMATS: [KnownFormat; 20] = [
    KnownFormat {
        format: Format::Labels,
        name: "labels",
        needs: "item,a,b,preferred",
        lacks: "",
        mapping: "item=item,system_1=a,system_2=b,label=preferred,annotator=annotator",
    },
    KnownFormat {
        format: Format::Responses,
        name: "responses",
        needs: "item,system,output|turns",
        lacks: "",
        mapping: "item=item,system=system,output=output|turns",
    },
    KnownFormat {
        format: Format::Items,
        name: "items",
        needs: "id,instruction|messages|turns",
        lacks: "output,output_1,answer,response",
        mapping: "item=id,instruction=instruction|messages|turns,reference=reference,\
                  category=category,question=question_id,constraints=constraints,criteria=criteria",
    },
    KnownFormat {
        format: Format::Ratings,
        name: "ratings",
        needs: "system,rating",
        lacks: "",
        mapping: "system=system,rating=rating,ci_low=ci_low,ci_high=ci_high",
    },
    KnownFormat {
        format: Format::LlmBar,
        name: "llmbar",
        needs: "input,output_1,output_2,label",
        lacks: "results",
        mapping: "item=index|#,instruction=input,output_1=output_1,output_2=output_2,label=label",
    },
    KnownFormat {
        format: Format::JudgeBench,
        name: "judgebench",
        needs: "pair_id,question,response_A,response_B,label",
        lacks: "judgments",
        mapping: "item=pair_id,instruction=question,category=source,output_1=response_A,\
                  output_2=response_B,label=label",
    },
    KnownFormat {
        format: Format::AlpacaEvalOutputs,
        name: "alpaca-eval",
        needs: "instruction,output,generator",
        lacks: "",
        mapping: "instruction=instruction,output=output,system=generator,category=dataset",
    },
    KnownFormat {
        format: Format::InspectSamples,
        name: "inspect-samples",
        needs: "id,epoch,input,messages",
        lacks: "",
        mapping: "item=id,instruction=input,output=messages,reference=target",
    },
    KnownFormat {
        format: Format::IfEval,
        name: "ifeval",
        needs: "key,prompt,instruction_id_list,kwargs",
        lacks: "",
        mapping: "item=key,instruction=prompt,constraints=instruction_id_list+kwargs",
    },
    KnownFormat {
        format: Format::PreferencePairs,
        name: "preference-pairs",
        needs: "prompt,chosen,rejected",
        lacks: "",
        mapping: "item=id|#,instruction=prompt,category=subset,output_1=chosen,output_2=rejected,\
                  system_1:=chosen,system_2:=rejected,label:=1",
    },
    KnownFormat {
        format: Format::PandaLm,
        name: "pandalm",
        needs: "idx,instruction,model_1,model_2,response_1,response_2,human",
        lacks: "",
        mapping: "item=idx,instruction=instruction+input,output_1=response_1,output_2=response_2,\
                  system_1=model_1,system_2=model_2,label=human",
    },
    KnownFormat {
        format: Format::CrossAnnotations,
        name: "cross-annotations",
        needs: "instruction,output_1,output_2,preference,annotator_index",
        lacks: "",
        mapping: "item=instruction+input+output_1+output_2,instruction=instruction+input,\
                  category=dataset,\
                  output_1=output_1,output_2=output_2,system_1=generator_1,system_2=generator_2,\
                  label=preference,annotator=annotator_index",
    },
    KnownFormat {
        format: Format::AutoJ,
        name: "auto-j",
        needs: "scenario,label,prompt,response 1,response 2",
        lacks: "",
        mapping: "item=index|#,instruction=prompt,category=scenario,output_1=response \
                  1,output_2=response 2,label=label",
    },
    KnownFormat {
        format: Format::Votes,
        name: "votes",
        needs: "question_id,model_a|system_a,model_b|system_b,winner",
        lacks: "",
        mapping: "item=question_id,system_1=model_a|system_a,system_2=model_b|system_b,\
                  label=winner,annotator=judge.0|judge",
    },
    KnownFormat {
        format: Format::HealthBench,
        name: "healthbench",
        needs: "prompt_id,prompt.0.content,rubrics",
        lacks: "",
        mapping: "item=prompt_id,instruction=prompt,criteria=rubrics",
    },
    KnownFormat {
        format: Format::WildBench,
        name: "wildbench",
        needs: "session_id,conversation_input.0.content,checklist",
        lacks: "output",
        mapping: "item=session_id,instruction=conversation_input,category=primary_tag,\
                  criteria=checklist",
    },
    KnownFormat {
        format: Format::ArenaHardQuestions,
        name: "arena-hard-questions",
        needs: "question_id|uid,prompt|turns.0.content",
        lacks: "answer,output,model,model_id",
        mapping: "item=question_id|uid,instruction=prompt|turns.0.content,\
                  category=cluster|category,reference=reference_answer",
    },
    KnownFormat {
        format: Format::ArenaHardAnswers,
        name: "arena-hard-answers",
        needs: "question_id|uid,model_id|model,choices.0.turns.0.content|messages.-1.content",
        lacks: "games,judgment",
        mapping: "item=question_id|uid,system=model_id|model,\
                  output=choices.0.turns.0.content|messages.-1.content.answer|messages.-1.content",
    },
    KnownFormat {
        format: Format::MtBenchAnswers,
        name: "mt-bench-answers",
        needs: "question_id,model_id|model,choices.0.turns.0|turns.0",
        lacks: "judgment",
        mapping: "item=question_id,system=model_id|model,output=choices.0.turns.0|turns.0",
    },
    KnownFormat {
        format: Format::MtBenchQuestions,
        name: "mt-bench-questions",
        needs: "question_id,turns.0",
        lacks: "model,model_id,judgment",
        mapping: "item=question_id,instruction=turns.0,category=category,reference=reference.0",
    },
];

impl Format {
    /// Returns the name that a user gives.
    pub fn name(self) -> &'static str {
        self.definition().map_or("", |known| known.name)
    }

    /// Returns all names, in the order in which the formats are tried.
    pub fn names() -> Vec<&'static str> {
        KNOWN_FORMATS.iter().map(|known| known.name).collect()
    }

    /// Returns the format of this name.
    ///
    /// # Errors
    /// If there is none; the error lists the names.
    pub fn from_name(name: &str) -> Result<Self> {
        match KNOWN_FORMATS.iter().find(|known| known.name == name) {
            Some(known) => Ok(known.format),
            None => Err(DataError::new(DataProblem::UnknownFormat {
                found: name.to_owned(),
                formats: Format::names(),
            })),
        }
    }

    /// Returns which of its fields is which term.
    ///
    /// # Errors
    /// Never for the formats of this crate, whose mappings are tested.
    pub fn mapping(self) -> Result<Mapping> {
        self.parse_mapping(self.definition().map_or("", |known| known.mapping))
    }

    /// Returns the mapping by which all turns of its conversations are found.
    pub(super) fn turns_mapping(self) -> Result<Mapping> {
        match TURNS.iter().find(|(format, _)| *format == self) {
            Some((_, text)) => self.parse_mapping(text),
            None => self.mapping(),
        }
    }

    /// Returns the mapping of votes by which the two systems' responses are found too.
    pub(super) fn answers_mapping(self) -> Result<Mapping> {
        let mut mapping = self.parse_mapping(VOTES_WITH_ANSWERS)?;
        mapping.complete = true;
        Ok(mapping)
    }

    fn parse_mapping(self, text: &str) -> Result<Mapping> {
        let mut mapping = Mapping::parse_exactly(text)?;
        // One of its answers is the word `false`, which its file holds as a truth value.
        mapping.lenient = self == Format::PandaLm;
        mapping.foreign = self == Format::Votes;
        mapping.lists_are_completions = self == Format::PreferencePairs;
        if self == Format::AutoJ {
            mapping.outcomes = Spellings::parse(AUTO_J_LABELS).unwrap_or_default();
        }
        Ok(mapping)
    }

    /// Whether it is one of our own.
    pub(super) fn is_own(self) -> bool {
        matches!(
            self,
            Format::Items | Format::Responses | Format::Labels | Format::Ratings
        )
    }

    fn definition(self) -> Option<&'static KnownFormat> {
        KNOWN_FORMATS.iter().find(|known| known.format == self)
    }
}

/// Returns the format of a file with this first record; `None` where it has no known one.
pub fn recognise_format(first: &Value) -> Option<Format> {
    let known = KNOWN_FORMATS.iter().find(|known| {
        // It has the fields that the format needs, and none that it lacks.
        split_fields(known.needs).all(|field| has_value(field, first))
            && !split_fields(known.lacks).any(|field| has_value(field, first))
    });
    known.map(|known| known.format)
}

/// Whether the field is there and not null.
fn has_value(field: &str, first: &Value) -> bool {
    let source = ValueSource::parse_fields(field, field);
    let value = source.ok().and_then(|source| source.find(first, 0));
    value.is_some_and(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_format_has_a_mapping_and_a_name_of_its_own() {
        for known in &KNOWN_FORMATS {
            assert_eq!(Format::from_name(known.name).unwrap(), known.format);
            assert_eq!(known.format.mapping().unwrap().to_string(), known.mapping);
        }
    }

    #[test]
    fn formats_are_recognised_by_their_fields() {
        for (record, format) in [
            (json!({"id": "1", "instruction": "x"}), Some(Format::Items)),
            (json!({"id": 1, "messages": []}), Some(Format::Items)),
            (
                json!({"item": "1", "system": "s", "output": ""}),
                Some(Format::Responses),
            ),
            (
                json!({"item": "1", "a": "s", "b": "t", "preferred": "tie"}),
                Some(Format::Labels),
            ),
            (json!({"system": "s", "rating": "1"}), Some(Format::Ratings)),
            (
                json!({"question_id": 1, "turns": ["a", "b"]}),
                Some(Format::MtBenchQuestions),
            ),
            (
                json!({"question_id": "a", "turns": [{"content": "x"}]}),
                Some(Format::ArenaHardQuestions),
            ),
            (
                json!({"question_id": 1, "model_id": "m", "choices": [{"turns": ["a"]}]}),
                Some(Format::MtBenchAnswers),
            ),
            (
                json!({"question_id": 1, "model_id": "m", "choices": [{"turns": [{"content": "x"}]}]}),
                Some(Format::ArenaHardAnswers),
            ),
            (
                json!({"id": 1, "epoch": 1, "input": "i", "messages": [], "output": {}}),
                Some(Format::InspectSamples),
            ),
            (
                json!({"prompt": "p", "chosen": "c", "rejected": "r"}),
                Some(Format::PreferencePairs),
            ),
            (
                json!({"instruction": "i", "output_1": "a", "output_2": "b", "preference": 1, "annotator_index": 0}),
                Some(Format::CrossAnnotations),
            ),
            (
                json!({"scenario": "s", "label": 0, "prompt": "p", "response 1": "a", "response 2": "b"}),
                Some(Format::AutoJ),
            ),
            (
                json!({"question_id": 1, "model_a": "s", "model_b": "t", "winner": "tie", "turn": 1}),
                Some(Format::Votes),
            ),
            (
                json!({"instruction": "i", "output_1": "a", "output_2": "b", "preference": 1}),
                None,
            ),
            (
                json!({"input": "i", "output_1": "a", "output_2": "b", "label": 1, "results": []}),
                None,
            ),
            (
                json!({"question_id": 1, "model": "m", "judge": ["j"], "judgment": "", "score": 1}),
                None,
            ),
            (
                json!({"question_id": 1, "model": "m", "turns": ["a"]}),
                Some(Format::MtBenchAnswers),
            ),
            (
                json!({"prompt_id": "p", "prompt": [{"role": "user", "content": "x"}], "rubrics": []}),
                Some(Format::HealthBench),
            ),
            (
                json!({"session_id": "s", "conversation_input": [{"role": "user", "content": "x"}], "checklist": ["c"]}),
                Some(Format::WildBench),
            ),
            (json!({}), None),
            (json!([1]), None),
            (json!("x"), None),
        ] {
            assert_eq!(recognise_format(&record), format, "{record}");
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        assert_eq!(
            Format::from_name("alpaca").unwrap_err().to_string(),
            "`input-format`: `alpaca` is not known; expected one of labels, responses, items, \
             ratings, llmbar, judgebench, alpaca-eval, inspect-samples, \
             ifeval, preference-pairs, pandalm, cross-annotations, auto-j, votes, healthbench, \
             wildbench, arena-hard-questions, arena-hard-answers, mt-bench-answers, \
             mt-bench-questions"
        );
    }
}
