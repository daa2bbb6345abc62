//! The organization itself: its settings, profile fields, linkifiers, domains, playgrounds.

use serde_json::Value;
use spindle_domain::ChannelId;
use spindle_domain::address::is_domain;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::limits::{
    MAX_LINKIFIERS_SIZE, MAX_PROFILE_FIELD_HINT_LENGTH, MAX_PROFILE_FIELD_NAME_LENGTH,
    MAX_PROFILE_SUMMARY_FIELDS,
};
use spindle_domain::permission::REALM as PERMISSIONS;
use spindle_domain::profile_field::{
    FieldData, FieldType, ProfileValue, ValueProblem, check_label, check_value,
};
use spindle_domain::realm_setting;
use spindle_domain::settings::{REALM as SETTINGS, USER, is_personal};
use spindle_domain::text::first_chars;
use spindle_markup::Linkifier;
use spindle_store::import::{self, ImportedField};
use spindle_store::linkifiers::{self, LinkifierRow};
use spindle_store::realm_playgrounds::{self, NewPlayground};
use spindle_store::{profile_values, realm_domains, realms, user_settings};

use super::row::{ImportError, Row};
use super::{Import, REALM};
use crate::Settings;
use crate::account::secrets;
use crate::organization::domains::normalised;
use crate::organization::linkifiers::check_stored;
use crate::organization::profile_fields::render_value;
use crate::organization::{check_playground, check_value as check_setting, normal_value};

/// Columns of the organization that say nothing of use here.
const PASSED_OVER: &[&str] = &[
    "deactivated",
    "icon_source",
    "icon_version",
    "id",
    "logo_source",
    "logo_version",
    "night_logo_source",
    "night_logo_version",
    "plan_type",
    "string_id",
    "uuid",
    "uuid_owner_secret",
];
/// Longest name.
const MAX_NAME: usize = 40;
/// Longest description.
const LONGEST_DESCRIPTION: usize = 1_000;

/// The linkifiers so far.
#[derive(Default)]
pub(super) struct Linkifiers {
    seen: i64,
    /// Bytes of the linkifiers taken so far, compiled and as text.
    size: usize,
    text: usize,
    /// One did not fit.
    is_full: bool,
}

