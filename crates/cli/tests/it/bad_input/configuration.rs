//! Configuration files.

use super::*;

#[track_caller]
fn assert_configuration_refused(toml: &str, message: &str) {
    let desk = desk();
    desk.write("my.toml", toml);
    assert_refused(&desk, &format!("{RANK} --config my.toml"), message);
}

#[test]
fn with_an_unknown_key_names_file_and_key() {
    let desk = desk();
    desk.write("my.toml", "seed = 1\nround = 50\n");
    let message = refused(&desk, &format!("{RANK} --config my.toml"));
    let begins = "error: my.toml: unknown key `round`; did you mean `rounds`? rank takes data, \
                  reference-answers, items, systems, ";
    assert!(
        message.starts_with(begins) && message.contains(", rounds, level, "),
        "{message}"
    );
}

#[test]
fn with_a_value_of_another_type_names_file_and_key() {
    let message =
        "my.toml: key `rounds`: expected a text, a number, true or false, or a list of them";
    assert_configuration_refused("rounds = { n = 5 }\n", message);
}

#[test]
fn that_is_no_toml_is_located() {
    let desk = desk();
    desk.write("my.toml", "seed = 1\nrounds = \n");
    let message = refused(&desk, &format!("{RANK} --config my.toml"));
    assert!(
        message
            .starts_with("error: my.toml: not valid TOML: TOML parse error at line 2, column 10\n"),
        "{message}"
    );
}

#[test]
fn that_is_not_there_is_named() {
    let message = "my.toml: cannot be read: No such file or directory (os error 2)";
    assert_refused(&desk(), &format!("{RANK} --config my.toml"), message);
}

#[test]
fn without_a_file_name_is_said_to_lack_it() {
    let ran = desk().run(&format!("{RANK} --config"));
    ran.prints_nothing(2);
    ran.says("a value is required for '--config <FILE>'");
}
