//! GET /user_uploads/thumbnail/..., `server_thumbnail_formats`, and previews of uploads in messages
//! (docs/protocol/markdown.md#media).

use serde_json::Value;
use spindle_tests::User;
use spindle_tests::images::{gif, png, tiff};

use super::{attachments, send, upload, uploaded};
use crate::support::server;

/// Uploads a file and returns its path.
#[track_caller]
fn uploaded_image(user: &User, name: &str, content: &[u8]) -> String {
    let body = upload(user, name, content);
    body["url"].as_str().expect("url").to_owned()
}

/// The path of one of an image's thumbnails.
fn picture(url: &str, name: &str) -> String {
    let path = url.replace("/user_uploads/", "/user_uploads/thumbnail/");
    format!("{path}/{name}")
}

/// The HTML of a message to oneself, and its id.
#[track_caller]
fn shown(user: &User, content: &str) -> (String, i64) {
    let id = send(user, "direct", &format!("[{}]", user.id()), content);
    let message = user.get(&format!("/messages/{id}"), &[]).ok()["message"].clone();
    (message["content"].as_str().expect("HTML").to_owned(), id)
}

fn formats(user: &User) -> Vec<Value> {
    let body = user.post("/register", &[("fetch_event_types", "[\"realm\"]")]);
    let body = body.ok();
    let formats = body["server_thumbnail_formats"].as_array();
    formats.expect("formats").clone()
}

#[test]
fn every_format_that_is_announced_exists_of_every_image() {
    let user = server().user("member");
    let formats = formats(&user);
    let is_animated = |format: &Value| format["animated"].as_bool().expect("a flag");
    assert!(formats.iter().any(is_animated) && !formats.iter().all(is_animated));
    for (name, content) in [
        ("a.png", png(40, 20)),
        ("a.gif", gif(3)),
        ("a.tiff", tiff(30, 20)),
    ] {
        let url = uploaded_image(&user, name, &content);
        for format in &formats {
            assert_eq!(format["max_width"], 840);
            assert_eq!(format["max_height"], 560);
            let called = format["name"].as_str().expect("a name");
            let ending = format["format"].as_str().expect("an ending");
            assert!(called.ends_with(ending), "{called}");
            let found = user.fetch(&picture(&url, called), &[]);
            assert_eq!(found.status, 200, "{name} {called}");
            let kind = found.header("content-type").expect("a type");
            assert!(kind.starts_with("image/"), "{kind}");
        }
        for other in ["1x1.webp", "840x560", "840x560.jpg", "30x21.webp"] {
            assert_eq!(user.fetch(&picture(&url, other), &[]).status, 404, "{name}");
        }
    }
}

#[test]
fn animated_images_have_animated_thumbnails() {
    let user = server().user("member");
    let moving = gif(3);
    let url = uploaded_image(&user, "a.gif", &moving);
    let (html, _) = shown(&user, &format!("[a]({url})"));
    let address = picture(&url, "840x560-anim.webp");
    let image = format!(
        "<img data-animated=\"true\" data-original-content-type=\"image/gif\" \
         data-original-dimensions=\"1x1\" src=\"{address}\">"
    );
    assert!(html.contains(&image), "{html}");
    let found = user.fetch(&address, &[]);
    assert_eq!(found.header("content-type"), Some("image/gif"));
    assert_eq!(found.bytes, moving);
    let still = user.fetch(&picture(&url, "840x560.webp"), &[]);
    assert_ne!(still.header("content-type"), Some("image/gif"));
    let url = uploaded_image(&user, "b.gif", &gif(1));
    let (html, _) = shown(&user, &format!("[b]({url})"));
    assert!(!html.contains("data-animated"), "{html}");
    assert!(html.contains(&picture(&url, "840x560.webp")), "{html}");
}

#[test]
fn formats_that_browsers_do_not_show_are_transcoded() {
    let user = server().user("member");
    let url = uploaded_image(&user, "a.tiff", &tiff(900, 30));
    let (html, _) = shown(&user, &format!("![a]({url})"));
    assert!(
        html.contains("data-original-content-type=\"image/tiff\"")
            && html.contains("data-original-dimensions=\"900x30\"")
            && html.contains("data-transcoded-image=\"900x30.webp\""),
        "{html}"
    );
    let copy = user.fetch(&picture(&url, "900x30.webp"), &[]);
    assert_eq!(copy.status, 200);
    assert_eq!(copy.header("content-type"), Some("image/jpeg"));
    assert_eq!(user.fetch(&url, &[]).status, 200);
    let plain = uploaded_image(&user, "a.png", &png(90, 30));
    assert_eq!(user.fetch(&picture(&plain, "90x30.webp"), &[]).status, 404);
}

#[test]
fn thumbnails_have_the_access_of_their_file_and_are_deleted_with_it() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let url = uploaded_image(&user, "a.gif", &gif(2));
    let names = ["840x560.webp", "840x560-anim.webp"];
    for name in names {
        assert_eq!(other.fetch(&picture(&url, name), &[]).status, 404, "{name}");
    }
    send(
        &user,
        "direct",
        &format!("[{}]", other.id()),
        &format!("![a]({url})"),
    );
    for name in names {
        assert_eq!(other.fetch(&picture(&url, name), &[]).status, 200, "{name}");
    }
    let id = attachments(&user)[0]["id"].to_string();
    user.delete(&format!("/attachments/{id}"), &[]).ok();
    for name in names {
        for reader in [&user, &other] {
            assert_eq!(
                reader.fetch(&picture(&url, name), &[]).status,
                404,
                "{name}"
            );
        }
    }
}

#[test]
fn images_within_the_text_claim_the_file() {
    let user = server().user("member");
    let url = uploaded_image(&user, "a.png", &png(1680, 800));
    let (html, id) = shown(&user, &format!("see ![the plan]({url})"));
    let expected = format!(
        "<p>see <img alt=\"the plan\" class=\"inline-image\" \
         data-original-content-type=\"image/png\" data-original-dimensions=\"1680x800\" \
         data-original-src=\"{url}\" src=\"{}\"></p>",
        picture(&url, "840x560.webp")
    );
    assert_eq!(html, expected);
    assert_eq!(
        attachments(&user)[0]["message_ids"],
        serde_json::json!([id])
    );
}

#[test]
fn sound_has_a_player_and_other_files_a_link() {
    let user = server().user("member");
    let url = uploaded_image(&user, "a.mp3", b"ID3");
    let (html, _) = shown(&user, &format!("![song]({url})"));
    assert_eq!(
        html,
        format!(
            "<p><audio controls preload=\"metadata\" src=\"{url}\" title=\"song\"></audio></p>"
        )
    );
    let url = uploaded(&user, "a.txt");
    let (html, _) = shown(&user, &format!("![notes]({url})"));
    assert_eq!(html, format!("<p><a href=\"{url}\">notes</a></p>"));
}

/// The picture of another user is not shown: it is a link like any other, whether the file exists or not.
#[test]
fn inaccessible_pictures_are_links() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let url = uploaded_image(&other, "a.png", &png(40, 20));
    let (html, _) = shown(&user, &format!("![x]({url})"));
    assert_eq!(html, format!("<p>!<a href=\"{url}\">x</a></p>"));
}
