//! Views of a user's sidebar: their choices about built-in views, and views of their own.

use spindle_domain::UserId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// One view.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NavigationViewRow {
        /// Identifies the view; the part of an address behind its `#`.
        pub fragment: String,
        /// Whether it is in the sidebar itself; else it is in the menu of further views.
        pub is_pinned: bool,
        /// None for a built-in view.
        pub name: Option<String>,
    }
}

/// The views of user `?1`.
macro_rules! navigation_views_query {
    () => {
        "SELECT json_group_array(json(json_patch('{}', json_object('fragment', fragment, \
             'is_pinned', json(iif(is_pinned, 'true', 'false')), 'name', name))) ORDER BY fragment) \
         FROM navigation_views WHERE user_id = ?1"
    };
}
pub(crate) use navigation_views_query;

/// The views of a user as a JSON list by fragment; built-in ones have no name.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    // json_patch leaves out null values of its second object.
    db.query(sql!(navigation_views_query!()), &params![user_id])?
        .one_value()
}

/// Finds a view of a user.
pub fn by_fragment(
    db: &dyn Db,
    user_id: UserId,
    fragment: &str,
) -> Result<Option<NavigationViewRow>, DbError> {
    db.query(
        sql!("SELECT fragment, is_pinned, name FROM navigation_views WHERE user_id = ?1 AND fragment = ?2"),
        &params![user_id, fragment],
    )?
    .first()
}

/// Whether another view of the user than `fragment` has this name.
pub fn is_name_taken(
    db: &dyn Db,
    user_id: UserId,
    fragment: &str,
    name: &str,
) -> Result<bool, DbError> {
    let rows = db.query(
        sql!("SELECT 1 FROM navigation_views WHERE user_id = ?1 AND name = ?3 AND fragment <> ?2"),
        &params![user_id, fragment, name],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Stores a new view.
///
/// # Errors
/// [`DbError::NotUnique`] when the fragment or the name is taken.
pub fn insert(tx: &WriteTx<'_>, user_id: UserId, view: &NavigationViewRow) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO navigation_views (user_id, fragment, is_pinned, name) VALUES (?1, ?2, ?3, ?4)"),
        &params![
            user_id,
            &view.fragment,
            view.is_pinned,
            view.name.as_deref()
        ],
    )?;
    Ok(())
}

/// Changes pin and name of a view.
///
/// # Errors
/// [`DbError::NotUnique`] when the name is taken.
pub fn update(tx: &WriteTx<'_>, user_id: UserId, view: &NavigationViewRow) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE navigation_views SET is_pinned = ?3, name = ?4 WHERE user_id = ?1 AND fragment = ?2"),
        &params![
            user_id,
            &view.fragment,
            view.is_pinned,
            view.name.as_deref()
        ],
    )?;
    Ok(())
}

/// Deletes a view; false when the user has no such view.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, fragment: &str) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM navigation_views WHERE user_id = ?1 AND fragment = ?2 RETURNING 1"),
        &params![user_id, fragment],
    )?;
    Ok(!rows.rows.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    fn view(fragment: &str, name: Option<&str>) -> NavigationViewRow {
        NavigationViewRow {
            fragment: fragment.to_owned(),
            is_pinned: true,
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn built_in_views_have_no_name() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let ann = testing::user(&tx, "ann@x.org");
        insert(&tx, ann, &view("inbox", None)).unwrap();
        insert(&tx, ann, &view("narrow/x", Some("X"))).unwrap();
        assert_eq!(
            records(&tx, ann).unwrap(),
            r#"[{"fragment":"inbox","is_pinned":true},{"fragment":"narrow/x","is_pinned":true,"name":"X"}]"#
        );
        assert_eq!(is_name_taken(&tx, ann, "inbox", "X"), Ok(true));
        assert_eq!(is_name_taken(&tx, ann, "narrow/x", "X"), Ok(false));
        let changed = NavigationViewRow {
            is_pinned: false,
            ..view("narrow/x", Some("Y"))
        };
        update(&tx, ann, &changed).unwrap();
        assert_eq!(by_fragment(&tx, ann, "narrow/x"), Ok(Some(changed)));
        assert_eq!(delete(&tx, ann, "inbox"), Ok(true));
        assert_eq!(delete(&tx, ann, "inbox"), Ok(false));
    }
}
