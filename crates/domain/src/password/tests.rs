//! Which passwords are refused, and why.

use super::*;

const OWN: [&str; 2] = ["Ada Lovelace", "countess@analytical.example"];

fn weakness(password: &str) -> Option<Weakness> {
    check(password, &OWN).err()
}

#[test]
fn what_is_tried_first_is_refused_and_the_reason_is_named() {
    use Weakness::{Common, Length, Own, Pattern};
    let long = "x1".repeat(51);
    let cases: [(&str, Weakness); 35] = [
        ("", Length),
        ("Xy7#b", Length),
        (&long, Length),
        ("123456", Common),
        ("password", Common),
        ("Password1", Common),
        ("P@ssw0rd!", Common),
        ("PASSWORD", Common),
        ("drowssap", Common),
        ("password123", Common),
        ("letmein", Common),
        ("monkey12", Common),
        ("Summer2024", Common),
        ("welcome!", Common),
        ("iloveyou1", Common),
        ("dragon99", Common),
        ("spindle1", Common),
        ("passwordpassword", Common),
        ("qwerty1", Common),
        ("lovelace", Own),
        ("Lovelace1", Own),
        ("ada2024", Own),
        ("countess", Own),
        ("analytical", Own),
        ("abcdef", Pattern),
        ("fedcba", Pattern),
        ("abc123", Common),
        ("13579135", Pattern),
        ("aaaaaaaa", Pattern),
        ("asdfghjkl", Pattern),
        ("1qaz2wsx", Pattern),
        ("1q2w3e4r", Pattern),
        ("poiuytrewq", Pattern),
        ("xyxyxyxyxy", Pattern),
        ("0987654321", Pattern),
    ];
    for (password, expected) in cases {
        assert_eq!(weakness(password), Some(expected), "{password}");
    }
}

#[test]
fn uncommon_passwords_are_accepted() {
    for password in [
        "correct horse",
        "battery staple 2",
        "a long one",
        "right password",
        "matrix password",
        "Secret-Password-81723",
        "kV7#pq",
        "tvxqzb",
        "482913",
        "a thread of one's own",
        "Ada and the engine",
        "пароль из слов",
        "長い合言葉です",
    ] {
        assert_eq!(weakness(password), None, "{password}");
    }
}

#[test]
fn the_worst_input_is_within_bounds() {
    for unit in ["ab1", "password", "p4ss", "\u{130}x!"] {
        let mut password = unit.repeat(PASSWORD_MAX_LENGTH);
        password = password.chars().take(PASSWORD_MAX_LENGTH).collect();
        let _ = weakness(&password);
    }
}

#[test]
fn common_words_are_words_as_they_are_compared() {
    for word in COMMON.split_ascii_whitespace() {
        assert_eq!(fold(word), word);
        assert!(word.chars().count() <= LONGEST_WORD, "{word}");
    }
}

#[test]
fn a_reason_is_one_sentence_and_an_advice() {
    let text = Weakness::Pattern.to_string();
    assert!(text.starts_with("The password is too easy to guess: "));
    assert!(!text.ends_with('.'), "clients add a full stop");
    assert!(Weakness::Length.to_string().contains("6 to 100"));
}
