//! Replies in the shapes of real servers, with words and figures of our own.

/// A reply of OpenAI's: one token, its likeliest rivals, cached tokens.
pub(super) const OPENAI: &str = r#"{
  "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "gpt-4o-mini-2024-07-18",
  "choices": [{"index": 0, "message": {"role": "assistant", "content": "B", "refusal": null, "annotations": []},
    "logprobs": {"content": [{"token": "B", "logprob": -0.2876820724517809, "bytes": [66], "top_logprobs": [
      {"token": "B", "logprob": -0.2876820724517809, "bytes": [66]},
      {"token": "A", "logprob": -1.6094379124341003, "bytes": [65]},
      {"token": "**", "logprob": -2.995732273553991, "bytes": [42, 42]},
      {"token": "Neither", "logprob": -9999.0, "bytes": [78, 101, 105, 116, 104, 101, 114]}]}], "refusal": null},
    "finish_reason": "stop"}],
  "usage": {"prompt_tokens": 1200, "completion_tokens": 1, "total_tokens": 1201,
    "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0}},
  "service_tier": "default", "system_fingerprint": "fp_1"}"#;

/// A refusal of OpenAI's.
pub(super) const OPENAI_REFUSAL: &str = r#"{
  "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "refusal": "I can't compare these."},
    "logprobs": null, "finish_reason": "stop"}],
  "usage": {"prompt_tokens": 30, "completion_tokens": 6, "total_tokens": 36}}"#;

/// vLLM with a parser of reasoning: the tokens are all that was written, the end's mark among them.
pub(super) const VLLM: &str = r#"{
  "id": "chatcmpl-2", "object": "chat.completion", "created": 1760000000, "model": "judge",
  "choices": [{"index": 0,
    "message": {"role": "assistant", "reasoning_content": "\nA or B? A is wrong.\n", "content": "\n\nB", "tool_calls": []},
    "logprobs": {"content": [
      {"token": "<think>", "logprob": 0.0, "bytes": [60, 116, 104, 105, 110, 107, 62], "top_logprobs": []},
      {"token": "A", "logprob": -0.1, "bytes": [65], "top_logprobs": [{"token": "A", "logprob": -0.1, "bytes": [65]}]},
      {"token": "</think>", "logprob": 0.0, "bytes": [60, 47, 116, 104, 105, 110, 107, 62], "top_logprobs": []},
      {"token": "\n\n", "logprob": 0.0, "bytes": [10, 10], "top_logprobs": []},
      {"token": "B", "logprob": -0.10536051565782628, "bytes": [66], "top_logprobs": [
        {"token": "B", "logprob": -0.10536051565782628, "bytes": [66]}, {"token": "A", "logprob": -2.3025850929940455, "bytes": [65]}]},
      {"token": "<|im_end|>", "logprob": -0.001, "bytes": [60, 124, 105, 109, 95, 101, 110, 100, 124, 62], "top_logprobs": []}]},
    "finish_reason": "stop", "stop_reason": null}],
  "usage": {"prompt_tokens": 80, "total_tokens": 86, "completion_tokens": 6, "prompt_tokens_details": null}, "prompt_logprobs": null}"#;

/// llama.cpp's server, with its own timings.
pub(super) const LLAMA_CPP: &str = r#"{
  "choices": [{"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": "A"},
    "logprobs": {"content": [{"id": 32, "token": "A", "bytes": [65], "logprob": -0.6931471805599453, "top_logprobs": [
      {"id": 32, "token": "A", "bytes": [65], "logprob": -0.6931471805599453},
      {"id": 33, "token": "B", "bytes": [66], "logprob": -0.6931471805599453}]}]}}],
  "created": 1760000000, "model": "judge.gguf", "system_fingerprint": "b1-x", "object": "chat.completion",
  "usage": {"completion_tokens": 2, "prompt_tokens": 41, "total_tokens": 43}, "id": "chatcmpl-3",
  "timings": {"prompt_n": 41, "prompt_ms": 100.5, "predicted_n": 2, "predicted_ms": 20.1}}"#;

/// Ollama: no probabilities, a reasoning cut off by the limit within the text.
pub(super) const OLLAMA: &str = r#"{
  "id": "chatcmpl-4", "object": "chat.completion", "created": 1760000000, "model": "qwen3:4b", "system_fingerprint": "fp_ollama",
  "choices": [{"index": 0, "message": {"role": "assistant", "content": "<think>\nThe first says"}, "finish_reason": "length"}],
  "usage": {"prompt_tokens": 22, "completion_tokens": 8, "total_tokens": 30}}"#;

