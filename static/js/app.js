// What HTML and htmx cannot do: dialogs, single keys, focus after a swap, toasts, busy buttons, copying.
// Every page works without this file. Behaviour hangs on data attributes, never on ids of a panel.

const PERSON = new Set(["click", "submit", "keydown", "keyup"]);
const TOAST_SECONDS = 6;
const TOASTS = 2;
const BUSY_AFTER = 150;
const SLOW_AFTER = 1000;

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const visible = (element) => element.checkVisibility({ visibilityProperty: true });
const dialog = $("#dialog");
const toasts = $("#toasts");

// --- dialog ------------------------------------------------------------------------------------

function openDialog() {
  if (!dialog.open) dialog.showModal();
  ($("[data-focus], [autofocus]", dialog) ?? dialog).focus();
}

dialog?.addEventListener("close", () => dialog.replaceChildren());

document.addEventListener("dialog-close", () => dialog?.close());

function openTemplate(id) {
  dialog.replaceChildren(document.getElementById(id).content.cloneNode(true));
  for (const key of $$("[data-needs]", dialog)) {
    if ($(key.dataset.needs)) continue;
    key.nextElementSibling.remove();
    key.remove();
  }
  window.htmx?.process(dialog);
  openDialog();
}

// --- toasts ------------------------------------------------------------------------------------

function tendToast(toast) {
  const undo = $("form", toast);
  const others = $$("[data-toast]", toasts).filter((other) => other !== toast);
  // One way back at a time: the newest.
  if (undo) others.filter((other) => $("form", other)).forEach((other) => other.remove());
  $$("[data-toast]", toasts).slice(0, -TOASTS).forEach((old) => old.remove());
  // A refusal goes when it is closed, or when the same request succeeds.
  if (undo || toast.matches("[role=alert]")) return;
  let timer;
  const start = () => { timer = setTimeout(() => toast.remove(), TOAST_SECONDS * 1000); };
  const stop = () => clearTimeout(timer);
  for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, stop);
  for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
  start();
}

function say(text) {
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.dataset.toast = "";
  const words = document.createElement("b");
  words.textContent = text;
  toast.append(words);
  toasts.append(toast);
}

if (toasts) {
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) if (node.matches?.("[data-toast]")) tendToast(node);
    }
  }).observe(toasts, { childList: true });
  $$("[data-toast]", toasts).forEach(tendToast);
}

// --- clicks ------------------------------------------------------------------------------------

async function copy(button) {
  const source = button.dataset.copyFrom;
  // Several parts are copied with an empty line between them.
  const parts = source ? $$(source).map((part) => part.value ?? part.textContent) : [button.dataset.copy];
  const text = parts.join("\n\n");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return; // not allowed here: the text stays selectable
  }
  if (button.dataset.copied) say(button.dataset.copied);
}

// Before htmx sees it: a click that wants a new tab, or that wants a detail which has no room, stays a link.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[hx-get][href]");
  if (!link) return;
  const target = $(link.getAttribute("hx-target") ?? "body");
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
  if (elsewhere || !target || (target !== dialog && !visible(target))) event.stopImmediatePropagation();
}, { capture: true });

