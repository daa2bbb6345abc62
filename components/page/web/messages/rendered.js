// Rendered markup in the document: the one place where HTML of the server enters it.
//
// It is built aside, looked through, and put in whole: nothing in it can run, and what people act
// on (spoilers, pictures, code, times) works when it is seen.

import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { character } from "../emoji/emoji.js";
import { openGroup, openPerson, openPicture } from "../frame/open.js";
import { moment } from "../elements/time.js";
import { markup } from "../frame/trusted.js";

/** @param {{ html: string, class?: string, words?: readonly string[] }} properties */
export function Rendered({ html: content, class: name = "" }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    place.current?.replaceChildren(build(content));
  }, [content]);
  return html`<div ref=${place} class=${`rendered ${name}`} onClick=${pressed} onKeyDown=${keyed}></div>`;
}

/** The words of a rendered text, for a line that is a link itself. @param {string} content */
export const wordsOfRendered = (content) => (build(content).textContent ?? "").trim();

/** @param {string} content */
function build(content) {
  const template = document.createElement("template");
  template.innerHTML = markup(content);
  const fragment = template.content;
  for (const element of fragment.querySelectorAll("*")) harmless(element);
  for (const emoji of fragment.querySelectorAll("span.emoji")) drawEmoji(emoji);
  for (const link of fragment.querySelectorAll("a")) dress(link);
  for (const time of fragment.querySelectorAll("time")) local(time);
  for (const block of fragment.querySelectorAll("div.codehilite")) withTools(block);
  for (const spoiler of fragment.querySelectorAll("div.spoiler-block")) fold(spoiler);
  for (const mention of fragment.querySelectorAll(".user-mention, .user-group-mention, .topic-mention")) mine(mention);
  for (const image of fragment.querySelectorAll("img")) frame(image);
  // Headings of messages are below that of their day, whatever their size.
  for (const heading of fragment.querySelectorAll("h1, h2, h3, h4, h5, h6")) heading.setAttribute("aria-level", "3");
  return fragment;
}

const FORBIDDEN = new Set([
  "SCRIPT",
  "STYLE",
  "IFRAME",
  "OBJECT",
  "EMBED",
  "LINK",
  "META",
  "BASE",
  "FORM",
  "INPUT",
  "TEXTAREA",
]);

/** The server's renderer makes none of this; if it ever did, it would end here. @param {Element} element */
function harmless(element) {
  if (FORBIDDEN.has(element.tagName.toUpperCase())) {
    element.remove();
    return;
  }
  for (const { name, value } of [...element.attributes]) {
    const isAddress = name === "href" || name === "src" || name === "xlink:href";
    if (name.startsWith("on") || name === "style" || (isAddress && /^\s*(?:javascript|data|vbscript):/iu.test(value)))
      element.removeAttribute(name);
  }
}

/** @param {Element} emoji */
function drawEmoji(emoji) {
  const code = /(?:^| )emoji-([\da-f-]+)/u.exec(emoji.className)?.[1];
  const drawn = code === undefined ? "" : character(code);
  if (drawn !== "") emoji.textContent = drawn;
}

/** Links into this server open inside; others in a tab of their own. @param {HTMLAnchorElement} link */
function dress(link) {
  const href = link.getAttribute("href") ?? "";
  const inside = insideOf(href);
  if (inside !== null) link.setAttribute("href", inside);
  else if (href !== "") {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    if (href.startsWith("user_uploads/")) link.setAttribute("href", `/${href}`);
  }
  if (link.textContent === "" && link.querySelector("img, video") === null && link.title !== "")
    link.setAttribute("aria-label", link.title);
}

