//! What belongs to an imported organization: channels, groups, fields, emoji.

use spindle_domain::{ChannelFolderId, GroupId, RealmId, SystemGroup, UserId};

use crate::{DbError, Statement, WriteTx, group_nesting, params, statement};

/// A group; without a name it is the value of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedGroup<'a> {
    /// Its id; `None` means the next one.
    pub id: Option<GroupId>,
    pub realm_id: RealmId,
    pub name: Option<&'a str>,
    pub description: &'a str,
    /// Whether every organization has it.
    pub is_system_group: bool,
    /// Whether it is no longer in use.
    pub deactivated: bool,
    /// Who created it.
    pub creator_id: Option<UserId>,
    /// UNIX seconds.
    pub date_created: Option<i64>,
}

impl ImportedGroup<'_> {
    /// The value of a permission.
    #[must_use]
    pub const fn nameless(realm_id: RealmId, id: GroupId) -> Self {
        Self {
            id: Some(id),
            realm_id,
            name: None,
            description: "",
            is_system_group: false,
            deactivated: false,
            creator_id: None,
            date_created: None,
        }
    }

    /// A group that every organization has; without an id it gets the next one.
    #[must_use]
    pub const fn system(
        realm_id: RealmId,
        id: Option<GroupId>,
        group: SystemGroup,
        now: i64,
    ) -> Self {
        Self {
            id,
            realm_id,
            name: Some(group.name()),
            description: group.description(),
            is_system_group: true,
            deactivated: false,
            creator_id: None,
            date_created: Some(now),
        }
    }
}

/// Adds a group; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when its id or name is taken.
pub fn insert_group(tx: &WriteTx<'_>, new: &ImportedGroup<'_>) -> Result<GroupId, DbError> {
    let id = tx
        .execute(
            statement!(
                "INSERT INTO user_groups (id, realm_id, name, description, is_system_group, \
             deactivated, creator_id, date_created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
             RETURNING id"
            ),
            &params![
                new.id,
                new.realm_id,
                new.name,
                new.description,
                new.is_system_group,
                new.deactivated,
                new.creator_id,
                new.date_created,
            ],
        )?
        .one_value()?;
    group_nesting::begin(tx, id)?;
    Ok(id)
}

/// Removes groups without a name that no permission has as its value, and what belongs to them:
/// a database that is being made checks its foreign keys at the end only.
pub fn remove_unused_groups(tx: &WriteTx<'_>) -> Result<(), DbError> {
    for sql in REMOVE_UNUSED {
        tx.execute(sql, &[])?;
    }
    Ok(())
}

/// The ids of groups that are not used.
macro_rules! unused {
    () => {
        "(SELECT id FROM user_groups WHERE name IS NULL \
          AND id NOT IN (SELECT group_id FROM group_settings))"
    };
}

const REMOVE_UNUSED: [Statement; 4] = [
    statement!(
        "DELETE FROM user_group_members WHERE group_id IN ",
        unused!()
    ),
    statement!(
        "DELETE FROM user_group_subgroups WHERE supergroup_id IN ",
        unused!(),
        " OR subgroup_id IN ",
        unused!()
    ),
    statement!(
        "DELETE FROM user_group_closure WHERE supergroup_id IN ",
        unused!(),
        " OR subgroup_id IN ",
        unused!()
    ),
    statement!("DELETE FROM user_groups WHERE id IN ", unused!()),
];

/// A folder of channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFolder<'a> {
    pub id: i64,
    pub realm_id: RealmId,
    pub name: &'a str,
    /// Name, folded.
    pub name_folded: &'a str,
    /// Markdown.
    pub description: &'a str,
    /// HTML.
    pub rendered_description: &'a str,
    /// Order among the folders.
    pub position: i64,
    /// UNIX seconds.
    pub date_created: Option<i64>,
    /// Who created it.
    pub creator_id: Option<UserId>,
    /// Whether it is hidden.
    pub is_archived: bool,
}

