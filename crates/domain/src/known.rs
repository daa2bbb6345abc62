//! Settings and permissions by names that the compiler checks.
//!
//! Owns the types whose values exist only for rows of a table: [`UserSetting`] and [`RealmSetting`]
//! for `settings`, [`Permission`] for `permission`. The macros make them in constants, so that a
//! misspelt name does not compile. Must not hold values: those are state, in the store.

use crate::permission::PermissionSetting;
use crate::settings::{REALM, Setting, USER};

/// A setting of a user. [`crate::user_setting!`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserSetting(&'static Setting);

/// A setting of the organization. [`crate::realm_setting!`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RealmSetting(&'static Setting);

/// A permission of the organization, a channel or a group. [`crate::permission!`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission(&'static PermissionSetting);

/// A setting with the table that it is a row of.
pub trait KnownSetting: Copy {
    /// Every setting of this kind.
    const TABLE: &'static [Setting];

    /// Its row.
    fn row(self) -> &'static Setting;
}

impl UserSetting {
    /// The setting of this name; in a constant, another name does not compile.
    pub const fn named(name: &str) -> Self {
        Self(setting(USER, name))
    }
}

impl RealmSetting {
    /// The setting of this name; in a constant, another name does not compile.
    pub const fn named(name: &str) -> Self {
        Self(setting(REALM, name))
    }
}

impl KnownSetting for UserSetting {
    const TABLE: &'static [Setting] = USER;

    fn row(self) -> &'static Setting {
        self.0
    }
}

impl KnownSetting for RealmSetting {
    const TABLE: &'static [Setting] = REALM;

    fn row(self) -> &'static Setting {
        self.0
    }
}

impl Permission {
    /// The permission of this name in a table; in a constant, another name does not compile.
    pub const fn named(table: &'static [PermissionSetting], name: &str) -> Self {
        let mut rest = table;
        while let [row, others @ ..] = rest {
            if is_same(row.name, name) {
                return Self(row);
            }
            rest = others;
        }
        Self(missing())
    }

    /// Its row.
    pub const fn row(self) -> &'static PermissionSetting {
        self.0
    }
}

const fn setting(table: &'static [Setting], name: &str) -> &'static Setting {
    let mut rest = table;
    while let [row, others @ ..] = rest {
        if is_same(row.name, name) {
            return row;
        }
        rest = others;
    }
    missing()
}

#[expect(clippy::panic, reason = "it stops the compiler, not the program")]
const fn missing<T>() -> T {
    panic!("the table has no row of this name")
}

const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, one_rest @ ..], [second, other_rest @ ..]) = (one, other) {
        if *first != *second {
            return false;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

/// A [`UserSetting`] by its name.
#[macro_export]
macro_rules! user_setting {
    ($name:literal) => {{
        // A named constant is checked by `cargo check` already.
        const SETTING: $crate::UserSetting = $crate::UserSetting::named($name);
        SETTING
    }};
}

/// A [`RealmSetting`] by its name.
#[macro_export]
macro_rules! realm_setting {
    ($name:literal) => {{
        const SETTING: $crate::RealmSetting = $crate::RealmSetting::named($name);
        SETTING
    }};
}

/// A [`Permission`] by its table (`REALM`, `CHANNEL` or `GROUP` of [`crate::permission`]) and name.
#[macro_export]
macro_rules! permission {
    ($table:ident, $name:literal) => {{
        const PERMISSION: $crate::Permission =
            $crate::Permission::named($crate::permission::$table, $name);
        PERMISSION
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_rows() {
        assert_eq!(user_setting!("enter_sends").row().name, "enter_sends");
        assert_eq!(
            realm_setting!("invite_required").row().name,
            "invite_required"
        );
        let subscribe = permission!(CHANNEL, "can_subscribe_group");
        assert_eq!(subscribe.row().name, "can_subscribe_group");
        for row in USER {
            assert_eq!(UserSetting::named(row.name).row(), row);
        }
    }

    #[test]
    fn texts_are_compared_whole() {
        assert!(is_same("", "") && is_same("ab", "ab"));
        assert!(!is_same("ab", "abc") && !is_same("abc", "ab") && !is_same("ab", "ax"));
    }
}
