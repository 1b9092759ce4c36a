"use strict";
// Filters cases by their facets and by words, and hides or shows the marks; without it everything is shown.
(() => {
  const bar = document.querySelector(".bar");
  if (!bar) return;
  const cases = [...document.querySelectorAll(".case")];
  const search = bar.querySelector("input[type=search]");
  const picks = [...bar.querySelectorAll("select")];
  const marks = bar.querySelector("input[type=checkbox]");
  const count = bar.querySelector("output");
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const one of cases) {
      const fits =
        picks.every((pick) => !pick.value || one.dataset[pick.name] === pick.value) &&
        words.every((word) => one.dataset.search.includes(word));
      one.hidden = !fits;
      left += fits;
    }
    count.value = `${left} of ${cases.length}`;
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 120);
  });
  for (const pick of picks) pick.addEventListener("change", show);
  marks.addEventListener("change", () => document.body.classList.toggle("plain", !marks.checked));
  document.addEventListener("keydown", (event) => {
    if (event.key === "b" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) marks.click();
  });
  bar.hidden = false;
  show();
})();
