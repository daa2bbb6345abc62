// What the buttons do to a text, and how lists go on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { around, asCode, asCommand, asLink, asList, fenced, isAddress } from "../web/compose/formatting.js";
import { behindLink, continued } from "../web/state/lists.js";

/** A text with what is selected between bars. */
function applied(format, marked) {
  const start = marked.indexOf("|");
  const end = marked.lastIndexOf("|") - 1;
  const value = marked.replaceAll("|", "");
  const change = format({ value, start, end: Math.max(start, end) });
  const after = value.slice(0, change.start) + change.words + value.slice(change.end);
  return `${after.slice(0, change.from)}|${after.slice(change.from, change.to)}|${after.slice(change.to)}`;
}

test("marks come and go", () => {
  assert.equal(applied(around("**"), "a |b| c"), "a **|b|** c");
  assert.equal(applied(around("**"), "a **|b|** c"), "a |b| c");
  assert.equal(applied(around("*"), "a **|b|** c"), "a ***|b|*** c");
  assert.equal(applied(around("*"), "a ***|b|*** c"), "a **|b|** c");
  assert.equal(applied(around("~~"), "||"), "~~||~~");
  assert.equal(applied(asCode, "a |b| c"), "a `|b|` c");
  assert.equal(applied(asCode, "a |b\nc|"), "a \n```\n|b\nc|\n```");
});

test("lines become a list, and lines again", () => {
  assert.equal(applied(asList(false), "x\na|\nb|c\ny"), "x\n|* a\n* bc|\ny");
  assert.equal(applied(asList(false), "x\n|* a\n* bc|\ny"), "x\n|a\nbc|\ny");
  assert.equal(applied(asList(true), "|* a\n* b|"), "|1. a\n2. b|");
  assert.equal(applied(asList(false), "a||"), "* a||");
});

test("blocks stand on their own lines, between fences that are long enough", () => {
  assert.equal(applied(fenced("quote"), "a |b| c"), "a \n```quote\n|b|\n```\n c");
  assert.equal(applied(fenced("quote"), "|```\nb\n```|"), "````quote\n|```\nb\n```|\n````");
});

test("a link has its words or its address", () => {
  assert.equal(applied(asLink, "see |here|"), "see [here](|url|)");
  assert.equal(applied(asLink, "|https://a.example/b|"), "[||](https://a.example/b)");
  for (const text of ["https://a.example", "http://a.example/b?c=d#e"]) assert.equal(isAddress(text), true, text);
  for (const text of ["a.example", "https://", "https://a b", "see https://a.example"])
    assert.equal(isAddress(text), false, text);
});

test("a poll takes what is written as its options", () => {
  assert.equal(applied(asCommand("/poll", "What?", "One"), "||"), "/poll |What?|\nOne");
  assert.equal(applied(asCommand("/poll", "What?", "One"), "red\nblue||"), "/poll |What?|\nred\nblue");
});

/** What the key for a new line makes of a text with the caret at the bar. */
function next(marked) {
  const caret = marked.indexOf("|");
  const value = marked.replace("|", "");
  const change = continued(value, caret);
  return change === null ? null : `${value.slice(0, change.start)}${change.words}|${value.slice(caret)}`;
}

test("a list goes on, and ends with an empty item", () => {
  assert.equal(next("* a|"), "* a\n* |");
  assert.equal(next("x\n  - a|b"), "x\n  - a\n  - |b");
  assert.equal(next("9. a|"), "9. a\n10. |");
  assert.equal(next("> a|"), "> a\n> |");
  assert.equal(next("* a\n* |"), "* a\n|");
  assert.equal(next("* a\n* |\nb"), "* a\n|\nb");
  for (const text of ["a|", "|* a", "*a|", "**a**|", "-|", "* |a", "1.5 a|"]) assert.equal(next(text), null, text);
});

test("within code nothing is a list, within a quote it is", () => {
  assert.equal(next("```\n* a|"), null);
  assert.equal(next("```\n* a\n```\n* b|"), "```\n* a\n```\n* b\n* |");
  assert.equal(next("```quote\n* a|"), "```quote\n* a\n* |");
});

test("one writes on behind a link", () => {
  const text = "a [b](c) and [d](e)";
  assert.equal(behindLink(text, 6, 7), 8);
  assert.equal(behindLink(text, 3, 3), 8);
  assert.equal(behindLink(text, 17, 17), 19);
  assert.equal(behindLink(text, 6, 17), null);
  for (const place of [0, 2, 8, 10, 19]) assert.equal(behindLink(text, place, place), null);
  assert.equal(behindLink("[b](c", 5, 5), null);
});
