//! Chat templates against what Python's Jinja2 made of them (record_templates.py).
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

use evenhand_core::{Message, Role};
use evenhand_models::chat::{Part, Template, fold_system};
use std::collections::BTreeMap;

#[derive(serde::Deserialize)]
struct Recorded {
    conversations: BTreeMap<String, Vec<Message>>,
    templates: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    template: String,
    bos: String,
    eos: String,
    rendered: BTreeMap<String, Option<String>>,
}

fn recorded() -> Recorded {
    serde_json::from_str(include_str!("../templates.json")).expect("the recording is JSON")
}

fn each(check: impl Fn(&str, &Template, &[Message], Option<&str>, &Case)) {
    let Recorded {
        conversations,
        templates,
    } = recorded();
    for case in &templates {
        let template =
            Template::new(&case.template, &case.bos, &case.eos).expect("the template compiles");
        for (title, messages) in &conversations {
            let name = format!("{} of {title}", case.name);
            check(
                &name,
                &template,
                messages,
                case.rendered[title].as_deref(),
                case,
            );
        }
    }
}

fn joined(parts: &[Part]) -> String {
    parts.iter().map(Part::text).collect()
}

#[test]
fn every_conversation_is_rendered_as_jinja2_renders_it() {
    each(|name, template, messages, expected, _| {
        let rendered = template.render(messages).ok();
        match expected {
            Some(expected) => assert_eq!(rendered.as_deref(), Some(expected), "{name}"),
            // Refused by the template: then the system message, if there is one, is folded into the
            // user's.
            None => assert!(
                rendered.is_none() || has_system(messages),
                "{name}: {rendered:?}"
            ),
        }
    });
}

fn has_system(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.role == Role::System)
}

#[test]
fn parts_are_the_rendering() {
    each(|name, template, messages, expected, _| {
        if let Some(expected) = expected {
            let parts = template.parts(messages, &|_| false).expect("parts");
            assert_eq!(joined(&parts), expected, "{name}");
        }
    });
}

#[test]
fn what_a_message_says_is_never_the_templates_own_text() {
    each(|name, template, messages, expected, _| {
        if expected.is_some() {
            let parts = template
                .parts(messages, &|text| text.contains("<|im_end|>"))
                .expect("parts");
            let foreign =
                |part: &Part| matches!(part, Part::Template(text) if text.contains("ok<|im_end|>"));
            assert!(!parts.iter().any(foreign), "{name}: {parts:?}");
        }
    });
}

#[test]
fn a_refused_system_message_is_folded_into_the_users() {
    let messages = [
        Message::system("You are a judge."),
        Message::user("Which is better?"),
    ];
    each(|name, template, _, _, case| {
        let rendered = template.render(&messages).expect("a rendering");
        assert!(
            rendered.contains("You are a judge.") && rendered.contains("Which is better?"),
            "{name}: {rendered}"
        );
        if case.name == "no-system" {
            assert_eq!(
                rendered,
                template
                    .render(&fold_system(&messages))
                    .expect("a rendering")
            );
            assert!(
                rendered.contains(
                    "<start_of_turn>user\nYou are a judge.\n\nWhich is better?<end_of_turn>"
                ),
                "{rendered}"
            );
        }
    });
}

#[test]
fn a_system_message_that_is_left_out_in_silence_is_folded_too() {
    let deaf = "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}]{{ m.content \
                }}{% endif %}{% endfor %}";
    let template = Template::new(deaf, "", "").expect("it compiles");
    let rendered = template
        .render(&[Message::system("Judge."), Message::user("Which?")])
        .expect("a rendering");
    assert_eq!(rendered, "[user]Judge.\n\nWhich?");
}

#[test]
fn a_template_that_refuses_says_why() {
    let template = Template::new("{{ raise_exception('no ' + messages[0].role) }}", "", "")
        .expect("it compiles");
    let error = template
        .render(&[Message::user("Hi")])
        .expect_err("refused");
    assert!(error.to_string().contains("no user"), "{error}");
    assert!(Template::new("{% for %}", "", "").is_err());
}

#[test]
fn a_template_that_does_not_end_is_ended() {
    let endless =
        "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}";
    assert!(
        Template::new(endless, "", "")
            .expect("it compiles")
            .render(&[Message::user("Hi")])
            .is_err()
    );
}
