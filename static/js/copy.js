// Shows the button that copies a text of the page, where the browser lets pages copy. Without this the text is selected
// by hand.
for (const button of document.querySelectorAll("button[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  const said = button.parentElement.querySelector("[data-done]");
  source.addEventListener("focus", () => source.select());
  if (navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.value);
        said.textContent = said.dataset.done;
      } catch {
        source.focus();
      }
    });
  }
}
