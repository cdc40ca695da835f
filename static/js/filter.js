// Narrows a long list of options to those that hold the words typed above it. What is chosen stays in the list.
// Without this the whole list is there.
const whole = new WeakMap();

function holds(element, words) {
  const text = element.textContent.toLocaleLowerCase();
  return words.every((word) => text.includes(word));
}

function narrowList(list, words) {
  if (!whole.has(list)) {
    whole.set(list, [...list.options]);
  }
  const chosen = list.value;
  const options = whole.get(list);
  const fitting = options.filter((option) => option.value !== "" && holds(option, words));
  const kept = new Set([...fitting, ...options.filter(({ value }) => value === "" || value === chosen)]);
  list.replaceChildren(...options.filter((option) => kept.has(option)));
  list.value = chosen;
  list.size = words.length > 0 ? 8 : 1;
  return [fitting.length, options.length - 1];
}

function narrowBoxes(boxes, words) {
  const fitting = new Set(boxes.filter((box) => holds(box.closest("label"), words)));
  for (const box of boxes) {
    box.closest("label").hidden = !box.checked && !fitting.has(box);
  }
  return [fitting.size, boxes.length];
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches("[data-filter]")) {
    return;
  }
  const words = target.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const named = [...target.form.elements].filter((control) => control.name === target.dataset.filter);
  const [fitting, all] = named[0].matches("select") ? narrowList(named[0], words) : narrowBoxes(named, words);
  target.nextElementSibling.textContent = words.length > 0 ? `${fitting} / ${all}` : "";
});

// Enter in a text box would send the form.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("[data-filter]")) {
    event.preventDefault();
  }
});
