// What lies above the page: dialogs, menus, pickers, large pictures. Each of them comes when it is first opened, and
// then has its layer here.

import { html } from "htm/preact";
import { signal } from "@preact/signals";

/** The dialog that is open, as a function that draws it. @type {import("@preact/signals-core").Signal<(() => any) | null>} */
export const open = signal(null);
export const close = () => (open.value = null);
// A dialog closes with its view. Following a moved topic stays in the view, and causes no such event.
addEventListener("hashchange", close);

const Dialogs = () => open.value?.() ?? null;

/** Views, each of which draws nothing while nothing of it is open. @type {import("@preact/signals-core").Signal<(() => any)[]>} */
const layers = signal([Dialogs]);

/** @param {() => any} layer a view, which stays */
export const addLayer = (layer) => (layers.value = [...layers.value, layer]);

export const Above = () => layers.value.map((layer) => html`<${layer} />`);
