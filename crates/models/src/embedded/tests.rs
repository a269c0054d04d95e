//! Tests of the inside, with the small default model where it is there.

use super::engine::answer_request;
use super::halt::Halt;
use super::open::open_model;
use super::vocabulary::Origin;
use super::*;
use crate::HAS_BACK_END;
use evenhand_core::{CallErrorKind, Message, Role};
use std::path::PathBuf;
use std::sync::Arc;

fn model_path() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let path = cache.join("evenhand/models/SmolLM2-135M-Instruct-Q4_1.gguf");
    assert!(
        path.exists() || std::env::var_os("CI").is_none(),
        "the default model is missing: run scripts/fetch-model"
    );
    if path.exists() { Some(path) } else { None }
}

fn engine(chunk: u32) -> Option<Engine> {
    let options = Options {
        threads: Some(1),
        context: Some(512),
        chunk,
        ..Options::default()
    };
    let Some(path) = model_path() else {
        println!("SKIPPED: the default model is missing: run scripts/fetch-model");
        return None;
    };
    Some(
        open_model(&path, &options)
            .expect("the model opens")
            .0
            .remove(0),
    )
}

fn read(stack: &mut stack::Stack, tokens: &[llama::Token]) -> Vec<f32> {
    let mut last = Vec::new();
    let read = stack.read_prompt(tokens, tokens.len() - 1, &|| false, &mut |_, logits| {
        last = logits.to_vec()
    });
    assert!(read.is_ok());
    last
}

#[test]
fn a_model_that_cannot_forget_a_part_gets_the_same_bits() {
    let (Some(mut able), Some(mut unable)) = (engine(16), engine(16)) else {
        return;
    };
    unable.stack.pretend_it_cannot_forget();
    let prompt = able
        .prompter
        .tokenize(&[Message::user("One two three four five.")])
        .expect("tokens")
        .all;
    let other = able
        .prompter
        .tokenize(&[Message::user("One two three, and so on.")])
        .expect("tokens")
        .all;
    for stack in [&mut able.stack, &mut unable.stack] {
        read(stack, &other);
    }
    assert_eq!(
        read(&mut able.stack, &prompt),
        read(&mut unable.stack, &prompt)
    );
    let after = |stack: &mut stack::Stack| {
        let length = stack.len();
        stack.push_token(prompt[3]).expect("read");
        stack.push_token(prompt[4]).expect("read");
        stack.cut_to(length + 1).expect("cut");
        stack.cut_to(length).expect("cut");
        stack.push_token(prompt[5]).expect("read").to_vec()
    };
    assert_eq!(after(&mut able.stack), after(&mut unable.stack));
    assert!(unable.stack.evaluated > able.stack.evaluated);
}

