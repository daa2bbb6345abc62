//! Linkifiers of the organization, in their order, and the version of the list.

use crate::{Db, DbError, Row, WriteTx, params, sql};

/// A linkifier as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkifierRow {
    /// Row id.
    pub id: i64,
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

/// What rendering needs of all linkifiers, as of one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkifierList {
    /// `realms.linkifiers_version`.
    pub version: String,
    /// Pattern and URL template, in the order of the list.
    pub linkifiers: Vec<(String, String)>,
}

fn read(row: &mut Row<'_>) -> Result<LinkifierRow, DbError> {
    Ok(LinkifierRow {
        id: row.integer()?,
        pattern: row.text()?,
        url_template: row.text()?,
        example_input: row.optional_text()?,
        reverse_template: row.optional_text()?,
        alternative_url_templates: row.text()?,
    })
}

/// The records of the wire as a JSON array, in order (docs/protocol/linkifiers.md#linkifier).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, realm_id: i64) -> Result<String, DbError> {
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
    .read_one(|row| row.text())
}

/// The list for rendering, with the version that belongs to it.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn list(db: &dyn Db, realm_id: i64) -> Result<LinkifierList, DbError> {
    let rows = db
        .query(
            sql!(
                "SELECT r.linkifiers_version, l.pattern, l.url_template FROM realms r \
                 LEFT JOIN linkifiers l ON l.realm_id = r.id \
                 WHERE r.id = ?1 ORDER BY l.position, l.id"
            ),
            &params![realm_id],
        )?
        .read_all(|row| Ok((row.text()?, row.optional_text()?, row.optional_text()?)))?;
    let mut list = LinkifierList::default();
    for (version, pattern, template) in rows {
        list.version = version;
        list.linkifiers.extend(pattern.zip(template));
    }
    Ok(list)
}

/// Reads one linkifier.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_id(db: &dyn Db, realm_id: i64, id: i64) -> Result<Option<LinkifierRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, pattern, url_template, example_input, reverse_template, \
             alternative_url_templates FROM linkifiers WHERE realm_id = ?1 AND id = ?2"
        ),
        &params![realm_id, id],
    )?
    .read_first(read)
}

/// Ids in the order of the list.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn ids(db: &dyn Db, realm_id: i64) -> Result<Vec<i64>, DbError> {
    db.query(
        sql!("SELECT id FROM linkifiers WHERE realm_id = ?1 ORDER BY position, id"),
        &params![realm_id],
    )?
    .read_all(|row| row.integer())
}

/// Adds a linkifier behind all others; `row.id` is ignored. Returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when the pattern is taken.
pub fn insert(tx: &WriteTx<'_>, realm_id: i64, row: &LinkifierRow) -> Result<i64, DbError> {
    tx.execute(
        "INSERT INTO linkifiers (realm_id, position, pattern, url_template, example_input, \
             reverse_template, alternative_url_templates) \
         SELECT ?1, coalesce(max(position) + 1, 0), ?2, ?3, ?4, ?5, ?6 \
         FROM linkifiers WHERE realm_id = ?1 RETURNING id",
        &params![
            realm_id,
            &row.pattern,
            &row.url_template,
            row.example_input.as_deref(),
            row.reverse_template.as_deref(),
            &row.alternative_url_templates
        ],
    )?
    .read_one(|row| row.integer())
}

/// Writes all fields of the linkifier `row.id`.
///
/// # Errors
/// [`DbError::NotUnique`] when the pattern is taken.
pub fn update(tx: &WriteTx<'_>, realm_id: i64, row: &LinkifierRow) -> Result<(), DbError> {
    tx.execute(
        "UPDATE linkifiers SET pattern = ?3, url_template = ?4, example_input = ?5, \
         reverse_template = ?6, alternative_url_templates = ?7 WHERE realm_id = ?1 AND id = ?2",
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
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(tx: &WriteTx<'_>, realm_id: i64, id: i64) -> Result<bool, DbError> {
    let found = tx
        .execute(
            "DELETE FROM linkifiers WHERE realm_id = ?1 AND id = ?2 RETURNING id",
            &params![realm_id, id],
        )?
        .read_first(|row| row.integer())?;
    Ok(found.is_some())
}

/// Puts the list into the order of a JSON list that holds every id once.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn reorder(tx: &WriteTx<'_>, realm_id: i64, ids: &str) -> Result<(), DbError> {
    tx.execute(
        "UPDATE linkifiers SET position = \
             (SELECT e.key FROM json_each(?2) e WHERE e.value = linkifiers.id) \
         WHERE realm_id = ?1",
        &params![realm_id, ids],
    )?;
    Ok(())
}

/// Notes that the list has changed; `version` has never been used before.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_version(tx: &WriteTx<'_>, realm_id: i64, version: &str) -> Result<(), DbError> {
    tx.execute(
        "UPDATE realms SET linkifiers_version = ?2 WHERE id = ?1",
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
            id: 0,
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
        assert_eq!(list(&tx, 1), Ok(LinkifierList::default()));
        assert_eq!(records(&tx, 1).unwrap(), "[]");
        let one = insert(&tx, 1, &row("one")).unwrap();
        let two = insert(&tx, 1, &row("two")).unwrap();
        assert!(matches!(
            insert(&tx, 1, &row("one")),
            Err(DbError::NotUnique(_))
        ));
        assert_eq!(ids(&tx, 1).unwrap(), [one, two]);
        reorder(&tx, 1, &format!("[{two},{one}]")).unwrap();
        set_version(&tx, 1, "v").unwrap();
        let found = list(&tx, 1).unwrap();
        assert_eq!(found.version, "v");
        assert_eq!(found.linkifiers[0].0, "two");
        let three = insert(&tx, 1, &row("three")).unwrap();
        assert_eq!(ids(&tx, 1).unwrap(), [two, one, three]);
        assert_eq!(delete(&tx, 1, one), Ok(true));
        assert_eq!(delete(&tx, 1, one), Ok(false));
        let changed = LinkifierRow {
            id: two,
            example_input: Some("two".to_owned()),
            ..row("2")
        };
        update(&tx, 1, &changed).unwrap();
        assert_eq!(by_id(&tx, 1, two).unwrap(), Some(changed));
        assert!(records(&tx, 1).unwrap().starts_with(&format!(
            r#"[{{"id":{two},"pattern":"2","url_template":"https://x.example/","#
        )));
    }
}
