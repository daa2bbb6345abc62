// The messages of a narrow, and history at both ends as one scrolls.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/http.js";
import { useSpan } from "../elements/gradually.js";
import { Keeper } from "./keeper.js";
import { Echo } from "./message-echo.js";
import { rows } from "./message-rows.js";
import { lastSeen, Newest, noteSkipped, skipped, StillUnread } from "./newest.js";
import { shownAhead } from "../state/ahead.js";
import { release, seen } from "../state/marks.js";
import { conversationOf, isReading, matches, narrowKey, termsOf } from "../state/narrow.js";
import { keyOfRecipient, outbox } from "../state/outbox.js";
import { go, linkToMessage } from "../state/route.js";
import { now, patch, store } from "../state/store.js";
import { grow, load } from "../state/windows.js";
import { language, t } from "../strings/text.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../state/narrow.js").Narrow} Narrow */

/** Pixels before an end at which the next page is asked for. */
const AHEAD = 1200;
/** Pixels before the newest message at which the way there is offered. */
const FAR = 150;
const problem = signal("");

/** Of the list on the screen. @type {((end: "oldest" | "newest") => Promise<void>) | null} */
let jump = null;
/** Goes to the first or the last message of the list on the screen. @param {"oldest" | "newest"} end */
export const goToEnd = (end) => jump?.(end);

const CONVERSATIONS_ONLY = 2;
const NEVER = 3;

/** @param {Narrow} narrow */
function marksAsRead(narrow) {
  const policy = store.settings.peek().web_mark_read_on_scroll_policy ?? 1;
  if (policy === NEVER || !isReading(narrow.terms)) return false;
  const kind = conversationOf(narrow.terms)?.kind;
  return policy !== CONVERSATIONS_ONLY || kind === "topic" || kind === "direct";
}