// The buttons of a row are many on a page, so they carry nothing but where they lead: the answer to a form takes the
// place of the row, a question comes into the dialog.
document.addEventListener("click", (event) => {
  const asked = event.target.closest("a[data-dialog], [data-list] .item details button[formaction]");
  if (!asked || !window.htmx || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  if (asked.matches("a")) {
    window.htmx.ajax("GET", asked.getAttribute("href"), { source: asked, event, target: dialog, swap: "innerHTML" });
    return;
  }
  const target = asked.closest(".item");
  window.htmx.ajax("POST", asked.getAttribute("formaction"), { source: asked, event, target, swap: "outerHTML" });
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button, a, [data-dialog-close]");
  for (const menu of $$("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  if (!button) return;
  if (button.getAttribute("aria-disabled") === "true" || button.getAttribute("aria-busy") === "true") {
    event.preventDefault();
  } else if (button.matches("[data-dialog-close]") && button.closest("dialog")) {
    event.preventDefault();
    dialog.close();
  } else if (button.dataset.clears) {
    event.preventDefault();
    clear(button.dataset.clears);
  } else if (button.dataset.template) {
    openTemplate(button.dataset.template);
  } else if (button.matches("[data-toast-close]")) {
    button.closest("[data-toast]").remove();
  } else if (button.dataset.toastFrom) {
    toasts.append(document.getElementById(button.dataset.toastFrom).content.cloneNode(true));
  } else if (button.dataset.copy || button.dataset.copyFrom) {
    copy(button);
  }
});

// A detail beside a list goes away, and the focus returns to its row.
function clear(id) {
  document.getElementById(id).replaceChildren();
  const row = $('[data-list] > [aria-current="true"]');
  row?.removeAttribute("aria-current");
  (row && $(".item-link", row))?.focus();
}

// --- busy --------------------------------------------------------------------------------------

const waiting = new WeakMap();

function setBusy(button) {
  if (!button || waiting.has(button)) return;
  const shown = button.innerHTML;
  const panel = button.closest(".panel");
  const soon = setTimeout(() => {
    button.setAttribute("aria-busy", "true");
    if (button.dataset.busy) button.textContent = button.dataset.busy;
  }, BUSY_AFTER);
  const slow = setTimeout(() => panel?.setAttribute("aria-busy", "true"), SLOW_AFTER);
  waiting.set(button, () => {
    clearTimeout(soon);
    clearTimeout(slow);
    panel?.removeAttribute("aria-busy");
    if (button.getAttribute("aria-busy") !== "true") return;
    button.removeAttribute("aria-busy");
    if (button.dataset.busy) button.innerHTML = shown;
  });
}

function endBusy(button) {
  waiting.get(button)?.();
  waiting.delete(button);
}

function buttonOf(detail) {
  return detail.requestConfig?.triggeringEvent?.submitter ?? detail.elt.closest("button, a");
}

// The end comes from the request itself: its events start at a button that the answer may have swapped out.
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  const button = buttonOf(detail);
  if (!button) return;
  setBusy(button);
  if (button.dataset.key) answering = detail.xhr;
  detail.xhr.addEventListener("loadend", () => {
    endBusy(button);
    if (answering !== detail.xhr) return;
    answering = null;
    again();
  });
});

// A key pressed while the answer to the one before is on its way: one such press waits for it, more are dropped.
let answering = null;
let pressed = "";

function again() {
  if (!pressed || answering || unsettled()) return;
  const key = pressed;
  pressed = "";
  single(key);
}

// Until a swap has settled its forms are not htmx's yet, and still carry addresses of those before them.
const unsettled = () => $(".htmx-settling");
document.addEventListener("submit", (event) => {
  if (!event.target.closest(".htmx-settling") || !event.target.hasAttribute("hx-post")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });
document.addEventListener("submit", (event) => {
  if (event.submitter?.getAttribute("aria-busy") === "true") event.preventDefault();
  else if (!event.target.hasAttribute("hx-post")) setBusy(event.submitter);
});
window.addEventListener("pageshow", () => $$('button[aria-busy="true"]').forEach(endBusy));

// What the address of a page asks for is where one begins to read; a fragment leads there by itself.
if (!location.hash) $("[data-here]")?.focus();

// --- focus after a swap --------------------------------------------------------------------------

let neighbours = [];

document.addEventListener("htmx:beforeSwap", () => {
  const row = document.activeElement?.closest(".item");
  neighbours = row ? [row.nextElementSibling, row.previousElementSibling].map((item) => item?.id) : [];
});

// What was swapped in may name the row that it shows.
function markCurrent(target) {
  const shows = target.closest("[data-current]") ?? $("[data-current]", target);
  const row = shows && document.getElementById(shows.dataset.current);
  if (!row) return;
  for (const other of $$('[aria-current="true"]', row.parentElement)) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  // A detail that opens beside the list makes it narrower, and its rows longer.
  if (shows.matches(".detail")) row.scrollIntoView({ block: "nearest" });
}

// The counts of the navigation, the way back and the seal come in one piece; each goes wherever it stands.
function spread(news) {
  if (!news.firstElementChild) return;
  for (const part of $$("[data-nav-count], [data-last-deed], .seal", news)) {
    const own = [".seal", "[data-last-deed]"].find((selector) => part.matches(selector));
    const same = own ?? `[data-nav-count="${CSS.escape(part.dataset.navCount)}"]`;
    for (const old of $$(same)) {
      if (news.contains(old)) continue;
      const copy = part.cloneNode(true);
      old.replaceWith(copy);
      window.htmx?.process(copy);
    }
  }
  // A note or a button offers the way back only as long as it is the newest one.
  const wayOf = (form) => form && `${form.getAttribute("action")} ${form.elements.revision?.value}`;
  const newest = wayOf($("[data-last-deed] form", news));
  for (const form of $$("form.way-back")) {
    if (wayOf(form) === newest || form.closest("[data-last-deed]")) continue;
    if (form.id) $$(`[form="${form.id}"]`).forEach((button) => button.remove());
    (form.closest("[data-toast]") ?? form).remove();
  }
  news.replaceChildren();
}

document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
  if (detail.target.id === "shell-news") spread(detail.target);
});

function countChosen() {
  for (const words of $$("[data-chosen]")) {
    words.textContent = words.dataset.chosen.replace("0", $$(".item > input:checked").length);
  }
}

document.addEventListener("change", countChosen);
document.addEventListener("reset", () => setTimeout(countChosen));

