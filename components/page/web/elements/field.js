// Changing what is in a text field, with the caret where it belongs at once: the next key may come
// before the next frame.

/**
 * Puts words in place of a part; the caret goes behind them.
 * @param {HTMLTextAreaElement} field @param {number} start @param {number} end @param {string} words
 * @returns {string} what is in the field now
 */
export function replaceIn(field, start, end, words) {
  field.setRangeText(words, start, end, "end");
  return field.value;
}

/**
 * Puts marks around what is selected, which stays so.
 * @param {HTMLTextAreaElement} field @param {string} before @param {string} after
 * @returns {string} what is in the field now
 */
export function wrapIn(field, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  field.setRangeText(before + value.slice(start, end) + after, start, end);
  field.setSelectionRange(start + before.length, end + before.length);
  return field.value;
}
