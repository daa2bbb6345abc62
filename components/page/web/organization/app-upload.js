// The form that uploads the component of an app.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { ApiError } from "../api/http.js";
import { Form } from "../elements/form.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/apps.js").App} App */

const MEBIBYTE = 1024 * 1024;
/** The server accepts no larger component. */
const MOST = 8;

/**
 * @param {object} properties
 * @param {string} properties.text
 * @param {string} properties.action
 * @param {(component: File, options: import("../api/apps.js").Progress) => Promise<{ app: App }>} properties.send
 * @param {(answer: { app: App }) => void} properties.done
 */
export function AppUpload({ text, action, send, done }) {
  /** How much of it is sent. @type {import("@preact/signals-core").Signal<number | null>} */
  const share = useSignal(/** @type {number | null} */ (null));
  const run = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    const component = /** @type {File} */ (data.get("component"));
    if (component.size > MOST * MEBIBYTE) throw new Error(t("file_too_large", { most: MOST }));
    share.value = 0;
    try {
      done(await send(component, { onProgress: (now) => (share.value = now) }));
    } catch (error) {
      throw error instanceof ApiError && error.status === 0 ? new Error(t("not_sent")) : error;
    } finally {
      share.value = null;
    }
  };
  return html`<${Form} look="page" run=${run} action=${action} resets>
    <label>${text} <input name="component" type="file" accept=".wasm,application/wasm" required /></label>
    ${share.value === null ? null : html`<progress max="1" value=${share.value} aria-label=${t("app_uploading")}></progress>`}
  <//>`;
}
