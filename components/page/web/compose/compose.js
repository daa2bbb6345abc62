// Writing: the field at the foot of a view, and everything that helps to fill it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { renderMessage } from "../api/messages.js";
import { sendNow } from "../state/drafts.js";
import { keyOfRecipient, send } from "../state/outbox.js";
import { conversation, linkToPeople, linkToTopic, route, go } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { areBusy, attach, Attached } from "./attaching.js";
import { address, focusWanted, isWriting, openDraft, recipient, startWriting, text, write } from "./compose-state.js";
import { ComposeHints } from "./compose-hints.js";
import { replaceIn } from "../elements/field.js";
import { format, keyed, loadFormat, pasted } from "./field-events.js";
import { Icon } from "../elements/icon.js";
import { isHeld, useDrop } from "../frame/drop.js";
import { withModule } from "../frame/later.js";
import { attempt, note } from "../frame/note.js";
import { openPicker, openSnippets } from "../frame/open.js";
import { RecipientField } from "./recipient-field.js";
import { Rendered } from "../messages/rendered.js";
import { complete, endCompletion, Suggestions } from "./suggestions.js";
import { endTyping, noteTyping } from "./typing.js";

/** @type {import("@preact/signals-core").Signal<string | null>} */
const preview = signal(null);
/** @returns {import("../state/outbox.js").Recipient | null} */
function recipientOfView() {
  const now = conversation.value;
  if (now?.kind === "topic") return { kind: "topic", stream_id: now.stream_id, topic: now.topic };
  if (now?.kind === "channel") return { kind: "topic", stream_id: now.stream_id, topic: "" };
  return now?.kind === "direct" ? { kind: "direct", people: now.people } : null;
}

/** Whether one writes to the conversation of the view. @param {import("../state/outbox.js").Recipient | null} to */
function isRecipientOfView(to) {
  const here = conversation.value?.kind === "channel" ? null : recipientOfView();
  return here !== null && to !== null && keyOfRecipient(to) === keyOfRecipient(here) && !isOpenRecipient(to);
}

/** @param {import("../state/outbox.js").Recipient} to */
const isOpenRecipient = (to) => (to.kind === "direct" ? to.people.length === 0 : to.stream_id === 0);

/** The first field that is still to be filled in. @param {HTMLElement | null} form @param {boolean} withTopic */
function missingIn(form, withTopic) {
  const to = recipient.value;
  const isOpen = to === null || isOpenRecipient(to);
  const selector =
    to?.kind === "direct"
      ? isOpen && ".people input"
      : isOpen
        ? ".recipient select"
        : withTopic && to.topic === "" && ".recipient .topic";
  return /** @type {HTMLElement | null} */ (
    (selector && form?.querySelector(selector)) || form?.querySelector("textarea")
  );
}

/** Why it cannot be sent now; empty: it can. */
function obstacle() {
  const to = recipient.value;
  const most = store.realm.value.max_message_length ?? 10_000;
  if ([...text.value].length > most) return t("too_long", { most });
  if (to === null || isOpenRecipient(to)) return t("no_recipient");
  if (to.kind === "topic" && to.topic.trim() === "" && store.realm.value.realm_topics_policy === "disable_empty_topic")
    return t("no_topic");
  return areBusy() ? t("still_uploading") : "";
}

function submit() {
  const to = recipient.value;
  if (text.value.trim() === "") return;
  const why = obstacle();
  if (why !== "" || to === null) {
    note(why);
    return;
  }
  endTyping();
  void send(to, text.value);
  write("");
  // At once: other devices show the draft until it is gone.
  void sendNow();
  preview.value = null;
  if (!isRecipientOfView(to)) go(to.kind === "topic" ? linkToTopic(to.stream_id, to.topic) : linkToPeople(to.people));
}

/** The same, at a time to choose; what was typed stays until the server has it. */
function submitLater() {
  const to = recipient.value;
  const why = obstacle();
  if (why !== "" || to === null) {
    note(why);
    return;
  }
  endTyping();
  const done = () => {
    write("");
    preview.value = null;
  };
  void withModule(
    () => import("./schedule.js"),
    (it) => it.openSchedule(to, text.value, done),
  );
}

async function showPreview() {
  const words = text.value;
  const { rendered } = await renderMessage(words);
  // The text may have been sent or replaced by now.
  if (text.value === words) preview.value = rendered;
}

