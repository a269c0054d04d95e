//! Trajectories, in the shapes in which agents' logs have them.

use super::*;
use evenhand_core::{Step, StepKind, Trajectory};
use serde_json::Value;

const RESULT_OF_1: StepKind = StepKind::Result {
    of: Some(1),
    failed: false,
};

fn read_with(output: &Value, change: impl FnOnce(&mut Input<'_>)) -> Result<SystemOutput, String> {
    let record = json!({"item": "1", "system": "s", "output": output});
    let mut input = Input::new("f.jsonl");
    change(&mut input);
    let (_, mut records) =
        try_records(record.to_string().as_bytes(), &input).map_err(|error| error.to_string())?;
    match records.remove(0) {
        Record::Response { answer, .. } => Ok(answer),
        other => panic!("{other:?}"),
    }
}

fn read(output: &Value) -> SystemOutput {
    read_with(output, |_| ()).unwrap()
}

/// Returns the kinds and texts of steps.
fn list(trajectory: &Trajectory) -> Vec<(StepKind, &str)> {
    let steps = trajectory.steps.iter();
    steps.map(|step| (step.kind, &*step.text)).collect()
}

fn openai() -> Value {
    json!([
        {"role": "system", "content": "You have tools."},
        {"role": "user", "content": "Will it rain?"},
        {"role": "assistant", "content": null, "reasoning_content": "I need the weather.",
         "tool_calls": [{"id": "c1", "type": "function",
                         "function": {"name": "weather", "arguments": "{\"city\": \"Paris\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain at 5"},
        {"role": "assistant", "content": "Yes, at five."},
    ])
}

#[test]
fn the_messages_of_openai_are_steps() {
    let answer = read(&openai());
    assert_eq!(answer.output, "Yes, at five.");
    assert_eq!(answer.hidden_thoughts, 1);
    let trajectory = answer.trajectory.unwrap();
    assert_eq!(trajectory.length, 3);
    assert_eq!(
        list(&trajectory),
        [
            (StepKind::Call, "Tool: weather\ncity: Paris"),
            (RESULT_OF_1, "rain at 5"),
        ]
    );
    let shown = read_with(&openai(), |input| input.trajectories.shows_thinking = true).unwrap();
    let shown = shown.trajectory.unwrap();
    assert_eq!(list(&shown)[0], (StepKind::Thinking, "I need the weather."));
    assert_eq!((shown.length, shown.steps[2].number), (4, 3));
}

#[test]
fn the_blocks_of_anthropic_are_steps() {
    let answer = read(&json!([
        {"role": "user", "content": "Will it rain?"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "x"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t", "name": "weather", "input": {"city": "Paris"}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "is_error": true,
             "content": [{"type": "text", "text": "no such city"}, {"type": "image", "source": {}}]},
        ]},
        {"role": "assistant", "content": [{"type": "text", "text": "I do not know."}]},
    ]));
    assert_eq!(answer.output, "I do not know.");
    assert_eq!(
        list(&answer.trajectory.unwrap()),
        [
            (StepKind::Message, "I look."),
            (StepKind::Call, "Tool: weather\ncity: Paris"),
            (
                StepKind::Result {
                    of: Some(2),
                    failed: true
                },
                "no such city\n\n(image: not shown)"
            ),
        ]
    );
}

#[test]
fn the_messages_of_inspect_are_steps() {
    let answer = read(&json!([
        {"role": "user", "content": "Run it.", "source": "input"},
        {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "R"}, {"type": "text", "text": ""}],
         "tool_calls": [{"id": "a", "function": "bash", "arguments": {"cmd": "ls\npwd"}, "type": "function"}]},
        {"role": "tool", "content": "", "tool_call_id": "a", "function": "bash",
         "error": {"type": "timeout", "message": "too slow"}},
    ]));
    assert_eq!(answer.output, "");
    let trajectory = answer.trajectory.unwrap();
    assert_eq!(trajectory.length, 2);
    assert_eq!(
        list(&trajectory),
        [
            (StepKind::Call, "Tool: bash\ncmd:\n  ls\n  pwd"),
            (
                StepKind::Result {
                    of: Some(1),
                    failed: true
                },
                "too slow"
            ),
        ]
    );
}

