"use strict";
// Enter: next answer. Ctrl+D: the word of the answer above. Says how many groups there are.
(() => {
  const boxes = [...document.querySelectorAll("input[name=gloss]")], groups = document.getElementById("groups");
  const count = () => { groups.textContent = new Set(boxes.map(box => box.value.trim().toLowerCase()).filter(Boolean)).size + " groups"; };
  boxes.forEach((box, number) => {
    box.addEventListener("input", count);
    box.addEventListener("keydown", event => {
      if (event.key === "Enter" && !event.ctrlKey && boxes[number + 1]) { event.preventDefault(); boxes[number + 1].focus(); boxes[number + 1].select(); }
      if (event.ctrlKey && event.key.toLowerCase() === "d" && number) { event.preventDefault(); box.value = boxes[number - 1].value; count(); }
    });
  });
  if (boxes.length) count();
})();