impl Import<'_> {
    pub(super) fn realm(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        if self.realm.is_some() {
            return Err(ImportError::text("there are two organizations"));
        }
        row.pass_over(PASSED_OVER);
        row.pass_over(
            &PERMISSIONS
                .iter()
                .map(|setting| setting.name)
                .collect::<Vec<_>>(),
        );
        for setting in SETTINGS {
            if let Some((column, _)) = channel_column(setting.name) {
                row.value(column);
            }
        }
        let name = first_chars(row.required("name")?, MAX_NAME).trim_end();
        if name.is_empty() {
            return Err(ImportError::text("the organization has no name"));
        }
        let created = row.time("date_created")?.unwrap_or(self.now);
        // It gets a new identity: two servers must not be mistaken for one.
        let id = realms::insert(&self.tx, "", &secrets::new_uuid()?, name, created)?;
        if id != REALM {
            return Err(ImportError::Refused("the database is not empty".to_owned()));
        }
        row.pass_over(&["rendered_description"]);
        let description = row.text_or_empty("description")?;
        let description = self.cut(
            "the description of the organization",
            description,
            LONGEST_DESCRIPTION,
        );
        let rendered = self.render_description(description);
        realms::set_description(&self.tx, REALM, description, &rendered)?;
        let settings = self.settings(SETTINGS, row, "the setting of the organization")?;
        for (name, value) in object(&settings) {
            let is_elsewhere = name == "name" || name == "description";
            if !is_elsewhere && check_setting(&name, &value).is_err() {
                self.note(format!(
                    "the setting of the organization {name} had a value that is not possible here, and is the default"
                ));
                continue;
            }
            if !is_elsewhere && channel_column(&name).is_none() {
                let value = normal_value(&name, value).to_string();
                realms::set_setting(&self.tx, REALM, &name, &value)?;
            }
        }
        self.unique_names =
            Settings::of_realm(&settings).is_on(realm_setting!("require_unique_names"));
        let names = PERMISSIONS.iter().map(|setting| setting.name);
        let channels = SETTINGS
            .iter()
            .filter_map(|setting| Some(channel_column(setting.name)?.0));
        self.realm = Some(row.columns().only(names.chain(channels)));
        Ok(())
    }

    /// Settings that name channels, once those are there.
    pub(super) fn channel_settings(&mut self) -> Result<(), ImportError> {
        let Some(columns) = &self.realm else {
            return Ok(());
        };
        let row = Row::new(columns, None);
        for setting in SETTINGS {
            let Some((column, name)) = channel_column(setting.name) else {
                continue;
            };
            let channel: Option<ChannelId> = row.reference(column)?;
            if let Some(channel) = channel.filter(|id| self.channels.contains_key(id)) {
                realms::set_setting(&self.tx, REALM, name, &channel.to_string())?;
            }
        }
        Ok(())
    }

    /// What new people start with.
    pub(super) fn user_defaults(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm", "email_address_visibility"]);
        for setting in USER.iter().filter(|setting| setting.is_personal) {
            row.pass_over(&[setting.name]);
        }
        let settings = self.settings(USER, row, "the default setting")?;
        for (name, value) in object(&settings) {
            if !is_personal(&name) {
                user_settings::set_default(&self.tx, REALM, &name, &value.to_string())?;
            }
        }
        Ok(())
    }

    pub(super) fn profile_field(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["realm"]);
        let id: i64 = row.id("id")?;
        let kind = FieldType::from_i64(row.integer("field_type")?.unwrap_or_default());
        let data = row.text_or_empty("field_data")?;
        let data = (!data.is_empty()).then(|| serde_json::from_str::<Value>(data));
        let required = row.flag("required")?.unwrap_or(false);
        let editable_by_user = row.flag("editable_by_user")?.unwrap_or(true);
        let shown = row.flag("display_in_profile_summary")?.unwrap_or(false);
        let matching = row.flag("use_for_user_matching")?.unwrap_or(false);
        let position = row.integer("order")?.unwrap_or(id);
        let name = row.required("name")?.trim();
        let name = self.cut(
            "names of profile fields",
            name,
            MAX_PROFILE_FIELD_NAME_LENGTH,
        );
        let hint = row.text_or_empty("hint")?;
        let hint = self.cut(
            "hints of profile fields",
            hint,
            MAX_PROFILE_FIELD_HINT_LENGTH,
        );
        let data = match (kind, data.transpose()) {
            (Some(kind), Ok(data)) if check_label(name, hint).is_ok() => {
                FieldData::parse(kind, data.as_ref())
                    .ok()
                    .map(|data| (kind, data))
            }
            _ => None,
        };
        let Some((kind, data)) = data else {
            self.note("profile fields of a type, a name or choices that are not possible here were left out");
            return Ok(());
        };
        let has_room = self.summary_fields < MAX_PROFILE_SUMMARY_FIELDS;
        let in_summary = shown && kind.may_be_in_summary() && has_room;
        self.summary_fields += usize::from(in_summary);
        let matches_users = matching && kind.may_match_users();
        if [in_summary, matches_users] != [shown, matching] {
            self.note("profile fields that cannot be in summaries, or find people, do so no more");
        }
        let name = &*self.unique("profile fields", name, str::to_owned);
        let field = ImportedField {
            id,
            realm_id: REALM,
            name,
            hint,
            kind: kind.as_i64(),
            field_data: &data.to_text(),
            position,
            flags: [required, editable_by_user, in_summary, matches_users],
        };
        let data_bytes = i64::try_from(field.field_data.len()).unwrap_or(i64::MAX);
        if self.field_data.saturating_add(data_bytes) > Quota::ProfileFieldText.limit() {
            self.note("profile fields with too many choices were left out");
            return Ok(());
        }
        self.field_data += data_bytes;
        import::insert_field(&self.tx, &field)?;
        self.keep(field.field_data.len())?;
        self.fields.insert(id, (kind, data));
        Ok(())
    }

    pub(super) fn profile_value(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "rendered_value"]);
        let (field, value) = (row.id("field")?, row.text_or_empty("value")?);
        let Some(user) = self.owner_of(row, "user_profile")? else {
            return Ok(());
        };
        let Some((kind, data)) = self.fields.get(&field) else {
            self.note("values of profile fields that are not here were left out");
            return Ok(());
        };
        let kind = *kind;
        let sent = match kind {
            FieldType::Users => serde_json::from_str(value).unwrap_or_default(),
            _ => Value::from(value),
        };
        let checked = match check_value(kind, data, &sent) {
            Err(ValueProblem::TooLong(limit)) => {
                let cut = Value::from(first_chars(value, limit));
                let checked = check_value(kind, data, &cut);
                self.note("values of profile fields that are too long were cut");
                checked
            }
            checked => checked,
        };
        let value = match checked {
            Ok(Some(ProfileValue::Text(text))) => text,
            // Drop people who are not in the archive.
            Ok(Some(ProfileValue::Users(mut people))) => {
                people.retain(|id| self.people.contains_key(id));
                spindle_store::id_list(people)
            }
            Ok(None) => return Ok(()),
            Err(_) => {
                self.note("values that do not fit their profile fields were left out");
                return Ok(());
            }
        };
        let rendered = kind.is_rendered().then(|| render_value(&value, ""));
        profile_values::set(&self.tx, user, field.into(), &value, rendered.as_deref())?;
        Ok(())
    }

    pub(super) fn linkifier(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        self.linkifiers.seen += 1;
        if self.linkifiers.seen > Quota::Linkifiers.limit() {
            let limit = Quota::Linkifiers.limit();
            self.note(format!("linkifiers beyond the first {limit} were left out"));
            return Ok(());
        }
        row.pass_over(&["id", "realm", "order"]);
        let template = match row.text("url_template")? {
            Some(template) => template.to_owned(),
            // How linkifiers said it before there were templates.
            None => row
                .required("url_format_string")?
                .replace("%(", "{")
                .replace(")s", "}"),
        };
        let alternatives = row.value("alternative_url_templates").cloned();
        let alternatives: Vec<String> = alternatives
            .and_then(|list| serde_json::from_value(list).ok())
            .unwrap_or_default();
        let linkifier = LinkifierRow {
            id: 0.into(),
            pattern: row.required("pattern")?.to_owned(),
            url_template: template,
            example_input: row
                .text("example_input")?
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
            reverse_template: row
                .text("reverse_template")?
                .filter(|text| !text.is_empty())
                .map(str::to_owned),
            alternative_url_templates: serde_json::json!(alternatives).to_string(),
        };
        let left_out = format!(
            "the linkifier {} was left out: all together would take too much memory",
            linkifier.pattern
        );
        // Those after it would be skipped by messages as well; to compile each takes time.
        if self.linkifiers.is_full {
            self.note(left_out);
            return Ok(());
        }
        // One that does not work would keep messages from being sent.
        if check_stored(&linkifier, &alternatives).is_err() {
            self.note(format!(
                "the linkifier {} does not work here",
                linkifier.pattern
            ));
            return Ok(());
        }
        let compiled = Linkifier::of_checked(&linkifier.pattern, &linkifier.url_template).ok();
        let size = compiled.as_ref().map_or(0, Linkifier::size);
        let text = linkifier.pattern.len()
            + linkifier.url_template.len()
            + linkifier.alternative_url_templates.len();
        let most = usize::try_from(Quota::LinkifierText.limit()).unwrap_or(usize::MAX);
        if self.linkifiers.size + size > MAX_LINKIFIERS_SIZE || self.linkifiers.text + text > most {
            self.linkifiers.is_full = true;
            self.note(left_out);
            return Ok(());
        }
        linkifiers::insert(&self.tx, REALM, &linkifier)?;
        self.linkifiers.size += size;
        self.linkifiers.text += text;
        self.rendering.linkifiers.extend(compiled);
        Ok(())
    }

    pub(super) fn end_of_linkifiers(&mut self) -> Result<(), ImportError> {
        if !linkifiers::ids(&self.tx, REALM)?.is_empty() {
            linkifiers::set_version(&self.tx, REALM, &secrets::new_uuid()?)?;
        }
        Ok(())
    }

    pub(super) fn domain(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let subdomains = row.flag("allow_subdomains")?.unwrap_or(false);
        let domain = normalised(row.required("domain")?);
        if !is_domain(&domain) {
            self.note("domains that are none were left out");
            return Ok(());
        }
        realm_domains::insert(&self.tx, REALM, &domain, subdomains)?;
        Ok(())
    }

    pub(super) fn playground(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm"]);
        let new = NewPlayground {
            name: row.required("name")?.trim(),
            pygments_language: row.required("pygments_language")?.trim(),
            url_template: row.required("url_template")?.trim(),
        };
        if check_playground(&new).is_err() {
            self.note("playgrounds that are not possible here were left out");
            return Ok(());
        }
        realm_playgrounds::insert(&self.tx, REALM, &new)?;
        Ok(())
    }

    /// What was done elsewhere; of another kind of server it says nothing that is known here.
    pub(super) fn audit_entry(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        row.pass_over(&["id", "realm", "backfilled", "event_last_message_id"]);
        row.pass_over(&["modified_stream", "modified_user_group"]);
        let acting = self.known(row.reference("acting_user")?);
        let modified = self.known(row.reference("modified_user")?);
        let time = row.time("event_time")?.unwrap_or_default();
        let data = row.value("extra_data").filter(|data| data.is_object());
        let data = data.map_or_else(|| "{}".to_owned(), Value::to_string);
        let Some(kind) = row.value("event_type").and_then(Value::as_str) else {
            self.note("entries of the audit log of another kind of server were left out");
            return Ok(());
        };
        import::insert_audit(&self.tx, REALM, time, (acting, modified), kind, &data)?;
        Ok(())
    }
}

/// The column and the name of a setting that names a channel: in the layout it has no `_id`.
fn channel_column(name: &str) -> Option<(&'static str, &'static str)> {
    SETTINGS
        .iter()
        .find(|setting| setting.name == name)
        .filter(|_| name.ends_with("_stream_id") || name.ends_with("_channel_id"))
        .and_then(|setting| Some((setting.name.strip_suffix("_id")?, setting.name)))
}

fn object(text: &str) -> serde_json::Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}
