//! Which requests the rate limiter counts for an account, for an address, and not at all.

use super::*;
use base64::Engine as _;

fn anonymous() -> Caller<'static> {
    Caller {
        address: "127.0.0.1".parse().unwrap(),
        authorization: None,
        session: None,
    }
}

fn in_session(token: &str) -> Caller<'_> {
    Caller {
        session: Some(token),
        ..anonymous()
    }
}

fn with(key: &HeaderValue) -> Caller<'_> {
    Caller {
        authorization: Some(key),
        ..anonymous()
    }
}

fn header(user: &str, letter: char) -> HeaderValue {
    let key: String = std::iter::repeat_n(letter, 32).collect();
    let pair = format!("{user}:{key}");
    let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
    HeaderValue::from_str(&format!("Basic {encoded}")).unwrap()
}

#[test]
fn the_request_after_the_last_one_is_over() {
    let limiter = TokenBuckets::new(3, None, 2);
    let key = header("a@example.com", 'k');
    let count = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap();
    assert_eq!(count(&with(&key)).remaining, 2);
    limiter.answered(&with(&key), Some(Account::alone(1)));
    for left in [1, 0] {
        let verdict = count(&with(&key));
        assert_eq!((verdict.remaining, verdict.over), (left, false));
    }
    let verdict = count(&with(&key));
    assert!(verdict.over && verdict.retry_after > 19.0 && verdict.retry_after <= 20.0);
    assert!(!count(&with(&header("b@example.com", 'o'))).over);
    assert_eq!(count(&anonymous()).limit, 2);
}

#[test]
fn one_account_is_counted_once_whatever_its_keys_and_headers() {
    let limiter = TokenBuckets::new(3, None, 100);
    for (user, letter) in [("a@example.com", 'k'), ("A@Example.com", 'l')] {
        let key = header(user, letter);
        limiter.count(&with(&key));
        limiter.answered(&with(&key), Some(Account::alone(1)));
    }
    let spelled = header("A@EXAMPLE.COM", 'k');
    let first = limiter.count(&with(&spelled));
    assert!(!first.unproven && !first.verdict.unwrap().over);
    assert!(limiter.count(&with(&spelled)).verdict.unwrap().over);
}

/// Sessions behind one address are counted separately; invalid tokens are counted for the address.
#[test]
fn a_session_is_counted_as_a_key_is() {
    let limiter = TokenBuckets::new(3, None, 2);
    let (ann, bob) = ("a".repeat(64), "b".repeat(64));
    for (token, account) in [(&ann, 1), (&bob, 2)] {
        assert!(limiter.count(&in_session(token)).unproven);
        limiter.answered(&in_session(token), Some(Account::alone(account)));
    }
    let count = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap();
    assert_eq!(count(&in_session(&ann)).remaining, 1);
    let key = header("a@example.com", 'k');
    limiter.count(&with(&key));
    limiter.answered(&with(&key), Some(Account::alone(1)));
    assert!(
        count(&in_session(&ann)).over,
        "its key counts for the same account"
    );
    assert!(!count(&in_session(&bob)).over);
    // Authorization comes first.
    let both = Caller {
        session: Some(&bob),
        ..with(&key)
    };
    assert_eq!(limiter.count(&both).account, Some(Account::alone(1)));
    let made_up = ["c", "d", "e"].map(|letter| count(&in_session(&letter.repeat(64))).over);
    assert_eq!(made_up, [false, false, true]);
}

#[test]
fn guessing_keys_is_slowed_down_but_proven_keys_are_not() {
    let limiter = TokenBuckets::new(100, None, 3);
    let good = header("a@example.com", 'g');
    assert!(limiter.count(&with(&good)).unproven);
    limiter.answered(&with(&good), Some(Account::alone(1)));
    assert!(!limiter.count(&with(&good)).unproven);
    // Invalid keys are counted when the request arrives, before it is answered.
    let is_over = |letter| {
        let key = header("a@example.com", letter);
        limiter.count(&with(&key)).verdict.unwrap().over
    };
    assert_eq!(
        "abcd".chars().map(is_over).collect::<Vec<_>>(),
        [false, false, false, true]
    );
    assert!(!limiter.count(&with(&good)).verdict.unwrap().over);
}

#[test]
fn what_is_no_key_is_charged_to_its_address() {
    let limiter = TokenBuckets::new(100, None, 2);
    let nonsense = HeaderValue::from_static("Basic nonsense");
    let is_over = || limiter.count(&with(&nonsense)).verdict.unwrap().over;
    assert_eq!([is_over(), is_over(), is_over()], [false, false, true]);
    limiter.answered(&with(&nonsense), Some(Account::alone(1)));
    assert!(is_over());
}

