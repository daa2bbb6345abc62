//! Unit tests of documents.

use super::*;

fn titles(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let newest = document.newest(10);
    newest.iter().map(|entry| entry.title.clone()).collect()
}

#[test]
fn rss_is_read() {
    let document = Document::parse(
        r#"<?xml version="1.0" encoding="utf-8"?>
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
            xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
          <channel>
            <title>Blog &amp; more</title>
            <atom:link href="https://blog.example/feed" rel="self"/>
            <image><title>Logo</title></image>
            <item>
              <title><![CDATA[Second <b>post</b>]]></title>
              <media:title>Picture</media:title>
              <link> https://blog.example/2 </link>
              <guid isPermaLink="false">2</guid>
              <description>&lt;p&gt;Caf&#233;&amp;nbsp;open&lt;/p&gt;</description>
              <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
              <pubDate>Mon, 02 Jan 2006 15:04:05 +0100</pubDate>
            </item>
            <item><guid>https://blog.example/1</guid><content:encoded>Only this &hellip;</content:encoded></item>
          </channel>
        </rss>"#,
    )
    .unwrap();
    assert_eq!(document.title, "Blog & more");
    let expected = Entry {
        id: "2".to_owned(),
        link: "https://blog.example/2".to_owned(),
        title: "Second post".to_owned(),
        summary: "Café open".to_owned(),
        date: Some(1_136_210_645),
    };
    assert_eq!(document.entries.first(), Some(&expected));
    let first = document.entries.last().unwrap();
    assert_eq!(first.link, "https://blog.example/1");
    assert_eq!(first.summary, "Only this …");
}

#[test]
fn atom_is_read() {
    let document = Document::parse(
        r#"<feed xmlns="http://www.w3.org/2005/Atom">
          <title type="text">Vec&lt;b&gt; &amp; others</title>
          <entry>
            <id>urn:1</id>
            <title type="html">A &lt;i&gt;title&lt;/i&gt;</title>
            <link rel="edit" href="https://x.example/edit"/>
            <link href="https://x.example/1?a=1&amp;b=2"/>
            <link rel="alternate" href="https://x.example/other"/>
            <author><name>Ann</name><id>none</id></author>
            <updated>2006-01-03T00:00:00Z</updated>
            <published>2006-01-02T15:04:05+01:00</published>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two &amp; three</p></div></content>
          </entry>
        </feed>"#,
    )
    .unwrap();
    assert_eq!(document.title, "Vec<b> & others");
    let expected = Entry {
        id: "urn:1".to_owned(),
        link: "https://x.example/1?a=1&b=2".to_owned(),
        title: "A title".to_owned(),
        summary: "One Two & three".to_owned(),
        date: Some(1_136_210_645),
    };
    assert_eq!(document.entries, [expected]);
}

#[test]
fn rdf_is_read() {
    let document = Document::parse(
        r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/">
          <channel rdf:about="https://x.example"><title>News</title><items><rdf:Seq/></items></channel>
          <item rdf:about="https://x.example/1">
            <title>One</title><link>https://x.example/1</link><dc:title>Other</dc:title>
            <dc:date>2006-01-02T15:04:05+01:00</dc:date>
          </item>
        </rdf:RDF>"#,
    )
    .unwrap();
    assert_eq!(document.title, "News");
    let expected = Entry {
        id: "https://x.example/1".to_owned(),
        link: "https://x.example/1".to_owned(),
        title: "One".to_owned(),
        summary: String::new(),
        date: Some(1_136_210_645),
    };
    assert_eq!(document.entries, [expected]);
}

#[test]
fn the_newest_entry_is_first_if_all_have_dates() {
    let feed = |second: &str| {
        format!(
            "<rss><channel><item><title>old</title><pubDate>2006-01-01</pubDate></item>
            <item><title>new</title>{second}</item></channel></rss>"
        )
    };
    assert_eq!(
        titles(&feed("<pubDate>2006-01-02</pubDate>")),
        ["new", "old"]
    );
    assert_eq!(titles(&feed("")), ["old", "new"]);
}

#[test]
fn entries_have_names_of_their_own() {
    let hash = |id: &str, link: &str, title: &str| {
        let entry = Entry {
            id: id.to_owned(),
            link: link.to_owned(),
            title: title.to_owned(),
            ..Entry::default()
        };
        entry.hash()
    };
    assert_eq!(hash("1", "a", "b"), hash("1", "c", "d"));
    assert_eq!(hash("", "a", "b"), hash("", "a", "d"));
    assert_ne!(hash("", "", "b"), hash("", "", "d"));
    assert_eq!(hash("1", "", "").len(), 12);
}

#[test]
fn what_is_no_feed_is_refused() {
    for text in [
        "",
        "hello",
        "<html><body><item/></body></html>",
        "<rss><channel><item>",
        "<rss><channel></item></rss>",
        "<rss",
        "{\"version\": \"https://jsonfeed.org/version/1\"}",
    ] {
        assert_eq!(Document::parse(text), Err(NO_FEED), "{text}");
    }
    let deep = format!("<rss>{}", "<a>".repeat(80_000));
    assert!(Document::parse(&deep).unwrap_err().contains("deeply"));
    let declared: String = (0..5).map(|n| format!(" xmlns:a{n}='u:{n}'")).collect();
    assert!(Document::parse(&format!("<rss><b{declared}/></rss>")).is_err());
}

/// A document of 256 KiB is read in a small part of the second that a call has.
#[test]
fn hostile_documents_are_read_soon() {
    let declared: String = (0..64).map(|n| format!(" xmlns:a{n}='u:{n}'")).collect();
    let names = format!("<rss{declared}>{}</rss>", "<b/>".repeat(60_000));
    let attributes: String = (0..30_000).map(|n| format!(" a{n}=''")).collect();
    let attributes = format!("<rss><item><link{attributes}/></item></rss>");
    let tags = format!(
        "<rss><item><title>{}</title></item></rss>",
        "&lt;p &quot;".repeat(20_000)
    );
    let scripts = "&lt;script>&lt;/s".repeat(15_000);
    let scripts = format!("<rss><item><title>{scripts}</title></item></rss>");
    let comments = "&lt;!--".repeat(36_000);
    let comments = format!("<rss><item><title>{comments}</title></item></rss>");
    let entities = r#"<!DOCTYPE rss [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><rss><item><title>&b;</title></item></rss>"#;
    for text in [&names, &attributes, &tags, &scripts, &comments] {
        let start = std::time::Instant::now();
        assert!(Document::parse(text).is_ok());
        assert!(
            start.elapsed() < std::time::Duration::from_secs(5),
            "{}",
            &text[..20]
        );
    }
    assert_eq!(titles(entities), ["&b;"]);
}