/// Adds a folder.
///
/// # Errors
/// [`DbError::NotUnique`] when its id or name is taken.
pub fn insert_folder(tx: &WriteTx<'_>, new: &ImportedFolder<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO channel_folders (id, realm_id, name, name_folded, description, \
         rendered_description, position, date_created, creator_id, is_archived) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ),
        &params![
            new.id,
            new.realm_id,
            new.name,
            new.name_folded,
            new.description,
            new.rendered_description,
            new.position,
            new.date_created,
            new.creator_id,
            new.is_archived,
        ],
    )?;
    Ok(())
}

/// Stores the description of a folder as HTML.
pub fn describe_folder(tx: &WriteTx<'_>, id: ChannelFolderId, html: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE channel_folders SET rendered_description = ?2 WHERE id = ?1"),
        &params![id, html],
    )?;
    Ok(())
}

/// A custom profile field with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedField<'a> {
    pub id: i64,
    pub realm_id: RealmId,
    pub name: &'a str,
    /// Help text.
    pub hint: &'a str,
    /// 1 to 8.
    pub kind: i64,
    /// JSON text, or empty.
    pub field_data: &'a str,
    /// Order among the fields.
    pub position: i64,
    /// `required`, `editable_by_user`, `display_in_profile_summary`, `use_for_user_matching`.
    pub flags: [bool; 4],
}

/// Adds a field.
///
/// # Errors
/// [`DbError::NotUnique`] when its id or name is taken.
pub fn insert_field(tx: &WriteTx<'_>, new: &ImportedField<'_>) -> Result<(), DbError> {
    let [required, editable, in_summary, matches_users] = new.flags;
    tx.execute(
        statement!(
            "INSERT INTO profile_fields (id, realm_id, name, hint, type, field_data, position, \
         required, editable_by_user, in_summary, matches_users) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ),
        &params![
            new.id,
            new.realm_id,
            new.name,
            new.hint,
            new.kind,
            new.field_data,
            new.position,
            required,
            editable,
            in_summary,
            matches_users,
        ],
    )?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedEmoji<'a> {
    /// Its id, which is the code of reactions.
    pub id: i64,
    pub realm_id: RealmId,
    pub name: &'a str,
    /// Who added it.
    pub author_id: Option<UserId>,
    /// Name of its file.
    pub file_name: &'a str,
    /// Whether it can no longer be used.
    pub deactivated: bool,
    /// UNIX seconds.
    pub date_created: i64,
}

/// Adds an emoji.
///
/// # Errors
/// [`DbError::NotUnique`] when its id is taken, or its name by an active one.
pub fn insert_emoji(tx: &WriteTx<'_>, new: &ImportedEmoji<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO realm_emoji (id, realm_id, name, author_id, file_name, deactivated, \
         date_created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        ),
        &params![
            new.id,
            new.realm_id,
            new.name,
            new.author_id,
            new.file_name,
            new.deactivated,
            new.date_created,
        ],
    )?;
    Ok(())
}

/// Names the file of the still form of an emoji that moves.
pub fn name_still_emoji(tx: &WriteTx<'_>, id: i64, still_file_name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realm_emoji SET still_file_name = ?2 WHERE id = ?1"),
        &params![id, still_file_name],
    )?;
    Ok(())
}

/// The last presence of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedPresence {
    pub user_id: UserId,
    /// Last use of a client, UNIX seconds.
    pub active: i64,
    /// Last sign of life of a client, UNIX seconds.
    pub idle: i64,
}

/// Adds a presence; the first one of a person counts.
pub fn insert_presence(tx: &WriteTx<'_>, new: &ImportedPresence) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO presences (user_id, active_timestamp, idle_timestamp, update_id) \
         VALUES (?1, ?2, ?3, (SELECT coalesce(max(update_id), 0) + 1 FROM presences)) \
         ON CONFLICT (user_id) DO NOTHING"
        ),
        &params![new.user_id, new.active, new.idle],
    )?;
    Ok(())
}

/// Adds an entry of the audit log of the other server; `data` is a JSON object.
pub fn insert_audit(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    time: i64,
    people: (Option<UserId>, Option<UserId>),
    event_type: &str,
    data: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO audit_log (realm_id, time, acting_user_id, modified_user_id, event_type, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
        &params![realm_id, time, people.0, people.1, event_type, data],
    )?;
    Ok(())
}
