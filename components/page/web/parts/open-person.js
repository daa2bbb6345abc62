// Opens what one sees of a person: their card, and one's own status. Both come when they are needed.

import { withModule } from "./later.js";

/** @param {number} id */
export const openPerson = (id) =>
  withModule(
    () => import("./person-card.js"),
    (it) => it.showPerson(id),
  );

export const openStatus = () =>
  withModule(
    () => import("./own-status.js"),
    (it) => it.showOwnStatus(),
  );
