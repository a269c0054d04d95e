use super::*;
use crate::served::address::base_url;
use crate::served::codec::{Seed, SystemRole, TokenLimit};

fn dialect(provider: &str, model: &str) -> Dialect {
    Provider::by_name(provider)
        .unwrap()
        .dialect(model, &Settings::default())
}

fn for_url(url: &str) -> Provider {
    Provider::for_url(&base_url(url, "openai:m").unwrap()).unwrap()
}

/// Azure's versioned API is told by its host, with the version in the query.
#[test]
fn a_version_in_the_query_is_allowed() {
    let url = "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21";
    assert_eq!(named(url), "azure-versioned");
}

fn named(url: &str) -> String {
    for_url(url).name
}

#[test]
fn every_row_is_read_and_found_by_its_name() {
    let all = Provider::all().unwrap();
    let names: Vec<&str> = all.iter().map(|provider| provider.name.as_str()).collect();
    for name in [
        "openai",
        "azure",
        "anthropic",
        "vllm",
        "sglang",
        "ollama",
        "lmstudio",
        "llama.cpp",
        "litellm",
        "openrouter",
        "together",
        "deepseek",
        "groq",
        "mistral",
        "fireworks",
        "xai",
        "gemini",
        "generic",
    ] {
        assert_eq!(Provider::by_name(name).unwrap().name, name);
    }
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

#[test]
fn every_base_url_is_that_of_its_own_row() {
    for provider in Provider::all().unwrap() {
        let Some(url) = &provider.base_url else {
            continue;
        };
        assert!(!url.ends_with('/'), "{url}");
        // OpenAI's decisions are at the place of its chats: the judge's name tells them apart.
        if provider.name == "decisions" {
            continue;
        }
        let found = for_url(url);
        let own = if provider.key == KeyNeed::Optional {
            "generic"
        } else {
            &provider.name
        };
        assert_eq!(found.name, own, "{url}");
        assert_eq!(found.base_url.as_deref(), Some(url.as_str()));
    }
}

#[test]
fn a_url_is_known_by_its_host() {
    assert_eq!(named("https://api.openai.com/v1/"), "openai");
    assert_eq!(named("https://API.OpenAI.com/v1"), "openai");
    assert_eq!(named("https://me.openai.azure.com/openai/v1"), "azure");
    assert_eq!(
        named("https://me.openai.azure.com/openai/deployments/judge"),
        "azure-versioned"
    );
    assert_eq!(
        named("https://api.openai.com.example.org/v1"),
        "generic",
        "whose host only begins like another"
    );
    assert_eq!(named("https://notopenrouter.ai/api/v1"), "generic");
}

#[test]
fn only_a_loopback_address_needs_no_key() {
    let need = |url: &str| for_url(url).key;
    for url in [
        "http://localhost:8000/v1",
        "http://127.0.0.1:1/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:8080",
        "http://a.localhost/",
    ] {
        assert_eq!(need(url), KeyNeed::Optional, "{url}");
    }
    for url in [
        "http://10.0.0.1/v1",
        "https://judge.example.org/v1",
        "http://localhost.example.org/v1",
        "http://127.0.0.1.example.org/",
    ] {
        assert_eq!(need(url), KeyNeed::Required, "{url}");
    }
}

#[test]
fn no_providers_key_is_sent_to_an_address_that_is_not_its_own() {
    let generic = for_url("https://judge.example.org/v1");
    let others: Vec<Provider> = Provider::all()
        .unwrap()
        .into_iter()
        .filter(|provider| provider.name != "generic")
        .collect();
    assert!(
        others
            .iter()
            .all(|provider| provider.key_env != generic.key_env)
    );
}

#[test]
fn what_is_no_base_url_is_an_error_that_does_not_repeat_it() {
    for url in [
        "",
        "localhost:8000",
        "ftp://a/b",
        "https://",
        "https://user:secret@a.example/v1",
        "https://a.example/v1?key=secret",
        "file:///x",
    ] {
        let error = base_url(url, "openai:m").unwrap_err().to_string();
        assert!(
            error.contains("the base URL ") && !error.contains("secret"),
            "{error}"
        );
    }
}

#[test]
fn an_unknown_name_is_an_error_that_names_those_there_are() {
    let error = Provider::by_name("opnai").unwrap_err().to_string();
    assert!(
        error.contains("`opnai`") && error.contains("openai, azure"),
        "{error}"
    );
    for (address, host) in [
        ("127.0.0.1:18826", "127.0.0.1:18826"),
        ("localhost:8000/v1", "localhost:8000"),
        ("http:/h.example/v1", "h.example"),
        ("/:", "HOST"),
    ] {
        assert_eq!(
            Provider::by_name(address).unwrap_err().to_string(),
            format!(
                "`{address}` is no provider; an address begins with http:// or https://, such as \
                 http://{host}/v1"
            )
        );
    }
}

#[test]
fn unknown_keys_in_a_row_are_errors() {
    let row = "[[provider]]\nname = \"x\"\napi = \"openai\"\nkey_env = \"K\"\n";
    assert_eq!(read_rows(row).unwrap().len(), 1);
    for more in [
        "nmae = 1",
        "settings = { logprob = true }",
        "models = [{ prefix = \"a\", settings = {} }]",
        "[other]",
    ] {
        let error = read_rows(&format!("{row}{more}\n"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("unknown field"), "{error}");
    }
}

#[test]
fn openais_models_that_think_take_no_temperature_and_give_no_probabilities() {
    for model in [
        "o1",
        "o3-mini",
        "o4-mini-2025-04-16",
        "gpt-5",
        "gpt-5-mini",
        "gpt-6-astra",
    ] {
        let Dialect {
            temperature,
            logprobs,
            token_limit,
            reasoning_tokens,
            seed,
            system_role,
            ..
        } = dialect("openai", model);
        assert_eq!(
            (temperature, logprobs, seed),
            (false, false, Seed::None),
            "{model}"
        );
        assert_eq!(
            (token_limit, system_role),
            (TokenLimit::MaxCompletionTokens, SystemRole::Developer),
            "{model}"
        );
        assert!(reasoning_tokens > 0);
    }
    for model in ["gpt-4o-mini", "gpt-4.1", "gpt-5-chat-latest"] {
        let Dialect {
            temperature,
            logprobs,
            reasoning_tokens,
            ..
        } = dialect("openai", model);
        assert_eq!(
            (temperature, logprobs, reasoning_tokens),
            (true, true, 0),
            "{model}"
        );
    }
    assert_eq!(
        dialect("openai", "o1-mini").system_role,
        SystemRole::User,
        "the longest prefix counts"
    );
}

#[test]
fn models_of_2026_are_sent_no_temperature_and_have_room_to_think() {
    for (provider, model, temperature, room) in [
        ("anthropic", "claude-sonnet-4-6", true, false),
        ("anthropic", "claude-opus-4-8", false, false),
        ("anthropic", "claude-opus-5", false, true),
        ("anthropic", "claude-sonnet-5-5", false, true),
        ("anthropic", "claude-haiku-5-5", false, true),
        ("deepseek", "deepseek-v4-flash", false, true),
        ("deepseek", "deepseek-flash", false, true),
        ("deepseek", "deepseek-chat", true, false),
    ] {
        let dialect = dialect(provider, model);
        assert_eq!(dialect.temperature, temperature, "{model}");
        assert_eq!(dialect.reasoning_tokens > 0, room, "{model}");
    }
}

#[test]
fn the_users_settings_go_over_those_of_the_model_and_the_provider() {
    let user: Settings =
        toml::from_str("logprobs = true\ntop-logprobs = 3\nextra = { top_k = 1 }").unwrap();
    let dialect = Provider::by_name("deepseek")
        .unwrap()
        .dialect("deepseek-reasoner", &user);
    assert!(dialect.logprobs);
    assert_eq!(dialect.top_logprobs, 3);
    assert_eq!(dialect.reasoning_tokens, 16384);
    assert_eq!(dialect.extra["top_k"], 1);
    assert!(toml::from_str::<Settings>("top_logprob = 3").is_err());
}

#[test]
fn keys_are_sent_as_each_provider_wants_them() {
    let header = |name: &str| {
        Provider::by_name(name)
            .map(|p| (p.key_header.name(), p.key_header.prefix()))
            .unwrap()
    };
    assert_eq!(header("openai"), ("authorization", "Bearer "));
    assert_eq!(header("azure"), ("api-key", ""));
    assert_eq!(header("anthropic"), ("x-api-key", ""));
    assert_eq!(
        Provider::by_name("azure-versioned").unwrap().query["api-version"],
        "2024-10-21"
    );
    assert_eq!(dialect("anthropic", "x").path, "/v1/messages");
}