fn two_turns() -> Value {
    json!([
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "r"},
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "And then?"},
        {"role": "assistant", "content": "Second."},
    ])
}

#[test]
fn a_turn_ends_where_the_user_speaks() {
    let first = read(&two_turns());
    assert_eq!(&*first.output, "First.");
    assert_eq!(first.trajectory.unwrap().steps.len(), 2);
    let second = read_with(&two_turns(), |input| input.turn = TurnChoice::Number(2)).unwrap();
    assert_eq!(second.output, "Second.");
    let context: Vec<bool> = second
        .trajectory
        .unwrap()
        .steps
        .iter()
        .map(|step: &Step| step.for_context)
        .collect();
    assert_eq!(context, [true, true, true, false]);
    let whole = read_with(&two_turns(), |input| input.turn = TurnChoice::Whole).unwrap();
    assert!(whole.whole && !whole.trajectory.unwrap().steps[0].for_context);
}

#[test]
fn a_list_without_tools_stays_a_conversation_and_parts_are_texts() {
    let answer = read(&json!([
        {"role": "assistant", "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]},
        {"role": "assistant", "content": "Three."},
    ]));
    assert_eq!((&*answer.output, answer.trajectory), ("One.\n\nTwo.", None));
}

#[test]
fn our_own_responses_may_have_turns_in_place_of_output() {
    let record = json!({"item": "1", "system": "s", "turns": openai()});
    let read = records(&record.to_string());
    assert!(
        matches!(&read[0], Record::Response { answer, .. } if answer.output == "Yes, at five."),
        "{read:?}"
    );
}

#[test]
fn a_budget_cuts_the_middle_and_is_counted() {
    let mut messages = openai();
    messages[3]["content"] = Value::String("word ".repeat(1000));
    let record = json!({"item": "1", "system": "s", "output": messages});
    let mut input = Input::new("f");
    input.trajectories.budget = Some(300);
    let (found, _) = try_records(record.to_string().as_bytes(), &input).unwrap();
    assert_eq!((found.unshown.cut, found.unshown.thoughts), (1, 1));
    assert!((750..1000).contains(&found.unshown.tokens), "{found:?}");
}

#[test]
fn errors_name_the_field_within_the_list() {
    let call = |call: Value| json!([{"role": "assistant", "tool_calls": [call]}]);
    for (output, words) in [
        (
            call(json!({"function": {"name": 3, "arguments": "{}"}})),
            "field `output.0.tool_calls.0.function.name`: expected a string, found the number 3",
        ),
        (
            call(json!({"id": "x"})),
            "field `output.0.tool_calls.0.name`: expected a string, found none",
        ),
        (
            json!([{"role": "tool", "content": "x", "tool_call_id": ["a"]}]),
            "field `output.0.tool_call_id`: expected a string, found a list",
        ),
        (
            json!([{"role": "tool", "content": "x"}, {"role": "robot", "content": "y"}]),
            "field `output.1.role`: expected `system`, `developer`, `user`, `assistant` or \
             `tool`, found `robot`",
        ),
        (
            json!([{"role": "tool", "content": "x"}, {"role": "assistant", "content": [{"text": "y"}]}]),
            "field `output.1.content.0.type`: expected a string, found none",
        ),
        (
            json!([{"role": "tool", "content": "x"}, {"role": "assistant"}]),
            "field `output.1.content`: expected a string, or a list of parts with a `type`, found \
             none",
        ),
        (
            json!([{"role": "assistant", "tool_calls": {"id": "x"}}]),
            "field `output.0.tool_calls`: expected a list of calls, found an object",
        ),
        (
            json!([{"role": "assistant", "content": [{"type": "text", "text": 3}]}]),
            "field `output.0.content.0.text`: expected a string, found the number 3",
        ),
    ] {
        let error = read_with(&output, |_| ()).unwrap_err();
        assert_eq!(error, format!("f.jsonl:1: {words}"), "{output}");
    }
}
