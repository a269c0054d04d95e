//! Whether every call fails because something is set up wrongly.

use super::{Fault, FaultKind};

/// So many calls in a row must fail in the same way.
const ENOUGH: u32 = 8;
/// A request may be refused for what its prompt says: so many different ones in a row must be.
/// Where nine in ten prompts are refused, that comes by chance once in 700,000 runs.
const ENOUGH_REFUSED: u32 = 128;
/// Where others were answered before: it may be the prompts that are left, or a model that was
/// taken away. Where 95 of 100 prompts are refused, so many in a row come by chance once in 10^11.
const ENOUGH_AFTER_REPLY: u32 = 512;

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
    /// too many: then how many there were in a row. `failed_before` where an earlier session was
    /// given none to this call either.
    ///
    /// Faults that pass say nothing about the set-up and are left out, but for replies that are
    /// none where no other ever came: then the address is that of something else. What was refused
    /// before is refused for its prompt.
    pub(super) fn record_fault(&mut self, fault: &Fault, failed_before: bool) -> Option<u32> {
        let kind = fault.kind;
        let elsewhere = kind == FaultKind::Malformed && !self.any;
        if kind.is_transient() && !elsewhere {
            return None;
        }
        if failed_before && !is_of_all(kind) {
            return None;
        }
        if self.kind != Some(kind) {
            self.count = 0;
        }
        self.count += 1;
        self.kind = Some(kind);
        let enough = match kind {
            FaultKind::Rejected if self.any => ENOUGH_AFTER_REPLY,
            FaultKind::Rejected => ENOUGH_REFUSED,
            _ if kind.is_final_at_once() => 1,
            _ => ENOUGH,
        };
        let is_of_setup = kind.is_misconfiguration() || elsewhere;
        (is_of_setup && self.count >= enough).then_some(self.count)
    }
}

/// Whether a fault of the set-up is that of all calls, whatever they ask.
fn is_of_all(kind: FaultKind) -> bool {
    kind.is_misconfiguration() && kind != FaultKind::Rejected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_of_one_kind_without_a_reply_between() {
        let mut misconfiguration = Misconfiguration::default();
        let mut fail = |kind, times| {
            (0..times)
                .filter_map(|_| misconfiguration.record_fault(&Fault::new(kind, ""), false))
                .next()
        };
        assert_eq!(fail(FaultKind::Denied, 7), None);
        assert_eq!(fail(FaultKind::NotFound, 7), None);
        assert_eq!(fail(FaultKind::Timeout, 20), None);
        assert_eq!(fail(FaultKind::TooLong, 20), None);
        assert_eq!(fail(FaultKind::Denied, 8), Some(8));
        assert_eq!(
            misconfiguration.record_fault(&Fault::new(FaultKind::Untrusted, ""), false),
            Some(1),
            "a certificate says so at once"
        );
        misconfiguration.record_reply();
        assert_eq!(
            misconfiguration.record_fault(&Fault::new(FaultKind::Denied, ""), false),
            None
        );
    }

    #[test]
    fn what_is_refused_may_be_the_prompts_until_too_many_of_them_are() {
        let refused = Fault::new(FaultKind::Rejected, "");
        let mut misconfiguration = Misconfiguration::default();
        let mut fail = |times, failed_before| {
            (0..times).find_map(|_| misconfiguration.record_fault(&refused, failed_before))
        };
        assert_eq!(fail(127, false), None);
        assert_eq!(fail(1, true), None, "it was refused before");
        assert_eq!(fail(1, false), Some(128));
        misconfiguration.record_reply();
        let found = (0..1000).find_map(|_| misconfiguration.record_fault(&refused, false));
        assert_eq!(found, Some(512), "others were answered");
    }

    #[test]
    fn replies_that_are_none_are_a_wrong_address_until_one_is_a_reply() {
        let malformed = Fault::new(FaultKind::Malformed, "");
        let mut misconfiguration = Misconfiguration::default();
        assert_eq!(
            (0..8)
                .filter_map(|_| misconfiguration.record_fault(&malformed, false))
                .next(),
            Some(8)
        );
        misconfiguration.record_reply();
        assert_eq!(
            (0..80)
                .filter_map(|_| misconfiguration.record_fault(&malformed, false))
                .next(),
            None
        );
    }
}
