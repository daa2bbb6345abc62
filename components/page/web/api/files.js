// Files: uploads, and what the server publishes as files.

import { call, file, isThere, upload } from "./http.js";

/** @param {File} content @param {{ signal?: AbortSignal, onProgress?: (share: number) => void }} options */
export const uploadFile = (content, options) => upload("POST /user_uploads", content, {}, options);

/** @param {File} content a picture */
export const uploadAvatar = (content) => upload("POST /users/me/avatar", content, {});

export const deleteAvatar = () => call("DELETE /users/me/avatar", {});

/** @param {string} url server_emoji_data_url @returns {Promise<{ code_to_names: Record<string, string[]> }>} */
export const getEmojiData = (url) => file(url);

/** @param {string} url of a file of this client @returns {Promise<boolean>} whether the server has it still */
export const isServed = (url) => isThere(url);
