// A person in a list: their presence, name and status; the link leads to the conversation with them.

import { html } from "htm/preact";
import { Count } from "../elements/count.js";
import { memo } from "../elements/memo.js";
import { ConversationLine } from "../frame/conversation-line.js";
import { linkToPeople } from "../state/route.js";
import { PresenceDot } from "./avatar.js";
import { StatusGlyph } from "./status.js";

/** @typedef {{ id: number, name: string, isHere?: boolean, unread?: number }} Properties isHere: of the view */

export const PersonLine = memo(
  (/** @type {Properties} */ { id, name, isHere = false, unread = 0 }) =>
    html`<${ConversationLine}
      of=${() => ({ kind: "direct", people: [id] })}
      href=${linkToPeople([id])}
      isHere=${isHere}
      isToWrite
    >
      <${PresenceDot} id=${id} /> <span class="name" dir="auto">${name}</span> <${StatusGlyph} id=${id} />
      <${Count} count=${unread} />
    <//>`,
);
