//! Linkifiers of the organization, in their order, and the version of the list.

use spindle_domain::{LinkifierId, RealmId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// A linkifier as stored.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LinkifierRow {
        /// The linkifier; ignored when one is added.
        pub id: LinkifierId,
        /// Regular expression.
        pub pattern: String,
        /// URL template of RFC 6570.
        pub url_template: String,
        /// Text that the pattern matches.
        pub example_input: Option<String>,
        /// Template of the way back.
        pub reverse_template: Option<String>,
        /// JSON list of URL templates.
        pub alternative_url_templates: String,
    }
}

row_struct! {
    /// The version of the list, with one of its linkifiers if it has any.
    struct VersionAndLinkifier {
        linkifiers_version: String,
        pattern: Option<String>,
        url_template: Option<String>,
    }
}

/// What rendering needs of all linkifiers, as of one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkifierList {
    /// `realms.linkifiers_version`.
    pub version: String,
    /// Pattern and URL template, in the order of the list.
    pub linkifiers: Vec<(String, String)>,
}

/// The records of the wire as a JSON array, in order (docs/protocol/linkifiers.md#linkifier).
pub fn records(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('id', id, 'pattern', pattern, \
                 'url_template', url_template, 'example_input', example_input, \
                 'reverse_template', reverse_template, \
                 'alternative_url_templates', json(alternative_url_templates)) \
                 ORDER BY position, id) \
             FROM linkifiers WHERE realm_id = ?1"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// The list for rendering, with the version that belongs to it.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<LinkifierList, DbError> {
    let rows = db
        .query(
            sql!(
                "SELECT r.linkifiers_version, l.pattern, l.url_template FROM realms r \
                 LEFT JOIN linkifiers l ON l.realm_id = r.id \
                 WHERE r.id = ?1 ORDER BY l.position, l.id"
            ),
            &params![realm_id],
        )?
        .all::<VersionAndLinkifier>()?;
    let mut list = LinkifierList::default();
    for row in rows {
        list.version = row.linkifiers_version;
        list.linkifiers.extend(row.pattern.zip(row.url_template));
    }
    Ok(list)
}

/// Reads one linkifier.
pub fn by_id(
    db: &dyn Db,
    realm_id: RealmId,
    id: LinkifierId,
) -> Result<Option<LinkifierRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, pattern, url_template, example_input, reverse_template, \
             alternative_url_templates FROM linkifiers WHERE realm_id = ?1 AND id = ?2"
        ),
        &params![realm_id, id],
    )?
    .first()
}

/// Ids in the order of the list.
pub fn ids(db: &dyn Db, realm_id: RealmId) -> Result<Vec<LinkifierId>, DbError> {
    db.query(
        sql!("SELECT id FROM linkifiers WHERE realm_id = ?1 ORDER BY position, id"),
        &params![realm_id],
    )?
    .values()
}

/// Adds a linkifier behind all others; `row.id` is ignored. Returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the pattern is taken.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    row: &LinkifierRow,
) -> Result<LinkifierId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO linkifiers (realm_id, position, pattern, url_template, example_input, \
             reverse_template, alternative_url_templates) \
         SELECT ?1, coalesce(max(position) + 1, 0), ?2, ?3, ?4, ?5, ?6 \
         FROM linkifiers WHERE realm_id = ?1 RETURNING id"
        ),
        &params![
            realm_id,
            &row.pattern,
            &row.url_template,
            row.example_input.as_deref(),
            row.reverse_template.as_deref(),
            &row.alternative_url_templates
        ],
    )?
    .one_value()
}

/// Writes all fields of the linkifier `row.id`.
///
/// # Errors
/// [`DbError::NotUnique`] when the pattern is taken.
pub fn update(tx: &WriteTx<'_>, realm_id: RealmId, row: &LinkifierRow) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE linkifiers SET pattern = ?3, url_template = ?4, example_input = ?5, \
         reverse_template = ?6, alternative_url_templates = ?7 WHERE realm_id = ?1 AND id = ?2"
        ),
        &params![
            realm_id,
            row.id,
            &row.pattern,
            &row.url_template,
            row.example_input.as_deref(),
            row.reverse_template.as_deref(),
            &row.alternative_url_templates
        ],
    )?;
    Ok(())
}

/// Removes a linkifier; returns whether there was one.
pub fn delete(tx: &WriteTx<'_>, realm_id: RealmId, id: LinkifierId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM linkifiers WHERE realm_id = ?1 AND id = ?2 RETURNING id"),
        &params![realm_id, id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Puts the list into the order of a JSON list that holds every id once.
pub fn reorder(tx: &WriteTx<'_>, realm_id: RealmId, ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE linkifiers SET position = \
             (SELECT e.key FROM json_ids(?2) e WHERE e.value = linkifiers.id) \
         WHERE realm_id = ?1"
        ),
        &params![realm_id, ids],
    )?;
    Ok(())
}

/// Notes that the list has changed; `version` has never been used before.
pub fn set_version(tx: &WriteTx<'_>, realm_id: RealmId, version: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET linkifiers_version = ?2 WHERE id = ?1"),
        &params![realm_id, version],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    fn row(pattern: &str) -> LinkifierRow {
        LinkifierRow {
            id: LinkifierId(0),
            pattern: pattern.to_owned(),
            url_template: "https://x.example/".to_owned(),
            example_input: None,
            reverse_template: None,
            alternative_url_templates: r#"["a"]"#.to_owned(),
        }
    }

    #[test]
    fn linkifiers_keep_their_order() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(list(&tx, RealmId::ONLY), Ok(LinkifierList::default()));
        assert_eq!(records(&tx, RealmId::ONLY).unwrap(), "[]");
        let one = insert(&tx, RealmId::ONLY, &row("one")).unwrap();
        let two = insert(&tx, RealmId::ONLY, &row("two")).unwrap();
        assert!(matches!(
            insert(&tx, RealmId::ONLY, &row("one")),
            Err(DbError::NotUnique(_))
        ));
        assert_eq!(ids(&tx, RealmId::ONLY).unwrap(), [one, two]);
        reorder(&tx, RealmId::ONLY, &format!("[{two},{one}]")).unwrap();
        set_version(&tx, RealmId::ONLY, "v").unwrap();
        let found = list(&tx, RealmId::ONLY).unwrap();
        assert_eq!(found.version, "v");
        assert_eq!(found.linkifiers[0].0, "two");
        let three = insert(&tx, RealmId::ONLY, &row("three")).unwrap();
        assert_eq!(ids(&tx, RealmId::ONLY).unwrap(), [two, one, three]);
        assert_eq!(delete(&tx, RealmId::ONLY, one), Ok(true));
        assert_eq!(delete(&tx, RealmId::ONLY, one), Ok(false));
        let changed = LinkifierRow {
            id: two,
            example_input: Some("two".to_owned()),
            ..row("2")
        };
        update(&tx, RealmId::ONLY, &changed).unwrap();
        assert_eq!(by_id(&tx, RealmId::ONLY, two).unwrap(), Some(changed));
        assert!(records(&tx, RealmId::ONLY).unwrap().starts_with(&format!(
            r#"[{{"id":{two},"pattern":"2","url_template":"https://x.example/","#
        )));
    }
}
