//! The server as a process, for tests of whole processes and for benchmarks. Try `--help`.

use evenhand_testing::server::{DecisionServer, Fault, Mode, RetryAfter, Script, Server, Stats};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
evenhand-loopback: a judge's server on 127.0.0.1 for tests and benchmarks

The first line on stdout is the base URL. The server runs until stdin ends; then the counts follow as one line of JSON.

  --port N             the port (0: any that is free)
  --latency-ms N       from a request to its reply (20)
  --jitter-ms N        up to this much more (0)
  --capacity N         requests beyond this many at the same time get 429
  --retry-after S      what a 429 says about when to ask again, in seconds; text is sent as it is
  --faults SHARE       the share of attempts that end in a fault (0)
  --kinds A,B          the faults to draw from; --kinds all, --kinds passing (the default: what a retry gets past)
  --fault-attempts N   only the first so many attempts of each body can end in a fault
  --die-after N        the server is gone after so many requests
  --require-key-env E  the key that is required, in the environment variable E
  --no-logprobs        never log-probabilities
  --answers A,B        what verdicts choose from (A,B)
  --flips SHARE        of questions about a state, those whose first option wins (0)
  --low-mass SHARE     those whose probability lies on no option (0)
  --unstable SHARE     those that are answered in reverse, drawn anew each time (0)
  --decisions SERVER   both, systemone, decisions, chat-model or unread-architecture (both)
  --fast               one prepared reply for all requests, for benchmarks
  --seed N             the seed of verdicts and faults (0)
  --threads N          threads that serve (1)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = if arguments.iter().any(|word| word == "--help") {
        print_text(HELP)
    } else {
        parse_script(&arguments).and_then(serve_until_stdin_ends)
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("evenhand-loopback: {message}");
            ExitCode::from(2)
        }
    }
}

fn print_text(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| format!("stdout: {e}"))
}

fn serve_until_stdin_ends(script: Script) -> Result<(), String> {
    let server = Server::start(script).map_err(|e| format!("no server: {e}"))?;
    print_text(&format!("{}\n", server.url()))?;
    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())
        .map_err(|e| format!("stdin: {e}"))?;
    print_text(&format!("{}\n", describe(&server.stop())))
}

/// Returns the counts, and what they cost in time.
fn describe(stats: &Stats) -> Value {
    let mut line = stats.to_json();
    let seconds = cpu_seconds();
    let requests = Some(stats.requests as f64).filter(|requests| *requests > 0.0);
    let each = seconds.zip(requests);
    line["cpu_s"] = json!(seconds);
    line["us_cpu_per_request"] = json!(each.map(|(seconds, requests)| seconds * 1e6 / requests));
    line
}

/// User and system time of this process in seconds, in steps of 0.01; `None` where there is no
/// /proc.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name may hold spaces and brackets; what follows its last bracket is numbers.
    let (_, after_name) = text.rsplit_once(") ")?;
    let user_and_system = after_name.split(' ').skip(11).take(2);
    let ticks = user_and_system.map(|word| word.parse::<f64>().ok());
    Some(ticks.sum::<Option<f64>>()? / 100.0)
}

fn parse_script(arguments: &[String]) -> Result<Script, String> {
    let mut script = Script {
        latency: Duration::from_millis(20),
        fault_kinds: Fault::passing(),
        ..Script::default()
    };
    let mut words = arguments.iter();
    while let Some(flag) = words.next() {
        match flag.as_str() {
            "--fast" => script.mode = Mode::Fast,
            "--no-logprobs" => script.logprobs = false,
            _ => {
                let value = words.next();
                let value = value.ok_or_else(|| {
                    format!("{flag}: no such flag, or it needs a value; see --help")
                })?;
                set_option(&mut script, flag, value)?;
            }
        }
    }
    Ok(script)
}

fn set_option(script: &mut Script, flag: &str, value: &str) -> Result<(), String> {
    match flag {
        "--port" => script.port = parse_number(flag, value)?,
        "--latency-ms" => script.latency = Duration::from_millis(parse_number(flag, value)?),
        "--jitter-ms" => script.latency_jitter = Duration::from_millis(parse_number(flag, value)?),
        "--capacity" => script.capacity = Some(parse_number(flag, value)?),
        "--retry-after" => {
            let seconds = value.parse().map(RetryAfter::Seconds);
            script.retry_after = Some(seconds.unwrap_or_else(|_| RetryAfter::Text(value.into())));
        }
        "--faults" => script.faults = parse_number(flag, value)?,
        "--kinds" => script.fault_kinds = parse_kinds(value)?,
        "--fault-attempts" => script.fault_attempts = Some(parse_number(flag, value)?),
        "--die-after" => script.die_after = Some(parse_number(flag, value)?),
        "--require-key-env" => {
            script.require_key =
                Some(std::env::var(value).map_err(|e| format!("{flag} {value}: {e}"))?)
        }
        "--answers" => script.answers = value.split(',').map(Into::into).collect(),
        "--flips" => script.decisions.flips = parse_number(flag, value)?,
        "--low-mass" => script.decisions.low_mass = parse_number(flag, value)?,
        "--unstable" => script.decisions.unstable = parse_number(flag, value)?,
        "--decisions" => script.decisions.server = parse_server(flag, value)?,
        "--seed" => script.seed = parse_number(flag, value)?,
        "--threads" => script.threads = parse_number(flag, value)?,
        _ => return Err(format!("{flag}: no such flag; see --help")),
    }
    Ok(())
}

fn parse_number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{flag} {value}: expected a number"))
}

fn parse_server(flag: &str, value: &str) -> Result<DecisionServer, String> {
    Ok(match value {
        "both" => DecisionServer::Both,
        "systemone" => DecisionServer::OnlySystemOne,
        "decisions" => DecisionServer::OnlyDecisions,
        "chat-model" => DecisionServer::ChatModel,
        "unread-architecture" => DecisionServer::UnreadArchitecture,
        _ => return Err(format!("{flag} {value}: no such server; see --help")),
    })
}

fn parse_kinds(value: &str) -> Result<Vec<Fault>, String> {
    let named = |name: &str| {
        Fault::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = Fault::all().into_iter().map(Fault::name).collect();
            format!(
                "--kinds: no fault {name}: expected some of {}",
                names.join(", ")
            )
        })
    };
    match value {
        "all" => Ok(Fault::all()),
        "passing" => Ok(Fault::passing()),
        names => names.split(',').map(named).collect(),
    }
}
