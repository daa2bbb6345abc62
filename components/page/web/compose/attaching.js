// Adding files to what is written: the way to `uploads.js`, which comes with the first of them.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { withModule } from "../frame/later.js";

/** @type {import("@preact/signals-core").Signal<typeof import("./uploads.js") | null>} */
const uploads = signal(null);
/** How often files wait for it. */
let waiting = 0;

/** @param {FileList} files */
export async function attach(files) {
  // A field forgets them when it is emptied.
  const all = [...files];
  waiting += 1;
  await withModule(
    () => import("./uploads.js"),
    (it) => {
      uploads.value = it;
      it.addFiles(all);
    },
  );
  waiting -= 1;
}

/** Whether something is still on its way. */
export const areBusy = () => waiting > 0 || uploads.value?.areBusy() === true;

export const Attached = () => (uploads.value === null ? null : html`<${uploads.value.Uploads} />`);
