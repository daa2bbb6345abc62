//! The channels that new accounts join.
//!
//! Owns the rows of `default_channels`.

use spindle_domain::{ChannelId, RealmId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Makes a channel one that new users join.
pub fn add(tx: &WriteTx<'_>, channel_id: ChannelId) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO default_channels (channel_id) VALUES (?1) ON CONFLICT DO NOTHING"),
        &params![channel_id],
    )?;
    Ok(())
}

/// Ids of the channels that new users join, as a JSON list.
pub fn ids(db: &dyn Db, realm_id: RealmId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(d.channel_id ORDER BY d.channel_id) FROM default_channels d \
             JOIN channels ch ON ch.id = d.channel_id WHERE ch.realm_id = ?1 AND ch.is_archived = 0"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// Makes a channel one that new users no longer join.
pub fn remove(tx: &WriteTx<'_>, channel_id: ChannelId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM default_channels WHERE channel_id = ?1"),
        &params![channel_id],
    )?;
    Ok(())
}
