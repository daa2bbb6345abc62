// The list of uploaded files: it is loaded when it is first shown, and events keep it from then on.

import { getAttachments } from "../api/attachments.js";
import { reduce } from "./reduce.js";
import { now, patch, record, stopRecording } from "./store.js";

/** @param {import("../types.js").Event} event */
const isAttachment = (event) => event.type === "attachment";

/** Loads it; again when events were missed meanwhile. @throws {import("../api/http.js").ApiError} */
export async function loadAttachments() {
  for (;;) {
    const recording = record(isAttachment);
    try {
      const { attachments, upload_space_used } = await getAttachments();
      if (recording.isBroken) continue;
      /** @type {import("../types.js").State["personal"]} */
      const personal = { ...now().personal, attachments, upload_space_used };
      const state = recording.events.reduce((state, event) => reduce(state, event, 0), { ...now(), personal });
      patch({ personal: state.personal });
      return;
    } finally {
      stopRecording(recording);
    }
  }
}