#[test]
fn what_is_written_counts_as_further_requests() {
    const UNIT: u64 = WRITTEN_PER_REQUEST;
    let limiter = TokenBuckets::new(20, None, 10);
    let (own, bot) = (header("a@example.com", 'k'), header("b@example.com", 'l'));
    let (ann, helper) = (
        Account::alone(1),
        Account {
            user_id: 2,
            owner_id: Some(1),
            requests_per_minute: Some(30),
        },
    );
    for (key, account) in [(&own, ann), (&bot, helper)] {
        limiter.count(&with(key));
        limiter.answered(&with(key), Some(account));
    }
    let left = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap().remaining;
    limiter.wrote(Payer::Account(ann), UNIT - 1);
    assert_eq!(left(&with(&own)), 18);
    limiter.wrote(Payer::Account(ann), 4 * UNIT - 1);
    assert_eq!(left(&with(&own)), 14);
    limiter.wrote(Payer::Account(helper), 5 * UNIT);
    assert_eq!((left(&with(&bot)), left(&with(&own))), (23, 13));
    limiter.wrote(Payer::Account(ann), u64::MAX);
    let verdict = limiter.count(&with(&own)).verdict.unwrap();
    assert!(verdict.over && verdict.retry_after > 60.0 && verdict.retry_after <= 63.0);

    let (address, unknown) = (anonymous().address, header("c@example.com", 'm'));
    limiter.wrote(Payer::Anonymous(address), 6 * UNIT);
    assert_eq!(left(&anonymous()), 3);
    limiter.wrote(Payer::Unproven(address), 10 * UNIT);
    assert!(limiter.count(&with(&unknown)).is_over());
    assert!(!limiter.count(&anonymous()).is_over());
}

#[test]
fn zero_is_no_limit() {
    let limiter = TokenBuckets::new(0, None, 0);
    limiter.wrote(Payer::Account(Account::alone(1)), u64::MAX);
    limiter.wrote(Payer::Anonymous(anonymous().address), u64::MAX);
    assert_eq!(limiter.count(&anonymous()), Counted::default());
    let key = header("a@example.com", 'k');
    assert_eq!(limiter.count(&with(&key)).verdict, None);
}

#[test]
fn the_bots_of_a_person_are_counted_together_and_beside_the_person() {
    let limiter = TokenBuckets::new(2, None, 100);
    let bot = |user_id| Account {
        requests_per_minute: None,
        user_id,
        owner_id: Some(1),
    };
    let (own, one, other) = (
        header("a@example.com", 'k'),
        header("b@example.com", 'l'),
        header("c@example.com", 'm'),
    );
    for (key, account) in [(&own, Account::alone(1)), (&one, bot(2)), (&other, bot(3))] {
        limiter.count(&with(key));
        limiter.answered(&with(key), Some(account));
    }
    let count = |key| limiter.count(&with(key)).verdict.unwrap();
    // Five times two requests, of which each bot has sent one.
    for left in (0..8).rev() {
        let key = if left % 2 == 0 { &one } else { &other };
        let verdict = count(key);
        assert_eq!(
            (verdict.limit, verdict.remaining, verdict.over),
            (10, left, false)
        );
    }
    assert!(count(&one).over && count(&other).over);
    assert_eq!(count(&own).remaining, 0);
    assert!(count(&own).over);
}

#[test]
fn a_bot_with_a_rate_of_its_own_is_counted_alone() {
    let limiter = TokenBuckets::new(2, None, 100);
    let bot = |user_id, rate| Account {
        user_id,
        owner_id: Some(1),
        requests_per_minute: rate,
    };
    let (fast, other) = (header("b@example.com", 'l'), header("c@example.com", 'm'));
    for (key, account) in [(&fast, bot(2, Some(20))), (&other, bot(3, None))] {
        limiter.count(&with(key));
        limiter.answered(&with(key), Some(account));
    }
    let count = |key| limiter.count(&with(key)).verdict.unwrap();
    for left in (0..19).rev() {
        let verdict = count(&fast);
        assert_eq!((verdict.limit, verdict.remaining), (20, left));
    }
    assert!(count(&fast).over);
    assert_eq!(count(&other).remaining, 8);
    // The operator takes the rate back.
    limiter.renewed(&with(&fast), bot(2, None));
    let verdict = count(&fast);
    assert_eq!((verdict.limit, verdict.remaining), (10, 7));
    // Nothing is known of other keys.
    let unknown = header("d@example.com", 'n');
    limiter.renewed(&with(&unknown), bot(2, Some(20)));
    assert!(limiter.count(&with(&unknown)).unproven);
}

/// A key that was revoked costs its former account nothing.
#[test]
fn what_has_ended_is_forgotten() {
    let limiter = TokenBuckets::new(2, None, 3);
    let (old, new) = (header("a@example.com", 'o'), header("a@example.com", 'n'));
    limiter.count(&with(&old));
    limiter.answered(&with(&old), Some(Account::alone(1)));
    assert_eq!(limiter.count(&with(&old)).verdict.unwrap().remaining, 0);
    limiter.answered(&with(&old), None);
    let outcomes = [(); 3].map(|()| {
        let counted = limiter.count(&with(&old));
        limiter.answered(&with(&old), None);
        (counted.unproven, counted.is_over())
    });
    assert_eq!(outcomes, [(true, false), (true, false), (true, true)]);
    limiter.answered(&with(&new), Some(Account::alone(1)));
    assert!(!limiter.count(&with(&new)).unproven);
}