/// DeepSeek's reasoner.
pub(super) const DEEPSEEK: &str = r#"{
  "id": "5", "object": "chat.completion", "created": 1760000000, "model": "deepseek-reasoner",
  "choices": [{"index": 0, "message": {"role": "assistant", "content": "Verdict: A", "reasoning_content": "The first is right."},
    "logprobs": null, "finish_reason": "stop"}],
  "usage": {"prompt_tokens": 100, "completion_tokens": 60, "total_tokens": 160, "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 55}, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36},
  "system_fingerprint": "fp_5"}"#;

/// OpenRouter, with reasoning, and costs that we do not read.
pub(super) const OPENROUTER: &str = r#"{
  "id": "gen-6", "provider": "Somebody", "model": "maker/model", "object": "chat.completion", "created": 1760000000,
  "choices": [{"logprobs": null, "finish_reason": "stop", "native_finish_reason": "end_turn", "index": 0,
    "message": {"role": "assistant", "content": "B", "refusal": null, "reasoning": "The second, plainly."}}],
  "usage": {"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21, "cost": 0.0001}}"#;

/// OpenRouter, whose provider failed: success by its status.
pub(super) const OPENROUTER_ERROR: &str = r#"{"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "too many at once", "provider_name": "Somebody"}}}"#;

/// Azure's filter of prompts, with status 400.
pub(super) const AZURE_FILTER: &str = r#"{"error": {"message": "The prompt triggered Azure OpenAI's content management policy.",
  "type": null, "param": "prompt", "code": "content_filter", "status": 400,
  "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"violence": {"filtered": true, "severity": "medium"}}}}}"#;

/// Azure's filter of replies, with status 200.
pub(super) const AZURE_CUT: &str = r#"{
  "choices": [{"content_filter_results": {"violence": {"filtered": true, "severity": "medium"}}, "finish_reason": "content_filter",
    "index": 0, "logprobs": null, "message": {"role": "assistant"}}],
  "usage": {"prompt_tokens": 50, "completion_tokens": 3, "total_tokens": 53}}"#;

/// xAI and Gemini: what was thought is in the total alone.
pub(super) const UNSEEN_THOUGHTS: &str = r#"{
  "choices": [{"index": 0, "message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}],
  "usage": {"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135}}"#;

/// Mistral's model that thinks: its content is in parts.
pub(super) const MISTRAL: &str = r#"{
  "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "tool_calls": null, "content": [
    {"type": "thinking", "thinking": [{"type": "text", "text": "The first "}, {"type": "text", "text": "errs."}]},
    {"type": "text", "text": "Verdict:"}, {"type": "text", "text": " B"}]}}],
  "usage": {"prompt_tokens": 7, "completion_tokens": 20, "total_tokens": 27}}"#;

/// Anthropic's text, with a cache.
pub(super) const ANTHROPIC: &str = r#"{
  "id": "msg_7", "type": "message", "role": "assistant", "model": "claude",
  "content": [{"type": "text", "text": "Verdict: "}, {"type": "text", "text": "A"}],
  "stop_reason": "end_turn", "stop_sequence": null,
  "usage": {"input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000, "output_tokens": 5}}"#;

/// Anthropic's thinking, some of it not readable, cut off by the limit.
pub(super) const ANTHROPIC_THINKING: &str = r#"{
  "id": "msg_8", "type": "message", "role": "assistant", "model": "claude",
  "content": [{"type": "thinking", "thinking": "The first errs.", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "eHh4"},
    {"type": "text", "text": "Because"}],
  "stop_reason": "max_tokens", "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 1032}}"#;

/// Anthropic's refusal.
pub(super) const ANTHROPIC_REFUSAL: &str = r#"{
  "id": "msg_9", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": "refusal",
  "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 0}}"#;

/// Anthropic's overload, with status 529.
pub(super) const ANTHROPIC_OVERLOADED: &str = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"}"#;

/// All replies of success.
pub(super) const REPLIES: [&str; 13] = [
    OPENAI,
    OPENAI_REFUSAL,
    VLLM,
    LLAMA_CPP,
    OLLAMA,
    DEEPSEEK,
    OPENROUTER,
    AZURE_CUT,
    UNSEEN_THOUGHTS,
    MISTRAL,
    ANTHROPIC,
    ANTHROPIC_THINKING,
    ANTHROPIC_REFUSAL,
];
