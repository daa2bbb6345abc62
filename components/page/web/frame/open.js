// Opens what comes when it is needed: cards, menus, pickers, dialogs.

import { withModule } from "./later.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {number} id */
export const openPerson = (id) =>
  withModule(
    () => import("../people/person-card.js"),
    (it) => it.showPerson(id),
  );

export const openStatus = () =>
  withModule(
    () => import("../people/own-status.js"),
    (it) => it.showOwnStatus(),
  );

export const openInvite = () =>
  withModule(
    () => import("../people/invite.js"),
    (it) => it.openInvite(),
  );

export const openNewChannel = () =>
  withModule(
    () => import("../channels/channel-form.js"),
    (it) => it.openNewChannel(),
  );

/** @param {number} id */
export const openGroup = (id) =>
  withModule(
    () => import("../people/group-card.js"),
    (it) => it.showGroup(id),
  );

/** @param {(words: string) => void} take @param {string} words what a new one begins with */
export const openSnippets = (take, words) =>
  withModule(
    () => import("../compose/snippets.js"),
    (it) => it.openSnippets(take, words),
  );

/** @param {Element} element of a message */
export const openPicture = (element) =>
  withModule(
    () => import("../messages/pictures.js"),
    (it) => it.openPicture(element),
  );

/** @param {HTMLElement} from @param {(emoji: import("../emoji/emoji.js").Emoji) => void} pick */
export const openPicker = (from, pick) =>
  withModule(
    () => import("../emoji/emoji-picker.js"),
    (it) => it.openPicker(from, pick),
  );

/** The menu of the account. @param {HTMLElement} from the button */
export const openOwnMenu = (from) =>
  withModule(
    () => import("./own-menu.js"),
    (it) => it.openOwnMenu(from),
  );

/**
 * The menu of a conversation that is named in a list.
 * @param {import("../messages/conversation-menu.js").Conversation} conversation @param {HTMLElement} from
 * @param {{ x: number, y: number }} [at] where it was pressed
 */
export const openMenuOf = (conversation, from, at) =>
  withModule(
    () => import("../messages/conversation-menu.js"),
    (it) => it.openMenuOf(conversation, from, at),
  );

/** Marks it as read, and offers to take that back. @param {import("../messages/conversation-menu.js").Conversation} conversation */
export const readIn = (conversation) =>
  withModule(
    () => import("../messages/conversation-menu.js"),
    (it) => it.read(conversation),
  );

/** The same for all of a view. @param {import("../state/narrow.js").Narrow} narrow */
export const readNarrow = (narrow) =>
  withModule(
    () => import("../messages/conversation-menu.js"),
    (it) => it.readNarrow(narrow),
  );

/** @param {import("../state/narrow.js").Narrow} narrow @param {HTMLElement} from the button */
export const openConversationMenu = (narrow, from) =>
  withModule(
    () => import("../messages/conversation-menu.js"),
    (it) => it.openConversationMenu(narrow, from),
  );

/** @param {Message} message @param {HTMLElement} from the button */
export const openMessageMenu = (message, from) =>
  withModule(
    () => import("../messages/message-menu.js"),
    (it) => it.openMessageMenu(message, from),
  );
