//! Linkifiers: their matches in a text, and their URLs.

use super::*;

fn ranges(linkifier: &Linkifier, text: &str) -> Vec<(Range<usize>, String)> {
    let found = linkifier.matches(text, &mut SearchBudget::default());
    found.into_iter().map(|m| (m.range, m.url)).collect()
}

#[test]
fn matches_stand_free() {
    let linkifier = Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
    let found = ranges(&linkifier, "#1 #2,(#3) x#4 #5b é#6 #7");
    let numbers: Vec<&str> = found.iter().map(|(_, url)| &url[18..]).collect();
    assert_eq!(numbers, ["1", "2", "3", "7"]);
    assert_eq!(found[0].0, 0..2);
}

#[test]
fn values_are_encoded_and_urls_are_checked() {
    let linkifier = Linkifier::new("t:(?P<q>\\S+)", "https://t.example/{q}").unwrap();
    assert_eq!(ranges(&linkifier, "t:a/b")[0].1, "https://t.example/a%2Fb");
    let linkifier = Linkifier::new("(?P<q>javascript:\\S+)", "{+q}").unwrap();
    assert!(ranges(&linkifier, "javascript:alert").is_empty());
}

#[test]
fn pattern_and_template_must_fit() {
    assert!(matches!(
        Linkifier::new("(", "x"),
        Err(LinkifierError::Pattern(_))
    ));
    assert!(matches!(
        Linkifier::new("a)(b", "x"),
        Err(LinkifierError::Pattern(_))
    ));
    assert!(matches!(
        Linkifier::new("a", "{id"),
        Err(LinkifierError::Template(_))
    ));
    assert!(matches!(
        Linkifier::new("a", "{id}"),
        Err(LinkifierError::UnknownGroup(_))
    ));
    assert!(matches!(
        Linkifier::new("(?P<id>a)", "x"),
        Err(LinkifierError::UnusedGroup(_))
    ));
    assert!(Linkifier::new("(a{1000}){1000}", "x").is_err());
    assert!(Linkifier::new(&("(".repeat(60) + &")".repeat(60)), "x").is_err());
    for not_of_re2 in ["a(?=b)", "a(?!b)", "(?<=a)b", r"(a)\1", "(?P<x>a)(?P=x)"] {
        assert!(matches!(
            Linkifier::new(not_of_re2, "x"),
            Err(LinkifierError::Pattern(_))
        ));
    }
}

#[test]
fn the_first_culprit_of_the_alphabet_is_named() {
    let error = Linkifier::new("(?P<z>a)(?P<y>b)", "{z}{c}{b}").unwrap_err();
    assert!(matches!(error, LinkifierError::UnknownGroup(name) if name == "b"));
    let error = Linkifier::new("(?P<z>a)(?P<y>b)", "x").unwrap_err();
    assert!(matches!(error, LinkifierError::UnusedGroup(name) if name == "y"));
}

#[test]
fn letters_beyond_ascii_end_no_match() {
    let linkifier = Linkifier::new(
        "#(?P<id>[0-9]+)(?:-(?P<part>[a-z]+))?",
        "t.example/{id}{part}",
    );
    let found = |text| {
        let ranges = ranges(linkifier.as_ref().unwrap(), text);
        ranges
            .into_iter()
            .map(|(range, _)| (range.start, range.end))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("#1é #2"), [(5, 7)]);
    assert_eq!(found("#1。 #2Ⅷ #3"), [(0, 2), (6, 8), (12, 14)]);
    // The match is shortened until a boundary follows.
    assert_eq!(found("#12-abé"), [(0, 3)]);
    assert_eq!(found("#12-ab。"), [(0, 6)]);
}

#[test]
fn matches_are_bounded() {
    let linkifier = Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
    let mut budget = SearchBudget {
        links: 3,
        ..SearchBudget::default()
    };
    assert_eq!(linkifier.matches("#1 #2", &mut budget).len(), 2);
    assert_eq!(linkifier.matches("#1 #2", &mut budget).len(), 1);
    assert!(linkifier.matches("#1", &mut budget).is_empty());
}

