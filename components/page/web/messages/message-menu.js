// The menu of a message: everything that one can do with it.

import { html } from "htm/preact";
import { deleteMessage, getMessage, getReadReceipts } from "../api/messages.js";
import { isResolved } from "../state/conversation.js";
import { unreadFrom } from "../state/marks.js";
import { serverTime } from "../state/presence.js";
import { linkToMessage, route } from "../state/route.js";
import { amIn, nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { quote, replyTo } from "../compose/compose-state.js";
import { copyText } from "../elements/copy.js";
import { ask, Dialog, open } from "../elements/dialog.js";
import { openPicker } from "../emoji/emoji-picker.js";
import { withModule } from "../frame/later.js";
import { openMenu } from "../elements/menu.js";
import { resolve } from "./conversation-menu.js";
import { startEditing } from "./message-editor.js";
import { toggleStar } from "./message-tools.js";
import { attempt, note } from "../frame/note.js";
import { react } from "./reactions.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {number | null | undefined} limit seconds; null: none @param {Message} message */
const isWithin = (limit, message) =>
  limit === null || limit === undefined || serverTime.value - message.timestamp < limit;

/** As far as can be said here; the server decides. @param {Message} message */
export function mayEdit(message) {
  const realm = store.realm.value;
  const isMine = message.sender_id === store.me.value;
  return (
    isMine &&
    realm.realm_allow_message_editing !== false &&
    isWithin(realm.realm_message_content_edit_limit_seconds, message)
  );
}

/** @param {Message} message */
function mayDelete(message) {
  const realm = store.realm.value;
  const channel = /** @type {any} */ (store.channels.value.get(message.stream_id ?? 0));
  if (amIn(realm.realm_can_delete_any_message_group) || amIn(channel?.can_delete_any_message_group)) return true;
  const mayOwn = amIn(realm.realm_can_delete_own_message_group) || amIn(channel?.can_delete_own_message_group);
  return (
    message.sender_id === store.me.value &&
    mayOwn &&
    isWithin(realm.realm_message_content_delete_limit_seconds, message)
  );
}

/** @param {Message} message */
const remove = (message) =>
  ask({
    title: t("delete_message"),
    text: t("delete_message_text"),
    action: t("delete"),
    run: () => deleteMessage(message.id),
  });

/** @param {Message} message */
export async function copyLink(message) {
  const isDone = await copyText(new URL(linkToMessage(message), location.origin + "/").href);
  note(t(isDone ? "link_copied" : "copy_failed"));
}

/** @param {Message} message */
async function source(message) {
  const { raw_content } = await getMessage(message.id);
  open.value = () => html`<${Dialog} title=${t("source")}><pre class="source" tabindex="0">${raw_content}</pre><//>`;
}

/** @param {Message} message */
export async function readers(message) {
  const { user_ids } = await getReadReceipts(message.id);
  open.value = () =>
    html`<${Dialog} title=${t("read_by")}>
      ${
        user_ids.length === 0
          ? html`<p>${t("read_by_nobody")}</p>`
          : html`<ul class="names">
              ${user_ids.map((id) => html`<li>${nameOf(id)}</li>`)}
            </ul>`
      }
    <//>`;
}

/** @param {Message} message */
export const openHistory = (message) =>
  withModule(
    () => import("./history.js"),
    (it) => attempt(() => it.openHistory(message)),
  );

/** @param {Message} message */
const openReminder = (message) =>
  withModule(
    () => import("./reminder.js"),
    (it) => it.openReminder(message.id),
  );

/** @param {Message} message */
export const openMove = (message) =>
  withModule(
    () => import("./move.js"),
    (it) => it.openMove(message),
  );

/** @param {Message} message */
const openReport = (message) =>
  withModule(
    () => import("./report.js"),
    (it) => it.openReport(message),
  );

/** Reports go to a channel of those who moderate, where the organization has one. */
const mayReport = () => Number(store.realm.value["realm_moderation_request_channel_id"] ?? -1) > 0;

/** @param {Message} message */
export function unread(message) {
  const narrow = route.value.view === "messages" ? route.value.narrow.terms : [];
  return attempt(() => unreadFrom(message.id, narrow));
}

/**
 * Everything, also what has a button: where there is no pointer that hovers, there is only the menu.
 * @param {Message} message @param {HTMLElement} from
 * @returns {import("../elements/menu.js").Item[]}
 */
function items(message, from) {
  const isChannel = message.type === "stream";
  const hasReceipts = store.realm.value.realm_enable_read_receipts === true;
  return [
    { name: "reply", text: t("reply"), run: () => replyTo(message) },
    { name: "smile", text: t("add_reaction"), run: () => openPicker(from, (emoji) => void react(message, emoji)) },
    { name: "star", text: t(message.flags.includes("starred") ? "unstar" : "star"), run: () => toggleStar(message) },
    mayEdit(message) ? { name: "edit", text: t("edit"), run: () => startEditing(message.id) } : null,
    { name: "quote", text: t("quote"), run: () => attempt(() => quote(message)) },
    { name: "link", text: t("copy_link"), run: () => copyLink(message) },
    { name: "inbox", text: t("unread_from_here"), run: () => unread(message) },
    { name: "clock", text: t("remind"), run: () => openReminder(message) },
    store.realm.value["realm_message_edit_history_visibility_policy"] !== "none" &&
    (message.last_edit_timestamp || message.last_moved_timestamp)
      ? { name: "clock", text: t("history"), run: () => openHistory(message) }
      : null,
    isChannel ? { name: "move", text: t("move"), run: () => openMove(message) } : null,
    isChannel
      ? {
          name: "check",
          text: t(isResolved(message.subject) ? "unresolve" : "resolve"),
          run: () => attempt(() => resolve(message.subject, message.id)),
        }
      : null,
    { name: "hash", text: t("source"), run: () => attempt(() => source(message)) },
    hasReceipts ? { name: "eye", text: t("read_by"), run: () => attempt(() => readers(message)) } : null,
    mayReport() && message.sender_id !== store.me.value
      ? { name: "warning", text: t("report"), run: () => openReport(message) }
      : null,
    mayDelete(message) ? { name: "trash", text: t("delete"), run: () => remove(message), is_grave: true } : null,
  ];
}

/** @param {Message} message @param {HTMLElement} from the button */
export const openMessageMenu = (message, from) => openMenu(from, t("more"), items(message, from));
