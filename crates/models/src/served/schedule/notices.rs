//! What the scheduler says to people.

use super::{Fault, FaultKind};
use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

/// Why a call will not be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// What stood against another attempt.
    pub why: GiveUpReason,
    /// The last fault; none for a call that was never answered because it was never sent.
    pub fault: Option<Fault>,
    /// How many attempts failed and count; those that failed while the run paused do not.
    pub attempts: u32,
}

/// What stands against another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUpReason {
    /// The same request would fail again.
    WillNotPass,
    /// The call had all its attempts.
    AttemptsSpent,
    /// The run has spent its retries.
    BudgetSpent,
    /// The next attempt would come after the call's deadline.
    Overdue,
}

/// Why the whole run should end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The latest calls all failed in the same way, which lies in the set-up.
    Misconfiguration {
        /// How many.
        calls: u32,
        /// Where the last of them went.
        endpoint: usize,
        /// The last of them.
        fault: Fault,
    },
    /// Nothing got through for as long as the run may pause.
    Paused {
        /// How long.
        pause: Duration,
        /// The last fault.
        fault: Fault,
    },
    /// Every endpoint asks to wait for longer than the run may pause.
    Wait {
        /// How long, at least.
        wait: Duration,
        /// The fault that asked for it.
        fault: Fault,
    },
}

/// Something that a person who watches the run may want to know. Endpoints count from 0 here, and
/// from 1 in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// An endpoint gave nothing but faults.
    SetAside {
        /// Which.
        endpoint: usize,
        /// Waiting and failed calls that go to other endpoints.
        moved: usize,
        /// When it is tried again.
        wait: Duration,
        /// The last fault.
        fault: Fault,
    },
    /// An endpoint that was set aside answers again.
    Back {
        /// Which.
        endpoint: usize,
        /// How long it was set aside.
        after: Duration,
    },
    /// An endpoint asks to wait, for 5 s or more.
    Waits {
        /// Which.
        endpoint: usize,
        /// How long.
        wait: Duration,
    },
    /// Nothing gets through: the run pauses.
    Paused {
        /// The last fault.
        fault: Fault,
        /// How long it may last before the run ends; for ever, if not given.
        longest: Option<Duration>,
    },
    /// Something gets through again.
    Resumed {
        /// How long the pause was.
        after: Duration,
    },
}

impl Display for GivenUp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let why = match self.why {
            GiveUpReason::WillNotPass => "",
            GiveUpReason::AttemptsSpent => "; no attempts are left",
            GiveUpReason::BudgetSpent => "; the run has spent its retries",
            GiveUpReason::Overdue => "; the call's time is over",
        };
        match &self.fault {
            Some(fault) => write!(
                f,
                "{} after {} failed {}{why}",
                said(fault),
                self.attempts,
                attempts(self.attempts)
            ),
            None => write!(f, "never sent{why}"),
        }
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
                let calls = if *calls == 1 {
                    "a call".into()
                } else {
                    format!("the last {calls} calls all")
                };
                let alike = if fault.kind.is_final_at_once() {
                    "in a way that no other attempt mends"
                } else {
                    "in the same way"
                };
                write!(
                    f,
                    "{calls} failed {alike} (endpoint {}): {}{}",
                    endpoint + 1,
                    said(fault),
                    advice(fault.kind)
                )
            }
            StopReason::Paused { pause, fault } => write!(
                f,
                "nothing got through for {}: {}",
                seconds(*pause),
                said(fault)
            ),
            StopReason::Wait { wait, fault } => {
                write!(
                    f,
                    "every endpoint asks to wait, for {} at least, which is longer than the \
                     longest pause: {}",
                    seconds(*wait),
                    said(fault)
                )
            }
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
                "endpoint {} set aside: {}; {moved} {} moved; it is tried again in {}",
                endpoint + 1,
                said(fault),
                if *moved == 1 { "call" } else { "calls" },
                seconds(*wait)
            ),
            Note::Back { endpoint, after } => write!(
                f,
                "endpoint {} answers again after {}",
                endpoint + 1,
                seconds(*after)
            ),
            Note::Waits { endpoint, wait } => write!(
                f,
                "endpoint {} asks to wait {}",
                endpoint + 1,
                seconds(*wait)
            ),
            Note::Paused { fault, longest } => write!(
                f,
                "paused: {}; it is asked again after 1 s, 2 s, 4 s, ... 60 s{}",
                said(fault),
                longest.map_or(String::new(), |longest| format!(
                    ", and the run ends after {} without an answer",
                    seconds(longest)
                ))
            ),
            Note::Resumed { after } => write!(f, "resumed after {}", seconds(*after)),
        }
    }
}

fn said(fault: &Fault) -> String {
    if fault.message.is_empty() {
        fault.kind.name().to_string()
    } else {
        format!("{} ({})", fault.kind.name(), fault.message)
    }
}

fn attempts(count: u32) -> &'static str {
    if count == 1 { "attempt" } else { "attempts" }
}

fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(10) {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} s", time.as_secs())
    }
}

fn advice(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Untrusted => {
            "; check the address, or name the authority that signed the certificate by \
             SSL_CERT_FILE"
        }
        FaultKind::Denied => "; check the environment variable that holds the key",
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
            endpoint: 0,
            fault: fault.clone(),
        };
        assert_eq!(
            stop.to_string(),
            "the last 8 calls all failed in the same way (endpoint 1): access denied (401: no such \
             key); check the environment variable that holds the key"
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
            "never sent; the call's time is over"
        );
        assert_eq!(
            Note::Resumed {
                after: Duration::from_millis(37_400)
            }
            .to_string(),
            "resumed after 37 s"
        );
        let aside = Note::SetAside {
            endpoint: 1,
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
