// Changing what is in a text field, with the caret where it belongs at once: the next key may come
// before the next frame. The browser's own undo takes such a change back as it does typing.

/**
 * @param {HTMLTextAreaElement} field @param {number} start @param {number} end @param {string} words
 */
function put(field, start, end, words) {
  field.focus();
  field.setSelectionRange(start, end);
  if (start === end && words === "") return;
  if (document.execCommand(words === "" ? "delete" : "insertText", false, words)) return;
  field.setRangeText(words, start, end, "end");
}

/**
 * Puts words in place of a part; the caret goes behind them.
 * @param {HTMLTextAreaElement} field @param {number} start @param {number} end @param {string} words
 * @returns {string} what is in the field now
 */
export function replaceIn(field, start, end, words) {
  put(field, start, end, words);
  return field.value;
}

/**
 * Puts marks around what is selected, which stays so.
 * @param {HTMLTextAreaElement} field @param {string} before @param {string} after
 * @returns {string} what is in the field now
 */
export function wrapIn(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  put(field, start, end, before + value.slice(start, end) + after);
  field.setSelectionRange(start + before.length, end + before.length);
  return field.value;
}
