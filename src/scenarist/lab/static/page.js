"use strict";
// Counts pastes, characters typed (a number, never which) and time away; a form is sent once; the problem is read out first.
(() => {
  const form = document.getElementById("page");
  if (!form) return;
  const add = (name, count) => { const field = form.elements[name]; if (field) field.value = String(Number(field.value) + count); };
  form.addEventListener("paste", event => { add("pastes", 1); add("pasted", (event.clipboardData?.getData("text") || "").length); });
  form.addEventListener("input", event => { if (event.inputType === "insertText") add("typed", 1); });
  let left = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) left = Date.now();
    else if (left) { add("away", Math.round((Date.now() - left) / 1000)); left = 0; }
  });
  let sent = false;
  form.addEventListener("submit", event => { if (sent) event.preventDefault(); sent = true; setTimeout(() => { sent = false; }, 4000); });
  window.addEventListener("pageshow", () => { sent = false; });
  form.addEventListener("keydown", event => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); } });
  document.getElementById("problem")?.focus();
  const keys = document.getElementById("keys");
  document.addEventListener("keydown", event => {
    if (event.key === "?" && keys && !event.target.matches?.("input,textarea,select")) { event.preventDefault(); keys.showModal(); }
  });
})();