export function Compose() {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const here = conversation.value;
  const place = here === null ? "" : JSON.stringify(here);
  const opened = useRef(/** @type {string | null} */ (null));
  // Before the first key: a draft that opens later would replace the typed text.
  useLayoutEffect(() => {
    opened.current = place;
    openDraft(recipientOfView());
    preview.value = null;
    endCompletion();
    return endTyping;
  }, [place]);
  useEffect(() => {
    if (focusWanted.value === null) return;
    const { to: other } = focusWanted.value;
    focusWanted.value = null;
    if (other !== undefined) address(other);
    // The field of the recipient may only be drawn with this change.
    requestAnimationFrame(() => missingIn(form.current, other !== undefined)?.focus());
  }, [focusWanted.value]);
  const wanted = recipient.value;
  // Until its draft is open, the recipient is still that of the view before.
  const to = opened.current === place ? wanted : recipientOfView();
  const most = store.realm.value.max_message_length ?? 10_000;
  const left = most - [...text.value].length;
  const typed = (/** @type {any} */ event) => {
    write(event.target.value);
    noteTyping(recipient.value);
    complete(event.target);
  };
  const put = (/** @type {string} */ words) => {
    const element = field.current;
    if (element === null) return;
    element.focus();
    write(replaceIn(element, element.selectionStart, element.selectionEnd, words));
  };
  const isShown = preview.value !== null;
  const edit = () => {
    preview.value = null;
    startWriting();
  };
  const isTheView = isRecipientOfView(to);
  // Of a view without a field of its own; the draft stays.
  const isAbove = route.value.view !== "messages";
  const leave = () => {
    if (text.value.trim() === "") recipient.value = recipientOfView();
    isWriting.value = false;
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const channel = to?.kind === "topic" ? store.channels.value.get(to.stream_id) : undefined;
  useDrop((files) => void attach(files));
  return html`<form
    ref=${form}
    class=${isHeld.value ? "compose held" : "compose"}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && !event.defaultPrevented && leave()}
    aria-label=${t("write")}
    onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), submit())}
  >
    ${isTheView ? null : html`<${RecipientField} to=${to} fixed=${false} />`}
    ${
      isAbove
        ? html`<button type="button" class="quiet leave" title=${t("close")} aria-label=${t("close")} onClick=${leave}>
            <${Icon} name="close" />
          </button>`
        : null
    }
    <${ComposeHints} channel=${channel} text=${text.value} isHere=${isTheView && to?.kind === "topic"} />
    ${
      isShown
        ? html`<div
            class="preview"
            tabindex="0"
            role="region"
            aria-label=${t("preview")}
            onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
              if (event.key === "Escape") edit();
              else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
            }}
          >
            <${Rendered} html=${preview.value} />
          </div>`
        : null
    }
    <${Suggestions} field=${field} />
    <textarea
      ref=${field}
      dir="auto"
      rows="1"
      hidden=${isShown}
      aria-label=${labelOf(to)}
      placeholder=${labelOf(to)}
      value=${text.value}
      onInput=${typed}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => keyed(event, submit)}
      onPaste=${pasted}
      onFocus=${() => void loadFormat().catch(() => undefined)}
      onBlur=${() => setTimeout(endCompletion, 200)}
    ></textarea>
    ${isHeld.value ? html`<p class="drop">${t("drop_here")}</p>` : null}
    <${Attached} />
    <div class="bar">
      <label class="quiet attach" title=${t("attach")}
        ><${Icon} name="attach" /><input
          type="file"
          multiple
          aria-label=${t("attach")}
          onChange=${(/** @type {any} */ event) => (attach(event.target.files), (event.target.value = ""))}
      /></label>
      <button
        type="button"
        class="quiet"
        title=${t("emoji")}
        aria-label=${t("emoji")}
        onClick=${(/** @type {any} */ event) => openPicker(event.currentTarget, (one) => put(`:${one.emoji_name}: `))}
      >
        <${Icon} name="smile" />
      </button>
      <button
        type="button"
        class="quiet"
        title=${t("preview")}
        aria-label=${t("preview")}
        aria-pressed=${isShown}
        disabled=${text.value.trim() === ""}
        onClick=${() => (isShown ? edit() : attempt(showPreview))}
      >
        <${Icon} name="eye" />
      </button>
      <button
        type="button"
        class="quiet"
        title=${t("snippets")}
        aria-label=${t("snippets")}
        aria-haspopup="dialog"
        onClick=${() => openSnippets(put, text.value)}
      >
        <${Icon} name="bookmark" />
      </button>
      ${format.value === null ? null : html`<${format.value.FormatBar} field=${field} isOff=${isShown} />`}
      ${left < 500 ? html`<span class=${left < 0 ? "left error" : "left"}>${left}</span>` : null}
      <button
        type="button"
        class="quiet later"
        title=${t("send_later")}
        aria-label=${t("send_later")}
        disabled=${text.value.trim() === ""}
        onClick=${submitLater}
      >
        <${Icon} name="clock" />
      </button>
      ${format.value === null ? null : html`<${format.value.EnterSwitch} />`}
      <button
        type="submit"
        class="primary"
        title=${store.settings.value.enter_sends ? "Enter" : "Ctrl+Enter"}
        disabled=${text.value.trim() === ""}
      >
        ${t("send")}
      </button>
    </div>
  </form>`;
}

/** @param {import("../state/outbox.js").Recipient | null} to */
function labelOf(to) {
  if (to === null || isOpenRecipient(to)) return t("write");
  if (to.kind === "direct") return t("write_to", { name: namesOf(to.people) });
  const channel = store.channels.value.get(to.stream_id)?.name ?? "";
  return t("write_to", {
    name:
      to.topic === "" && conversation.value?.kind !== "topic" ? `#${channel}` : `#${channel} › ${topicName(to.topic)}`,
  });
}
