//! What cannot be audited is refused before anything is asked.

use super::*;

#[test]
fn what_cannot_be_audited_is_said() {
    let refused = |change: &dyn Fn(&mut AuditOptions), probes: &[Probe]| {
        let dir = tempfile::tempdir().unwrap();
        let mut options = options("simulated", probes, &dir.path().join("run"));
        change(&mut options);
        audit(&data(3), None, &options, &mut Silent)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&|_| (), &[Probe::Severity]).contains("`tweak-set`"));
    let dir = tempfile::tempdir().unwrap();
    let options = options("simulated", &[Probe::Severity], &dir.path().join("run"));
    let other = audit(&data(3), Some(&data(3)), &options, &mut Silent)
        .unwrap_err()
        .to_string();
    assert!(
        other.contains("expected the systems adherent, severity-1"),
        "{other}"
    );
    assert!(
        refused(&|options| options.own = Some("x".into()), &[Probe::People])
            .contains("the data has a, b, c, d")
    );
    assert!(
        refused(
            &|options| options.protocols = vec!["listwise".into()],
            &[Probe::Position]
        )
        .contains("choice-set")
    );
}

#[test]
fn a_panel_votes_on_pairs_only() {
    let refused = |protocols: &[&str], probes: &[Probe]| {
        let dir = tempfile::tempdir().unwrap();
        let mut options = options("simulated:seed=1", probes, &dir.path().join("run"));
        options
            .judges
            .push(JudgeSpec::parse("simulated:seed=2").unwrap());
        options.protocols = protocols.iter().map(|name| name.to_string()).collect();
        options.panel = Panel::Majority;
        audit(&data(3), None, &options, &mut Silent)
            .err()
            .map(|error| error.to_string())
    };
    let pairs = ["pairwise-tie/direct/swap"];
    assert_eq!(refused(&pairs, &[Probe::Position]), None);
    assert!(
        refused(&[pairs[0], "pointwise:1-7"], &[Probe::Position])
            .unwrap()
            .contains("pointwise:1-7")
    );
    assert!(
        refused(&pairs, &[Probe::Position, Probe::Scale])
            .unwrap()
            .contains("`probes` scale compares no two")
    );
}
