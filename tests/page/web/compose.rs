//! The field to write in: marks by keys, preview, limits, files that are pasted, chosen and given up.

use serde_json::json;

use super::{DESK, PHONE, Seat};

const WRITTEN: &str = "document.querySelector('.compose textarea').value";

/// Presses a key while Control is held.
fn with_control(seat: &Seat, key: &str) {
    let press = "document.querySelector('.compose textarea').dispatchEvent(
         new KeyboardEvent('keydown', { key: arguments[0], ctrlKey: true, bubbles: true, cancelable: true }))";
    seat.browser.run(press, &[json!(key)]);
}

#[test]
fn keys_mark_words_and_a_preview_shows_them() {
    let Some(seat) = Seat::at("web-marks", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let select = "const field = document.querySelector('.compose textarea');
         field.focus(); field.setSelectionRange(arguments[0], arguments[1])";
    for (key, expected) in [
        ("b", "some **words**"),
        ("i", "some *words*"),
        ("k", "some [words](url)"),
    ] {
        seat.browser.type_into(".compose textarea", "some words");
        seat.browser.run(select, &[json!(5), json!(10)]);
        with_control(&seat, key);
        assert_eq!(seat.ask(WRITTEN), json!(expected));
    }
    seat.browser
        .type_into(".compose textarea", "some **words**");
    seat.browser.press(".compose button[aria-label=Preview]");
    seat.wait_for("document.querySelector('.preview strong')?.textContent === 'words'");
    // In place of the field, not above it.
    seat.wait_for("document.querySelector('.compose textarea').offsetParent === null");
    seat.check_look("preview");
    seat.browser.press(".compose button[aria-label=Preview]");
    seat.wait_for("document.querySelector('.preview') === null");
    seat.wait_for("document.activeElement.matches('.compose textarea')");
    // Control and Enter send it.
    with_control(&seat, "Enter");
    seat.wait_for_message("some words");
    seat.is_content();
}

/// An organization may have a thousand channels, all of which that field would offer.
#[test]
fn the_field_of_a_recipient_is_not_drawn_where_the_view_says_it() {
    let Some(seat) = Seat::new("web-no-recipient") else {
        return;
    };
    seat.said(&seat.other, "loom", "about looms");
    seat.said(&seat.other, "yarn", "about yarn");
    let watch = "window.drawn = 0;
         new MutationObserver((changes) => {
             for (const change of changes)
                 for (const added of change.addedNodes)
                     if (added.matches?.('.recipient') || added.querySelector?.('.recipient'))
                         window.drawn += 1;
         }).observe(document, { childList: true, subtree: true })";
    seat.browser.at_start(watch);
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("about looms");
    seat.go(&seat.topic("yarn"));
    seat.wait_for_message("about yarn");
    seat.wait_for("document.querySelector('.compose textarea').placeholder.includes('yarn')");
    assert_eq!(seat.ask("window.drawn"), json!(0));
    // A view that does not say it has the field, and the observer sees that.
    seat.go("#feed");
    seat.wait_for("document.querySelector('.compose .recipient') !== null");
    assert_ne!(seat.ask("window.drawn"), json!(0));
    seat.is_content();
}

#[test]
fn a_limit_is_shown_before_it_is_reached() {
    let Some(seat) = Seat::at("web-limit", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let fill = "const field = document.querySelector('.compose textarea');
         field.value = 'x'.repeat(arguments[0]);
         field.dispatchEvent(new Event('input', { bubbles: true }))";
    seat.browser.run(fill, &[json!(9000)]);
    seat.wait_for("document.querySelector('.compose .left') === null");
    seat.browser.run(fill, &[json!(9900)]);
    seat.wait_for("document.querySelector('.compose .left').textContent === '100'");
    seat.browser.run(fill, &[json!(10_005)]);
    seat.wait_for("document.querySelector('.compose .left.error').textContent === '-5'");
    seat.check_look("limit");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.notes').textContent.includes('10000')");
    assert_eq!(seat.ask(&format!("{WRITTEN}.length")), json!(10_005));
    seat.browser.run(fill, &[json!(10_000)]);
    seat.wait_for("document.querySelector('.compose .left').textContent === '0'");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for(
        "document.querySelector('.message:not(.echo) .rendered')?.textContent.length >= 10000",
    );
    seat.is_content();
}

#[test]
fn files_are_pasted_chosen_and_given_up() {
    let Some(seat) = Seat::at("web-files-written", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let paste = "const transfer = new DataTransfer();
         transfer.items.add(new File(['warp'], 'pasted.txt', { type: 'text/plain' }));
         const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true });
         Object.defineProperty(event, 'clipboardData', { value: transfer });
         document.querySelector('.compose textarea').dispatchEvent(event)";
    seat.browser.run(paste, &[]);
    seat.wait_for(&format!(
        "{WRITTEN}.startsWith('[pasted.txt](/user_uploads/')"
    ));
    let choose = "const transfer = new DataTransfer();
         transfer.items.add(new File(['weft'], 'chosen.txt', { type: 'text/plain' }));
         const field = document.querySelector('.compose .attach input');
         field.files = transfer.files;
         field.dispatchEvent(new Event('change', { bubbles: true }))";
    seat.browser.run(choose, &[]);
    seat.wait_for(&format!(
        "{WRITTEN}.includes('[chosen.txt](/user_uploads/')"
    ));
    let before = seat.ask(WRITTEN);

    // One that takes long shows how far it is, and can be stopped.
    seat.browser.be_slow(true);
    let large = "const transfer = new DataTransfer();
         transfer.items.add(new File([new Uint8Array(4 << 20)], 'large.bin'));
         document.querySelector('.compose').dispatchEvent(
             new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }))";
    seat.browser.run(large, &[]);
    seat.wait_for("document.querySelector('.uploads progress') !== null");
    seat.check_look("uploading");
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelector('.notes').textContent.includes('still on its way')");
    seat.browser.press(".uploads [aria-label=Cancel]");
    seat.wait_for("document.querySelector('.uploads') === null");
    seat.browser.be_slow(false);
    assert_eq!(seat.ask(WRITTEN), before);
    seat.browser.press(".compose button[type=submit]");
    seat.wait_for("document.querySelectorAll('.message:not(.echo) .rendered a').length === 2");
    seat.is_content();
}

