//! Reports of the scheduler: calls that are given up, the reason for a stop, and notes for people.

use super::{Fault, FaultKind};
use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

/// Why a call will not be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenUp {
    /// The reason against another attempt.
    pub why: GiveUpReason,
    /// The last fault; none for a call that was never answered because it was never sent.
    pub fault: Option<Fault>,
    /// How many attempts failed and count; those that failed while the run paused do not.
    pub attempts: u32,
}

/// A reason against another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUpReason {
    /// A retry would fail again.
    WillNotPass,
    /// The call had all its attempts.
    AttemptsSpent,
    /// The run has spent its retries.
    BudgetSpent,
    /// The next attempt would come after the call's deadline.
    Overdue,
    /// It failed whenever it was tried while the run paused, which it did for as long as it may.
    PauseOver,
}

/// Why the whole run should end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The latest calls all failed in the same way, which lies in the set-up.
    Misconfiguration {
        /// How many.
        calls: u32,
        /// The address of the endpoint where the last of them went.
        endpoint: String,
        /// The last of them.
        fault: Fault,
    },
    /// Nothing got through for as long as the run may pause.
    Paused {
        /// How long.
        pause: Duration,
        /// The address of the endpoint of the last fault.
        endpoint: String,
        /// The last fault.
        fault: Fault,
        /// Whether nobody was ever met, so that the run was to pause less long.
        is_start: bool,
    },
    /// Every endpoint asks to wait for longer than the run may pause.
    Wait {
        /// How long, at least.
        wait: Duration,
        /// The address of the endpoint that asked for it last.
        endpoint: String,
        /// The fault that asked for it.
        fault: Fault,
    },
}

/// Something that a person who watches the run may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An endpoint gave nothing but faults.
    SetAside {
        /// Its name.
        endpoint: String,
        /// Waiting and failed calls that go to other endpoints.
        moved: usize,
        /// When it is tried again.
        wait: Duration,
        /// The last fault.
        fault: Fault,
    },
    /// An endpoint that was set aside answers again.
    Back {
        /// Its name.
        endpoint: String,
        /// How long it was set aside.
        after: Duration,
    },
    /// An endpoint asks to wait, for 5 s or more.
    Waits {
        /// Its name.
        endpoint: String,
        /// How long.
        wait: Duration,
    },
    /// Nothing gets through: the run pauses.
    Paused {
        /// The address of the endpoint of the last fault.
        endpoint: String,
        /// The last fault.
        fault: Fault,
        /// How long it may last before the run ends; for ever, if not given.
        longest: Option<Duration>,
        /// Whether that is so short because nobody was ever met.
        is_start: bool,
    },
    /// The run still pauses, and probes fail in another way than was said.
    StillPaused {
        /// The address of the endpoint of the last fault.
        endpoint: String,
        /// The last fault.
        fault: Fault,
        /// How long the pause may last in all before the run ends; for ever, if not given.
        longest: Option<Duration>,
    },
    /// Something gets through again.
    Resumed {
        /// How long the pause was.
        after: Duration,
    },
}

impl GiveUpReason {
    /// Returns the words that follow the fault.
    fn words(self) -> &'static str {
        match self {
            GiveUpReason::WillNotPass => "",
            GiveUpReason::AttemptsSpent => "; no attempts are left",
            GiveUpReason::BudgetSpent => "; the run has spent its retries",
            GiveUpReason::Overdue => "; the call's time is up",
            GiveUpReason::PauseOver => "; nothing got through for as long as the run may pause",
        }
    }
}

impl Display for GivenUp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let why = self.why.words();
        let Some(fault) = &self.fault else {
            return write!(f, "never sent{why}");
        };
        if self.why == GiveUpReason::PauseOver {
            return write!(f, "{fault}{why}");
        }
        let count = self.attempts;
        let attempts = if count == 1 { "attempt" } else { "attempts" };
        write!(f, "{fault} after {count} failed {attempts}{why}")
    }
}

