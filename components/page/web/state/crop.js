// A square part of a picture. Pure.

/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ x: number, y: number, zoom: number }} Part the middle as shares of width and height; zoom 1: as much as there is */

/** @param {number} value @param {number} least @param {number} most */
const between = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most));

/** @param {Size} picture @param {Part} part @returns {{ left: number, top: number, side: number }} pixels of the picture */
export function frameOf({ width, height }, { x, y, zoom }) {
  const side = Math.min(width, height) / zoom;
  return {
    left: between(x * width - side / 2, 0, width - side),
    top: between(y * height - side / 2, 0, height - side),
    side,
  };
}

/**
 * The part after its picture was dragged, never beyond an edge.
 * @param {Size} picture @param {Part} part
 * @param {number} right shares of the frame's side @param {number} down
 * @returns {Part}
 */
export function draggedBy(picture, part, right, down) {
  const { left, top, side } = frameOf(picture, part);
  const moved = {
    x: (left - right * side + side / 2) / picture.width,
    y: (top - down * side + side / 2) / picture.height,
    zoom: part.zoom,
  };
  const held = frameOf(picture, moved);
  return { ...moved, x: (held.left + side / 2) / picture.width, y: (held.top + side / 2) / picture.height };
}
