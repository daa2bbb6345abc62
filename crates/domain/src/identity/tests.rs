//! Which account a person gets, and which role and groups.

use super::*;

fn rules() -> Rules {
    Rules {
        provider: "kc".to_owned(),
        domains: vec!["x.org".to_owned()],
        creates: true,
        roles: vec![
            ("admins".to_owned(), Role::Administrator),
            ("mods".to_owned(), Role::Moderator),
            ("bosses".to_owned(), Role::Owner),
        ],
        user_groups: vec![
            ("dev".to_owned(), "Engineers".to_owned()),
            ("qa".to_owned(), "Engineers".to_owned()),
            ("hr".to_owned(), "People".to_owned()),
        ],
        has_groups: true,
    }
}

fn claims(email: &str, email_is_verified: bool) -> Claims {
    Claims {
        issuer: "https://kc".to_owned(),
        subject: "1".to_owned(),
        email: Some(email.to_owned()).filter(|email| !email.is_empty()),
        email_is_verified,
        ..Claims::default()
    }
}

const ANN: KnownAccount = KnownAccount {
    user_id: UserId(7),
    is_active: true,
    is_bot: false,
    has_confirmed_address: true,
    is_bound_to_issuer: false,
};

#[test]
fn the_account_of_a_verified_address() {
    let binds = |ends_credentials| {
        let user_id = UserId(7);
        Ok(Match::Binds {
            user_id,
            ends_credentials,
        })
    };
    let gone = KnownAccount {
        is_active: false,
        ..ANN
    };
    let unconfirmed = KnownAccount {
        has_confirmed_address: false,
        ..ANN
    };
    let bot = KnownAccount {
        is_bot: true,
        ..ANN
    };
    let taken = KnownAccount {
        is_bound_to_issuer: true,
        ..ANN
    };
    for (email, verified, bound, found, expected) in [
        ("a@x.org", true, None, Some(ANN), binds(false)),
        ("a@X.ORG", true, None, Some(unconfirmed), binds(true)),
        ("a@x.org", true, None, None, Ok(Match::Creates)),
        ("a@x.org", false, None, Some(ANN), Err(Refusal::Unverified)),
        ("", true, None, Some(ANN), Err(Refusal::NoAddress)),
        ("a@y.org", true, None, None, Err(Refusal::Domain)),
        ("a@x.org.evil", true, None, None, Err(Refusal::Domain)),
        ("a@sub.x.org", true, None, None, Err(Refusal::Domain)),
        ("x.org", true, None, None, Err(Refusal::Domain)),
        ("a@x.org", true, None, Some(bot), Err(Refusal::NoAccount)),
        ("a@x.org", true, None, Some(gone), Err(Refusal::Deactivated)),
        ("a@x.org", true, None, Some(taken), Err(Refusal::Bound)),
        (
            "a@x.org",
            true,
            Some(ANN),
            None,
            Ok(Match::Bound(UserId(7))),
        ),
        (
            "b@x.org",
            true,
            Some(ANN),
            Some(unconfirmed),
            Ok(Match::Bound(UserId(7))),
        ),
        ("a@x.org", true, Some(gone), None, Err(Refusal::Deactivated)),
        // The domains are those of people who sign in now, not only of those who did so first.
        ("a@y.org", true, Some(ANN), None, Err(Refusal::Domain)),
        ("a@x.org", false, Some(ANN), None, Err(Refusal::Unverified)),
    ] {
        let found = match_account(&rules(), &claims(email, verified), bound, found);
        assert_eq!(found, expected, "{email} {verified}");
    }
    let only_matches = Rules {
        creates: false,
        ..rules()
    };
    let found = match_account(&only_matches, &claims("a@x.org", true), None, None);
    assert_eq!(found, Err(Refusal::NoAccount));
    let any = Rules {
        domains: Vec::new(),
        ..rules()
    };
    let found = match_account(&any, &claims("", false), Some(ANN), None);
    assert_eq!(found, Ok(Match::Bound(UserId(7))));
    let found = match_account(&any, &claims("", false), None, None);
    assert_eq!(found, Err(Refusal::NoAddress));
}

#[test]
fn roles_follow_groups_up_to_administrator() {
    let of = |groups: &[&str], current| {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let claims = Claims {
            groups,
            ..Claims::default()
        };
        role_of(&rules(), &claims, current)
    };
    for (groups, current, expected) in [
        (
            &["mods", "admins"][..],
            Role::Member,
            Some(Role::Administrator),
        ),
        (&["mods"], Role::Administrator, Some(Role::Moderator)),
        (&["mods"], Role::Moderator, None),
        (&[], Role::Administrator, Some(Role::Member)),
        (&[], Role::Guest, None),
        (&["mods"], Role::Guest, Some(Role::Moderator)),
        (&["bosses"], Role::Member, None),
        (&["bosses"], Role::Administrator, Some(Role::Member)),
        (&["mods"], Role::Owner, None),
        (&[], Role::Owner, None),
    ] {
        assert_eq!(of(groups, current), expected, "{groups:?} {current:?}");
    }
    let silent = Rules {
        has_groups: false,
        ..rules()
    };
    assert_eq!(role_of(&silent, &Claims::default(), Role::Moderator), None);
}

#[test]
fn one_of_several_groups_makes_a_member() {
    let claims = Claims {
        groups: vec!["qa".to_owned(), "other".to_owned()],
        ..Claims::default()
    };
    let rules = rules();
    let found: Vec<_> = memberships(&rules, &claims).into_iter().collect();
    assert_eq!(found, [("Engineers", true), ("People", false)]);
    let silent = Rules {
        has_groups: false,
        ..rules
    };
    assert!(memberships(&silent, &claims).is_empty());
}

#[test]
fn one_way_is_always_on() {
    let ways = Ways {
        providers: vec!["kc".to_owned()],
        off: BTreeSet::new(),
    };
    let change = |changes: &[(&str, bool)]| -> BTreeMap<String, bool> {
        let changes = changes.iter();
        changes
            .map(|(name, is_on)| ((*name).to_owned(), *is_on))
            .collect()
    };
    let company = ways.changed(&change(&[("Email", false)])).unwrap();
    assert!(!company.has_password() && company.has_provider("kc"));
    assert!(!company.has_provider("other"));
    assert_eq!(
        company.changed(&change(&[("openid:kc", false)])),
        Err(WaysProblem::NoneLeft)
    );
    assert_eq!(
        ways.changed(&change(&[("Google", true)])),
        Err(WaysProblem::Unknown("Google".to_owned()))
    );
    let password = company
        .changed(&change(&[("Email", true), ("openid:kc", false)]))
        .unwrap();
    assert_eq!(
        password.all(),
        change(&[("Email", true), ("Passkey", true), ("openid:kc", false)])
    );
    // A passkey is made by a person who signs in otherwise.
    assert_eq!(
        ways.changed(&change(&[
            ("Email", false),
            ("openid:kc", false),
            ("Passkey", true)
        ])),
        Err(WaysProblem::NoneLeft)
    );
    let without = ways.changed(&change(&[("Passkey", false)])).unwrap();
    assert!(!without.has_passkeys() && without.has_password());
    // The operator has removed the provider.
    let left = Ways {
        providers: Vec::new(),
        ..company
    };
    assert!(left.has_password());
}

#[test]
fn words_are_for_addresses() {
    for refusal in Refusal::ALL {
        let word = refusal.word();
        assert!(word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
    }
}
