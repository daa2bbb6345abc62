//! WordPress, with a plugin that calls webhooks: HookPress sends the fields of a form that its owner chooses, WP Webhooks
//! a post as JSON.

use crate::changes::capitalized;
use crate::html::text_of;
use crate::text::{bold, code, escape, link, quote};
use crate::{Call, Integration, Message, Node, Outcome};

const EVENTS: &[&str] = &[
    "comment_post",
    "delete_post",
    "other",
    "post",
    "publish_page",
    "publish_post",
    "user_register",
    "wp_login",
];

pub(crate) static WORDPRESS: Integration = Integration {
    name: "wordpress",
    display_name: "WordPress",
    setup: "Settings > Webhooks (plugin: HookPress) > Add webhook\n\
            WordPress hook type: action\n\
            Fields: post_title, post_url, post_type\n\
            URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let hook = body.at("hook").str().trim();
    let title = body.first(&["post_title", "post/post_title"]).str();
    if hook.is_empty() && title.is_empty() {
        return Outcome::Unknown;
    }
    let known = if hook.is_empty() { "post" } else { hook };
    let event = EVENTS.iter().copied().find(|event| *event == known);
    let post = body.first(&["post_type", "post/post_type"]).str();
    let kind = if !post.is_empty() {
        escape(post)
    } else if hook == "publish_page" {
        "page".to_owned()
    } else {
        "post".to_owned()
    };
    let said = match hook {
        "publish_post" | "publish_page" => published(body, &kind, title),
        "delete_post" | "trashed_post" => format!("A {kind} was deleted: {}.", bold_or(title)),
        "comment_post" | "wp_insert_comment" => commented(body),
        "user_register" => format!("{} registered.", person(body)),
        "wp_login" => format!("{} logged in.", person(body)),
        "" => saved(body, &kind, title),
        _ => format!("WordPress reported {}{}.", code(hook), of(title)),
    };
    let text = body.first(&["comment_content", "post_excerpt", "post/post_excerpt"]);
    let text = quote(&text_of(text.str()));
    let topic = if title.is_empty() { "WordPress" } else { title };
    Message::new(event.unwrap_or("other"), topic, [&*said, &*text]).into()
}

fn address(body: Node<'_>) -> &str {
    let paths = ["post_url", "post_permalink", "guid", "post/guid"];
    body.first(&paths).str()
}

fn published(body: Node<'_>, kind: &str, title: &str) -> String {
    if title.is_empty() {
        return format!("A new {kind} was published.");
    }
    let post = link(title, address(body));
    let author = body.first(&["post_author_name", "display_name"]).str();
    if author.is_empty() {
        format!("The {kind} {post} was published.")
    } else {
        format!("{} published the {kind} {post}.", escape(author))
    }
}

fn saved(body: Node<'_>, kind: &str, title: &str) -> String {
    let post = link(title, address(body));
    let done = match body.first(&["post_status", "post/post_status"]).str() {
        "publish" => "was published",
        "draft" | "auto-draft" => "was saved as a draft",
        "pending" => "waits for a review",
        "future" => "is scheduled",
        "private" => "was published privately",
        "trash" => "was moved to the trash",
        _ => "was saved",
    };
    capitalized(&format!("the {kind} {post} {done}."))
}

fn commented(body: Node<'_>) -> String {
    let who = match body.at("comment_author").str() {
        "" => "An unnamed person".to_owned(),
        name => escape(name),
    };
    let title = body.first(&["post_title", "post/post_title"]).str();
    match link(title, address(body)) {
        post if post.is_empty() => format!("{who} wrote a comment:"),
        post => format!("{who} commented on {post}:"),
    }
}

fn person(body: Node<'_>) -> String {
    let name = body.first(&["display_name", "user_login", "user_nicename", "user_name"]);
    match name.str() {
        "" => "A person".to_owned(),
        name => bold(name),
    }
}

fn bold_or(title: &str) -> String {
    if title.is_empty() {
        "one without a title".to_owned()
    } else {
        bold(title)
    }
}

fn of(title: &str) -> String {
    if title.is_empty() {
        String::new()
    } else {
        format!(" for {}", bold(title))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::WORDPRESS;
    use crate::testing::message;

    #[test]
    fn posts_and_people() {
        for (body, topic, content) in [
            (
                json!({"hook": "publish_post", "post_title": "New *shop*", "post_url": "https://x.org/p"}),
                "New *shop*",
                "The post [New &#42;shop&#42;](https://x.org/p) was published.",
            ),
            (
                json!({"hook": "publish_page"}),
                "WordPress",
                "A new page was published.",
            ),
            (
                json!({"hook": "user_register", "display_name": "Ann"}),
                "WordPress",
                "**Ann** registered.",
            ),
            (
                json!({"hook": "comment_post", "comment_author": "Ann", "comment_content": "<p>Hi @**all**</p>"}),
                "WordPress",
                "Ann wrote a comment:\n```quote\nHi &#64;**all**\n```",
            ),
            (
                json!({"post": {"post_title": "Shop", "post_status": "draft", "post_type": "page"}}),
                "Shop",
                "The page Shop was saved as a draft.",
            ),
            (
                json!({"hook": "switch_theme"}),
                "WordPress",
                "WordPress reported `switch_theme`.",
            ),
        ] {
            let said = message(&WORDPRESS, &[], &body);
            assert_eq!((&*said.topic, &*said.content), (topic, content));
        }
    }
}
