//! The chain of the audit log: what breaks it, and what does not.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use spindle_actions::audit::{Verified, chain_audit_log, prune_audit_log, verify_audit_log};
use spindle_domain::Role;
use support::{REALM, START, World};

fn chain(world: &World) {
    while !chain_audit_log(&world.db(), REALM, START).unwrap() {}
}

fn verified(world: &World) -> Verified {
    verify_audit_log(&world.db(), REALM).unwrap()
}

fn broken_at(world: &World) -> Option<i64> {
    verified(world).broken.map(|broken| broken.position)
}

/// A world whose log has at least eight entries, all of them in the chain.
fn world() -> World {
    let world = World::new();
    for name in ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay", "Gus"] {
        world.create(name, Role::Member);
    }
    chain(&world);
    world
}

#[test]
fn the_chain_grows_and_holds() {
    let world = world();
    let before = verified(&world);
    assert!(before.broken.is_none() && before.entries >= 8, "{before:?}");
    assert_eq!(before.end.position as u64, before.entries);
    world.create("Hal", Role::Member);
    // Entries that are not in the chain yet do not break it.
    assert_eq!(verified(&world), before);
    chain(&world);
    let after = verified(&world);
    assert_eq!((after.entries, after.broken), (before.entries + 1, None));
    assert_ne!(after.end.digest, before.end.digest);
}

#[test]
fn every_change_of_an_entry_is_found() {
    for change in [
        "UPDATE audit_log SET data = '{\"x\":1}' WHERE position = 4",
        "UPDATE audit_log SET time = time + 1 WHERE position = 4",
        "UPDATE audit_log SET acting_user_id = 1 WHERE position = 4",
        "UPDATE audit_log SET modified_user_id = NULL WHERE position = 4",
        "UPDATE audit_log SET event_type = 'user_created ' WHERE position = 4",
        "UPDATE audit_log SET digest = 'x' WHERE position = 4",
        "UPDATE audit_log SET position = 400 WHERE position = 4",
        "UPDATE audit_log SET position = NULL, digest = NULL WHERE position = 4",
        "DELETE FROM audit_log WHERE position = 4",
        "DELETE FROM audit_log WHERE position BETWEEN 4 AND 6",
    ] {
        let world = world();
        world.run(change, []);
        assert_eq!(broken_at(&world), Some(4), "{change}");
    }
    // A removed beginning is found as well.
    let world = world();
    world.run("DELETE FROM audit_log WHERE position < 4", []);
    assert_eq!(broken_at(&world), Some(4));
}

#[test]
fn old_entries_are_removed_by_the_operator_and_the_rest_holds() {
    let world = world();
    world.run("UPDATE audit_log SET position = NULL, digest = NULL", []);
    world.run(&format!("UPDATE audit_log SET time = {START} + id"), []);
    chain(&world);
    let end = verified(&world).end;
    let prune = |before| prune_audit_log(&world.db(), REALM, START + 900, before).unwrap();
    assert_eq!(prune(START), 0);
    assert_eq!(verified(&world).end, end, "nothing is recorded either");
    assert_eq!(prune(START + 4), 3);
    let after = verified(&world);
    assert_eq!((&after.end, after.broken), (&end, None));
    assert_eq!(after.entries as i64, end.position - 3);
    // The entry that records it is part of the chain.
    chain(&world);
    world.run("DELETE FROM audit_log WHERE position = 4", []);
    assert_eq!(broken_at(&world), Some(5), "the beginning is another one");
    // All that is older goes; the record of the last removal stays.
    let world = self::world();
    let entries = verified(&world).entries;
    let removed = prune_audit_log(&world.db(), REALM, START + 900, START + 500).unwrap();
    assert_eq!(removed as u64, entries);
    chain(&world);
    let after = verified(&world);
    assert_eq!((after.entries, after.broken), (1, None));
    assert_eq!(after.end.position as u64, entries + 1);
}
