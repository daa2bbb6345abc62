//! GET /user_uploads/temporary/{token}/{file_name}: a file under its temporary URL.

use crate::serving;
use spindle_actions::files::find_temporary_file;
use spindle_domain::RealmId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-temporary-file",
    "/user_uploads/temporary/{token}/{file_name}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let (token, name) = (call.path_text("token")?, call.path_text("file_name")?);
    let realm_id = RealmId::ONLY;
    let file = find_temporary_file(call.db()?, realm_id, call.now(), token, name)?;
    serving::file(&file)
}
