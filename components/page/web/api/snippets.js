// Saved snippets: texts that one writes again and again.

import { call } from "./http.js";

/** @typedef {{ id: number, title: string, content: string }} Snippet */

/** @param {string} title @param {string} content */
export const createSavedSnippet = (title, content) =>
  call("POST", "/saved_snippets", { parameters: { title, content } });

/** @param {number} id @param {string} title @param {string} content */
export const editSavedSnippet = (id, title, content) =>
  call("PATCH", `/saved_snippets/${id}`, { parameters: { title, content } });

/** @param {number} id */
export const deleteSavedSnippet = (id) => call("DELETE", `/saved_snippets/${id}`);
