"use strict";
// Another central entity: the parts that our reader found for it are filled in; the person then mends them.
(() => {
  const form = document.getElementById("page");
  if (!form) return;
  const boxes = [...form.querySelectorAll("select[data-roles]")];
  const paint = () => boxes.forEach(box => box.closest("p").classList.toggle("core", Boolean(box.value)));
  form.addEventListener("change", event => {
    if (event.target.name === "entity") {
      for (const box of boxes) {
        const roles = JSON.parse(box.dataset.roles), saying = box.closest("p").textContent.includes("(a verb of saying)");
        box.value = saying ? "" : roles[event.target.value] || "";
      }
    }
    paint();
  });
  paint();
})();
