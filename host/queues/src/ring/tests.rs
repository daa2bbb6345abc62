//! Rows that are found, forgotten and read in batches.

use super::*;
use spindle_events::LogRow;

fn row(ring: &Ring, seq: i64, audience: &str) -> Arc<CachedRow> {
    let row = LogRow::parse(seq, "realm", "{}", audience).unwrap();
    CachedRow::new(row, ring.forms())
}

fn seqs(ring: &Ring, registration: &Registration, from: i64) -> Vec<i64> {
    let batch = ring.batch(registration, from).unwrap();
    batch.rows.iter().map(|row| row.row().seq()).collect()
}

fn user(user_id: i64) -> Registration {
    Registration {
        user_id: UserId(user_id),
        ..Registration::default()
    }
}

#[test]
fn rows_are_found_by_user() {
    let mut ring = Ring::new(10, 1 << 20);
    let audiences = [
        r#"{"realm":true}"#,
        r#"{"users":[7]}"#,
        r#"{"users":[8],"channel":{"id":1,"public":true}}"#,
        r#"{"users":[[1,1000]]}"#,
    ];
    for (seq, audience) in (11..).zip(audiences) {
        let row = row(&ring, seq, audience);
        ring.push(row);
    }
    assert_eq!(ring.end(), 15);
    assert_eq!(seqs(&ring, &user(7), 11), [11, 12, 14]);
    assert_eq!(seqs(&ring, &user(7), 13), [14]);
    assert_eq!(seqs(&ring, &user(9), 11), [11, 14]);
    let listening = Registration {
        all_public_streams: true,
        ..user(9)
    };
    assert_eq!(seqs(&ring, &listening, 11), [11, 13, 14]);
    assert_eq!(
        ring.batch(&user(7), 10).unwrap_err(),
        Missing { indexed_from: 11 }
    );
    let older = vec![
        row(&ring, 9, r#"{"users":[7]}"#),
        row(&ring, 4, r#"{"users":[7]}"#),
    ];
    ring.extend_back(older, 2);
    assert_eq!(seqs(&ring, &user(7), 2), [4, 9, 11, 12, 14]);
}

#[test]
fn old_rows_leave_when_there_are_too_many() {
    let mut ring = Ring::new(0, 50 * 402);
    for seq in 1..=500 {
        let audience = if seq % 2 == 0 {
            r#"{"users":[7]}"#
        } else {
            r#"{"users":[8]}"#
        };
        let row = row(&ring, seq, audience);
        ring.push(row);
    }
    // The index stays; evicted rows are known by position.
    assert_eq!(ring.indexed(), 1);
    let held = |ring: &Ring, from| {
        let found = ring.find(&user(7), from).unwrap();
        let held = found
            .slots
            .iter()
            .filter(|slot| matches!(slot, Slot::Held(_)))
            .count();
        (found.slots.len(), held)
    };
    let (found, there) = held(&ring, 1);
    assert_eq!(found, 250);
    assert!(there > 5 && there < 50, "{there}");
    assert!(ring.batch(&user(7), 1).is_err());
    assert!(ring.batch(&user(7), 490).is_ok());
    ring.forget_half();
    assert_eq!(ring.indexed(), 251);
    assert_eq!(held(&ring, 251).0, 125);
    assert_eq!(
        ring.batch(&user(7), 1).unwrap_err(),
        Missing { indexed_from: 251 }
    );
}

#[test]
fn long_stretches_come_in_batches() {
    let mut ring = Ring::new(0, 1 << 30);
    for seq in 1..=600 {
        let row = row(&ring, seq, r#"{"realm":true}"#);
        ring.push(row);
    }
    let mut from = 1;
    let mut found = 0;
    loop {
        let batch = ring.batch(&user(1), from).unwrap();
        found += batch.rows.len();
        from = batch.next_seq;
        if batch.is_last {
            break;
        }
    }
    assert_eq!((found, from), (600, 601));
}
