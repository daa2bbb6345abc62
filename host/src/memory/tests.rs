//! What is held, refused and given back.

use super::shares::{MARGIN, PROGRAM};
use super::*;

#[test]
fn the_default_has_room_for_what_clients_send() {
    for budget in [LEAST, DEFAULT] {
        let shares = Shares::of(budget);
        let all = PROGRAM + shares.ring + shares.given;
        assert_eq!(all, budget);
        // An upload of 26 MiB.
        assert!(shares.transfers > 26 << 20);
    }
    assert_eq!(Shares::of(DEFAULT).ring, 16 << 20);
}

#[test]
fn no_purpose_takes_everything() {
    let memory = Memory::of(800);
    let transfers = memory.try_hold(Purpose::Transfers, 400).unwrap();
    assert!(memory.try_hold(Purpose::Transfers, 1).is_none());
    assert!(memory.try_hold(Purpose::Queues, 101).is_none());
    let queues = memory.try_hold(Purpose::Queues, 100).unwrap();
    // A large instance leaves a quarter to modest ones.
    assert!(!memory.take_for_instance(MODEST_INSTANCE + 1, 101));
    assert!(memory.take_for_instance(MODEST_INSTANCE + 1, 100));
    assert!(memory.take_for_instance(MODEST_INSTANCE, 200));
    assert!(!memory.take_for_instance(1, 1));
    drop((transfers, queues));
    memory.give_back(Purpose::Instances, 300);
    assert_eq!(memory.held(), 0);
    assert!(Purpose::ALL.iter().all(|one| memory.held_for(*one) == 0));
}

#[test]
fn what_is_transferred_leaves_a_quarter_to_what_is_small() {
    let memory = Memory::of(16 * MODEST_BODY);
    let _instances = memory.try_hold(Purpose::Instances, 9 * MODEST_BODY);
    let transfers = memory.try_hold(Purpose::Transfers, 3 * MODEST_BODY);
    assert!(transfers.is_some() && !memory.take_body(MODEST_BODY + 1, 1));
    assert!(memory.take_body(MODEST_BODY, MODEST_BODY));
    assert!(memory.take_for_instance(MODEST_INSTANCE, 3 * MODEST_BODY));
    assert!(!memory.take_body(1, 1) && !memory.take_for_instance(1, 1));
}

#[test]
fn what_is_collected_grows_and_leaves_a_quarter_when_it_is_large() {
    let memory = Memory::of(4 * MODEST_COLLECTION);
    let mut large = memory.collect(Purpose::Results);
    assert_eq!(memory.held(), 0);
    assert!(large.grow(MODEST_COLLECTION));
    assert!(large.grow(2 * MODEST_COLLECTION));
    assert!(!large.grow(1));
    assert_eq!(memory.held_for(Purpose::Results), 3 * MODEST_COLLECTION);
    assert_eq!(memory.left_for_large_instances(), 0);
    let mut modest = memory.collect(Purpose::Transfers);
    assert!(modest.grow(MODEST_COLLECTION));
    assert!(!modest.grow(1));
    drop((large, modest));
    assert_eq!(memory.held(), 0);
}

#[test]
fn what_the_program_takes_itself_is_not_given() {
    let memory = Arc::new(Memory::default());
    let Shares { given, ring, .. } = memory.shares();
    let share = PROGRAM + ring - MARGIN;
    let held = memory.try_hold(Purpose::Results, 1000).unwrap();
    assert_eq!(memory.measure(share + 1000), 0);
    assert_eq!(memory.measure(share + 1000 + (8 << 20)), 8 << 20);
    let rest = given - 1000 - (8 << 20);
    assert!(memory.try_hold(Purpose::Results, rest + 1).is_none());
    drop(memory.try_hold(Purpose::Results, rest).unwrap());
    // It falls slowly, and leaves half at least.
    assert_eq!(memory.measure(0), 7 << 20);
    assert_eq!(memory.measure(u64::MAX), given / 2);
    drop(held);
    assert!(memory.try_hold(Purpose::Results, given / 2).is_some());
}

#[test]
fn what_is_there_already_is_counted() {
    let memory = Memory::of(800);
    memory.add(Purpose::Transfers, 1000);
    assert!(memory.try_hold(Purpose::Queues, 1).is_none());
    memory.give_back(Purpose::Transfers, 1000);
    assert!(memory.try_hold(Purpose::Queues, 1).is_some());
}