/// Runs of before there were graphics devices find their replies by it.
#[test]
fn the_identity_of_a_judge_on_the_cpu_says_nothing_of_devices() {
    let Some(path) = model_path() else {
        println!("SKIPPED: the default model is missing: run scripts/fetch-model");
        return;
    };
    let open = |gpu_layers| {
        let options = Options {
            threads: Some(1),
            context: Some(512),
            gpu_layers,
            ..Options::default()
        };
        open_model(&path, &options).map(|(_, identity)| identity)
    };
    let on_cpu = open(Some(GpuLayers::Count(0))).expect("the model opens");
    let end = format!(":ctx512:chunk64:cpu{}", Embedded::name_kernels());
    assert!(on_cpu.ends_with(&end), "{on_cpu}");
    if !HAS_BACK_END {
        assert_eq!(open(None).expect("the model opens"), on_cpu);
        let why = open(Some(GpuLayers::All)).expect_err("there is no back end");
        assert!(why.to_string().contains("no back end"), "{why}");
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads_of_a_context() {
    let Some(mut engine) = engine(64) else { return };
    let prompt = engine
        .prompter
        .tokenize(&[Message::user("One two three four five.")])
        .expect("tokens")
        .all;
    let mut bits = |threads| {
        engine.stack.use_exactly(threads);
        let last = read(&mut engine.stack, &prompt);
        (
            last,
            engine.stack.push_token(prompt[5]).expect("read").to_vec(),
        )
    };
    assert_eq!(bits(1), bits(2));
}

#[test]
fn a_conversation_in_parts_has_the_tokens_of_its_whole_text() {
    let Some(engine) = engine(64) else { return };
    let messages = [
        Message::system("Judge.\n"),
        Message::user("\n\nWhich  is better,\tA or B? 10 é😀"),
    ];
    let parts = engine.prompter.tokenize(&messages).expect("tokens");
    let template = engine.prompter.template.as_ref().expect("a template");
    let text = template.render(&messages).expect("a rendering");
    assert_eq!(parts.all, engine.prompter.vocabulary.in_one_go(&text));
    let text_of = |tokens: &[llama::Token]| {
        let mut bytes = Vec::new();
        tokens.iter().for_each(|token| {
            engine
                .prompter
                .vocabulary
                .weights
                .append_piece(*token, &mut bytes)
        });
        String::from_utf8(bytes).expect("text")
    };
    assert_eq!(
        text_of(&parts.all),
        text.replace("<|im_start|>", "").replace("<|im_end|>", "")
    );
}

#[test]
fn a_base_model_is_given_the_contents_with_blank_lines_between() {
    let Some(mut engine) = engine(64) else { return };
    let vocabulary = Arc::get_mut(&mut engine.prompter).expect("one engine");
    vocabulary.template = None;
    let messages = [Message::system("Judge."), Message::user("A or B?")];
    let plain = |text: &str| {
        engine
            .prompter
            .vocabulary
            .tokenize_parts([(text, Origin::Message)])
            .all
    };
    assert_eq!(
        engine.prompter.tokenize(&messages).expect("tokens").all,
        plain("Judge.\n\nA or B?")
    );
    assert_eq!(
        engine
            .prompter
            .tokenize_before_continuation(&messages)
            .expect("tokens")
            .all,
        plain("Judge.\n\nA or B?\n\n")
    );
    let empty = engine.prompter.tokenize(&[Message::user("")]);
    assert!(
        matches!(empty, Err(Halt::Failed(_))),
        "this model wants no first token"
    );
}

#[test]
fn answers_are_spelled_after_a_line_break_and_after_a_space() {
    let Some(engine) = engine(64) else { return };
    let vocabulary = &engine.prompter.vocabulary;
    let spelled: Vec<String> = vocabulary
        .spell_answer("A")
        .iter()
        .map(|tokens| {
            let mut bytes = Vec::new();
            tokens
                .iter()
                .for_each(|token| vocabulary.weights.append_piece(*token, &mut bytes));
            String::from_utf8(bytes).expect("text")
        })
        .collect();
    assert_eq!(spelled.len(), 2);
    assert!(
        spelled.contains(&"A".to_owned()) && spelled.contains(&" A".to_owned()),
        "{spelled:?}"
    );
    assert!(
        vocabulary.tokenize_plain("<|im_end|>").len() > 1 && vocabulary.is_risky("a<|im_end|>")
    );
}

/// A file that says it is a model of an architecture that nobody knows.
fn unknown_architecture() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let pair = [
        text("general.architecture"),
        8_u32.to_le_bytes().to_vec(),
        text("nonesuch"),
    ]
    .concat();
    [
        b"GGUF\x03\x00\x00\x00".to_vec(),
        0_u64.to_le_bytes().to_vec(),
        1_u64.to_le_bytes().to_vec(),
        pair,
        vec![0; 64],
    ]
    .concat()
}

#[test]
fn a_model_that_cannot_be_used_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |bytes: &[u8]| {
        let path = folder.path().join("model.gguf");
        std::fs::write(&path, bytes).expect("written");
        let error = Embedded::open(&path, &Options::default())
            .expect_err("refused")
            .to_string();
        assert!(error.contains("model.gguf"), "{error}");
        error
    };
    let unknown = refused(&unknown_architecture());
    assert!(
        unknown.contains("nonesuch") && unknown.contains("not supported"),
        "{unknown}"
    );
    assert!(refused(b"hello").contains("not a GGUF model"));
    let Some(path) = model_path() else { return };
    let whole = std::fs::read(path).expect("read");
    assert!(refused(&whole[..whole.len() - 1]).contains("is cut short"));
    let missing =
        Embedded::open(folder.path().join("none.gguf"), &Options::default()).expect_err("missing");
    assert!(missing.to_string().contains("no such file"));
    assert!(
        Embedded::open(folder.path(), &Options::default())
            .expect_err("a folder")
            .to_string()
            .contains("is a directory")
    );
}

