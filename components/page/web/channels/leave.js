// Leaving a channel: at once where one can come back, after a question where one cannot.

import { unsubscribe } from "../api/channels.js";
import { t } from "../strings/text.js";
import { ask } from "../elements/dialog.js";
import { attempt } from "../frame/note.js";

/** @param {import("../types.js").Channel} channel */
export function leave(channel) {
  const run = () => unsubscribe([channel.name]);
  if (!channel.invite_only) return void attempt(run);
  ask({
    title: t("leave_private", { name: channel.name }),
    text: t("leave_private_text"),
    action: t("unsubscribe"),
    run,
  });
}
