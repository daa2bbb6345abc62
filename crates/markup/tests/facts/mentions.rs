//! Mentions. (docs/protocol/markdown.md#mentions)

use crate::common::{self, html};

/// Facts 1.8.
#[test]
fn mentions() {
    let loud = "<span class=\"user-mention\" data-user-id=\"12\">@Mark Member</span>";
    let silent = "<span class=\"user-mention silent\" data-user-id=\"12\">Mark Member</span>";
    let gone = "<span class=\"user-mention silent\" data-user-id=\"15\">Gone User</span>";
    for (content, expected) in [
        ("@**Mark Member**", loud),
        ("@**mark member**", loud),
        ("@**Mark Member|12**", loud),
        ("@**|12**", loud),
        ("@_**Mark Member|12**", silent),
        ("@**Gone User**", gone),
        (
            "@**all**",
            "<span class=\"user-mention channel-wildcard-mention\" data-user-id=\"*\">@all</span>",
        ),
        (
            "@_**everyone**",
            "<span class=\"user-mention channel-wildcard-mention silent\" data-user-id=\"*\">everyone</span>",
        ),
        ("@**topic**", "<span class=\"topic-mention\">@topic</span>"),
        (
            "@_**topic**",
            "<span class=\"topic-mention silent\">topic</span>",
        ),
        (
            "@*devs*",
            "<span class=\"user-group-mention\" data-user-group-id=\"25\">@devs</span>",
        ),
        (
            "@_*devs*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"25\">devs</span>",
        ),
        (
            "@*old team*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"26\">old team</span>",
        ),
        (
            "@_*role:administrators*",
            "<span class=\"user-group-mention silent\" data-user-group-id=\"3\">Administrators</span>",
        ),
        ("@**Nobody Here**", "@<strong>Nobody Here</strong>"),
        ("@**mark member|12**", "@<strong>mark member|12</strong>"),
        ("@**All**", "@<strong>All</strong>"),
        ("@*Devs*", "@<em>Devs</em>"),
        ("@all @Mark a@b", "@all @Mark a@b"),
        ("x@**Mark Member**", "x@<strong>Mark Member</strong>"),
        ("`@**Mark Member**`", "<code>@**Mark Member**</code>"),
    ] {
        assert_eq!(html(content), format!("<p>{expected}</p>"), "{content}");
    }
    assert_eq!(html("(@**Mark Member|12**s"), format!("<p>({loud}s</p>"));
    let quoted = format!("<blockquote>\n<p>{silent}</p>\n</blockquote>");
    assert_eq!(html("> @**Mark Member**"), quoted);
    assert_eq!(html("```quote\n@**Mark Member**\n```"), quoted);
}

#[test]
fn what_may_stand_before_a_mention() {
    let loud = "<span class=\"user-mention\" data-user-id=\"12\">@Mark Member</span>";
    for before in ["'", "\"", "(", "{", "[", "/", "a ", "a\u{3000}"] {
        let expected = format!("<p>{before}{loud}</p>");
        assert_eq!(html(&format!("{before}@**Mark Member**")), expected);
    }
    assert_eq!(html("<@**Mark Member**"), format!("<p>&lt;{loud}</p>"));
    for before in ["a", "@", ".", ",", ":", ")", "]", "é", "_"] {
        let content = format!("{before}@**Mark Member**");
        assert!(!html(&content).contains("user-mention"), "{content}");
    }
}

#[test]
fn every_word_for_everybody() {
    for word in ["all", "everyone", "stream", "channel"] {
        let class = "user-mention channel-wildcard-mention";
        assert_eq!(
            html(&format!("@**{word}**")),
            format!("<p><span class=\"{class}\" data-user-id=\"*\">@{word}</span></p>")
        );
        assert_eq!(
            html(&format!("@_**{word}**")),
            format!("<p><span class=\"{class} silent\" data-user-id=\"*\">{word}</span></p>")
        );
    }
    assert!(html("@**Topic**").contains("<strong>Topic</strong>"));
}

#[test]
fn who_is_notified() {
    let users = |content: &str| common::render(content).mentioned_user_ids;
    let groups = |content: &str| common::render(content).mentioned_group_ids;
    assert_eq!(
        users("@**Mark Member** and @**|12**")
            .into_iter()
            .collect::<Vec<_>>(),
        [12]
    );
    assert_eq!(
        groups("@*devs* @*old team*")
            .into_iter()
            .collect::<Vec<_>>(),
        [25]
    );
    for nobody in [
        "@_**Mark Member**",
        "@**Gone User**",
        "> @**Mark Member**",
        "```quote\n@**Mark Member**\n```",
        "`@**Mark Member**`",
        "```\n@**Mark Member**\n```",
        "@**Nobody**",
    ] {
        assert!(users(nobody).is_empty(), "{nobody}");
    }
    assert!(users("```spoiler @**Mark Member**\n```").contains(&12));
    assert!(users("|a|\n|-|\n|@**Mark Member**|").contains(&12));
    for nobody in ["@_*devs*", "> @*devs*", "@*Devs*"] {
        assert!(groups(nobody).is_empty(), "{nobody}");
    }
    let wildcards = |content: &str| {
        let rendered = common::render(content);
        (rendered.channel_wildcard, rendered.topic_wildcard)
    };
    assert_eq!(wildcards("@**all**"), (true, false));
    assert_eq!(wildcards("@**topic**"), (false, true));
    assert_eq!(
        wildcards("@_**all** @_**topic** > @**All**"),
        (false, false)
    );
    assert_eq!(wildcards("> @**all** @**topic**"), (false, false));
}
