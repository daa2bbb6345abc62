//! Accounts: people, bots, placeholders, and the bots of the server itself.

use serde_json::Value;
use spindle_domain::limits::MAX_FULL_NAME_LENGTH;
use spindle_domain::settings::{Setting, USER};
use spindle_domain::text::{Look, first_chars, is_reserved_address, is_reserved_name, is_visible};
use spindle_domain::{Role, SYSTEM_REALM, SystemBot, UserId, user_setting};
use spindle_store::bots::{self, BotRow};
use spindle_store::import::{self, ImportedUser};
use spindle_store::users;

use super::row::{ImportError, Row};
use super::{Import, Person, REALM};
use crate::Settings;
use crate::account::hidden_email::{EVERYBODY, StandIn};
use crate::create_realm::create_system_bots;
use crate::stored_text::free_name;
use crate::text::{email_address, fold_name};

/// Columns that say nothing of use here: what may open an account is never taken over, and
/// what the operator has granted is the operator's to grant again.
const PASSED_OVER: &[&str] = &[
    "api_key",
    "avatar_hash",
    "can_change_user_emails",
    "can_create_users",
    "can_forge_sender",
    "email",
    "groups",
    "is_billing_admin",
    "is_staff",
    "is_superuser",
    "last_reminder",
    "long_term_idle",
    "password",
    "realm",
    "recipient",
    "tos_version",
    "user_permissions",
    "uuid",
    "zoom_token",
];

/// Characters that make a name unique: a space and the id of an account, and the same with a number.
const LONGEST_SUFFIX: usize = 40;