/// Nested repetitions cost their size for every character. The bound is a number of steps, so it is the same everywhere.
#[test]
fn the_work_of_searches_is_bounded() {
    let text = "a".repeat(10_000);
    let mut budget = SearchBudget::default();
    for number in 1..=9 {
        let pattern = format!("(?P<a>((a{{1,10}}){{1,10}}){{1,10}}){{1,{number}}}b");
        let linkifier = Linkifier::of_checked(&pattern, "https://t.example/{a}").unwrap();
        assert!(linkifier.matches(&text, &mut budget).is_empty());
    }
    assert_eq!(budget.work, 0);
    let plain = Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
    assert!(plain.matches("#1", &mut budget).is_empty());

    // A full list of plain linkifiers finds a match at the end of the longest message.
    let mut budget = SearchBudget::default();
    let text = format!("{}#1", "a ".repeat(4_999));
    for number in 0..499 {
        let pattern = format!("[A-Z]+{number}-(?P<id>[0-9]+)");
        let linkifier = Linkifier::of_checked(&pattern, "https://t.example/{id}").unwrap();
        linkifier.matches(&text, &mut budget);
    }
    assert_eq!(plain.matches(&text, &mut budget).len(), 1);
    // And one has the most links in such a message.
    let mut budget = SearchBudget::default();
    let text = "#12345678 ".repeat(MAX_LINKS);
    assert_eq!(plain.matches(&text, &mut budget).len(), MAX_LINKS);
}

#[test]
fn empty_matches_are_passed_over() {
    for pattern in ["a*", "(?:)", "$", "b?|c?"] {
        assert!(
            matches!(
                Linkifier::new(pattern, "x"),
                Err(LinkifierError::Pattern(PatternError::Empty))
            ),
            "{pattern}"
        );
    }
    let linkifier = Linkifier::of_checked("a*", "https://t.example").unwrap();
    for text in ["", " ", "é", "  é é", "é "] {
        assert!(ranges(&linkifier, text).is_empty(), "{text:?}");
    }
    assert_eq!(ranges(&linkifier, " é aa é")[0].0, 4..6);
}

#[test]
fn text_without_any_markup_is_linked_too() {
    let linkifiers = [Linkifier::new("ABC-(?P<id>[0-9]+)", "https://t.example/{id}").unwrap()];
    let directory = crate::Directory::new();
    let context = crate::Context {
        linkifiers: &linkifiers,
        ..crate::Context::new(&directory, "")
    };
    let html = crate::render("see ABC-12 now", &context).html;
    let link = "<a href=\"https://t.example/12\">ABC-12</a>";
    assert_eq!(html, format!("<p>see {link} now</p>"));
}

#[test]
fn examples_and_the_way_back() {
    let pattern = "(?P<org>[a-z]+)#(?P<id>[0-9]+)";
    let check = |example, reverse| check_example(pattern, example, reverse);
    assert!(check("abc#12", None).is_ok());
    assert!(check("abc#12", Some("{org}#{id}")).is_ok());
    assert!(matches!(
        check("see abc#12", None),
        Err(ReverseError::Example)
    ));
    assert!(matches!(
        check("abc#12", Some("{org}/{id}")),
        Err(ReverseError::RoundTrip)
    ));
    assert!(matches!(
        check("abc#12", Some("{org}#{nr}{a}")),
        Err(ReverseError::UnknownGroup(name)) if name == "a"
    ));
    assert!(matches!(
        check("abc#12", Some("{org}#{id")),
        Err(ReverseError::Template(_))
    ));
    assert!(check_example(r"\{(?P<x>a?)\}", "{}", Some("{{{x}}}")).is_ok());
}

#[test]
fn a_match_may_follow_a_script_without_spaces() {
    let linkifier = Linkifier::new("#?(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
    let found = |text| {
        let ranges = ranges(&linkifier, text);
        ranges
            .into_iter()
            .map(|(range, _)| range.start)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("é1 é#2 3"), [9]);
    assert_eq!(found("修复#1了2，3"), [6, 11, 15]);
    assert_eq!(found("🙂1 ж2"), [0; 0]);
}
