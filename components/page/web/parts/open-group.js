// Opens the card of a group, which comes when it is needed.

import { withModule } from "./later.js";

/** @param {number} id */
export const openGroup = (id) =>
  withModule(
    () => import("./group-card.js"),
    (it) => it.showGroup(id),
  );