/** @param {{ narrow: Narrow, empty: any }} properties */
export function MessageList({ narrow, empty }) {
  const key = narrowKey(narrow.terms);
  const keeper = useMemo(() => new Keeper(), [key]);
  const first = useRef(/** @type {number | null} */ (null));
  const arrived = useRef("");
  const window = store.windows.value.get(key);
  const messages = messagesOf(window);
  if (first.current === null && window !== undefined) first.current = firstUnread(messages);
  const ids = messages.map((message) => message.id);
  const [jumpedTo, setJumpedTo] = useState(0);
  const { from, to } = useSpan(ids, jumpedTo || beginOf(narrow, first.current));
  const isWhole = window !== undefined && from === 0 && to === ids.length;
  keeper.isWhole = to === ids.length && (window?.newest ?? false);

  useEffect(() => {
    problem.value = "";
    first.current = null;
    lastSeen.value = 0;
    skipped.value = [];
    return release;
  }, [key]);
  // Before the browser draws: the request is on its way meanwhile.
  useLayoutEffect(() => {
    const target = `${narrow.near ?? ""}/${narrow.with ?? ""}`;
    const isNew = arrived.current !== target;
    arrived.current = target;
    if (isNew) setJumpedTo(0);
    if (isNew || window === undefined) void arrive(key, narrow, keeper, first);
  }, [narrow.near, narrow.with, window === undefined]);
  useLayoutEffect(() => {
    if (window !== undefined) keeper.restore();
  });
  useLayoutEffect(() => watch(keeper), [keeper]);
  useLayoutEffect(() => {
    jump = async (end) => {
      const isThere = now().windows.get(key)?.[end];
      if (!isThere) await fetchAround(key, end, narrow, null);
      setJumpedTo(settleAt(keeper, key, end));
      // After the end is drawn: messages on the screen count as seen.
      if (end === "newest") requestAnimationFrame(() => noteSkipped(narrow, keeper.visible()[0] ?? 0));
    };
    return () => (jump = null);
  });

  const look = () => {
    const box = keeper.scroller;
    if (box === null || window === undefined) return;
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    const visible = keeper.visible();
    lastSeen.value = below > FAR || !window.newest ? (visible.at(-1) ?? 0) : 0;
    if (!isWhole) return;
    if (box.scrollTop < AHEAD) void grow(key, "older");
    if (below < AHEAD) void grow(key, "newer");
    if (marksAsRead(narrow) && !document.hidden && document.hasFocus()) seen(visible);
  };
  useEffect(() => {
    const timer = setTimeout(look, 60);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [key, isWhole]);
  const scrolled = () => {
    keeper.note();
    look();
  };

  const known = useMemo(() => /** @type {import("./message-rows.js").Known} */ (new Map()), [key, language.value]);
  const waiting = window?.newest ? waitingIn(narrow) : [];
  const shown = messages.slice(from, to);
  const isEmpty = window !== undefined && messages.length === 0 && waiting.length === 0;
  return html`<div
    class="messages"
    ref=${(/** @type {HTMLElement | null} */ element) => (keeper.scroller = element)}
    onScroll=${scrolled}
    onPointerDown=${(/** @type {any} */ { currentTarget }) => (currentTarget.dataset.pressed = "")}
    onBlur=${(/** @type {any} */ { currentTarget }) => delete currentTarget.dataset.pressed}
    tabindex="0"
    role="region"
    aria-label=${t("messages")}
  >
    <div class="sheet">
      ${window?.oldest && !isEmpty && shown[0] === messages[0] ? html`<p class="edge">${t("beginning")}</p>` : null}
      ${window === undefined && problem.value === "" ? html`<p class="edge" role="status">${t("loading")}</p>` : null}
      ${problem.value === "" ? null : html`<p class="edge error" role="alert">${problem}</p>`} ${isEmpty ? empty : null}
      ${rows(shown, narrow, first.current ?? 0, known)}
      ${waiting.map((one) => html`<${Echo} key=${one.local_id} waiting=${one} />`)}
      ${isWhole && window.newest ? html`<${StillUnread} narrow=${narrow} isMarking=${marksAsRead(narrow)} messages=${messages} />` : null}
    </div>
    <${Newest} narrow=${narrow} go=${() => goToEnd("newest")} />
  </div>`;
}

/** Where one begins to read. @param {Narrow} narrow @param {number | null} first unread one @returns {number} 0: at the end */
const beginOf = (narrow, first) => narrow.near ?? narrow.with ?? first ?? 0;

/** @param {import("../types.js").Window | undefined} window */
const messagesOf = (window) =>
  (window?.ids ?? []).map((id) => store.messages.value.get(id)).filter((one) => one !== undefined);

/** @param {Narrow} narrow */
function waitingIn(narrow) {
  return outbox.value.filter((one) => {
    const message = /** @type {any} */ ({
      type: one.to.kind === "topic" ? "stream" : "private",
      stream_id: one.to.kind === "topic" ? one.to.stream_id : undefined,
      subject: one.to.kind === "topic" ? one.to.topic : "",
      display_recipient: one.to.kind === "direct" ? one.to.people.map((id) => ({ id })) : "",
      sender_id: now().me,
      flags: ["read"],
      reactions: [],
    });
    return keyOfRecipient(one.to) !== "" && matches(narrow.terms, message, now()) === true;
  });
}

/** @param {Message[]} messages @returns {number} its id, or 0 */
const firstUnread = (messages) => messages.find((message) => !message.flags.includes("read"))?.id ?? 0;

/** Pictures and texts that get higher later must not move the place. @param {Keeper} keeper */
function watch(keeper) {
  const sheet = keeper.scroller?.firstElementChild;
  if (!sheet) return undefined;
  const observer = new ResizeObserver(() => keeper.restore());
  observer.observe(sheet);
  if (keeper.scroller !== null) observer.observe(keeper.scroller);
  return () => observer.disconnect();
}

/**
 * Goes to where the view begins: the message of the address, else the first unread one, else the
 * end. A window that was dropped is loaded anew around the place where the reader is.
 * @param {string} key @param {Narrow} narrow @param {Keeper} keeper @param {{ current: number | null }} first
 */
async function arrive(key, narrow, keeper, first) {
  const wanted = narrow.near ?? narrow.with;
  const window = now().windows.get(key);
  if (window !== undefined) {
    if (wanted === undefined) settle(keeper, unreadIn(window.ids), window.newest);
    else if (window.ids.includes(wanted)) settle(keeper, wanted, window.newest);
    else await fetchAround(key, wanted, narrow, keeper);
    return;
  }
  const isAgain = first.current !== null && keeper.place.mode === "row";
  const place = keeper.place;
  if (isAgain && place.mode === "row") await fetchAround(key, place.id, narrow, null);
  else if (first.current !== null && wanted === undefined) await fetchAround(key, "newest", narrow, null);
  else await fetchAround(key, wanted ?? "first_unread", narrow, keeper);
}

/** Whether the conversation of the address is elsewhere now; then the address becomes that. @param {string} key */
function hasMoved(key) {
  const message = now().messages.get(now().windows.get(key)?.ids.at(-1) ?? 0);
  if (message === undefined || matches(termsOf(key), message, now()) !== false) return false;
  const windows = new Map(now().windows);
  windows.delete(key);
  patch({ windows });
  go(linkToMessage(message, false), true);
  return true;
}

/** @param {number[]} ids */
const unreadIn = (ids) => ids.find((id) => now().messages.get(id)?.flags.includes("read") === false) ?? 0;

/** @param {Keeper} keeper @param {number} id 0: the end @param {boolean} newest */
function settle(keeper, id, newest) {
  const offset = (keeper.scroller?.clientHeight ?? 600) * 0.25;
  keeper.place =
    id > 0
      ? { mode: "row", id, offset }
      : newest
        ? { mode: "end" }
        : { mode: "row", id: Number.MAX_SAFE_INTEGER, offset };
  keeper.restore();
}

/**
 * Shows an end of a window that is loaded, and gives it the focus: keys go on from there.
 * @param {Keeper} keeper @param {string} key @param {"oldest" | "newest"} end
 * @returns {number} the message there; 0: there is none
 */
function settleAt(keeper, key, end) {
  const window = now().windows.get(key);
  const id = (end === "newest" ? window?.ids.at(-1) : window?.ids[0]) ?? 0;
  // It could not be loaded.
  if (!window?.[end] || id === 0) return 0;
  keeper.place = end === "newest" ? { mode: "end" } : { mode: "row", id, offset: keeper.scroller?.clientHeight ?? 0 };
  // Once it is drawn.
  requestAnimationFrame(() => {
    keeper.restore();
    keeper
      .rows()
      .find((row) => row.dataset["id"] === String(id))
      ?.focus({ preventScroll: true });
  });
  return id;
}

/**
 * @param {string} key @param {number | "first_unread" | "oldest" | "newest"} anchor @param {Narrow} narrow
 * @param {Keeper | null} keeper null: the place stays
 */
async function fetchAround(key, anchor, narrow, keeper) {
  try {
    problem.value = "";
    const begun = (await shownAhead(key, anchor, narrow.with)) ?? (await load(key, anchor, narrow.with));
    if (narrow.with !== undefined && hasMoved(key)) return;
    if (keeper === null) return;
    const window = now().windows.get(key);
    const id = typeof anchor === "number" ? begun.anchor : unreadIn(window?.ids ?? []);
    settle(keeper, id, window?.newest ?? true);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.value = error.status === 0 ? t("no_answer") : error.message;
  }
}
