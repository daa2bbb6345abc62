//! Accounts: their numbers, names and addresses.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use spindle_actions::{fold_name, is_email};
use spindle_domain::text::check_full_name;

use super::super::bounds::{Bounds, Texts};
use super::Notes;
use super::text::line;

/// Longest name in characters.
const LONGEST_NAME: usize = 100;

/// Roles as the layout of data exports numbers them.
pub(crate) mod role {
    pub(crate) const OWNER: i64 = 100;
    pub(crate) const ADMINISTRATOR: i64 = 200;
    pub(crate) const MEMBER: i64 = 400;
    pub(crate) const GUEST: i64 = 600;
}

/// What an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PersonKind {
    Human,
    Bot,
    /// A sender who is not among the accounts of the archive.
    Placeholder,
}

/// An account.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) kind: PersonKind,
    /// The name as displayed.
    pub(crate) full_name: String,
    /// What an address is made of if there is none.
    pub(crate) handle: String,
    pub(crate) address: Option<String>,
    pub(crate) role: i64,
    pub(crate) is_active: bool,
    pub(crate) timezone: Option<String>,
    /// The account that a bot belongs to.
    pub(crate) owner: Option<i64>,
    /// Index of the picture in the archive.
    pub(crate) picture: Option<usize>,
}

impl Person {
    /// An active account without anything but a name.
    pub(crate) fn new(kind: PersonKind, full_name: &str, handle: &str) -> Self {
        Self {
            kind,
            full_name: tidy_name(full_name, handle),
            handle: handle.to_owned(),
            address: None,
            role: role::MEMBER,
            is_active: kind != PersonKind::Placeholder,
            timezone: None,
            owner: None,
            picture: None,
        }
    }
}

/// All accounts; the number of each is its place in the list, counted from 1.
#[derive(Debug)]
pub(crate) struct People {
    list: Vec<Person>,
    by_key: HashMap<String, i64>,
    /// Of addresses that are made.
    domain: String,
    most: usize,
    texts: Texts,
}

impl People {
    pub(super) fn new(domain: String, bounds: &Bounds) -> Self {
        Self {
            list: Vec::new(),
            by_key: HashMap::new(),
            domain,
            most: bounds.people,
            texts: Texts::new(bounds.text_bytes),
        }
    }

    /// Takes an account that the archive knows by `key`. One with a key that is taken is the first one.
    pub(crate) fn add(&mut self, key: &str, person: Person) -> Result<i64> {
        if let Some(id) = self.id(key) {
            return Ok(id);
        }
        if self.list.len() >= self.most {
            bail!("the archive holds more than {} people", self.most);
        }
        let optional = [&person.address, &person.timezone].into_iter().flatten();
        let texts = [key, &person.full_name, &person.handle];
        let texts = texts.into_iter().chain(optional.map(String::as_str));
        self.texts.keep(texts)?;
        self.list.push(person);
        let id = i64::try_from(self.list.len())?;
        self.by_key.insert(key.to_owned(), id);
        Ok(id)
    }

    /// Makes an account known by another key, unless that is taken.
    pub(crate) fn alias(&mut self, key: String, id: i64) -> Result<()> {
        self.texts.keep([key.as_str()])?;
        self.by_key.entry(key).or_insert(id);
        Ok(())
    }

    pub(crate) fn id(&self, key: &str) -> Option<i64> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Person> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        self.list.get(index)
    }

    pub(crate) fn get_mut(&mut self, id: i64) -> Option<&mut Person> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        self.list.get_mut(index)
    }

    /// A mention of an account.
    pub(crate) fn mention(&self, id: i64) -> Option<String> {
        let person = self.get(id)?;
        Some(format!("@**{}|{id}**", person.full_name))
    }

    /// All accounts with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (i64, &Person)> {
        (1..).zip(&self.list)
    }

    /// The rows of all accounts: the table, and the row.
    pub(super) fn rows(
        &self,
        notes: &mut Notes,
        mut each: impl FnMut(&'static str, &Value) -> Result<()>,
    ) -> Result<()> {
        let mut taken = HashSet::new();
        for (id, person) in self.all() {
            let address = self.address(id, person, &mut taken, notes);
            let table = match person.kind {
                PersonKind::Placeholder => "zerver_userprofile_mirrordummy",
                PersonKind::Human | PersonKind::Bot => "zerver_userprofile",
            };
            let is_bot = person.kind == PersonKind::Bot;
            let timezone = person.timezone.as_deref().filter(|zone| is_timezone(zone));
            let mut row = json!({
                "id": id,
                "delivery_email": address,
                "full_name": person.full_name,
                "role": person.role,
                "is_active": person.is_active,
                "is_bot": is_bot,
                "bot_type": is_bot.then_some(1),
                "bot_owner": person.owner.filter(|_| is_bot),
            });
            if let (Some(zone), Some(row)) = (timezone, row.as_object_mut()) {
                row.insert("timezone".to_owned(), json!(zone));
            }
            each(table, &row)?;
        }
        Ok(())
    }

    /// The address of an account; it is unique.
    fn address(
        &self,
        id: i64,
        person: &Person,
        taken: &mut HashSet<String>,
        notes: &mut Notes,
    ) -> String {
        match person.address.as_deref().map(str::trim) {
            Some(address) if is_email(address) && taken.insert(fold_name(address)) => {
                return address.to_owned();
            }
            Some(address) if !address.is_empty() => notes.add(
                format!(
                    "addresses that are none, or belong to two accounts, were replaced (… @{})",
                    self.domain
                ),
                1,
            ),
            _ if person.kind == PersonKind::Human => notes.add(
                format!("people without an address got one (… @{})", self.domain),
                1,
            ),
            _ => {}
        }
        let local: String = person
            .handle
            .to_lowercase()
            .chars()
            .filter(|character| {
                character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
            })
            .take(60)
            .collect();
        let local = if local.is_empty() {
            "account".to_owned()
        } else {
            local
        };
        let address = format!("{local}@{}", self.domain);
        if taken.insert(fold_name(&address)) {
            return address;
        }
        let address = format!("{local}-{id}@{}", self.domain);
        taken.insert(fold_name(&address));
        address
    }
}