/** The part behind `#` of an address of this client. @param {string} href */
export function insideOf(href) {
  if (/^\/?#/u.test(href)) return href.replace(/^\//u, "");
  try {
    const url = new URL(href);
    return url.origin === location.origin && url.pathname === "/" && url.hash !== "" ? url.hash : null;
  } catch {
    return null;
  }
}

/** @param {HTMLTimeElement} time */
function local(time) {
  const at = Date.parse(time.dateTime);
  if (!Number.isNaN(at)) {
    time.title = time.textContent ?? "";
    time.textContent = moment(at / 1000);
  }
}

/** Code can be copied, and opened in the playgrounds of its language. @param {Element} block */
function withTools(block) {
  const code = block.querySelector("pre");
  code?.setAttribute("tabindex", "0");
  const tools = document.createElement("div");
  tools.className = "code-tools";
  const language = block.getAttribute("data-code-language");
  /** @type {{ name: string, pygments_language: string, url_template: string }[]} */
  const playgrounds = store.personal.peek()["realm_playgrounds"] ?? [];
  for (const one of playgrounds)
    if (one.pygments_language === language) tools.append(playgroundLink(one, code?.textContent ?? ""));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "code-copy";
  button.dataset["action"] = "copy";
  button.textContent = t("copy");
  tools.append(button);
  block.append(tools);
}

/** @param {{ name: string, url_template: string }} playground @param {string} code */
function playgroundLink({ name, url_template: template }, code) {
  const link = document.createElement("a");
  const value = encodeURIComponent(code);
  const url = template.replace(/\{([?&]?)code\}/gu, (_, sign) => (sign === "" ? value : `${sign}code=${value}`));
  if (/^https?:/u.test(url)) link.href = url;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.textContent = t("open_in", { name });
  return link;
}

let spoilers = 0;

/** @param {Element} spoiler */
function fold(spoiler) {
  const [header, content] = spoiler.children;
  if (header === undefined || content === undefined) return;
  spoilers += 1;
  content.id = `spoiler-${spoilers}`;
  content.removeAttribute("aria-hidden");
  content.setAttribute("hidden", "");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "spoiler-button";
  button.dataset["action"] = "spoiler";
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", content.id);
  button.setAttribute("aria-label", t("spoiler"));
  if ((header.textContent ?? "").trim() === "") header.append(t("spoiler"));
  header.prepend(button);
}

/** @param {Element} mention */
function mine(mention) {
  const user = mention.getAttribute("data-user-id");
  const group = mention.getAttribute("data-user-group-id");
  const me = store.me.peek();
  const isMine =
    user === "*" ||
    mention.classList.contains("topic-mention") ||
    user === String(me) ||
    store.groups.peek().get(Number(group))?.members.includes(me) === true;
  if (isMine && !mention.classList.contains("silent")) mention.classList.add("mine");
  if (Number(user) > 0 || Number(group) > 0) {
    mention.setAttribute("role", "button");
    mention.setAttribute("tabindex", "0");
  }
}

/** Keeps the room of a picture that is not there yet. @param {HTMLImageElement} image */
function frame(image) {
  if (!image.hasAttribute("alt"))
    image.alt = image.closest("a")?.title || nameOfFile(image.closest("a")?.href ?? image.src);
  image.loading = "lazy";
  image.decoding = "async";
  const size = /^(\d+)x(\d+)$/u.exec(image.dataset["originalDimensions"] ?? "");
  if (size !== null) {
    const [width, height] = [Number(size[1]), Number(size[2])];
    const scale = Math.min(1, 380 / width, 240 / height);
    image.width = Math.max(1, Math.round(width * scale));
    image.height = Math.max(1, Math.round(height * scale));
  }
  if (image.classList.contains("inline-image")) {
    image.tabIndex = 0;
    image.role = "button";
  }
}

/** @param {string} address */
function nameOfFile(address) {
  try {
    return decodeURIComponent(new URL(address, location.href).pathname.split("/").at(-1) ?? "");
  } catch {
    return address;
  }
}

/** @param {MouseEvent} event */
function pressed(event) {
  if (!(event.target instanceof Element) || openMention(event.target)) return;
  const button = /** @type {HTMLElement | null} */ (event.target.closest("button[data-action]"));
  if (button?.dataset["action"] === "copy") void copyCode(button);
  if (button?.dataset["action"] === "spoiler") toggle(button);
  const picture = event.target.closest(
    ".message_inline_image:not(.message_inline_video, .youtube-video) a, img.inline-image",
  );
  if (picture !== null && !event.ctrlKey && !event.metaKey && event.button === 0) {
    event.preventDefault();
    void openPicture(picture);
  }
  if (button === null && event.target.closest("a") === null) {
    const header = event.target.closest(".spoiler-header");
    const inside = /** @type {HTMLElement | null} */ (header?.querySelector("button[data-action]") ?? null);
    if (inside !== null) toggle(inside);
  }
}

/** @param {Element} target @returns {boolean} whether it is a mention, whose card opens */
function openMention(target) {
  const mention = target.closest(".user-mention, .user-group-mention");
  const user = Number(mention?.getAttribute("data-user-id"));
  const group = Number(mention?.getAttribute("data-user-group-id"));
  if (user > 0) void openPerson(user);
  else if (group > 0) void openGroup(group);
  return user > 0 || group > 0;
}

/** @param {KeyboardEvent} event */
function keyed(event) {
  if (event.key === "Enter" && event.target instanceof Element && openMention(event.target)) event.preventDefault();
}

/** @param {HTMLElement} button */
function toggle(button) {
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  document.getElementById(button.getAttribute("aria-controls") ?? "")?.toggleAttribute("hidden", isOpen);
}

/** @param {HTMLElement} button */
async function copyCode(button) {
  const { copyText } = await import("../elements/copy.js");
  const isDone = await copyText(button.closest(".codehilite")?.querySelector("pre")?.textContent ?? "");
  button.textContent = t(isDone ? "copied" : "copy_failed");
  setTimeout(() => (button.textContent = t("copy")), 2000);
}
