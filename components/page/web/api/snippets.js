// Saved snippets: texts that one writes again and again.

import { call } from "./http.js";

/** @typedef {{ id: number, title: string, content: string }} Snippet */

/** @param {string} title @param {string} content */
export const createSavedSnippet = (title, content) => call("POST /saved_snippets", { title, content });

/** @param {number} saved_snippet_id @param {string} title @param {string} content */
export const editSavedSnippet = (saved_snippet_id, title, content) =>
  call("PATCH /saved_snippets/{saved_snippet_id}", { saved_snippet_id, title, content });

/** @param {number} saved_snippet_id */
export const deleteSavedSnippet = (saved_snippet_id) =>
  call("DELETE /saved_snippets/{saved_snippet_id}", { saved_snippet_id });
