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
    let limiter = TokenBuckets::new(3, 2);
    let key = header("a@example.com", 'k');
    let count = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap();
    assert_eq!(count(&with(&key)).remaining, 2);
    limiter.answered(&with(&key), Some(1));
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
    let limiter = TokenBuckets::new(3, 100);
    for (user, letter) in [("a@example.com", 'k'), ("A@Example.com", 'l')] {
        let key = header(user, letter);
        limiter.count(&with(&key));
        limiter.answered(&with(&key), Some(1));
    }
    let spelled = header("A@EXAMPLE.COM", 'k');
    let first = limiter.count(&with(&spelled));
    assert!(!first.unproven && !first.verdict.unwrap().over);
    assert!(limiter.count(&with(&spelled)).verdict.unwrap().over);
}

/// Sessions behind one address are counted separately; invalid tokens are counted for the address.
#[test]
fn a_session_is_counted_as_a_key_is() {
    let limiter = TokenBuckets::new(3, 2);
    let (ann, bob) = ("a".repeat(64), "b".repeat(64));
    for (token, account) in [(&ann, 1), (&bob, 2)] {
        assert!(limiter.count(&in_session(token)).unproven);
        limiter.answered(&in_session(token), Some(account));
    }
    let count = |caller: &Caller<'_>| limiter.count(caller).verdict.unwrap();
    assert_eq!(count(&in_session(&ann)).remaining, 1);
    let key = header("a@example.com", 'k');
    limiter.count(&with(&key));
    limiter.answered(&with(&key), Some(1));
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
    assert_eq!(limiter.count(&both).account, Some(1));
    let made_up = ["c", "d", "e"].map(|letter| count(&in_session(&letter.repeat(64))).over);
    assert_eq!(made_up, [false, false, true]);
}

#[test]
fn guessing_keys_is_slowed_down_but_proven_keys_are_not() {
    let limiter = TokenBuckets::new(100, 3);
    let good = header("a@example.com", 'g');
    assert!(limiter.count(&with(&good)).unproven);
    limiter.answered(&with(&good), Some(1));
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
    let limiter = TokenBuckets::new(100, 2);
    let nonsense = HeaderValue::from_static("Basic nonsense");
    let is_over = || limiter.count(&with(&nonsense)).verdict.unwrap().over;
    assert_eq!([is_over(), is_over(), is_over()], [false, false, true]);
    limiter.answered(&with(&nonsense), Some(1));
    assert!(is_over());
}

#[test]
fn zero_is_no_limit() {
    let limiter = TokenBuckets::new(0, 0);
    assert_eq!(limiter.count(&anonymous()), Counted::default());
    let key = header("a@example.com", 'k');
    assert_eq!(limiter.count(&with(&key)).verdict, None);
}
