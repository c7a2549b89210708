// The modules that touch neither document nor network.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Acks } from "../../static/js/acks.js";
import { wait } from "../../static/js/backoff.js";
import { count, money, running, size, took } from "../../static/js/format.js";
import { uuid } from "../../static/js/ids.js";
import { Outbox } from "../../static/js/outbox.js";
import { leading, path, versions } from "../../static/js/path.js";
import { judge } from "../../static/js/position.js";
import { cost, setPrices } from "../../static/js/prices.js";

const turn = (id, parent = null) => ({ id, parent });
const ids = (steps) => steps.map((step) => step.id);

test("a path takes the newest version at each step unless another was chosen", () => {
  const turns = [turn("a"), turn("b", "a"), turn("b2", "a"), turn("c", "b"), turn("c2", "b2")];
  assert.deepEqual(ids(path(turns, new Map())), ["a", "b2", "c2"]);
  assert.deepEqual(ids(path(turns, new Map([["a", "b"]]))), ["a", "b", "c"]);
  assert.deepEqual(path(turns, new Map())[1].versions, ["b", "b2"]);
});

test("a choice that is gone is no choice", () => {
  assert.deepEqual(ids(path([turn("a"), turn("b", "a")], new Map([["a", "x"]]))), ["a", "b"]);
});

test("a turn whose parent is not here begins the path", () => {
  assert.deepEqual(ids(path([turn("b", "a"), turn("c", "b")], new Map())), ["b", "c"]);
  assert.deepEqual(path([], new Map()), []);
});

test("the choices that lead to a turn go up to the first", () => {
  const turns = [turn("a"), turn("a2"), turn("b", "a"), turn("c", "b")];
  assert.deepEqual([...leading(turns, "c")], [["b", "c"], ["a", "b"], [null, "a"]]);
  assert.deepEqual(ids(path(turns, leading(turns, "c"))), ["a", "b", "c"]);
  assert.deepEqual([...leading(turns, undefined)], []);
});

test("versions have the same parent", () => {
  assert.deepEqual(ids(versions([turn("a"), turn("b"), turn("c", "a")], null)), ["a", "b"]);
});

test("a frame is applied only where it fits exactly", () => {
  const shown = { epoch: "t:1", rev: 5 };
  assert.equal(judge(shown, { epoch: "t:1", from: 5, to: 8 }), "apply");
  assert.equal(judge(shown, { epoch: "t:1", from: 3, to: 5 }), "drop");
  assert.equal(judge(shown, { epoch: "t:1", from: 6, to: 8 }), "ask");
  assert.equal(judge(shown, { epoch: "t:1", from: 3, to: 8 }), "ask");
  assert.equal(judge(shown, { epoch: "t:2", from: 5, to: 8 }), "ask");
  assert.equal(judge(undefined, { epoch: "t:1", from: 0, to: 8 }), "ask");
});

test("waiting starts short and stays under ten seconds", () => {
  assert.ok(wait(0, () => 1) <= 250);
  assert.equal(wait(3, () => 0), 0);
  assert.equal(wait(3, () => 0.5), 2000);
  assert.equal(wait(1000, () => 1), 10_000);
});

class Store extends Map {
  get length() { return this.size; }
  key(i) { return [...this.keys()][i]; }
  getItem(key) { return this.get(key) ?? null; }
  setItem(key, value) { this.set(key, value); }
  removeItem(key) { this.delete(key); }
}

test("a message stays in the outbox until it is done", () => {
  const store = new Store([["draft:new", "x"], ["outbox:broken", "{"]]);
  const frame = { id: "1", conversation: "c", text: "hello" };
  new Outbox(store, "tab").keep(frame);
  assert.deepEqual(new Outbox(store, "another").waiting("c"), [frame]);
  assert.deepEqual(new Outbox(store, "tab").waiting("d"), []);
  new Outbox(store, "tab").done("1");
  assert.deepEqual(new Outbox(store, "tab").waiting("c"), []);
});

test("a message of a new chat belongs to its tab, until that tab is gone", () => {
  const store = new Store();
  new Outbox(store, "one").keep({ id: "1", conversation: null }, 1000);
  assert.equal(new Outbox(store, "one").waiting(null, 1500).length, 1);
  assert.equal(new Outbox(store, "two").waiting(null, 1500).length, 0);
  assert.equal(new Outbox(store, "two").waiting(null, 60_000).length, 1);
});

test("messages go out in the order in which they were written", () => {
  const store = new Store();
  const outbox = new Outbox(store, "tab");
  outbox.keep({ id: "b", conversation: null }, 2);
  outbox.keep({ id: "a", conversation: null }, 1);
  assert.deepEqual(outbox.waiting(null, 3).map((frame) => frame.id), ["a", "b"]);
});

test("times: whole seconds while they run, tenths when they are short and over", () => {
  assert.equal(running(999), "0\u202fs");
  assert.equal(running(12_900), "12\u202fs");
  assert.equal(running(65_000), "1\u202fmin 5\u202fs");
  assert.equal(took(840), "0.8\u202fs");
  assert.equal(took(9_960), "10\u202fs");
  assert.equal(took(59_700), "1\u202fmin");
  assert.equal(took(3), "<\u00a00.1\u202fs");
});

test("sizes and counts", () => {
  assert.equal(size(999), "999\u202fB");
  assert.equal(size(1288), "1.3\u202fkB");
  assert.equal(count(1204), "1,204");
});

test("ids are version 4 UUIDs", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("acknowledgements are gathered: the newest speaks for all, after 16, after 64 kB, or a moment later", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const sent = [];
  const acks = new Acks((frame) => sent.push(frame.rev));
  for (let rev = 1; rev <= 17; rev++) acks.take({ rev });
  assert.deepEqual(sent, [16]);
  context.mock.timers.tick(250);
  assert.deepEqual(sent, [16, 17]);
  acks.heard(64 * 1024);
  acks.take({ rev: 18 });
  assert.deepEqual(sent, [16, 17, 18]);
  acks.take({ rev: 19 });
  acks.forget();
  context.mock.timers.tick(1000);
  assert.deepEqual(sent, [16, 17, 18]);
});

test("an answer costs what the longest fitting price says, and nothing is said without one", () => {
  const usage = { input_tokens: 1000, output_tokens: 2000, cache_read_tokens: 10000, cache_write_tokens: 500 };
  const none = { cache_read: null, cache_write: null };
  setPrices([
    { model: "claude-*", currency: "EUR", input: 1, output: 1, ...none },
    { model: "claude-opus-*", currency: "USD", input: 5, output: 25, cache_read: 0.5, cache_write: null },
    { model: "gemini.x", currency: "USD", input: 1, output: null, ...none },
  ]);
  const { amount, currency } = cost("claude-opus-5-5", usage);
  assert.equal(currency, "USD");
  assert.ok(Math.abs(amount - (1000 * 5 + 2000 * 25 + 10000 * 0.5 + 500 * 5) / 1e6) < 1e-12);
  assert.equal(cost("claude-haiku", usage).currency, "EUR");
  assert.equal(cost("gpt-5.5", usage), null);
  assert.equal(cost("gemini.x", usage), null);
  assert.equal(cost("geminiax", usage), null);
  assert.equal(cost("claude-opus-5-5", {}), null);
  assert.equal(money({ amount: 0.0625, currency: "USD" }), "$0.063");
  assert.equal(money({ amount: 12.5, currency: "USD" }), "$12.50");
});
