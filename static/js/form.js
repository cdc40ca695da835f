// A button that changes a form, such as "Add a line", fetches the page as it would be then and puts its form in place of
// this one: nothing else of the page moves. Without this, or when that fails, the button loads the whole page.
import "./file.js";
import "./filter.js";

const CHANGES = /^(add|del|up|down|pick):/;

async function load(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  const response = await fetch(form.action, { method: "POST", headers: { Accept: "text/html" }, body });
  return new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html");
}

function swap(form, page) {
  const fresh = page.querySelector("#answer form");
  const focused = fresh?.querySelector("[autofocus]");
  if (!focused) {
    return false;
  }
  form.replaceWith(fresh);
  document.querySelector("#problems")?.remove();
  document.title = page.title;
  focused.focus();
  return true;
}

document.addEventListener("submit", async (event) => {
  const { target: form, submitter: button } = event;
  if (!CHANGES.test(button?.value ?? "") || form.dataset.failed) {
    return;
  }
  event.preventDefault();
  form.inert = true;
  const page = await load(form, button).catch(() => null);
  if (!page || !swap(form, page)) {
    form.inert = false;
    form.dataset.failed = "yes";
    form.requestSubmit(button);
  }
});
