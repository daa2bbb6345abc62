// Keeps the place in a list that grows at both ends: the row under the reader's eyes stays where it
// is when others come above or below it, and a reader at the end stays at the end.

/** @typedef {{ mode: "end" } | { mode: "row", id: number, offset: number }} Place */

/** Pixels within which the end counts as reached. */
const NEAR_END = 8;

export class Keeper {
  constructor() {
    /** @type {HTMLElement | null} */
    this.scroller = null;
    /** @type {Place} */
    this.place = { mode: "end" };
    /** Whether the end of the list is the end of the conversation. */
    this.isWhole = true;
  }

  /** @returns {HTMLElement[]} */
  rows() {
    return [...(this.scroller?.querySelectorAll("[data-id]") ?? [])].filter((row) => row instanceof HTMLElement);
  }

  /** Notes the place after the reader has moved. */
  note() {
    const box = this.scroller;
    if (box === null) return;
    if (this.isWhole && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END) {
      this.place = { mode: "end" };
      return;
    }
    const top = box.getBoundingClientRect().top;
    const rows = this.rows();
    const row = rows[firstBelow(rows, top)];
    if (row !== undefined)
      this.place = { mode: "row", id: Number(row.dataset["id"]), offset: row.getBoundingClientRect().top - top };
  }

  /** Brings the place back after the list has changed. */
  restore() {
    const box = this.scroller;
    if (box === null) return;
    if (this.place.mode === "end") {
      box.scrollTop = box.scrollHeight;
      return;
    }
    const { id, offset } = this.place;
    const rows = this.rows();
    const row = rows.find((one) => Number(one.dataset["id"]) >= id) ?? rows.at(-1);
    if (row === undefined) return;
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
  }

  /** Ids of rows whose end has been on the screen. @returns {number[]} */
  visible() {
    const box = this.scroller;
    if (box === null) return [];
    const { top, bottom } = box.getBoundingClientRect();
    const rows = this.rows();
    /** @type {number[]} */
    const ids = [];
    for (let at = firstBelow(rows, top); at < rows.length; at += 1) {
      const row = /** @type {HTMLElement} */ (rows[at]);
      const edges = row.getBoundingClientRect();
      if (edges.top >= bottom) break;
      const isTall = edges.height > bottom - top && edges.top < top + (bottom - top) / 2;
      if (edges.bottom <= bottom + NEAR_END || isTall) ids.push(Number(row.dataset["id"]));
    }
    return ids;
  }
}

/** @param {HTMLElement[]} rows in order @param {number} top @returns {number} the first that reaches below it */
function firstBelow(rows, top) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) <= top + 1) low = middle + 1;
    else high = middle;
  }
  return low;
}
