// Opens what comes when it is needed: cards, menus, pickers, dialogs.

import { withModule } from "./later.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {number} id */
export const openPerson = (id) =>
  withModule(
    () => import("./person-card.js"),
    (it) => it.showPerson(id),
  );

export const openStatus = () =>
  withModule(
    () => import("./own-status.js"),
    (it) => it.showOwnStatus(),
  );

export const openInvite = () =>
  withModule(
    () => import("./invite.js"),
    (it) => it.openInvite(),
  );

/** @param {number} id */
export const openGroup = (id) =>
  withModule(
    () => import("./group-card.js"),
    (it) => it.showGroup(id),
  );

/** @param {(words: string) => void} take @param {string} words what a new one begins with */
export const openSnippets = (take, words) =>
  withModule(
    () => import("./snippets.js"),
    (it) => it.openSnippets(take, words),
  );

/** @param {Element} element of a message */
export const openPicture = (element) =>
  withModule(
    () => import("./pictures.js"),
    (it) => it.openPicture(element),
  );

/** @param {HTMLElement} from @param {(emoji: import("./emoji.js").Emoji) => void} pick */
export const openPicker = (from, pick) =>
  withModule(
    () => import("./emoji-picker.js"),
    (it) => it.openPicker(from, pick),
  );

/** The menu of the account. @param {HTMLElement} from the button */
export const openOwnMenu = (from) =>
  withModule(
    () => import("./own-menu.js"),
    (it) => it.openOwnMenu(from),
  );

/** @param {import("../state/narrow.js").Narrow} narrow @param {HTMLElement} from the button */
export const openConversationMenu = (narrow, from) =>
  withModule(
    () => import("./conversation-menu.js"),
    (it) => it.openConversationMenu(narrow, from),
  );

/** @param {Message} message @param {HTMLElement} from the button */
export const openMessageMenu = (message, from) =>
  withModule(
    () => import("./message-menu.js"),
    (it) => it.openMessageMenu(message, from),
  );
