//! Names of uploaded files: what people are shown, and what stands in addresses.
//!
//! A name comes from a client and may try to be a path, a header or a script. The shown name
//! keeps every printable character; the one in addresses is ASCII without a special
//! meaning: letters, digits, `.`, `_` and `-`.

use spindle_domain::text::Form;

/// Longest shown name in characters.
const MAX_SHOWN: usize = 255;
/// Longest name in an address, in bytes.
const MAX_IN_ADDRESS: usize = 100;
/// Replaces a name of which nothing is left.
const NAMELESS: &str = "uploaded-file";

/// The name for people: the last part of a path, without control and invisible characters.
pub(crate) fn shown(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .filter(|character| {
            !character.is_control() && !matches!(character, '\u{2028}' | '\u{2029}')
        })
        .collect();
    // Characters without a width, or that turn the direction of writing, disguise an ending.
    let kept = Form::Line.mend(&kept);
    let kept = kept.trim();
    if kept.is_empty() || kept.chars().all(|character| character == '.') {
        return NAMELESS.to_owned();
    }
    let excess = kept.chars().count().saturating_sub(MAX_SHOWN);
    // The end is kept, since the ending says what a file is.
    kept.chars().skip(excess).collect()
}

/// The name in addresses, made of a shown name.
pub(super) fn in_address(shown: &str) -> String {
    let mut name = String::new();
    for character in shown.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-') {
            name.push(character);
        } else if character.is_whitespace() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let excess = name.len().saturating_sub(MAX_IN_ADDRESS);
    let name = name.get(excess..).unwrap_or_default();
    // Hidden files and names of directories are none of ours.
    let name = name.trim_start_matches(['.', '-']).trim_end_matches('.');
    // Reserved by addresses of previews.
    if name.is_empty() || name == "thumbnail" {
        return NAMELESS.to_owned();
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_could_lead_somewhere() {
        for (sent, shown_name, address) in [
            ("photo.png", "photo.png", "photo.png"),
            ("my  big photo.png", "my  big photo.png", "my-big-photo.png"),
            ("../../etc/passwd", "passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini", "boot.ini"),
            ("..", "uploaded-file", "uploaded-file"),
            ("", "uploaded-file", "uploaded-file"),
            (".bashrc", ".bashrc", "bashrc"),
            ("Отчёт.pdf", "Отчёт.pdf", "pdf"),
            ("Отчёт", "Отчёт", "uploaded-file"),
            ("a\r\nX-Evil: 1.txt", "aX-Evil: 1.txt", "aX-Evil-1.txt"),
            ("<script>\".html", "<script>\".html", "script.html"),
            ("a%2f..%2fb", "a%2f..%2fb", "a2f..2fb"),
            ("gpj.\u{202e}exe", "gpj.exe", "gpj.exe"),
            (
                "a\u{61c}\u{ad}b\u{e000}\u{e0041}\u{fdd0}.txt",
                "ab.txt",
                "ab.txt",
            ),
            ("thumbnail", "thumbnail", "uploaded-file"),
            ("x\0y", "xy", "xy"),
        ] {
            assert_eq!(shown(sent), shown_name, "{sent:?}");
            assert_eq!(in_address(&shown(sent)), address, "{sent:?}");
        }
    }

    #[test]
    fn long_names_keep_their_ending() {
        let long = format!("{}.tar.gz", "ä".repeat(1000));
        assert_eq!(shown(&long).chars().count(), 255);
        assert!(shown(&long).ends_with(".tar.gz"));
        let long = format!("{}.tar.gz", "a".repeat(1000));
        assert_eq!(in_address(&shown(&long)).len(), 100);
        assert!(in_address(&shown(&long)).ends_with(".tar.gz"));
    }
}