impl Display for StopReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            StopReason::Misconfiguration {
                calls,
                endpoint,
                fault,
            } => {
                match calls {
                    1 => f.write_str("a call failed ")?,
                    calls => write!(f, "the last {calls} calls all failed ")?,
                }
                f.write_str(match fault.kind.is_final_at_once() {
                    true => "in a way that another attempt cannot fix",
                    false => "in the same way",
                })?;
                let advice = advise_on(fault.kind);
                write!(f, " at {endpoint}: {fault}{advice}")
            }
            StopReason::Paused {
                pause,
                endpoint,
                fault,
                is_start,
            } => {
                let (pause, fault) = (format_seconds(*pause), fault_at(endpoint, fault));
                let advice = if *is_start { SLOW_START } else { "" };
                write!(f, "nothing got through for {pause}: {fault}{advice}")
            }
            StopReason::Wait {
                wait,
                endpoint,
                fault,
            } => write!(
                f,
                "every endpoint asks to wait, for {} at least, which is longer than the longest \
                 pause: {}",
                format_seconds(*wait),
                fault_at(endpoint, fault)
            ),
        }
    }
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Note::SetAside {
                endpoint,
                moved,
                wait,
                fault,
            } => write!(
                f,
                "{endpoint} set aside: {fault}; {moved} {} moved; it is tried again in {}",
                if *moved == 1 { "call" } else { "calls" },
                format_seconds(*wait)
            ),
            Note::Back { endpoint, after } => {
                let after = format_seconds(*after);
                write!(f, "{endpoint} answers again after {after}")
            }
            Note::Waits { endpoint, wait } => {
                let wait = format_seconds(*wait);
                write!(f, "{endpoint} asks to wait {wait}")
            }
            Note::Paused {
                endpoint,
                fault,
                longest,
                is_start,
            } => {
                write!(
                    f,
                    "paused: {}; it is asked again after 1 s, 2 s, 4 s, ... 60 s",
                    fault_at(endpoint, fault)
                )?;
                match (longest.map(format_seconds), is_start) {
                    (Some(longest), true) => write!(
                        f,
                        ", and the run ends after {longest} without a connection{SLOW_START}"
                    ),
                    (Some(longest), false) => write!(
                        f,
                        ", and the run ends after {longest} without an answer (longest-pause in \
                         [judges.NAME] of the configuration)"
                    ),
                    (None, _) => Ok(()),
                }
            }
            Note::StillPaused {
                endpoint,
                fault,
                longest,
            } => {
                let fault = fault_at(endpoint, fault);
                write!(f, "still paused, now for another reason: {fault}")?;
                match longest.map(format_seconds) {
                    Some(longest) => write!(
                        f,
                        "; the run ends after {longest} without an answer (longest-pause in \
                         [judges.NAME] of the configuration)"
                    ),
                    None => Ok(()),
                }
            }
            Note::Resumed { after } => write!(
                f,
                "nothing got through for {}; then it answered again",
                format_seconds(*after)
            ),
        }
    }
}

/// Returns a fault and where it was met, unless its own words say where.
fn fault_at(endpoint: &str, fault: &Fault) -> String {
    match fault.message.contains(endpoint) {
        true => fault.to_string(),
        false => format!("{fault} at {endpoint}"),
    }
}

fn format_seconds(time: Duration) -> String {
    if time < Duration::from_secs(10) {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} s", time.as_secs())
    }
}

const SLOW_START: &str = "; for a server that takes longer to start, set longest-pause = 600 in \
                          [judges.NAME] of the configuration";

fn advise_on(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Untrusted => {
            "; check the address, or name the authority that signed the certificate by \
             SSL_CERT_FILE"
        }
        FaultKind::Denied => {
            "; check the environment variable that holds the key, and the account's credit"
        }
        FaultKind::NotFound => "; check the model's name and the base URL",
        FaultKind::Malformed => "; check the base URL: what answers there does not speak this API",
        FaultKind::Rejected => "; [judges.NAME.dialect] in the configuration changes what is sent",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words() {
        let fault = Fault::new(FaultKind::Denied, "401: no such key");
        let stop = StopReason::Misconfiguration {
            calls: 8,
            endpoint: "http://h/v1".into(),
            fault: fault.clone(),
        };
        assert_eq!(
            stop.to_string(),
            "the last 8 calls all failed in the same way at http://h/v1: access denied (401: no such \
             key); check the environment variable that holds the key, and the account's credit"
        );
        let given_up = GivenUp {
            why: GiveUpReason::AttemptsSpent,
            fault: Some(Fault::new(FaultKind::Timeout, "")),
            attempts: 6,
        };
        assert_eq!(
            given_up.to_string(),
            "no reply in time after 6 failed attempts; no attempts are left"
        );
        assert_eq!(
            GivenUp {
                why: GiveUpReason::Overdue,
                fault: None,
                attempts: 0
            }
            .to_string(),
            "never sent; the call's time is up"
        );
        assert_eq!(
            Note::Resumed {
                after: Duration::from_millis(37_400)
            }
            .to_string(),
            "nothing got through for 37 s; then it answered again"
        );
        let aside = Note::SetAside {
            endpoint: "endpoint 2".into(),
            moved: 1,
            wait: Duration::from_secs(1),
            fault,
        };
        assert_eq!(
            aside.to_string(),
            "endpoint 2 set aside: access denied (401: no such key); 1 call moved; it is tried \
             again in 1.0 s"
        );
    }
}