/// Whether the settings of an account accept this time zone.
fn is_timezone(zone: &str) -> bool {
    spindle_domain::settings::USER
        .iter()
        .find(|setting| setting.name == "timezone")
        .is_some_and(|setting| setting.accepts(&json!(zone)))
}

/// A name that people may have here.
fn tidy_name(name: &str, handle: &str) -> String {
    let plain = |text: &str| {
        let kept: String = text
            .chars()
            .filter(|character| !matches!(character, '*' | '`' | '\\' | '>' | '"' | '@'))
            .collect();
        // What ends like the number of a mention.
        let kept = kept.replace('|', "/");
        line(&kept, LONGEST_NAME)
    };
    let candidates = [
        plain(name),
        plain(handle),
        format!("Account {}", plain(handle)).trim().to_owned(),
    ];
    let good = candidates
        .into_iter()
        .find(|candidate| check_full_name(candidate).is_ok());
    good.unwrap_or_else(|| "Account".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(addresses: &[Option<&str>]) -> (Vec<String>, Notes) {
        let mut people = People::new("x.invalid".to_owned(), &Bounds::default());
        for (number, address) in addresses.iter().enumerate() {
            let mut person = Person::new(PersonKind::Human, "Ann", "Ann.B");
            person.address = address.map(str::to_owned);
            people.add(&number.to_string(), person).unwrap();
        }
        let (mut notes, mut found) = (Notes::default(), Vec::new());
        people
            .rows(&mut notes, |_, row| {
                found.push(row["delivery_email"].as_str().unwrap().to_owned());
                Ok(())
            })
            .unwrap();
        (found, notes)
    }

    #[test]
    fn addresses_are_good_and_nobody_shares_one() {
        let (found, notes) = people(&[
            Some("a@x.org"),
            Some(" A@X.org"),
            None,
            Some("no address"),
            Some(""),
        ]);
        assert_eq!(
            found,
            [
                "a@x.org",
                "ann.b@x.invalid",
                "ann.b-3@x.invalid",
                "ann.b-4@x.invalid",
                "ann.b-5@x.invalid"
            ]
        );
        assert_eq!(notes.0.values().copied().collect::<Vec<_>>(), [2, 2]);
    }

    #[test]
    fn names_are_such_as_people_may_have_here() {
        for (name, handle, expected) in [
            ("Ann Lee", "ann", "Ann Lee"),
            ("*Ann* `x`\n@Lee", "ann", "Ann x Lee"),
            ("Ann|12", "ann", "Ann/12"),
            ("", "ann", "ann"),
            ("x", "y", "Account y"),
            ("", "", "Account"),
        ] {
            assert_eq!(tidy_name(name, handle), expected, "{name:?}");
        }
        assert_eq!(tidy_name(&"x".repeat(200), "y").len(), LONGEST_NAME);
    }

    #[test]
    fn keys_lead_to_accounts() {
        let mut people = People::new("x.invalid".to_owned(), &Bounds::default());
        let ann = people
            .add("U1", Person::new(PersonKind::Human, "Ann", "ann"))
            .unwrap();
        assert_eq!(
            people
                .add("U1", Person::new(PersonKind::Bot, "No", "no"))
                .unwrap(),
            ann
        );
        people.alias("B1".to_owned(), ann).unwrap();
        assert_eq!((ann, people.id("B1"), people.id("U2")), (1, Some(1), None));
        assert_eq!(people.mention(ann).as_deref(), Some("@**Ann|1**"));
        assert_eq!(people.mention(2), None);
        assert_eq!(people.mention(0), None);
    }
}
