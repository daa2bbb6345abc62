// Telling of new messages: on the screen, with a sound, and by a number on the icon of the page.

import { html } from "htm/preact";
import { effect, signal } from "@preact/signals";
import { conversationOf } from "../state/narrow.js";
import { keyOf } from "../state/conversation.js";
import { iconCount, noticeOf, textOf } from "../state/noticing.js";
import { go, linkToMessage, route } from "../state/route.js";
import { counts, topicName } from "../state/select.js";
import { now, store, watchers } from "../state/store.js";
import { t } from "../strings/text.js";
import { whenIdle } from "../elements/gradually.js";

/** @typedef {import("../types.js").Message} Message */

/** Milliseconds that tabs in the background leave to the one in front. */
const GRACE = 400;
const LAST = "spindle-noticed";
const QUIET = "spindle-quiet-until";
const DECLINED = "spindle-notices-declined";
/** Whether to ask: once there was something to tell of. */
const isAsking = signal(false);

/** @param {string} key @param {string} [value] to keep @returns {string} what is kept; empty where nothing can be */
function stored(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Exactly one tab shows the notification of a message. @param {number} id @returns {boolean} whether this one does */
function claim(id) {
  if (Number(stored(LAST)) >= id) return false;
  stored(LAST, String(id));
  return true;
}

/** What the browser says: granted, denied, default, or nothing where there are none (plain HTTP). */
export const permission = () => (isSecureContext ? (globalThis.Notification?.permission ?? "") : "");

export async function askForNotices() {
  isAsking.value = false;
  await Notification.requestPermission();
}

/** @param {Message} message */
function isOnScreen(message) {
  if (document.hidden || !document.hasFocus() || route.value.view !== "messages") return false;
  const here = conversationOf(route.value.narrow.terms);
  if (here?.kind === "channel") return message.stream_id === here.stream_id;
  if (here?.kind === "topic")
    return message.stream_id === here.stream_id && message.subject.toLowerCase() === here.topic.toLowerCase();
  return here?.kind === "direct" && keyOf(message, now().me) === `d/${here.people.join(",")}`;
}

/** @param {Message} message */
function show(message) {
  const channel = now().channels.get(message.stream_id ?? 0)?.name;
  const title =
    message.type === "private"
      ? message.sender_full_name
      : `${message.sender_full_name} (${channel ?? ""} › ${topicName(message.subject)})`;
  const isHidden = message.type === "private" && now().settings["pm_content_in_desktop_notifications"] === false;
  const shown = new Notification(title, {
    body: isHidden ? "" : textOf(message.content),
    tag: `spindle-${message.id}`,
    icon: message.avatar_url ?? `/avatar/${message.sender_id}`,
    silent: true,
  });
  shown.onclick = () => {
    window.focus();
    go(linkToMessage(message));
    shown.close();
  };
}

/** @type {AudioContext | null} */
let audio = null;

/** Two short tones; browsers allow them once the page was used. */
function ring() {
  if (now().settings["notification_sound"] === "none" || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  for (const [at, pitch] of /** @type {const} */ ([
    [0, 660],
    [0.13, 880],
  ])) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const begin = audio.currentTime + at;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 0.3);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 0.3);
  }
}

/** Whether notifications are off for the moment, in any tab of this browser. */
export const isQuiet = () => Number(stored(QUIET)) > Date.now();

/** No notifications for an hour; a second call ends that. */
export const toggleQuiet = () => void stored(QUIET, String(isQuiet() ? 0 : Date.now() + 3_600_000));

/** @param {import("../types.js").Event} event */
async function notice(event) {
  if (event.type !== "message" || isQuiet()) return;
  /** @type {Message} */
  const message = { ...event["message"], flags: event["flags"] ?? [] };
  const { screen, sound } = noticeOf(now(), message);
  if (!screen && !sound) return;
  if (isOnScreen(message)) {
    claim(message.id);
    return;
  }
  if (!document.hasFocus()) await new Promise((resolve) => setTimeout(resolve, GRACE));
  if (screen && permission() === "default" && stored(DECLINED) === "") isAsking.value = true;
  if (!claim(message.id)) return;
  if (screen && permission() === "granted") show(message);
  if (sound) ring();
}

/** What the number on the icon has room for. */
const MOST_DRAWN = 99;
let drawn = -1;

/** The icon of the page with a number on it. @param {number} count */
function drawIcon(count) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  if (link === null) return;
  if (count === 0) {
    link.href = "/page/icon.svg";
    return;
  }
  const picture = new Image(64, 64);
  picture.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const pen = canvas.getContext("2d");
    // Another number may have come meanwhile.
    if (pen === null || count !== drawn) return;
    pen.drawImage(picture, 0, 0, 64, 64);
    pen.fillStyle = "#93402f";
    pen.beginPath();
    pen.arc(42, 42, 22, 0, 2 * Math.PI);
    pen.fill();
    pen.fillStyle = "#fffdf9";
    pen.font = "bold 28px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(count), 42, 44);
    link.href = canvas.toDataURL("image/png");
  };
  picture.src = "/page/icon.svg";
}

/** Begins to tell; the function that it returns ends that. @param {readonly import("../types.js").Event[]} before what has come already */
export function tellNotices(before) {
  const watch = (/** @type {import("../types.js").Event} */ event) => void notice(event);
  watchers.add(watch);
  before.forEach(watch);
  const end = effect(() => {
    const count = iconCount(store.settings.value["desktop_icon_count_display"], counts.value);
    const shown = Math.min(count, MOST_DRAWN);
    if (shown === drawn) return;
    drawn = shown;
    // After the message itself.
    whenIdle(() => shown === drawn && drawIcon(shown));
  });
  return () => {
    watchers.delete(watch);
    end();
  };
}

/** The question, when there was something to tell of. */
export function NoticeBanner() {
  if (!isAsking.value) return null;
  const decline = () => {
    isAsking.value = false;
    stored(DECLINED, "yes");
  };
  return html`<p class="banner" role="status">
    ${t("ask_notices")}
    <button type="button" class="plain" onClick=${() => void askForNotices()}>${t("allow")}</button>
    <button type="button" class="plain" onClick=${decline}>${t("not_now")}</button>
  </p>`;
}