/// Its emoji come later than the picker itself, which is placed before it knows how many there are.
#[test]
fn the_picker_of_emoji_is_on_the_screen_when_it_is_first_opened() {
    let Some(seat) = Seat::at("web-picker", |seat| seat.topic("loom")) else {
        return;
    };
    for look in [DESK, PHONE] {
        seat.browser.resize(look);
        seat.browser.reload();
        seat.wait_for("document.querySelector('.compose button[aria-label=Emoji]') !== null");
        seat.browser.press(".compose button[aria-label=Emoji]");
        seat.wait_for("document.querySelectorAll('.picker .grid button').length > 40");
        let edges = "(() => { const { top, bottom, left, right } = document.querySelector('.picker').getBoundingClientRect(); \
             return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth; })()";
        assert_eq!(seat.ask(edges), json!(true), "{look:?}");
        // It stays where it is, however little is found.
        let top = "document.querySelector('.picker').getBoundingClientRect().top";
        let before = seat.ask(top);
        seat.browser.keys("tada");
        seat.wait_for("document.querySelectorAll('.picker .grid button').length < 5");
        assert_eq!(seat.ask(top), before, "{look:?}");
    }
    seat.is_content();
}

/// Left to itself, the browser would show the file in place of the client.
#[test]
fn files_are_dropped_anywhere() {
    let Some(seat) = Seat::at("web-drop", |seat| seat.topic("loom")) else {
        return;
    };
    seat.wait_for("document.querySelector('.compose textarea') !== null");
    let drag = "const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['warp'], 'warp.txt', { type: 'text/plain' }));
        const event = new DragEvent(arguments[0], { bubbles: true, cancelable: true, dataTransfer });
        document.querySelector(arguments[1]).dispatchEvent(event);
        return event.defaultPrevented";
    let on = |event: &str, place: &str| seat.browser.run(drag, &[json!(event), json!(place)]);
    assert_eq!(on("dragover", ".messages"), json!(true));
    seat.wait_for("document.querySelector('.compose.held .drop') !== null");
    seat.wait_for("document.querySelector('.compose.held') === null");
    assert_eq!(on("drop", ".messages"), json!(true));
    seat.wait_for(&format!(
        "{WRITTEN}.startsWith('[warp.txt](/user_uploads/')"
    ));
    assert_eq!(on("drop", ".sidebar"), json!(true));
    seat.wait_for(&format!("{WRITTEN}.split('warp.txt').length > 2"));
    // Where nothing can be written, they are refused.
    seat.go("#inbox");
    seat.wait_for("document.querySelector('.compose') === null");
    for event in ["dragover", "drop"] {
        assert_eq!(on(event, "main"), json!(true), "{event}");
    }
    seat.is_content();
}
