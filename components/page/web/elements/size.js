// Sizes of files as the reader's language writes numbers.

import { language } from "../strings/text.js";

const STEP = 1024;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** @param {number} bytes */
export function sizeText(bytes) {
  const power = bytes < STEP ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length - 1);
  const number = new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 }).format(bytes / STEP ** power);
  return `${number} ${UNITS[power]}`;
}
