//! The ids of the channels that a person may know of, to compare them before and after a change.

use spindle_domain::ChannelId;

use crate::channels::{Visible, visible_condition};
use crate::{Db, DbError, row_struct, sql};

row_struct! {
    /// A channel that a person may know of.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct VisibleChannel {
        pub channel_id: ChannelId,
        pub is_archived: bool,
    }
}

/// The visible channels, by id.
pub fn list(db: &dyn Db, visible: &Visible) -> Result<Vec<VisibleChannel>, DbError> {
    db.query(
        sql!(
            "SELECT ch.id AS channel_id, ch.is_archived FROM channels ch WHERE ",
            visible_condition!(),
            " ORDER BY ch.id"
        ),
        &visible.params(),
    )?
    .all()
}

/// Those of the channels in a JSON list of ids that are visible, by id.
pub fn among(
    db: &dyn Db,
    visible: &Visible,
    channel_ids: &str,
) -> Result<Vec<VisibleChannel>, DbError> {
    let mut params = visible.params().to_vec();
    params.push(channel_ids.into());
    db.query(
        sql!(
            "SELECT ch.id AS channel_id, ch.is_archived FROM channels ch WHERE ",
            visible_condition!(),
            " AND ch.id IN (SELECT value FROM json_ids(?10)) ORDER BY ch.id"
        ),
        &params,
    )?
    .all()
}
