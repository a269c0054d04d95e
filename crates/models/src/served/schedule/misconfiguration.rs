//! Whether every call fails because something is set up wrongly.

use super::{Fault, FaultKind};

/// So many calls in a row must fail in the same way.
const ENOUGH: u32 = 8;

/// The latest faults of the set-up, without a reply between them.
#[derive(Debug, Default)]
pub(super) struct Misconfiguration {
    kind: Option<FaultKind>,
    count: u32,
    /// Whether there was ever a reply.
    any: bool,
}

impl Misconfiguration {
    pub(super) fn record_reply(&mut self) {
        *self = Misconfiguration {
            any: true,
            ..Misconfiguration::default()
        };
    }

    /// Whether this fault, which is one of the set-up or says that a call was understood, is one
    /// too many.
    ///
    /// Faults that pass say nothing about the set-up and are left out, but for replies that are
    /// none where no other ever came: then the address is that of something else.
    pub(super) fn record_fault(&mut self, fault: &Fault) -> Option<u32> {
        let kind = fault.kind;
        let elsewhere = kind == FaultKind::Malformed && !self.any;
        if kind.is_transient() && !elsewhere {
            return None;
        }
        if self.kind != Some(kind) {
            self.count = 0;
        }
        self.count += 1;
        self.kind = Some(kind);
        let is_of_setup = kind.is_misconfiguration() || elsewhere;
        let is_enough = kind.is_final_at_once() || self.count >= ENOUGH;
        (is_of_setup && is_enough).then_some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_of_one_kind_without_a_reply_between() {
        let mut misconfiguration = Misconfiguration::default();
        let mut fail = |kind, times| {
            (0..times)
                .filter_map(|_| misconfiguration.record_fault(&Fault::new(kind, "")))
                .next()
        };
        assert_eq!(fail(FaultKind::Denied, 7), None);
        assert_eq!(fail(FaultKind::NotFound, 7), None);
        assert_eq!(fail(FaultKind::Timeout, 20), None);
        assert_eq!(fail(FaultKind::TooLong, 20), None);
        assert_eq!(fail(FaultKind::Rejected, 8), Some(8));
        assert_eq!(
            misconfiguration.record_fault(&Fault::new(FaultKind::Untrusted, "")),
            Some(1),
            "a certificate says so at once"
        );
        misconfiguration.record_reply();
        assert_eq!(
            misconfiguration.record_fault(&Fault::new(FaultKind::Rejected, "")),
            None
        );
    }

    #[test]
    fn replies_that_are_none_are_a_wrong_address_until_one_is_a_reply() {
        let malformed = Fault::new(FaultKind::Malformed, "");
        let mut misconfiguration = Misconfiguration::default();
        assert_eq!(
            (0..8)
                .filter_map(|_| misconfiguration.record_fault(&malformed))
                .next(),
            Some(8)
        );
        misconfiguration.record_reply();
        assert_eq!(
            (0..80)
                .filter_map(|_| misconfiguration.record_fault(&malformed))
                .next(),
            None
        );
    }
}
