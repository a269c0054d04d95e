//! Files that come with data (a panel, a study) name judges; where these are reached, and with
//! which key, is for the user to say.

use crate::{EngineError, JudgeSpec};
use evenhand_core::{Refusal, Setting};
use std::path::{Path, PathBuf};

/// Refuses a judge of a file that came with data, if it names an address or a key and the user does
/// not trust the file.
///
/// `trusted` are the files that the user trusts; links are followed. A judge of the user's own
/// configuration is not to be passed here.
///
/// # Errors
/// The file, the judge, what it names, and how to allow it.
pub fn check_brought(
    file: &Path,
    name: &str,
    judge: &JudgeSpec,
    trusted: &[PathBuf],
) -> Result<(), EngineError> {
    let reach = match judge {
        JudgeSpec::Served(served) => served.outside_reach(),
        JudgeSpec::Program(_) => Some("a program"),
        _ => None,
    };
    let Some(what) = reach else {
        return Ok(());
    };
    let resolve_links = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    let resolved = resolve_links(file);
    if trusted.iter().any(|path| resolve_links(path) == resolved) {
        return Ok(());
    }
    let (file, trust, config) = (file.display(), Setting::Trust, Setting::Config);
    Err(Refusal::of_input(format!(
        "{file}: judge `{name}` names {what}: a file that may have come with data must not decide \
         where texts and keys are sent or what is run; check it and add {trust} {file}, or name \
         the judge in your own {config}"
    ))
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamedJudges;

    fn refused(name: &str, judges: &NamedJudges, trusted: &[PathBuf]) -> Option<String> {
        let judge = JudgeSpec::named(name, judges).unwrap();
        check_brought(Path::new("p/panel.toml"), name, &judge, trusted)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn addresses_and_keys_are_refused_and_models_are_not() {
        let settings = |text: &str| ("openai:m".to_string(), toml::from_str(text).unwrap());
        let judges: NamedJudges = [
            ("far", settings("endpoints = ['https://h.example/v1']")),
            ("key", settings("key-env = 'AWS_SECRET_ACCESS_KEY'")),
            ("file", settings("key-file = '/etc/passwd'")),
            ("plain", settings("provider = 'deepseek'")),
        ]
        .map(|(name, judge)| (name.to_string(), judge))
        .into();
        for (name, what) in [
            ("anthropic:m@http://10.9.9.9/ok", "an address"),
            ("openai:m@http://127.0.0.1:1/v1", "an address"),
            ("far", "endpoints"),
            ("key", "key-env"),
            ("file", "key-file"),
            ("exec:./judge.py --fast", "a program"),
        ] {
            let error = refused(name, &judges, &[]).unwrap();
            assert!(
                error.starts_with(&format!("p/panel.toml: judge `{name}` names {what}: ")),
                "{error}"
            );
            assert!(error.contains("`trust` p/panel.toml"), "{error}");
            assert_eq!(
                refused(
                    name,
                    &judges,
                    &["./p/../p/panel.toml".into(), "p/panel.toml".into()]
                ),
                None
            );
        }
        for name in [
            "openai:gpt-4o",
            "openai:m@deepseek",
            "anthropic:m",
            "plain",
            "simulated",
            "gguf:m.gguf",
        ] {
            assert_eq!(refused(name, &judges, &[]), None, "{name}");
        }
    }
}
