"use strict";
// Marks segments in the sentence list: buttons for fingers, keys for hands, no text selection. The lines below stay the truth:
// what is marked is written into them, and what is written there is shown in the list.
(() => {
  const list = document.getElementById("sentences"), box = document.getElementById("segments"), form = document.getElementById("page");
  if (!list || !box) return;
  const rows = [...list.children];
  let current = 0, start = 0;
  const lines = () => [...box.querySelectorAll(".line")];
  const fields = line => ({ where: line.querySelector("[name=where]"), label: line.querySelector("[name=label]") });
  const bar = document.createElement("p");
  bar.className = "bar buttons";
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  const button = (text, action) => { const element = document.createElement("button"); element.type = "button"; element.className = "small quiet"; element.textContent = text; element.addEventListener("click", action); bar.append(element); };
  const span = (from, to) => from === to ? String(from) : from + "-" + to;
  const show = () => {
    const tags = rows.map(() => []);
    for (const line of lines()) {
      const { where, label } = fields(line);
      for (const part of where.value.split(",")) {
        const match = part.trim().match(/^(\d+)(?:\s*[-–]\s*(\d+))?/);
        if (!match) continue;
        for (let number = Number(match[1]); number <= Math.min(rows.length, Number(match[2] || match[1])); number++) tags[number - 1]?.push(label.value || "?");
      }
    }
    rows.forEach((row, number) => {
      row.classList.toggle("in", tags[number].length > 0 || number + 1 === start);
      row.classList.toggle("current", number === current);
      row.tabIndex = number === current ? 0 : -1;
      if (row.dataset.tags !== tags[number].join("|")) {
        row.dataset.tags = tags[number].join("|");
        row.querySelectorAll(".tag").forEach(tag => tag.remove());
        const words = row.querySelector("[data-text=sentence]"), inside = document.createElement(tags[number].length ? "mark" : "span");
        inside.textContent = words.textContent;
        words.replaceChildren(inside);
        for (const text of tags[number]) { const tag = document.createElement("span"); tag.className = "tag"; tag.textContent = text; row.append(tag); }
      }
    });
    status.textContent = start ? "Starts at sentence " + start + "; go to its last sentence and end it." : "";
  };
  const move = to => { current = Math.max(0, Math.min(rows.length - 1, to)); show(); rows[current].focus({ preventScroll: true }); rows[current].scrollIntoView({ block: "nearest" }); };
  const empty = () => {
    let line = lines().find(candidate => !fields(candidate).where.value && !fields(candidate).label.value);
    if (!line) {
      line = lines()[lines().length - 1].cloneNode(true);
      line.querySelectorAll("input").forEach(input => { input.value = ""; });
      box.append(line);
    }
    return line;
  };
  const filled = () => lines().filter(line => fields(line).where.value);
  const begin = () => { start = current + 1; show(); };
  const finish = () => {
    const from = start || current + 1, to = current + 1, line = empty();
    fields(line).where.value = span(Math.min(from, to), Math.max(from, to));
    start = 0; show(); fields(line).label.focus();
  };
  const part = () => {
    const last = filled().pop();
    if (!last) return;
    const from = start || current + 1, to = current + 1;
    fields(last).where.value += ", " + span(Math.min(from, to), Math.max(from, to));
    start = 0; show();
  };
  const undo = () => { const last = filled().pop(); if (last) { fields(last).where.value = ""; fields(last).label.value = ""; show(); } };
  const label = () => { const line = filled().pop() || empty(); fields(line).label.focus(); };
  button("Start here (s)", begin); button("End here (e)", finish); button("Further part (p)", part); button("Undo (u)", undo);
  bar.append(status);
  list.after(bar);
  const actions = { j: () => move(current + 1), ArrowDown: () => move(current + 1), k: () => move(current - 1), ArrowUp: () => move(current - 1), s: begin, e: finish, p: part, u: undo, l: label };
  document.addEventListener("keydown", event => {
    if (event.target.matches?.("input,textarea,select,dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  box.addEventListener("keydown", event => {
    if (event.key === "Escape") { event.target.blur(); move(current); }
    if (event.key === "Enter" && event.target.matches?.("input[type=text]")) { event.preventDefault(); move(current); }
  });
  list.addEventListener("click", event => { const row = event.target.closest("li"); if (row) move(rows.indexOf(row)); });
  box.addEventListener("input", show);
  list.classList.add("live");
  show();
})();
