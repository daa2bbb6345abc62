//! `messages-000001.json` and its successors (docs/protocol/archive.md#package).

use spindle_domain::MessageId;
use spindle_store::archive::{count_messages, each_receipt, message_ids, messages};

use super::ExportError;
use super::pack::Pack;
use super::snapshot::Snapshot;
use spindle_system::progress::{Progress, Unit};

/// Most messages of one file.
const IN_A_FILE: i64 = 1000;

/// Writes all files of messages.
pub(super) fn all(
    pack: &mut Pack<'_>,
    snapshot: &Snapshot<'_>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let db = snapshot.db;
    progress.step("packing messages", Unit::Pieces, count_messages(db)?);
    let (mut number, mut after, mut receipts) = (0, MessageId::MIN, 0);
    loop {
        let ids = message_ids(db, after, IN_A_FILE)?;
        let found = messages(db, &ids)?;
        let Some(last) = found.last() else {
            return Ok(());
        };
        (after, number) = (last.id, number + 1);
        pack.tables(&format!("messages-{number:06}.json"), |tables| {
            tables.table("zerver_message", |rows| {
                found.iter().try_for_each(|message| rows.row(&message.row))
            })?;
            tables.table("zerver_usermessage", |rows| {
                each_receipt(db, &ids, |receipt| {
                    // The layout requires an id for every row; here it combines the other two ids.
                    receipts += 1;
                    rows.numbers(&[
                        ("flags_mask", receipt.flags),
                        ("id", receipts),
                        ("message", receipt.message_id.into()),
                        ("user_profile", receipt.user_id.into()),
                    ])
                })
            })
        })?;
        progress.add(found.len() as u64);
    }
}
