// Files: uploads, and what the server publishes as files.

import { file, upload } from "./http.js";

/**
 * @param {File} content
 * @param {{ signal?: AbortSignal, onProgress?: (share: number) => void }} options
 * @returns {Promise<{ url: string, filename: string }>}
 */
export const uploadFile = (content, options) => upload("/user_uploads", content, options);

/** @param {string} url server_emoji_data_url @returns {Promise<{ code_to_names: Record<string, string[]> }>} */
export const getEmojiData = (url) => file(url);
