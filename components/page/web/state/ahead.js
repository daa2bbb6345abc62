// The first page of messages, asked for while the snapshot is still on its way. The address names the narrow, and
// no page needs more than that to be asked for.
//
// Why nothing is lost and nothing is there twice, whichever of the two comes first: the server reads the snapshot and
// the place in the log where the queue begins at once, then makes the queue, then answers. The page is asked for
// when that answer has begun, so the server reads it after the snapshot.
// - What changed before the queue began is in the page, and in the snapshot.
// - What changed later comes as an event, after the snapshot, for the queue begins there. When the page is shown with the
//   snapshot, no event has been applied yet: all of them are applied to both. When it comes later, events that were
//   applied meanwhile have been recorded since the snapshot, and are applied to the page as well.
// - The page may have such a change in it already. To apply its event once more changes nothing for good: a message that
//   is there stays as it is, one that was deleted stays away, and of several edits the last comes last.
// A page that was asked for before that, beside the registration, could be older than the snapshot, and no event would
// tell of the edits and deletions between them.
//
// A worker that has its state already hands it to a new tab in the same way: it says that the state follows, and no
// event comes between the two.

import { getMessages } from "../api/messages.js";
import { narrowKey, parse } from "./narrow.js";
import { now, record, stopRecording } from "./store.js";
import { showFirst, wishFor } from "./windows.js";

/** @typedef {import("../api/messages.js").Page} Page */

/**
 * @typedef {object} Ahead
 * @property {string} key of the window
 * @property {string} wish what was asked for, as a text
 * @property {Page | null} page
 * @property {import("./store.js").Recording | null} recording since the snapshot
 * @property {Promise<Page | null>} shown null: it has not come, or was of no use
 */

/** @type {Ahead | null} */
let ahead = null;

/** Names, who one is and which view is the first are in the snapshot: an address that needs them has to wait for it. */
const NOTHING_KNOWN = { me: 0, channelByName: () => undefined };

/** A queue exists, and its state follows. @param {string} hash the address behind `#` */
export function askAhead(hash) {
  ahead = null;
  /** @type {import("./narrow.js").Narrow | null} */
  const narrow = hash === "#feed" ? { terms: [] } : parse(hash, NOTHING_KNOWN);
  // Where a conversation has gone is found out when its page is there.
  if (narrow === null || narrow.with !== undefined) return;
  const key = narrowKey(narrow.terms);
  const wish = wishFor(key, narrow.near ?? "first_unread");
  /** @type {Ahead} */
  const mine = { key, wish: JSON.stringify(wish), page: null, recording: null, shown: Promise.resolve(null) };
  const come = (/** @type {Page} */ page) => {
    mine.page = page;
    if (mine !== ahead) return end(mine);
    return mine.recording === null ? null : show(mine, page, mine.recording);
  };
  // When it fails, the view asks itself.
  mine.shown = getMessages(wish).then(come, () => end(mine));
  ahead = mine;
}

/** The state is there: shows the page with it, or as soon as it comes. */
export function showAhead() {
  if (ahead === null) return;
  // It was asked for after another registration, and may be older than this snapshot.
  if (ahead.recording !== null) {
    end(ahead);
    return;
  }
  ahead.recording = record();
  if (ahead.page !== null) show(ahead, ahead.page, ahead.recording);
}

/**
 * The page, once it is shown; null when it was not asked for, or not this one.
 * @param {string} key @param {number | "first_unread" | "oldest" | "newest"} anchor @param {number} [conversation]
 */
export function shownAhead(key, anchor, conversation) {
  const isIt = ahead?.key === key && ahead.wish === JSON.stringify(wishFor(key, anchor, conversation));
  return isIt ? ahead?.shown : null;
}

/**
 * Shows the page, unless events were missed meanwhile, or the view has loaded another part.
 * @param {Ahead} mine @param {Page} page @param {import("./store.js").Recording} recording
 * @returns {Page | null}
 */
function show(mine, page, recording) {
  end(mine);
  if (recording.isBroken || now().windows.has(mine.key)) return null;
  showFirst(mine.key, page, recording);
  return page;
}

/** @param {Ahead} mine @returns {null} */
function end(mine) {
  if (mine.recording !== null) stopRecording(mine.recording);
  if (mine === ahead) ahead = null;
  return null;
}
