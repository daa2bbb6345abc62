// The last message that one has written here, for changing it.

import { startEditing } from "../messages/message-editor.js";
import { mayEdit } from "../messages/message-menu.js";
import { narrowKey } from "../state/narrow.js";
import { route } from "../state/route.js";
import { now } from "../state/store.js";
import { focusWanted } from "./compose-state.js";

/** Nothing happens where there is none that may be changed. */
export function editLast() {
  const { messages, windows, me } = now();
  if (route.value.view !== "messages") return;
  const ids = windows.get(narrowKey(route.value.narrow.terms))?.ids ?? [];
  const id = ids.findLast((one) => messages.get(one)?.sender_id === me);
  const message = messages.get(id ?? 0);
  if (message !== undefined && mayEdit(message)) void startEditing(message.id, () => (focusWanted.value += 1));
}
