//! Tests of the conversion of texts of Slack.

use super::super::super::options::Origin;
use super::super::super::testing::small_chat;
use super::*;

fn convert(mrkdwn: &str) -> Text {
    let (chat, general) = small_chat(Origin::Slack, "U1", "general");
    let channels = HashMap::from([("C1".to_owned(), general)]);
    let markup = Markup {
        chat: &chat,
        channels: &channels,
    };
    markup.convert(mrkdwn)
}

#[track_caller]
fn becomes(mrkdwn: &str, markdown: &str) {
    assert_eq!(convert(mrkdwn).content, markdown, "{mrkdwn:?}");
}

#[test]
fn emphasis_follows_its_rules() {
    becomes("*bold* _it_ ~gone~", "**bold** *it* ~~gone~~");
    becomes("*_both_*", "***both***");
    becomes("(*x*), *y*!", "(**x**), **y**!");
    for unchanged in [
        "2*3*4",
        "snake_case_name",
        "* no *",
        "a * b",
        "*over\nlines*",
        "**",
        "~",
        "_",
        "a*b*",
    ] {
        becomes(unchanged, unchanged);
    }
    becomes("*`x`*", "**`x`**");
}

#[test]
fn brackets_become_mentions_and_links() {
    becomes(
        "hi <@U1> and <@U1|ann>",
        "hi @**Ann Lee|1** and @**Ann Lee|1**",
    );
    assert_eq!(convert("<@U1>").mentions, [1]);
    becomes("<@U9> <@U9|zoe>", "@U9 @zoe");
    becomes(
        "<#C1> <#C1|general> <#C9|gone> <#C9>",
        "#**general** #**general** #gone #C9",
    );
    for all in ["<!here>", "<!channel>", "<!everyone>", "<!here|here>"] {
        becomes(all, "@**all**");
        assert!(convert(all).mentions_all, "{all}");
    }
    becomes("<!subteam^S1|@devs> <!subteam^S1>", "@devs @S1");
    becomes(
        "<!date^1392734382^{date}|Feb 18>",
        "<time:2014-02-18T14:39:42Z>",
    );
    becomes("<!date^soon^{date}|Feb 18>", "Feb 18");
    becomes("<!date^1392734382^{date}>", "<time:2014-02-18T14:39:42Z>");
    becomes("<https://x.org/a_b_c>", "https://x.org/a_b_c");
    becomes("<https://x.org/|x.org>", "https://x.org/");
    becomes(
        "<https://x.org/?a=1&amp;b=2|the *one*>",
        "[the *one*](https://x.org/?a=1&b=2)",
    );
    becomes("<https://x.org|*bold*>", "[bold](https://x.org)");
    becomes("<mailto:a@x.org|a@x.org>", "a@x.org");
    becomes("<mailto:a@x.org|write>", "[write](mailto:a@x.org)");
    // Emphasis that would break its content is left out.
    becomes("*<@U1>* *<https://x.org>*", "@**Ann Lee|1** https://x.org");
    becomes("*<https://x.org|x>*", "**[x](https://x.org)**");
    becomes("a < b", "a < b");
}

#[test]
fn entities_are_characters() {
    becomes("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d");
    becomes("&amp;lt; &nbsp;", "&lt; &nbsp;");
}

#[test]
fn code_is_left_alone() {
    becomes(
        "`*a* <https://x.org> &lt;b&gt; :smile:`",
        "`*a* https://x.org <b> :smile:`",
    );
    becomes("```let x = *y*;```", "```\nlet x = *y*;\n```");
    becomes(
        "see:\n```\na &amp;&amp; b\n```\nend",
        "see:\n```\na && b\n```\nend",
    );
    becomes("a ```x``` b", "a \n```\nx\n```\n b");
    becomes("```open", "```open");
    becomes("`a\nb`", "`a\nb`");
}

#[test]
fn emoji_are_called_as_here() {
    becomes(":smile: :thumbsup::skin-tone-2:", ":smile: :+1:");
    becomes(":party_parrot: 10:30:00", ":party_parrot: 10:30:00");
}

#[test]
fn quotes_and_lists_end_where_they_ended() {
    becomes("&gt; one\n&gt; two\nthree", "> one\n> two\n\nthree");
    becomes("&gt;&gt;&gt; one\ntwo", "> one\n> two");
    becomes("• a\n    ◦ b\n• c", "- a\n  - b\n- c");
    becomes("a•b", "a•b");
}

#[test]
fn titles_have_no_markup() {
    let text = convert("*Deploy* on <https://x.org|Friday>, <@U1>? `now` &amp; here\n```x```");
    assert_eq!(text.plain, "Deploy on Friday, @Ann Lee? now & here\n x ");
}

#[test]
fn odd_texts_take_no_time() {
    let long = "*a ".repeat(40_000);
    assert!(convert(&long).content.starts_with("*a *a"));
    let nested = format!("{}x{}", "*_".repeat(900), "_*".repeat(900));
    assert!(!convert(&nested).content.is_empty());
    assert!(convert(&"<".repeat(100_000)).content.len() <= text::LONGEST);
}