impl Import<'_> {
    /// An account. Placeholders are people who have written and are not there; they become
    /// regular accounts when they come.
    pub(super) fn account(
        &mut self,
        row: &Row<'_>,
        is_placeholder: bool,
    ) -> Result<(), ImportError> {
        row.pass_over(PASSED_OVER);
        let id = row.id("id")?;
        let address = &*self.address(id, row.required("delivery_email")?)?;
        let bot_type = self.bot_type(row)?;
        let is_stub =
            (is_placeholder || row.flag("is_mirror_dummy")? == Some(true)) && bot_type.is_none();
        let role = self.role(row)?;
        let settings = self.settings(USER, row, "the setting of an account")?;
        let own = Settings::of_user(&settings);
        let hidden = StandIn::Hidden.usual(id);
        let is_shown = bot_type.is_some()
            || own.integer(user_setting!("email_address_visibility")) == EVERYBODY;
        let email = if is_shown { address } else { &hidden };
        let full_name = self
            .cut(
                "names of people",
                row.required("full_name")?.trim(),
                MAX_FULL_NAME_LENGTH,
            )
            .trim_end();
        let full_name = self.full_name(full_name, address);
        let full_name = &*self.unique_person_name(id, full_name)?;
        let is_active = row.flag("is_active")?.unwrap_or(true) && !is_placeholder;
        let timezone = own.text(user_setting!("timezone"));
        // An uploaded picture comes with its file.
        let source = row.text("avatar_source")?.filter(|source| *source == "G");
        let date_joined = row.time("date_joined")?.unwrap_or(self.now);
        let last_login = row.time("last_login")?.filter(|_| !is_stub);
        let user = ImportedUser {
            id,
            realm_id: REALM,
            email,
            email_folded: &fold_name(email),
            delivery_email: address,
            delivery_email_folded: &fold_name(address),
            full_name,
            full_name_folded: &fold_name(full_name),
            role,
            is_active,
            bot_type,
            bot_owner_id: None,
            is_imported_stub: is_stub,
            date_joined,
            last_login,
            timezone: &timezone,
            avatar_source: source.unwrap_or("J"),
            avatar_version: row
                .integer("avatar_version")?
                .unwrap_or(1)
                .clamp(1, 1 << 30),
            settings: &without(&settings, "timezone"),
        };
        import::insert_user(&self.tx, &user)?;
        let person = Person {
            full_name: full_name.to_owned(),
            role,
            bot_type,
            is_active,
            date_joined,
            translates_emoticons: own.is_on(user_setting!("translate_emoticons")),
        };
        self.keep(size_of::<Person>() + 2 * full_name.len())?;
        self.people.insert(id, person);
        self.owner_and_defaults(id, bot_type, row)
    }

    /// The address of an account. An address in a reserved domain or with invisible characters is replaced.
    fn address(&mut self, id: UserId, address: &str) -> Result<String, ImportError> {
        match email_address(address) {
            Ok(address) => Ok(address),
            Err(error) => {
                let seen: String = address.trim().chars().filter(|c| is_visible(*c)).collect();
                if email_address(&seen).is_err() && !is_reserved_address(&seen) {
                    return Err(error.into());
                }
                self.note("addresses that no account can have here were replaced");
                Ok(StandIn::Replaced.usual(id))
            }
        }
    }

    /// The name of an account; the names of system bots are replaced.
    fn full_name(&mut self, name: &str, address: &str) -> String {
        match name {
            "" => address.to_owned(),
            name if is_reserved_name(name) => {
                self.note("accounts with the name of a bot of the server got another");
                format!("{name} (imported)")
            }
            name => name.to_owned(),
        }
    }

    /// The name, with the id of the account behind it where the organization wants names to be unique, and another account
    /// has a name that looks like it.
    fn unique_person_name(&mut self, id: UserId, name: String) -> Result<String, ImportError> {
        if !self.unique_names {
            return Ok(name);
        }
        self.keep(4 * name.len())?;
        let names = self.names.entry("people and bots").or_default();
        let mut take = |name: &str| {
            let [as_written, in_lower_case] = Look::new(name).skeletons();
            let keys = [format!("w{as_written}"), format!("l{in_lower_case}")];
            let is_free = !keys.iter().any(|key| names.contains(key));
            if is_free {
                names.extend(keys);
            }
            is_free
        };
        if take(&name) {
            return Ok(name);
        }
        // Not a number that counts: ten thousand people of one name would take as many trials each.
        let room = MAX_FULL_NAME_LENGTH.saturating_sub(LONGEST_SUFFIX);
        let numbered = format!("{} {id}", first_chars(&name, room).trim_end());
        let free = free_name(&numbered, take);
        self.note("names of people and bots that look like those of others have got a number");
        Ok(free)
    }

    /// What a bot has beyond an account.
    fn owner_and_defaults(
        &mut self,
        id: UserId,
        bot_type: Option<i64>,
        row: &Row<'_>,
    ) -> Result<(), ImportError> {
        let owner = row.reference("bot_owner")?;
        if bot_type.is_none() {
            row.pass_over(BOT_DEFAULTS);
            return Ok(());
        }
        self.bot_owners.extend(owner.map(|owner| (id, owner)));
        self.bot_defaults(id, row)
    }

    fn bot_type(&mut self, row: &Row<'_>) -> Result<Option<i64>, ImportError> {
        let bot_type = row.integer("bot_type")?;
        if row.flag("is_bot")? != Some(true) {
            return Ok(None);
        }
        match bot_type {
            Some(bot_type @ 1..=4) => Ok(Some(bot_type)),
            _ => {
                self.note("bots of a type that is not known here became generic ones");
                Ok(Some(1))
            }
        }
    }

    fn role(&mut self, row: &Row<'_>) -> Result<Role, ImportError> {
        let role = row.integer("role")?.and_then(Role::from_i64);
        if role.is_none() {
            self.note("accounts with a role that is not known here became members");
        }
        Ok(role.unwrap_or(Role::Member))
    }

    /// The settings among the columns that differ from the defaults, as JSON.
    pub(super) fn settings(
        &mut self,
        table: &'static [Setting],
        row: &Row<'_>,
        what: &str,
    ) -> Result<String, ImportError> {
        let mut settings = serde_json::Map::new();
        for setting in table {
            if !row.has(setting.name) {
                continue;
            }
            let value = row.value(setting.name).cloned().unwrap_or(Value::Null);
            if !setting.accepts(&value) {
                self.note(format!(
                    "{what} {} had a value that is not known here, and is the default",
                    setting.name
                ));
            } else if value != setting.default_json() {
                settings.insert(setting.name.to_owned(), value);
            }
        }
        Ok(Value::Object(settings).to_string())
    }

    fn bot_defaults(&mut self, id: UserId, row: &Row<'_>) -> Result<(), ImportError> {
        let defaults = BotRow {
            default_sending_channel_id: row.reference("default_sending_stream")?,
            default_events_register_channel_id: row.reference("default_events_register_stream")?,
            default_all_public_streams: row.flag("default_all_public_streams")?.unwrap_or(false),
            ..BotRow::default()
        };
        if defaults != BotRow::default() {
            self.keep(size_of::<BotRow>())?;
            self.bots.insert(id, defaults);
        }
        Ok(())
    }

    /// All accounts are there: owners of bots, the owner of the organization, system bots.
    pub(super) fn end_of_accounts(&mut self) -> Result<(), ImportError> {
        for (bot, owner) in std::mem::take(&mut self.bot_owners) {
            let is_person = self
                .people
                .get(&owner)
                .is_some_and(|owner| owner.bot_type.is_none());
            if is_person {
                bots::set_owner(&self.tx, bot, owner)?;
            } else {
                self.note("owners of bots who are not people of the archive were left out");
            }
        }
        if let Some(address) = self.wanted_owner.take() {
            self.make_owner(&address)?;
        }
        if import::owners(&self.tx, REALM)? == 0 {
            return Err(ImportError::Refused(
                "nobody in the archive is an active owner: name the address of somebody who is \
                 to be one with --owner"
                    .to_owned(),
            ));
        }
        create_system_bots(&self.tx, self.now)?;
        Ok(())
    }

    fn make_owner(&mut self, address: &str) -> Result<(), ImportError> {
        let folded = fold_name(address);
        let found = users::by_email(&self.tx, REALM, &folded)?;
        if let Some(user) = found {
            if user.is_bot {
                let text = format!("{address} is a bot, which cannot be an owner");
                return Err(ImportError::Refused(text));
            }
            import::make_owner(&self.tx, user.id)?;
            if let Some(person) = self.people.get_mut(&user.id) {
                person.role = Role::Owner;
                person.is_active = true;
            }
            return Ok(());
        }
        let id = self
            .people
            .keys()
            .next_back()
            .map_or(UserId(1), |last| UserId(last.get() + 1));
        let full_name = "Owner".to_owned();
        let user = ImportedUser {
            id,
            realm_id: REALM,
            email: address,
            email_folded: &folded,
            delivery_email: address,
            delivery_email_folded: &folded,
            full_name: &full_name,
            full_name_folded: &fold_name(&full_name),
            role: Role::Owner,
            is_active: true,
            bot_type: None,
            bot_owner_id: None,
            is_imported_stub: false,
            date_joined: self.now,
            last_login: None,
            timezone: "",
            avatar_source: "J",
            avatar_version: 1,
            settings: "{}",
        };
        import::insert_user(&self.tx, &user)?;
        let person = Person {
            full_name,
            role: Role::Owner,
            bot_type: None,
            is_active: true,
            date_joined: self.now,
            translates_emoticons: false,
        };
        self.people.insert(id, person);
        self.note(format!("{address} is a new account"));
        Ok(())
    }

    /// A bot of the other server is the one of this server that does the same.
    pub(super) fn system_bot(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let id = row.id("id")?;
        let email = row.required("email")?;
        let local = email.split('@').next().unwrap_or_default();
        let bot = SystemBot::ALL
            .into_iter()
            .find(|bot| bot.email().split('@').next() == Some(local))
            .unwrap_or(SystemBot::Notification);
        let here = users::by_email(&self.tx, SYSTEM_REALM, bot.email())?
            .ok_or_else(|| ImportError::text("this server has no bots of its own"))?;
        self.keep(0)?;
        self.system_bots.insert(id, here.id);
        if let Some(recipient) = row.reference("recipient_id")? {
            self.recipients
                .insert(recipient, super::Recipient::User(id));
        }
        Ok(())
    }

    /// What wrote messages.
    pub(super) fn client(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let name: String = row.required("name")?.chars().take(100).collect();
        self.keep(name.len())?;
        self.clients.insert(row.id("id")?, name);
        Ok(())
    }

    /// The name of a client.
    pub(super) fn client_name(&self, id: Option<i64>) -> &str {
        id.and_then(|id| self.clients.get(&id))
            .map_or("internal", String::as_str)
    }
}

const BOT_DEFAULTS: &[&str] = &[
    "default_all_public_streams",
    "default_events_register_stream",
    "default_sending_stream",
];

/// JSON of the settings but for one, which is kept elsewhere.
fn without(settings: &str, name: &str) -> String {
    let mut settings: serde_json::Map<String, Value> =
        serde_json::from_str(settings).unwrap_or_default();
    settings.remove(name);
    Value::Object(settings).to_string()
}
