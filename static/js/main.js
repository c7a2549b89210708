/** Puts the page together: every part is made here and told about the others here, and nowhere else. */

import "./elements/model-picker.js";

import { Announcer } from "./announcer.js";
import { wireAnswering } from "./answering.js";
import { Attachments } from "./attachments.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { ConversationMenu } from "./conversation-menu.js";
import { copy } from "./copy.js";
import { openRename, wireRename } from "./dialogs.js";
import { save, wireImport } from "./files.js";
import { tabId } from "./ids.js";
import { Gauge } from "./gauge.js";
import { wireImages } from "./images.js";
import { Inspector } from "./inspector/inspector.js";
import { Jump } from "./jump.js";
import { wireMenu } from "./menu.js";
import { Devices } from "./models/devices.js";
import { Notifier } from "./notifier.js";
import { wireModelList } from "./model-list.js";
import { wireOffline } from "./offline.js";
import { Outbox } from "./outbox.js";
import { wirePreferences } from "./preferences.js";
import { setPrices } from "./prices.js";
import { Prompts } from "./prompts.js";
import { PromptsDialog } from "./prompts-dialog.js";
import { Queue } from "./queue.js";
import { Quote } from "./quote.js";
import { remove } from "./removal.js";
import { StickToEnd } from "./scroll.js";
import { Search } from "./search.js";
import { wireShare } from "./share.js";
import { Shelf } from "./shelf.js";
import { wireShortcuts } from "./shortcuts.js";
import { Sidebar } from "./sidebar.js";
import { wireSlash } from "./slash/wire.js";
import { Connection } from "./socket.js";
import { wireTheme } from "./theme.js";
import { Toast } from "./toast.js";
import { choose, write } from "./words.js";

const find = (id) => document.getElementById(id);
const page = JSON.parse(find("conversation").textContent);

setPrices(page.prices ?? []);
const list = find("turns");
const conversation = new Conversation(list, page, new Outbox(localStorage, tabId()));
const composer = new Composer(find("composer"), conversation.id, (name) => new Attachments(find("attachments"), {
  input: find("files"),
  place: document.querySelector(".stage"),
  box: find("message"),
  name,
}));
const queue = new Queue(find("queue"), localStorage, conversation.id ?? tabId(), (...message) => composer.restore(...message));
const sidebar = new Sidebar(find("sidebar"), document.querySelector(".stage"));
const announcer = new Announcer(find("announcer"));
const jump = new Jump(document.querySelector("[data-action=jump]"), () => scroll.jump());
const scroll = new StickToEnd(find("thread"), list, (...place) => jump.moved(...place));

