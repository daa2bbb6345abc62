// Files on their way into what is written, each with its progress and a way to stop it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { ApiError } from "../api/http.js";
import { uploadFile } from "../api/files.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { text, write } from "./compose-state.js";
import { Icon } from "../elements/icon.js";

/** @typedef {{ id: number, name: string, share: number, problem: string, stop: AbortController }} Upload */
/** @type {import("@preact/signals-core").Signal<Upload[]>} */
const uploads = signal([]);
let last = 0;

/** @param {number} id @param {Partial<Upload> | null} change null: it is done */
function change(id, change) {
  uploads.value = uploads.value.flatMap((one) =>
    one.id !== id ? [one] : change === null ? [] : [{ ...one, ...change }],
  );
}

/** Whether a message shows or plays it. @param {string} name */
const isMedia = (name) => /\.(?:aac|bmp|flac|gif|jpe?g|mp3|png|wav|webp)$/iu.test(name);

/** @param {Iterable<File>} files */
export function addFiles(files) {
  for (const file of files) void add(file);
}

/** @param {File} file */
async function add(file) {
  last += 1;
  const id = last;
  const stop = new AbortController();
  const most = store.realm.value.max_file_upload_size_mib ?? 25;
  const problem = file.size > most * 1024 * 1024 ? t("file_too_large", { most }) : "";
  uploads.value = [...uploads.value, { id, name: file.name, share: 0, problem, stop }];
  if (problem !== "") return;
  try {
    const { url, filename } = await uploadFile(file, {
      signal: stop.signal,
      onProgress: (share) => change(id, { share }),
    });
    const name = filename.replace(/[[\]]/gu, "");
    const link = `${isMedia(filename) ? "!" : ""}[${name}](${url})`;
    write(text.value === "" || text.value.endsWith("\n") ? `${text.value}${link}\n` : `${text.value}\n${link}\n`);
    change(id, null);
  } catch (error) {
    if (stop.signal.aborted) change(id, null);
    else change(id, { problem: error instanceof ApiError && error.status !== 0 ? error.message : t("not_sent") });
  }
}

/** @param {Upload} upload */
function end(upload) {
  upload.stop.abort(new Error("cancelled"));
  change(upload.id, null);
}

/** Whether something is still on its way. */
export const areBusy = () => uploads.value.some((one) => one.problem === "");

export function Uploads() {
  if (uploads.value.length === 0) return null;
  return html`<ul class="uploads">
    ${uploads.value.map(
      (one) =>
        html`<li key=${one.id}>
          <span>${one.name}</span>
          ${one.problem === "" ? html`<progress max="1" value=${one.share} aria-label=${t("uploading", { name: one.name })}></progress>` : html`<span class="error" role="alert">${one.problem}</span>`}
          <button type="button" class="quiet" aria-label=${t("cancel")} onClick=${() => end(one)}>
            <${Icon} name="close" />
          </button>
        </li>`,
    )}
  </ul>`;
}
