// Which views stand in the sidebar.

import { call } from "./http.js";

/** @param {string} fragment of a built-in view @param {boolean} is_pinned */
export const addNavigationView = (fragment, is_pinned) => call("POST /navigation_views", { fragment, is_pinned });

/** @param {string} fragment @param {boolean} is_pinned */
export const editNavigationView = (fragment, is_pinned) =>
  call("PATCH /navigation_views/{fragment}", { fragment, is_pinned });
