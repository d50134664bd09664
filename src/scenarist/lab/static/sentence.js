"use strict";
// Says while one writes whether it is a sentence yet; the server decides when it is sent.
(() => {
  const form = document.getElementById("page"), box = form?.querySelector("[data-check]"), hint = document.getElementById("hint");
  if (!box || !hint) return;
  const kind = document.querySelector("main").dataset.kind;
  let timer = 0, last = "";
  const ask = async () => {
    const text = box.value.trim();
    if (!text) { hint.textContent = ""; return; }
    if (text === last) return;
    last = text;
    try {
      const reply = await fetch(form.dataset.base + "/check", { method: "POST", body: new URLSearchParams({ kind, text }), credentials: "same-origin" });
      if (!reply.ok || box.value.trim() !== text) return;
      const { message } = await reply.json();
      hint.textContent = message || "This is a full sentence.";
      hint.className = message ? "" : "good";
    } catch { hint.textContent = ""; }
  };
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 600); });
  box.addEventListener("keydown", event => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); } });
  if (!document.getElementById("problem")) box.focus({ preventScroll: true });
})();