document.addEventListener("htmx:afterSettle", (event) => {
  const { target, detail } = event;
  markCurrent(target);
  if (target === dialog) {
    // A refusal joins what is open already, and leaves the focus there.
    if (!target.firstElementChild?.matches("[data-refusal]")) openDialog();
    return;
  }
  const trigger = detail.requestConfig?.triggeringEvent;
  if (!trigger || !PERSON.has(trigger.type)) return;
  const named = target.matches("[data-focus]") ? target : $("[data-focus]", target);
  // A click with a pointer on a row keeps its place in the list; with the keyboard one goes on reading.
  if (named && (named.dataset.focus !== "keyboard" || trigger.detail === 0)) {
    named.focus();
  } else if (document.activeElement === document.body || !document.activeElement) {
    const row = neighbours.map((id) => id && document.getElementById(id)).find(Boolean);
    (row && $(".item-link", row))?.focus();
  }
});

// After the focus is where the swap puts it, so that the key which waited counts from there.
document.addEventListener("htmx:afterSettle", again);

// --- keys --------------------------------------------------------------------------------------

const EDITABLE = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
let going = 0;
let chosenFrom = null;

function press(key, scope, fits = visible) {
  const selector = `[data-key="${CSS.escape(key)}"]`;
  const element = $$(selector, scope).find(fits);
  if (!element) return false;
  if (element.matches(EDITABLE)) {
    element.focus();
    element.select?.();
  } else {
    element.click();
    // What opens in its place goes on in its first field, else where it opened.
    if (element.matches("summary") && element.parentElement.open) {
      ($("input:not([type=hidden], [type=checkbox]), textarea", element.parentElement) ?? element).focus();
    }
  }
  return true;
}

function move(step) {
  const links = $$("[data-list] .item-link").filter(visible);
  if (!links.length) return false;
  const here = links.indexOf(document.activeElement?.closest(ROW)?.querySelector(".item-link"));
  const at = here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step;
  links[Math.min(Math.max(at, 0), links.length - 1)].focus();
  return true;
}

function choose(key) {
  const boxes = $$('[data-list] .item > input[type="checkbox"]').filter(visible);
  if (key === "*") {
    const all = boxes.every((box) => box.checked);
    boxes.forEach((box) => { box.checked = !all; });
    countChosen();
    return boxes.length > 0;
  }
  // Without a row in focus it is the one that is shown beside the list.
  const row = document.activeElement?.closest(".item") ?? $('[data-list] > [aria-current="true"]');
  const box = row && $(':scope > input[type="checkbox"]', row);
  if (!box) return false;
  if (key === "X" && chosenFrom?.isConnected) {
    const [from, to] = [boxes.indexOf(chosenFrom), boxes.indexOf(box)].sort((a, b) => a - b);
    boxes.slice(from, to + 1).forEach((each) => { each.checked = true; });
  } else {
    box.checked = !box.checked;
  }
  chosenFrom = box;
  countChosen();
  return true;
}

function escape() {
  const menu = $("details.menu[open]");
  if (menu) {
    menu.open = false;
    $("summary", menu).focus();
    return true;
  }
  if (dialog?.open) return false; // the browser closes it and gives the focus back
  const close = $$("[data-escape]").find(visible);
  if (close) {
    close.click();
    return true;
  }
  // From what is shown beside a list, back to its row.
  const row = $('[data-list] > [aria-current="true"] .item-link');
  if (row && visible(row) && !document.activeElement?.closest("[data-list]")) {
    row.focus();
    return true;
  }
  const chosen = $$(".item > input:checked");
  chosen.forEach((box) => { box.checked = false; });
  return chosen.length > 0;
}

// A line of a list, or of a table whose lines are listed.
const ROW = ".item, [data-row]";
const MOVES = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function single(key) {
  if (going && Date.now() - going < 1500) {
    going = 0;
    const link = $(`[data-go="${CSS.escape(key)}"]`);
    link?.click();
    return Boolean(link);
  }
  if (dialog?.open) return press(key, dialog);
  if (key === "g") {
    going = Date.now();
    return true;
  }
  const row = document.activeElement?.closest(ROW);
  // A row's buttons may stand in its closed menu. Those of a detail are about another belief than the row in focus.
  const elsewhere = (element) => visible(element) && !(row && element.closest(".detail"));
  if ((row && press(key, row, () => true)) || press(key, document, elsewhere)) return true;
  if (key in MOVES) return move(MOVES[key]);
  if (key === "x" || key === "X" || key === "*") return choose(key);
  if (key === "?" && $("#keys-help")) {
    openTemplate("keys-help");
    return true;
  }
  return false;
}

// The one key with a modifier works in fields too, and when single keys are off.
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key !== "k") return;
  if (press("mod+k", document, () => true)) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (escape()) event.preventDefault();
    return;
  }
  if (event.target.closest?.(EDITABLE) || document.documentElement.dataset.keys === "off") return;
  // Space and Enter belong to what has the focus, arrows to a list only while one is in it.
  if (event.key.startsWith("Arrow") && !event.target.closest?.("[data-list]")) return;
  if ((event.key.length === 1 && event.key !== " ") || event.key in MOVES) {
    if (answering || unsettled()) {
      pressed ||= event.key;
      event.preventDefault();
      return;
    }
    pressed = "";
    if (single(event.key)) event.preventDefault();
  }
});
