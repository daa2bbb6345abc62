//! Counts the bytes that loops scan, in tests only.
//!
//! Tests that rendering is linear: loops report the bytes they scan, and the tests below bound the sum for
//! texts that provoke repeated scans. It costs nothing outside of tests and must not influence any result.

/// Reports that a loop has scanned this many bytes.
#[cfg(not(test))]
#[inline]
pub(crate) fn spend(_bytes: usize) {}

#[cfg(test)]
pub(crate) use tests::spend;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::{Context, Directory, Linkifier, User};

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn spend(bytes: usize) {
        STEPS.set(STEPS.get() + bytes + 1);
    }

    fn steps_of(content: &str) -> usize {
        let mut directory = Directory::new();
        directory.add_user(User {
            id: 12,
            full_name: "Mark".to_owned(),
            is_active: true,
        });
        directory.add_channel(4, "general");
        let linkifiers = [Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap()];
        let context = Context {
            translate_emoticons: true,
            linkifiers: &linkifiers,
            ..Context::new(&directory, "https://chat.example.org")
        };
        STEPS.set(0);
        crate::render(content, &context);
        crate::references(content);
        STEPS.get()
    }

    /// Most bytes scanned for each byte of content: passes over the text times nesting levels.
    const MOST_STEPS_A_BYTE: usize = 120;

    #[test]
    fn repeated_openings_are_not_scanned_again() {
        for unit in [
            "*",
            "**",
            "***",
            "*a ",
            "**a ",
            "***a ",
            "**a\n",
            "*a **b ",
            "~~",
            "~~a ",
            "~",
            "`",
            "`a ``b ```c ",
            "$$",
            "$$a ",
            "$$a\n",
            "[",
            "[a](",
            "](",
            "[a](javascript:",
            "![a](",
            "(",
            "((",
            "[[a]",
            "<time:",
            "漢a",
            "漢a.",
            "漢http://",
            "é.",
            "漢a@",
            "[a](`b`",
            "@**",
            "@*a ",
            "@**a ",
            "@**Mark** ",
            "@**Mark|12**",
            "@_**|12**",
            "@*devs* ",
            "@**all** ",
            "#**general** ",
            "#**general>a** ",
            ":smile:",
            "![a](/user_uploads/2/a/b.png) ",
            "[a](b \"c\") ",
            "пример.рф ",
            "e.ы,",
            "http://e.com/a.png ",
            "https://youtu.be/abcdefghijk ",
            "<time:2026-03-04T12:00:00Z>",
            "$$x$$ ",
            "@",
            "#**",
            "#**a>",
            ":",
            ":a",
            ":a ",
            "http://",
            "http://a/(",
            "http://a/,",
            "http://a:",
            "a.com,",
            "a.com/(",
            "a@b.",
            "a.",
            "\"http://e.com/(",
            "&",
            "&a",
            "<",
            "> ",
            ">",
            ">>\n",
            "> a\n",
            "> a\n\n",
            "> > > a\n",
            "> - a\n",
            "```quote\n> ",
            "````quote\n```\n",
            "```spoiler a\n",
            "```math\nx\n\n",
            "- ",
            "- a\n",
            "  - a\n",
            "- a\n\n",
            "- a\n\n  b\n\n",
            "1. a\n- b\n",
            "# a\n",
            "---\n",
            "a\n---\n",
            "|",
            "a|b\n-|-\n",
            "|-",
            "    a\n",
            "    a\n\n",
            "```\n",
            "```quote\n",
            "```quote\na\n",
            "~~~x\n",
            "a\n",
            "\n",
            "\t",
            "😀",
            "👍🏽",
            "1\u{fe0f}\u{20e3}",
            "\u{200d}",
            "#1 ",
            "user_uploads/",
            "/user_uploads/2/a/b ",
            ":) ",
            "a",
            "é",
        ] {
            for length in [10_000, 40_000] {
                let content = unit.repeat(length / unit.len());
                let steps = steps_of(&content);
                assert!(
                    steps <= MOST_STEPS_A_BYTE * length,
                    "{unit:?}: {} steps a byte",
                    steps / length
                );
            }
        }
    }

    /// Twice the length causes at most about twice the work, in addition to the absolute bound.
    #[test]
    fn twice_the_length_is_twice_the_work() {
        for unit in [
            "*a **b ",
            "[a](",
            "@**Mark** ",
            "> > - a\n",
            "```quote\n",
            "a|b\n-|-\n",
            "http://a/(",
            "`a ``b ",
            "long word ",
        ] {
            let of = |length: usize| steps_of(&unit.repeat(length / unit.len()));
            let (once, twice) = (of(20_000), of(40_000));
            assert!(twice * 10 <= once * 22, "{unit:?}: {once} and {twice}");
        }
    }

    #[test]
    fn deep_nesting_is_bounded_by_its_limit() {
        let list: String = (0..140).map(|depth| "  ".repeat(depth) + "- a\n").collect();
        let loose: String = (0..110)
            .map(|depth| "  ".repeat(depth) + "- a\n\n")
            .collect();
        let quotes = ">".repeat(10_000) + " a";
        let brackets = "[".repeat(5_000) + &"](u)".repeat(1_250);
        for content in [list, loose, quotes, brackets] {
            let steps = steps_of(&content);
            assert!(
                steps <= MOST_STEPS_A_BYTE * content.len(),
                "{}",
                steps / content.len()
            );
        }
    }
}
