// Drawings: one stroke, the colour of the text around them.

import { html } from "htm/preact";

const PATHS = {
  add: "M12 5v14M5 12h14",
  all: "M4 6h16M4 12h16M4 18h10",
  at: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Zm0 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1",
  back: "M15 5l-7 7 7 7",
  bold: "M8 5h5.500a3.500 3.500 0 0 1 0 7H8zM8 12h6.500a3.500 3.500 0 0 1 0 7H8z",
  bookmark: "M7 4h10v16l-5-4-5 4V4Z",
  check: "M5 13l4.5 4.5L19 7",
  clock: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  close: "M6 6l12 12M18 6L6 18",
  code: "M8 8l-4 4 4 4M16 8l4 4-4 4M13.500 6l-3 12",
  copy: "M9 9h10v11H9zM5 15V4h10",
  down: "M12 5v14M6 13l6 6 6-6",
  edit: "M4 20l1-4L16 5l3 3L8 19l-4 1ZM14 7l3 3",
  fold: "M9 6l6 6-6 6",
  format: "M4 18l4.500-12L13 18M5.500 14h6M15.500 18l2.500-7 2.500 7M16.300 16h3.400",
  hash: "M9 4L7 20M17 4l-2 16M4 9h16M4 15h16",
  inbox: "M4 13l2.5-8h11L20 13v6H4v-6Zm0 0h5a3 3 0 0 0 6 0h5",
  italic: "M10 5h7M7 19h7M13.500 5l-3 14",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1",
  list: "M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  math: "M17 6V5H7l5.500 7L7 19h10v-1",
  more: "M5.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0ZM11.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0ZM17.4 12a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0Z",
  move: "M4 12h15M13 6l6 6-6 6",
  next: "M9 5l7 7-7 7",
  people:
    "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3 19c0-3 2.5-5 6-5s6 2 6 5M16 6a3 3 0 0 1 0 5M17.5 14.4c2.100.7 3.500 2.300 3.500 4.600",
  pin: "M9 4h6l-1 6 3 3H7l3-3-1-6ZM12 13v7",
  quote: "M5 17c3 0 4-2 4-5V7H4v5h5M14 17c3 0 4-2 4-5V7h-5v5h5",
  reply: "M9 7L4 12l5 5M4 12h9a6 6 0 0 1 6 6",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM15.500 15.500L20 20",
  send: "M4 12l16-7-6 15-3-6-7-2Z",
  smile:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM8.500 14c.8 1.500 2 2.200 3.500 2.200s2.700-.7 3.500-2.200M9 9.500v.01M15 9.500v.01",
  star: "M12 4l2.500 5.200 5.700.8-4.100 4 1 5.600-5.100-2.700-5.100 2.700 1-5.600-4.100-4 5.700-.8L12 4Z",
  strike: "M5 12h14M16.500 8c0-2-2-3-4.500-3s-4.500 1-4.500 3.500M7.500 16c0 2 2 3 4.500 3s4.500-1 4.500-3.500",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13",
  attach:
    "M19 11l-7.500 7.500a4.200 4.200 0 0 1-6-6L13 5a2.800 2.800 0 0 1 4 4l-7.500 7.500a1.400 1.400 0 0 1-2-2L14 8",
  warning: "M12 4l9 16H3l9-16ZM12 10v4M12 17v.01",
  eye: "M3 12c3-5 6-7 9-7s6 2 9 7c-3 5-6 7-9 7s-6-2-9-7ZM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5Z",
};

/** @typedef {keyof typeof PATHS} Name */

/** @param {{ name: Name, filled?: boolean }} properties */
export const Icon = ({ name, filled = false }) =>
  html`<svg class=${filled ? "icon filled" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
    <path d=${PATHS[name]} />
  </svg>`;

/** The mark of the project. */
export const Mark = () =>
  html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path class="rod" d="M16 2v28" />
    <path class="yarn" d="M13.6 7.4 18.4 6M10.8 11.4 21.2 8.2M9 15.6 23 11.2M9 19.4 23 15M10.2 22.8 21.8 19.2" />
    <path class="rod" d="M10 26.2h12" />
  </svg>`;
