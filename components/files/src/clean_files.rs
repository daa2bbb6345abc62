//! POST /internal/clean-files: files that no message has named for weeks, and blobs that nobody
//! needs.
//!
//! Called by a timer. A blob is forgotten only after it is gone; a repeated call finds nothing
//! left to do.

use spindle_actions::{clean_files, forget_blobs};
use spindle_domain::RealmId;
use spindle_guest::{BlobWork, Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::post("clean-files", "/internal/clean-files", Guard::Internal, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm_id = RealmId::ONLY.get();
    let keys = clean_files(call.db()?, realm_id, call.now())?;
    Ok(Reply::BlobWork(BlobWork {
        put: Vec::new(),
        delete: keys.clone(),
        then: Box::new(move |db, now| {
            if !keys.is_empty() {
                forget_blobs(db, realm_id, now, &keys)?;
            }
            let reply = spindle_wire::Reply::empty().field("deleted_blobs", &keys.len())?;
            Ok(reply.into())
        }),
    }))
}
