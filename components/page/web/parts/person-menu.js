// What one can do with a person: write to them, see what they have said, mute them.

import { muteUser, unmuteUser } from "../api/people.js";
import { go, linkTo, linkToPeople } from "../state/route.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { openMenu } from "./menu.js";
import { attempt } from "./note.js";

/** @param {Event} event @param {number} id */
export function openPerson(event, id) {
  const isMuted = store.muted.value.has(id);
  const isMe = id === store.me.value;
  openMenu(event, nameOf(id), [
    { name: "people", text: t("direct_with", { names: nameOf(id) }), run: () => go(linkToPeople([id])) },
    {
      name: "search",
      text: t("said_by", { name: nameOf(id) }),
      run: () => go(linkTo({ terms: [{ operator: "sender", operand: id }] })),
    },
    isMe
      ? null
      : isMuted
        ? { name: "eye", text: t("unmute_person"), run: () => attempt(() => unmuteUser(id)) }
        : { name: "close", text: t("mute_person"), run: () => attempt(() => muteUser(id)), is_grave: true },
  ]);
}
