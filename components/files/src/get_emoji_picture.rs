//! GET /user_avatars/{realm_id}/emoji/{file_name}: the image of a custom emoji.
//!
//! The media type follows from the name, which this server has assigned; other names do not exist.

use crate::serving;
use spindle_actions::organization::emoji_key;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-emoji-picture",
    "/user_avatars/{realm_id}/emoji/{file_name}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm_id = call.path_id("realm_id")?;
    let file_name = call.path_text("file_name")?;
    let media_type = media_type(file_name)
        .ok_or_else(|| ApiError::not_found_object("There is no such picture"))?;
    Ok(serving::picture(emoji_key(realm_id, file_name), media_type))
}

/// The media type of a file name that this server could have assigned.
pub(crate) fn media_type(file_name: &str) -> Option<&'static str> {
    let (stem, ending) = file_name.rsplit_once('.')?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if stem.is_empty() || stem.len() > 100 || !stem.bytes().all(is_plain) {
        return None;
    }
    match ending {
        "gif" => Some("image/gif"),
        "png" => Some("image/png"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn only_names_of_our_own_lead_somewhere() {
        assert_eq!(media_type("0a-still.png"), Some("image/png"));
        assert_eq!(media_type("0a.gif"), Some("image/gif"));
        for name in [
            "", ".png", "a", "a.svg", "../a.png", "a/b.png", "a.b.png", "a b.png",
        ] {
            assert_eq!(media_type(name), None, "{name}");
        }
    }
}
