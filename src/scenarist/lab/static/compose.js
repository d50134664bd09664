"use strict";
// Counts characters box by box, and says while one writes which rules a text breaks; the server decides when it is sent.
(() => {
  const form = document.getElementById("page"), hint = document.getElementById("hint");
  if (!form || !hint) return;
  const kind = document.querySelector("main").dataset.kind, title = document.getElementById("title");
  const boxes = [...form.querySelectorAll("textarea[name=text]")];
  const context = [...form.querySelectorAll("[data-text=context]")].map(line => line.textContent.trim()).join("\n");
  const count = box => {
    const note = document.getElementById("count" + (box === title ? "title" : boxes.indexOf(box))), most = Number(box.dataset.most);
    const size = box.value.trim().length;
    note.textContent = size ? `${size} of ${most} characters${size > most ? `: ${size - most} too many` : ""}.` : `At most ${most} characters.`;
    note.classList.toggle("toolong", size > most);
  };
  let timer = 0, last = "";
  const ask = async () => {
    const texts = boxes.map(box => box.value.trim().replace(/\s+/g, " "));
    if (!texts.some(Boolean)) { hint.textContent = ""; return; }
    const text = context + "\n\n" + [title ? title.value.trim() : "", ...texts].join("\n");
    if (text === last) return;
    last = text;
    try {
      const reply = await fetch(form.dataset.base + "/check", { method: "POST", body: new URLSearchParams({ kind, text }), credentials: "same-origin" });
      if (!reply.ok || text !== last) return;
      const { message } = await reply.json(), whole = texts.every(Boolean);
      hint.textContent = message || (whole ? "Nothing to complain about." : "");
      hint.className = message || !whole ? "" : "good";
    } catch { hint.textContent = ""; }
  };
  for (const box of title ? [title, ...boxes] : boxes) {
    box.addEventListener("input", () => { count(box); clearTimeout(timer); timer = setTimeout(ask, 700); });
    if (box.value) count(box);
    box.addEventListener("keydown", event => {  // Enter goes to the next box: a sentence has no line end
      if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const all = title ? [title, ...boxes] : boxes;
      (all[all.indexOf(box) + 1] || document.getElementById("send")).focus();
    });
  }
  if (!document.getElementById("problem")) (title || boxes[0])?.focus({ preventScroll: true });
})();
