//! Which memory is reserved, refused and released.

use super::shares::{MARGIN, PROGRAM};
use super::*;

const ONE: Client = Client::Account(1);
const MIB: u64 = 1 << 20;

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
    let memory = Memory::of(800 * MIB);
    let mut transfers = memory.hold_nothing(Purpose::Transfers);
    assert!(transfers.grow(400 * MIB) && !transfers.grow(1));
    assert!(memory.try_hold(Purpose::Queues, 101 * MIB).is_none());
    let queues = memory.try_hold(Purpose::Queues, 100 * MIB).unwrap();
    // A large instance leaves a quarter to small ones.
    assert!(!memory.take(Purpose::Instances, 9 * MIB, 101 * MIB));
    assert!(memory.take(Purpose::Instances, 9 * MIB, 100 * MIB));
    assert!(memory.take(Purpose::Instances, 8 * MIB, 200 * MIB));
    assert!(!memory.take(Purpose::Instances, 1, 1));
    drop((transfers, queues));
    memory.give_back(Purpose::Instances, 300 * MIB);
    assert_eq!(memory.held(), 0);
    assert!(Purpose::ALL.iter().all(|one| memory.held_for(*one) == 0));
}

#[test]
fn small_transfers_use_the_part_that_large_ones_leave() {
    let memory = Memory::of(16 * MIB);
    let _instances = memory.try_hold(Purpose::Instances, 8 * MIB).unwrap();
    let large = memory.try_hold_transfer(ONE, 4 * MIB).unwrap();
    assert!(memory.try_hold_transfer(Client::Account(2), MIB).is_none());
    let small = memory.try_hold_transfer(Client::Account(2), MIB / 4);
    assert!(small.is_some());
    drop((large, small));
    assert_eq!(memory.held(), 8 * MIB);
}

#[test]
fn each_client_has_a_share_of_transfers() {
    let memory = Memory::of(16 * MIB);
    let first = memory.try_hold_transfer(ONE, 2 * MIB).unwrap();
    assert!(memory.try_hold_transfer(ONE, 1).is_none());
    assert!(!memory.admits(ONE) && memory.admits(Client::Account(2)));
    drop(first);
    assert!(memory.admits(ONE));
    // One transfer may be larger than the share.
    let large = memory.try_hold_transfer(ONE, 8 * MIB).unwrap();
    assert!(memory.try_hold_transfer(ONE, 1).is_none());
    drop(large);
    assert!(memory.clients().is_empty());
}

#[test]
fn a_client_that_holds_nothing_is_admitted_while_others_use_all_transfers() {
    let memory = Memory::of(16 * MIB);
    let _unread = memory.hold_answer(ONE, 12 * MIB);
    let little = memory.hold_answer(Client::Account(2), 1);
    assert!(!memory.admits(Client::Account(2)));
    drop(little);
    assert!(memory.admits(Client::Account(2)));
    let _more = memory.hold_answer(ONE, 4 * MIB);
    assert!(!memory.admits(Client::Account(2)));
}

#[test]
fn an_answer_is_held_until_its_last_part_is_gone() {
    let memory = Memory::of(800);
    let whole = memory
        .hold_answer(ONE, 100)
        .wrap(Bytes::from_static(b"answer"));
    let part = whole.slice(2..);
    drop(whole);
    assert_eq!(memory.held(), 100);
    drop(part);
    assert_eq!(memory.held(), 0);
}

#[test]
fn a_large_result_leaves_a_quarter() {
    let memory = Memory::of(MIB);
    let mut large = memory.hold_nothing(Purpose::Results);
    assert_eq!(memory.held(), 0);
    assert!(large.grow(MIB / 4));
    assert!(large.grow(MIB / 2));
    assert!(!large.grow(1));
    assert_eq!(memory.held_for(Purpose::Results), 3 * MIB / 4);
    let mut small = memory.hold_nothing(Purpose::Results);
    assert!(small.grow(MIB / 4));
    assert!(!small.grow(1));
    drop((large, small));
    assert_eq!(memory.held(), 0);
}

#[test]
fn memory_that_the_program_takes_itself_cannot_be_held() {
    let memory = Arc::new(Memory::default());
    let Shares { given, ring, .. } = memory.shares();
    let share = PROGRAM + ring - MARGIN;
    let held = memory.try_hold(Purpose::Connections, 1000).unwrap();
    assert_eq!(memory.measure(share + 1000), 0);
    assert_eq!(memory.measure(share + 1000 + (8 << 20)), 8 << 20);
    let rest = given - 1000 - (8 << 20);
    assert!(!memory.take(Purpose::Instances, 1, rest + 1));
    assert!(memory.take(Purpose::Instances, 1, rest));
    memory.give_back(Purpose::Instances, rest);
    // It falls slowly, and half stays usable.
    assert_eq!(memory.measure(0), 7 << 20);
    assert_eq!(memory.measure(u64::MAX), given / 2);
    drop(held);
    assert!(memory.take(Purpose::Instances, 1, given / 2));
}
