"use strict";
// Sentences move by buttons, or by Alt and the arrow keys; the lists with the places follow. Without this file the lists alone do.
(() => {
  const list = document.getElementById("order"), said = document.getElementById("moved");
  if (!list) return;
  const rows = () => [...list.children], place = row => row.querySelector("select");
  // The page reads the places in the order in which the sentences were shown, wherever they stand now.
  const form = document.getElementById("page"), shown = rows();
  const number = () => rows().forEach((row, index) => {
    const choice = place(row);
    [...choice.options].filter(option => !option.value).forEach(option => option.remove());
    choice.value = String(index + 1);
  });
  const move = (row, step) => {
    const all = rows(), other = all[all.indexOf(row) + step];
    if (!other) return;
    if (step < 0) list.insertBefore(row, other); else list.insertBefore(other, row);
    number();
    said.textContent = `Now at place ${rows().indexOf(row) + 1}.`;
  };
  for (const row of rows()) {
    const buttons = document.createElement("span");
    buttons.className = "moves";
    const name = row.querySelector("[data-text]").textContent.trim();
    for (const [label, step] of [["Up", -1], ["Down", 1]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "small quiet";
      button.textContent = label;
      button.setAttribute("aria-label", `${label}: ${name}`);
      button.addEventListener("click", () => { move(row, step); button.focus(); });
      buttons.append(button);
    }
    row.append(buttons);
    place(row).addEventListener("change", () => {
      const all = rows().filter(other => other !== row), wanted = Number(place(row).value) - 1;
      list.insertBefore(row, all[wanted] || null);
      number();
      place(row).focus();
      said.textContent = `Now at place ${rows().indexOf(row) + 1}.`;
    });
    row.addEventListener("keydown", event => {
      if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
      event.preventDefault();
      const active = document.activeElement;
      move(row, event.key === "ArrowUp" ? -1 : 1);
      active.focus();
    });
  }
  const places = rows().map(row => Number(place(row).value) || 0);
  if (places.every(Boolean)) rows().sort((a, b) => Number(place(a).value) - Number(place(b).value)).forEach(row => list.append(row));
  number();
  form.addEventListener("submit", () => shown.forEach(row => list.append(row)));
})();
