// A number in a list, with what it means for those who hear it.

import { html } from "htm/preact";
import { t } from "../strings/text.js";

/** @param {{ count: number, quiet?: boolean, label?: string }} properties */
export const Count = ({ count, quiet = false, label }) =>
  count === 0
    ? null
    : html`<span class=${quiet ? "count faint" : "count"}
        ><span aria-hidden="true">${count > 999 ? "999+" : count}</span
        ><span class="aside">${label ?? t("unread_count", { n: count })}</span></span
      >`;