#[test]
fn a_requantised_model_is_whole_and_works() {
    let Some(path) = model_path() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("q8.gguf");
    requantize(&path, &to, Quantisation::Q8_0).expect("requantised");
    let info = crate::gguf::describe(&to).expect("described");
    assert_eq!(info.quantisation.as_str(), "Q8_0");
    assert_eq!(info.architecture.as_str(), "llama");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("listed").count(),
        1,
        "nothing partial is left"
    );
    let nowhere = folder.path().join("no/such/folder/q8.gguf");
    assert!(requantize(&path, &nowhere, Quantisation::Q8_0).is_err());
}

/// A number for a question and its answer is the head times the state of the first token, as a
/// context that keeps all states has it.
#[test]
fn a_score_is_the_head_times_the_state_of_the_first_token() {
    let Some(path) = evenhand_testing::sentence_embedder() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let scorer = folder.path().join("scorer.gguf");
    let head: Vec<f32> = (0..384).map(|n| (n as f32 * 0.7).sin()).collect();
    evenhand_testing::make_scorer(&path, &scorer, &head).expect("written");
    let options = Options {
        threads: Some(1),
        ..Options::default()
    };
    let (mut engines, identity) = open_model(&scorer, &options).expect("it opens");
    assert!(identity.ends_with(":reward"), "{identity}");
    let engine = engines.first_mut().expect("an engine");
    let (plain, _) = open_model(&path, &options).expect("it opens");
    let weights = plain[0].prompter.vocabulary.weights.clone();
    let context = llama_options::ContextOptions {
        length: 512,
        chunk: 512,
        threads: 1,
        sequences: 1,
        output: llama_options::Output::States,
    };
    let mut context = llama::Context::new(weights.clone(), &context).expect("a context");
    let request = |answer: &str| {
        Request::new(
            "test".into(),
            vec![
                Message::user("What is the capital of France?"),
                Message {
                    role: Role::Assistant,
                    content: answer.into(),
                },
            ],
            Task::Reward,
        )
    };
    let mut rewards = Vec::new();
    for answer in [
        "Paris.",
        "A song about Lyon and the sea",
        "Paris [SEP] [CLS] Paris.",
        "",
    ] {
        let tokens = engine.prompter.tokenize_answered(&request(answer));
        let tokens = tokens.expect("tokens");
        // What an answer says is text: it begins and ends nothing.
        let last = weights.last_token();
        let ends = tokens.iter().filter(|token| Some(**token) == last);
        assert_eq!(tokens.first().copied(), weights.first_token());
        assert_eq!(ends.count(), 2);
        context.forget();
        context.decode(&tokens, 0, 0).expect("read");
        let state = context.state(0).expect("a state").iter();
        let expected: f64 = state.zip(&head).map(|(a, b)| f64::from(a * b)).sum();
        let reply = answer_request(engine, &request(answer)).expect("a reply");
        let reward = reply.reward.expect("a reward");
        assert!(
            (reward - expected).abs() < 1e-3,
            "{answer}: {reward} {expected}"
        );
        assert_eq!(reply.usage.prompt_tokens, tokens.len() as u64);
        rewards.push(reward);
    }
    rewards.dedup();
    assert_eq!(rewards.len(), 4, "{rewards:?}");
    let kind = |result: evenhand_core::CallResult| result.expect_err("refused").kind;
    let long = answer_request(engine, &request(&"word ".repeat(3000)));
    assert_eq!(kind(long), CallErrorKind::TooLong);
    let written = Request {
        task: Task::score("x"),
        ..request("Paris.")
    };
    assert_eq!(
        kind(answer_request(engine, &written)),
        CallErrorKind::Invalid
    );
    let embedded = Request {
        task: Task::Embed {
            pieces: vec!["x".into()],
        },
        ..request("Paris.")
    };
    assert_eq!(
        kind(answer_request(engine, &embedded)),
        CallErrorKind::Invalid
    );
}

