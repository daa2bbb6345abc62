//! Netlify: deploys and form submissions. Netlify signs with a token of its own form (JWS), which is not checked.

use crate::message::{event, fields};
use crate::text::{block, bold, code, escape, joined, link};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static NETLIFY: Integration = Integration {
    name: "netlify",
    display_name: "Netlify",
    setup: "Project configuration > Notifications > Deploy notifications > Add notification > HTTP POST request\n\
            URL to notify: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "deploy_building",
    "deploy_created",
    "deploy_deleted",
    "deploy_failed",
    "deploy_locked",
    "deploy_request_accepted",
    "deploy_request_pending",
    "deploy_request_rejected",
    "deploy_restored",
    "deploy_unlocked",
    "submission_created",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let kind = match event(EVENTS, call.header("x-netlify-event")) {
        "" => kind_of(body),
        kind => kind,
    };
    if kind == "submission_created" {
        return submission(body).into();
    }
    let site = body.at("name").str();
    if site.is_empty() || kind.is_empty() {
        return Outcome::Unknown;
    }
    let name = link(site, body.first(&["ssl_url", "url"]).str());
    let branch = body.at("branch").str();
    let of = if branch.is_empty() {
        String::new()
    } else {
        format!(" of {}", code(branch))
    };
    let deploy = format!(
        "{}{of}",
        link(
            "deploy",
            body.first(&["deploy_ssl_url", "deploy_url"]).str()
        )
    );
    let said = match kind {
        "deploy_building" => format!("A {deploy} to {name} **started**."),
        "deploy_created" => format!("The {deploy} to {name} **succeeded**{}.", time(body)),
        "deploy_failed" => format!("The {deploy} to {name} **failed**{}.", time(body)),
        "deploy_deleted" => format!("The {deploy} to {name} was **deleted**."),
        "deploy_restored" => format!("The {deploy} to {name} was **published again**."),
        "deploy_locked" => format!(
            "{name} is **locked** to this {deploy}; later ones are not published automatically."
        ),
        "deploy_unlocked" => format!(
            "{name} is **unlocked** from this {deploy}; later ones are published automatically."
        ),
        "deploy_request_pending" => format!("A {deploy} to {name} **waits for approval**."),
        "deploy_request_accepted" => format!("The {deploy} to {name} was **approved**."),
        _ => format!("The {deploy} to {name} was **rejected**."),
    };
    let error = block(body.at("error_message").str(), "");
    Message::new(kind, site, [&*said, &*details(body), &*error]).into()
}

/// The kind that the body tells, where the header is missing.
fn kind_of(body: Node<'_>) -> &'static str {
    if body.at("form_name").exists() {
        return "submission_created";
    }
    match body.at("state").str() {
        _ if body.at("locked").is_true() => "deploy_locked",
        "ready" => "deploy_created",
        "error" => "deploy_failed",
        "" => "",
        _ => "deploy_building",
    }
}

fn time(body: Node<'_>) -> String {
    let seconds = body
        .at("deploy_time")
        .number()
        .filter(|seconds| *seconds > 0);
    seconds.map_or_else(String::new, |seconds| format!(" after {seconds} s"))
}

fn details(body: Node<'_>) -> String {
    let context = match body.at("context").str() {
        "" => String::new(),
        context => format!("Context: {}", escape(&context.replace('-', " "))),
    };
    let review = link(
        &format!("request {}", body.at("review_id").text()),
        body.at("review_url").str(),
    );
    let commit: String = body.at("commit_ref").str().chars().take(7).collect();
    let commit = link(&commit, body.at("commit_url").str());
    let title = escape(body.at("title").str());
    let commit = joined([title, commit], " ");
    let review = if body.at("review_url").exists() {
        review
    } else {
        String::new()
    };
    let admin = body.at("admin_url").str();
    let log = match (admin, body.at("id").str()) {
        ("", _) | (_, "") => String::new(),
        (admin, id) => link("log", &format!("{admin}/deploys/{id}")),
    };
    joined([context, commit, review, log], " · ")
}

fn submission(body: Node<'_>) -> Message {
    let form = body.at("form_name").str();
    let site = body.at("site_url").str();
    let said = format!(
        "The form {} was **submitted** at {}.",
        bold(form),
        link(site, site)
    );
    let data = body.first(&["human_fields", "data"]);
    let data = fields(data.fields());
    Message::new(
        "submission_created",
        format!("form {form}"),
        [&*said, &*data],
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::NETLIFY;
    use crate::testing::message;

    #[test]
    fn deploys_have_branch_and_links() {
        let body = json!({"id": "5b", "state": "error", "name": "shop", "ssl_url": "https://shop.netlify.app",
            "admin_url": "https://app.netlify.com/sites/shop", "deploy_ssl_url": "https://5b--shop.netlify.app",
            "branch": "a_b", "context": "deploy-preview", "error_message": "Build script *failed*", "deploy_time": 3,
            "title": "Add @**all**", "commit_ref": "0123456789", "commit_url": "https://github.com/x/shop/commit/0123456789"});
        let said = message(&NETLIFY, &[("x-netlify-event", "deploy_failed")], &body);
        assert_eq!((said.event, &*said.topic), ("deploy_failed", "shop"));
        assert_eq!(
            said.content,
            "The [deploy](https://5b--shop.netlify.app) of `a_b` to [shop](https://shop.netlify.app) **failed** after 3 s.\n\
             Context: deploy preview · Add @&#42;&#42;all&#42;&#42; [0123456](https://github.com/x/shop/commit/0123456789) · \
             [log](https://app.netlify.com/sites/shop/deploys/5b)\n```\nBuild script *failed*\n```"
        );
        let body = json!({"state": "ready", "name": "shop", "locked": true});
        let said = message(&NETLIFY, &[], &body);
        assert_eq!(said.event, "deploy_locked");
        assert_eq!(
            said.content,
            "shop is **locked** to this deploy; later ones are not published automatically."
        );
    }

    #[test]
    fn forms_list_what_was_entered() {
        let body = json!({"form_name": "contact", "site_url": "https://x.org", "data": {"email": "a@x.org", "note": "*hi*"}});
        let said = message(&NETLIFY, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("submission_created", "form contact")
        );
        assert_eq!(
            said.content,
            "The form **contact** was **submitted** at [https://x.org](https://x.org).\n\
             * **email**: a@x.org\n* **note**: &#42;hi&#42;"
        );
    }
}
