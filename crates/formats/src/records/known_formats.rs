//! The formats that are known by name: how each is recognised, and which of its fields is which
//! term.

use super::map::Mapping;
use crate::error::{DataError, DataProblem, Result};
use crate::outcomes::Spellings;
use crate::source::json_words::split_fields;
use crate::source::value_source::ValueSource;
use serde_json::Value;
use strum::{EnumProperty, IntoStaticStr, VariantArray};

/// A format that is known by name, in the order in which they are tried: which fields a record of
/// it has, none of them null, which it has not, as they are another format's, and which field is
/// which term; where records hold conversations, also by which fields later turns are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumProperty, IntoStaticStr, VariantArray)]
pub enum Format {
    /// Our `labels.jsonl`.
    #[strum(serialize = "labels")]
    #[strum(props(needs = "item,a,b,preferred"))]
    #[strum(props(
        mapping = "item=item,system_1=a,system_2=b,label=preferred,annotator=annotator"
    ))]
    Labels,
    /// Our `responses.jsonl`.
    #[strum(serialize = "responses")]
    #[strum(props(needs = "item,system,output|turns"))]
    #[strum(props(mapping = "item=item,system=system,output=output|turns"))]
    Responses,
    /// Our `items.jsonl`.
    #[strum(serialize = "items")]
    #[strum(props(needs = "id,instruction|messages|turns"))]
    #[strum(props(lacks = "output,output_1,answer,response"))]
    #[strum(props(
        mapping = "item=id,instruction=instruction|messages|turns,reference=reference,\
                   category=category,question=question_id,constraints=constraints,criteria=criteria"
    ))]
    Items,
    /// Our `ratings.csv`.
    #[strum(serialize = "ratings")]
    #[strum(props(needs = "system,rating"))]
    #[strum(props(mapping = "system=system,rating=rating,ci_low=ci_low,ci_high=ci_high"))]
    Ratings,
    /// LLMBar's `dataset.json`.
    #[strum(serialize = "llmbar")]
    #[strum(props(needs = "input,output_1,output_2,label"))]
    #[strum(props(lacks = "results"))]
    #[strum(props(
        mapping = "item=index|#,instruction=input,output_1=output_1,output_2=output_2,label=label"
    ))]
    LlmBar,
    /// JudgeBench's pairs.
    #[strum(serialize = "judgebench")]
    #[strum(props(needs = "pair_id,question,response_A,response_B,label"))]
    #[strum(props(lacks = "judgments"))]
    #[strum(props(
        mapping = "item=pair_id,instruction=question,category=source,output_1=response_A,\
                   output_2=response_B,label=label"
    ))]
    JudgeBench,
    /// AlpacaEval's `model_outputs.json`.
    #[strum(serialize = "alpaca-eval")]
    #[strum(props(needs = "instruction,output,generator"))]
    #[strum(props(
        mapping = "instruction=instruction,output=output,system=generator,category=dataset"
    ))]
    AlpacaEvalOutputs,
    /// The samples of Inspect's logs, one file a system.
    #[strum(serialize = "inspect-samples")]
    #[strum(props(needs = "id,epoch,input,messages"))]
    #[strum(props(mapping = "item=id,instruction=input,output=messages,reference=target"))]
    InspectSamples,
    /// The results of promptfoo, each with what it says in our terms.
    #[strum(serialize = "promptfoo")]
    #[strum(props(needs = "testIdx,prompt.raw,evenhand.system"))]
    #[strum(props(
        mapping = "item=evenhand.item,instruction=evenhand.instruction,system=evenhand.system,\
                   output=evenhand.output,reference=evenhand.reference,\
                   category=evenhand.category,criteria=evenhand.criteria"
    ))]
    Promptfoo,
    /// IFEval's prompts with their verifiable constraints.
    #[strum(serialize = "ifeval")]
    #[strum(props(needs = "key,prompt,instruction_id_list,kwargs"))]
    #[strum(props(mapping = "item=key,instruction=prompt,constraints=instruction_id_list+kwargs"))]
    IfEval,
    /// Preference pairs as RewardBench writes them.
    #[strum(serialize = "preference-pairs")]
    #[strum(props(needs = "prompt,chosen,rejected"))]
    #[strum(props(
        mapping = "item=id|#,instruction=prompt,category=subset,output_1=chosen,output_2=rejected,\
                   system_1:=chosen,system_2:=rejected,label:=1"
    ))]
    PreferencePairs,
    /// PandaLM's pairs with the labels of three people.
    #[strum(serialize = "pandalm")]
    #[strum(props(needs = "idx,instruction,model_1,model_2,response_1,response_2,human"))]
    #[strum(props(
        mapping = "item=idx,instruction=instruction+input,output_1=response_1,output_2=response_2,\
                   system_1=model_1,system_2=model_2,label=human"
    ))]
    PandaLm,
    /// Pairs that several people judged, as AlpacaFarm's cross-annotations.
    #[strum(serialize = "cross-annotations")]
    #[strum(props(needs = "instruction,output_1,output_2,preference,annotator_index"))]
    #[strum(props(
        mapping = "item=instruction+input+output_1+output_2,instruction=instruction+input,\
                   category=dataset,\
                   output_1=output_1,output_2=output_2,system_1=generator_1,system_2=generator_2,\
                   label=preference,annotator=annotator_index"
    ))]
    CrossAnnotations,
    /// Auto-J's pairs with labels.
    #[strum(serialize = "auto-j")]
    #[strum(props(needs = "scenario,label,prompt,response 1,response 2"))]
    #[strum(props(
        mapping = "item=index|#,instruction=prompt,category=scenario,output_1=response \
                   1,output_2=response 2,label=label"
    ))]
    AutoJ,
    /// People's votes on two models' answers, as MT-Bench's and Chatbot Arena's.
    #[strum(serialize = "votes")]
    #[strum(props(needs = "question_id,model_a|system_a,model_b|system_b,winner"))]
    #[strum(props(
        mapping = "item=question_id,system_1=model_a|system_a,system_2=model_b|system_b,\
                   label=winner,annotator=judge.0|judge"
    ))]
    Votes,
    /// HealthBench's conversations with their rubrics.
    #[strum(serialize = "healthbench")]
    #[strum(props(needs = "prompt_id,prompt.0.content,rubrics"))]
    #[strum(props(mapping = "item=prompt_id,instruction=prompt,criteria=rubrics"))]
    HealthBench,
    /// WildBench's conversations with their checklists.
    #[strum(serialize = "wildbench")]
    #[strum(props(needs = "session_id,conversation_input.0.content,checklist"))]
    #[strum(props(lacks = "output"))]
    #[strum(props(
        mapping = "item=session_id,instruction=conversation_input,category=primary_tag,\
                   criteria=checklist"
    ))]
    WildBench,
    /// Arena-Hard-Auto's `question.jsonl`, v0.1 and v2.
    #[strum(serialize = "arena-hard-questions")]
    #[strum(props(needs = "question_id|uid,prompt|turns.0.content"))]
    #[strum(props(lacks = "answer,output,model,model_id"))]
    #[strum(props(
        mapping = "item=question_id|uid,instruction=prompt|turns.0.content,category=cluster|category,\
                   reference=reference_answer"
    ))]
    ArenaHardQuestions,
    /// Arena-Hard-Auto's model answers, v0.1 and v2.
    #[strum(serialize = "arena-hard-answers")]
    #[strum(props(
        needs = "question_id|uid,model_id|model,choices.0.turns.0.content|messages.-1.content"
    ))]
    #[strum(props(lacks = "games,judgment"))]
    #[strum(props(
        mapping = "item=question_id|uid,system=model_id|model,output=choices.0.turns.0.content|\
                   messages.-1.content.answer|messages.-1.content"
    ))]
    ArenaHardAnswers,
    /// MT-Bench's model answers.
    #[strum(serialize = "mt-bench-answers")]
    #[strum(props(needs = "question_id,model_id|model,choices.0.turns.0|turns.0"))]
    #[strum(props(lacks = "judgment"))]
    #[strum(props(
        mapping = "item=question_id,system=model_id|model,output=choices.0.turns.0|turns.0"
    ))]
    #[strum(props(turns = "item=question_id,system=model_id|model,output=choices.0.turns|turns"))]
    MtBenchAnswers,
    /// MT-Bench's `question.jsonl`.
    #[strum(serialize = "mt-bench-questions")]
    #[strum(props(needs = "question_id,turns.0"))]
    #[strum(props(lacks = "model,model_id,judgment"))]
    #[strum(props(
        mapping = "item=question_id,instruction=turns.0,category=category,reference=reference.0"
    ))]
    #[strum(props(
        turns = "item=question_id,instruction=turns,category=category,reference=reference"
    ))]
    MtBenchQuestions,
}