/// A request for the likelihood of a text, and for states at these depths beside it.
fn with_states(text: &str, depths: &[u8]) -> Request {
    Request::new(
        "test".into(),
        vec![Message::user(
            "Name three colours of the rainbow, one after the other.",
        )],
        Task::Score {
            continuation: text.into(),
            apart: Vec::new(),
            depths: depths.to_vec(),
        },
    )
}

/// Of a chunk of 16 tokens other places of other batches are read than of one of 64: had one place
/// too few or too many been taken, the means would differ.
#[test]
fn states_are_those_of_the_texts_own_tokens_whatever_the_chunk() {
    let (Some(mut small), Some(mut large)) = (engine(16), engine(64)) else {
        return;
    };
    let cosine = |one: &[f32], other: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter()
                .zip(b)
                .map(|(a, b)| f64::from(*a) * f64::from(*b))
                .sum()
        };
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    };
    let long = "Red, then orange, then yellow; and behind these green, blue and violet. ".repeat(3);
    for text in [
        "Red.",
        "Red, orange and yellow are three colours.",
        long.as_str(),
    ] {
        let read = |engine: &mut Engine, depths: &[u8]| {
            answer_request(engine, &with_states(text, depths)).expect("a reply")
        };
        let plain = read(&mut large, &[]);
        let [one, again] = [(); 2].map(|()| read(&mut large, &[25, 50, 75, 100]));
        let other = read(&mut small, &[25, 50, 75, 100]);
        assert!(plain.embeddings.is_none() && one == again, "{text}");
        let (found, expected) = (one.likelihood.expect("one"), plain.likelihood.expect("one"));
        assert_eq!(found.tokens, expected.tokens);
        assert!(
            (found.logprob - expected.logprob).abs() < 0.01,
            "{found:?} {expected:?}"
        );
        let (one, other) = (
            one.embeddings.expect("states"),
            other.embeddings.expect("states"),
        );
        let depths: Vec<&[f32]> = one.vectors().collect();
        assert_eq!(depths.len(), 4);
        for (one, other) in depths.iter().zip(other.vectors()) {
            assert!(cosine(one, other) > 0.999, "{text}: {}", cosine(one, other));
        }
        assert_ne!(depths[1], depths[2]);
        // A depth is the same whatever other depths are asked for.
        let alone = read(&mut large, &[75]).embeddings.expect("states");
        assert_eq!(alone.vectors().next(), Some(depths[2]));
    }
    let kind = |engine: &mut Engine, text: &str, depths: &[u8]| {
        answer_request(engine, &with_states(text, depths))
            .expect_err("no reply")
            .kind
    };
    assert_eq!(
        kind(&mut large, &"red ".repeat(600), &[50]),
        CallErrorKind::TooLong
    );
    assert_eq!(kind(&mut large, "Red.", &[0]), CallErrorKind::Invalid);
    assert_eq!(kind(&mut large, "", &[50]), CallErrorKind::Invalid);
}
