//! Requests of the rows about files: uploads, avatars, custom emoji.

use spindle_tests::images::png;
use spindle_tests::{Call, FilePart, User, unique};

use crate::Context;

/// An object of the caller, or of another user; callers who cannot create one name the other's as
/// well.
fn owner<'a>(variant: &str, context: &'a Context<'_>) -> &'a User {
    if variant.starts_with("other's") || !context.can_call() {
        &context.others.user
    } else {
        &context.caller.user
    }
}

pub(crate) fn request(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    uploads(operation, variant, context)
        .or_else(|| resumable(operation, variant, context))
        .or_else(|| pictures(operation))
        .or_else(|| emoji(operation, variant, context))
}

fn picture(path: &str, pairs: &[(&str, &str)]) -> Call {
    let content = png(8, 8);
    let file = FilePart {
        field: "file",
        file_name: "a.png",
        content_type: Some("image/png"),
        content: &content,
    };
    Call::new("POST", path).upload(pairs, &[file])
}

fn uploads(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let upload = || {
        let owner = owner(variant, context);
        let made = owner.upload("/user_uploads", "a.txt", b"text").ok();
        made["url"].as_str().expect("url").to_owned()
    };
    Some(match operation {
        "POST /user_uploads" => picture("/user_uploads", &[]),
        "GET /user_uploads/{realm_id}/{random}/{file_name}" => {
            let url = upload();
            if variant == "other's in a public channel" {
                let pairs = [
                    ("type", "channel"),
                    ("to", context.others.public_channel.as_str()),
                    ("topic", "t"),
                    ("content", &format!("[a]({url})")),
                ];
                context.others.user.post("/messages", &pairs).ok();
            }
            Call::new("GET", &url)
        }
        "GET /attachments" => Call::new("GET", "/attachments"),
        "DELETE /attachments/{attachment_id}" => {
            upload();
            let listed = owner(variant, context).get("/attachments", &[]).ok();
            let id = &listed["attachments"][0]["id"];
            Call::new("DELETE", &format!("/attachments/{id}"))
        }
        _ => return None,
    })
}

fn resumable(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let tus = |method: &str, path: &str| Call::new(method, path).header("tus-resumable", "1.0.0");
    let create = || tus("POST", "/tus").header("upload-length", "4");
    if operation == "POST /tus" {
        return Some(create());
    }
    let method = operation.strip_suffix(" /tus/{upload}")?;
    let begun = owner(variant, context).send(create());
    let location = begun.header("location").expect("an address");
    let (_, path) = location
        .split_once("/api/v1")
        .expect("an address of the API");
    let call = tus(method, path);
    Some(match method {
        "PATCH" => call
            .header("upload-offset", "0")
            .raw(Some("application/offset+octet-stream"), b"text"),
        _ => call,
    })
}

fn pictures(operation: &str) -> Option<Call> {
    Some(match operation {
        "POST /users/me/avatar" => picture("/users/me/avatar", &[]),
        "DELETE /users/me/avatar" => Call::new("DELETE", "/users/me/avatar"),
        "POST /realm/icon" => picture("/realm/icon", &[]),
        "DELETE /realm/icon" => Call::new("DELETE", "/realm/icon"),
        "POST /realm/logo" => picture("/realm/logo", &[("night", "false")]),
        "DELETE /realm/logo" => Call::new("DELETE", "/realm/logo").form(&[("night", "false")]),
        _ => return None,
    })
}

fn emoji(operation: &str, variant: &str, context: &Context<'_>) -> Option<Call> {
    let name = unique("matrix").to_lowercase();
    let path = format!("/realm/emoji/{name}");
    Some(match operation {
        "GET /realm/emoji" => Call::new("GET", "/realm/emoji"),
        "POST /realm/emoji/{emoji_name}" => picture(&path, &[]),
        "DELETE /realm/emoji/{emoji_name}" => {
            // Guests cannot create one.
            let owner = match context.role() {
                "guest" => &context.others.user,
                _ => owner(variant, context),
            };
            owner.send(picture(&path, &[])).ok();
            Call::new("DELETE", &path)
        }
        _ => return None,
    })
}