const socketUrl = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/`;
const connection = new Connection(socketUrl, {
  greet: () => conversation.greeting(),
  receive: (frame) => {
    devices.receive(frame);
    conversation.receive(frame);
    if (frame.type === "shelf") shelf.receive(frame);
    if (frame.type === "ended" && frame.conversation !== conversation.id) tellElsewhere(frame);
  },
  state: showConnection,
});

const devices = new Devices({
  element: find("device"),
  form: find("composer"),
  config: JSON.parse(find("device-config").textContent),
  chosen: page.conversation?.model,
  url: socketUrl,
  send: (frame) => connection.send(frame),
});

function tellElsewhere(frame) {
  toast.ended(frame);
  notifier.elsewhere(frame);
}

function showConnection(state) {
  const notice = find("connection");
  choose(notice.querySelector("[data-part=words]"), state === "open" ? null : state);
  notice.hidden = state === "open";
}

function showRefusal(code) {
  const notice = find("refused");
  notice.hidden = code === null;
  choose(notice.querySelector("[data-part=words]"), code);
}

function reflect() {
  const running = conversation.running;
  list.toggleAttribute("data-running", Boolean(running));
  if (composer.running !== Boolean(running)) composer.running = Boolean(running);
  find("welcome").hidden = !conversation.empty;
}

function send(text, edited = null, files = []) {
  showRefusal(null);
  if (!devices.ready()) composer.restore(text, files);
  else if (conversation.running) queue.add(text, composer.model, files);
  else conversation.submit(text, composer.model, edited, files);
}

// Whether a message goes out that nobody sent just now: a reader who scrolled up stays where they are.
let byItself = false;

/** Send the next queued message, if nothing is being written. */
function sendNext() {
  const next = !conversation.running && queue.take();
  if (!next) return;
  byItself = true;
  conversation.submit(next.text, next.model, null, next.files, next.id);
  byItself = false;
}

const notifier = new Notifier();
const inspector = new Inspector(find("inspector"));

const ACTIONS = {
  inspect: (turn, button) => inspector.toggle(turn, button),
  allow: (turn, button) => conversation.approve(turn, button.closest("tool-card").pane.tool_id, true),
  "allow-always": (turn, button) => conversation.approve(turn, button.closest("tool-card").pane.tool_id, true, true),
  decline: (turn, button) => conversation.approve(turn, button.closest("tool-card").pane.tool_id, false),
  remove: async (turn) => {
    await remove(conversation, turn, toast);
    composer.focus();
  },
  edit: (turn) => composer.edit(turn),
  retry: (turn) => devices.ready() && conversation.retry(turn, composer.model),
  "retry-more": (turn) => devices.ready() && conversation.retry(turn, composer.model, true),
  // A model in the browser knows no such request: it is asked in words.
  continue: (turn) => (composer.model?.startsWith("device:") ? send(gettext("Continue")) : conversation.goOn(turn, composer.model)),
  "version-back": (turn) => conversation.turnOver(turn, -1),
  "version-on": (turn) => conversation.turnOver(turn, 1),
  "save-prompt": (turn) => promptsDialog.keep(turn.text),
  "copy-question": (turn, button) => copy(turn.text, button),
  "copy-answer": (turn, button) => copy(turn.markdown, button),
};

list.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action]");
  ACTIONS[button?.dataset.action]?.(button.closest("chat-turn"), button);
});
document.querySelector("[data-action=dismiss]").addEventListener("click", () => showRefusal(null));
for (const button of document.querySelectorAll("[data-action=prompt]")) {
  button.addEventListener("click", () => send(button.querySelector(".prompt-text").textContent));
}

composer.addEventListener("send", ({ detail }) => send(detail.text, detail.edited, detail.files));
composer.addEventListener("stop", (event) => {
  if (!conversation.stop(conversation.running)) event.preventDefault();
});

composer.addEventListener("recall", () => {
  const last = list.lastElementChild;
  if (last?.ended) composer.edit(last);
});

conversation.addEventListener("sending", ({ detail }) => devices.outfit(detail.frame));
const gauge = new Gauge(find("gauge"), page.windows ?? []);
const measure = () => gauge.draw([...list.children]);
measure();
conversation.addEventListener("shown", () => {
  reflect();
  measure();
});
conversation.addEventListener("sent", () => (byItself ? scroll.follow() : scroll.jump()));
conversation.addEventListener("turned", ({ detail: { element, before } }) => {
  announcer.turned(element, before);
  jump.brought(element.turnId);
  if (element.ended && before && before !== "ended") notifier.ended(element);
  if (element.ended) measure();
  reflect();
  scroll.follow();
  sendNext();
});
conversation.addEventListener("refused", ({ detail }) => {
  showRefusal(detail.code);
  if (detail.text || detail.files?.length) composer.restore(detail.text, detail.files);
  // Somebody else's answer is being written here: its end will be told.
  if (detail.code !== "busy") sendNext();
});
conversation.addEventListener("founded", ({ detail }) => {
  history.pushState(null, "", `/c/${detail.id}/`);
  offerExport(detail.id);
  composer.conversation = detail.id;
  queue.name = detail.id;
  sidebar.add(detail.id, detail.text.trim().split("\n", 1)[0].slice(0, 80));
});
conversation.addEventListener("titled", ({ detail }) => entitle(detail.id, detail.title));

function entitle(id, title) {
  if (sidebar.item(id)) sidebar.rename(id, title);
  else sidebar.add(id, title, false);
  if (id !== conversation.id) return;
  write(find("title"), title);
  document.title = `${title} · Streamrender`;
}

function offerExport(id) {
  const link = find("export");
  link.href = `/c/${id}/export.md`;
  link.hidden = find("share").hidden = false;
}

const toast = new Toast(find("toast"));
const shelf = new Shelf(sidebar, toast, () => conversation.id, (gone) => showConnection(gone ? "gone" : "open"));
const answering = wireAnswering(find("answering-dialog"), () => toast.show("failed"));
wireModelList(find("composer"));
new ConversationMenu(find("conversation-menu"), find("sidebar"), (action, row) => {
  if (action === "rename") openRename(find("rename-dialog"), row);
  else if (action === "answering") answering(row);
  else if (action === "save") save(row.dataset.id);
  else if (action === "save-page") save(row.dataset.id, "html");
  else shelf.act(action, row);
});
wireRename(find("rename-dialog"), entitle);
wirePreferences(find("preferences-dialog"), document.querySelectorAll("[data-action=preferences]"), () => {
  for (const pane of list.querySelectorAll("thinking-pane")) pane.prefer();
});
wireShare(find("share-dialog"), find("share"), () => conversation.id);
const search = new Search(find("search-dialog"), () => sidebar.rows);
const saved = JSON.parse(find("slash-data").textContent);
const prompts = new Prompts(saved.prompts);
const promptsDialog = new PromptsDialog(find("prompts-dialog"), prompts, () => toast.show("prompt"));
wireSlash(find("composer"), { prompts, promptsDialog, tools: saved.tools, search, conversation: () => conversation.id });
const quote = new Quote(find("quote"), find("thread"), (text) => composer.quote(text));
wireTheme(document.querySelector("[data-part=theme]"));
wireImport(find("import"), (what) => toast.show(what));
wireMenu(find("settings"));
const inspect = () => list.lastElementChild && inspector.toggle(list.lastElementChild, document.activeElement);
wireShortcuts({ sheet: find("shortcuts-dialog"), composer, search, quote, inspect, jump: () => scroll.jump() });
// Going back over the founding of a conversation is another page; a link within the page is not.
addEventListener("popstate", () => {
  if (location.pathname !== (conversation.id ? `/c/${conversation.id}/` : "/")) location.reload();
});

/** Show the turn that the address names; gives whether there is one. */
function visit() {
  const named = /^#turn-([0-9a-f-]+)$/.exec(location.hash);
  const turn = named && conversation.reveal(named[1]);
  for (const earlier of list.querySelectorAll("[data-found]")) delete earlier.dataset.found;
  if (!turn) return false;
  turn.dataset.found = "";
  scroll.show(turn);
  return true;
}
addEventListener("hashchange", visit);

wireOffline();
wireImages(list, list.dataset.imageHosts.split(" ").filter(Boolean));
reflect();
conversation.attach(connection);
connection.connect();
sendNext();
const back = scroll.keep();
if (!visit() && !back) scroll.jump();