/// The mapping of votes whose records hold what the two systems answered.
const VOTES_WITH_ANSWERS: &str = "item=question_id,instruction=conversation_a,\
                                  system_1=model_a|system_a,\
                                  system_2=model_b|system_b,output_1=conversation_a,\
                                  output_2=conversation_b,label=winner,annotator=judge.0|judge";

/// Meaning of the labels of Auto-J's pairs, which count from 0.
const AUTO_J_LABELS: &str = "0=first,1=second,2=tie";

impl Format {
    /// Returns the name that a user gives.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns all names, in the order in which the formats are tried.
    pub fn names() -> Vec<&'static str> {
        Format::VARIANTS
            .iter()
            .map(|format| format.name())
            .collect()
    }

    /// Returns the format of this name.
    ///
    /// # Errors
    /// If there is none; the error lists the names.
    pub fn from_name(name: &str) -> Result<Self> {
        let mut all = Format::VARIANTS.iter().copied();
        all.find(|format| format.name() == name).ok_or_else(|| {
            DataError::new(DataProblem::UnknownFormat {
                found: name.to_owned(),
                formats: Format::names(),
            })
        })
    }

    /// Returns which of its fields is which term.
    ///
    /// # Errors
    /// Never for the formats of this crate, whose mappings are tested.
    pub fn mapping(self) -> Result<Mapping> {
        self.parse_mapping(self.get_str("mapping").unwrap_or_default())
    }

    /// Returns the mapping by which all turns of its conversations are found.
    pub(super) fn turns_mapping(self) -> Result<Mapping> {
        match self.get_str("turns") {
            Some(text) => self.parse_mapping(text),
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
}

/// Returns the format of a file with this first record; `None` where it has no known one.
pub fn recognise_format(first: &Value) -> Option<Format> {
    let mut formats = Format::VARIANTS.iter().copied();
    formats.find(|format| {
        let [needs, lacks] = ["needs", "lacks"].map(|of| format.get_str(of).unwrap_or_default());
        split_fields(needs).all(|field| has_value(field, first))
            && !split_fields(lacks).any(|field| has_value(field, first))
    })
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
        for format in Format::VARIANTS {
            assert_eq!(Format::from_name(format.name()).unwrap(), *format);
            let mapping = format.get_str("mapping").unwrap();
            assert_eq!(format.mapping().unwrap().to_string(), mapping);
            assert!(format.get_str("needs").is_some(), "{format:?}");
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
             ratings, llmbar, judgebench, alpaca-eval, inspect-samples, promptfoo, \
             ifeval, preference-pairs, pandalm, cross-annotations, auto-j, votes, healthbench, \
             wildbench, arena-hard-questions, arena-hard-answers, mt-bench-answers, \
             mt-bench-questions"
        );
    }
}
