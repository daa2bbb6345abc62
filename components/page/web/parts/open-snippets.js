// Opening the saved snippets, whose dialog is loaded when it is first needed.

import { withModule } from "./later.js";

/** @param {(words: string) => void} take @param {string} words what a new one begins with */
export const openSnippets = (take, words) =>
  withModule(
    () => import("./snippets.js"),
    (it) => it.openSnippets(take, words),
  );
