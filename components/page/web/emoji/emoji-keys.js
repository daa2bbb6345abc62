// Arrow keys in a picker: they move from the search into the grid, between emoji, and between groups.

/** The nearest one in the next row. @param {HTMLElement[]} all @param {number} at @param {1 | -1} step */
function inRow(all, at, step) {
  const here = all[at]?.getBoundingClientRect();
  if (here === undefined) return undefined;
  /** @type {{ one: HTMLElement, distance: number } | undefined} */
  let best;
  let row = 0;
  for (let next = at + step; all[next] !== undefined; next += step) {
    const one = /** @type {HTMLElement} */ (all[next]);
    const { top, left } = one.getBoundingClientRect();
    if (Math.abs(top - here.top) < 2) continue;
    if (best !== undefined && Math.abs(top - row) > 2) break;
    row = top;
    const distance = Math.abs(left - here.left);
    if (best === undefined || distance < best.distance) best = { one, distance };
  }
  return best?.one;
}

/** @param {KeyboardEvent} event @returns {boolean} whether it was about that */
export function keyInGrid({ key, target, currentTarget }) {
  const picker = /** @type {HTMLElement} */ (currentTarget);
  const from = /** @type {HTMLElement} */ (target);
  const input = picker.querySelector("input");
  const isRightToLeft = getComputedStyle(picker).direction === "rtl";
  const step = { ArrowRight: isRightToLeft ? -1 : 1, ArrowLeft: isRightToLeft ? 1 : -1 }[key];
  const list = from.closest(".groups") ?? picker.querySelector(".scroll");
  const all = /** @type {HTMLElement[]} */ ([...(list?.querySelectorAll("button") ?? [])]);
  if (from === input) {
    if (key !== "ArrowDown") return false;
    picker.querySelector(/** @type {any} */ (".scroll button"))?.focus();
    return true;
  }
  const at = all.indexOf(from);
  if (at < 0) return false;
  if (step !== undefined) all[at + step]?.focus();
  else if (key === "ArrowDown" && from.closest(".groups") === null) inRow(all, at, 1)?.focus();
  else if (key === "ArrowUp" && from.closest(".groups") === null) (inRow(all, at, -1) ?? input)?.focus();
  else return false;
  return true;
}
