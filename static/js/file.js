// Writes a chosen file into the text input that it is for, encoded as the question asks. Without this a person pastes
// that text. A file with which the answer would be larger than the server takes is refused before anything is sent.
const MARGIN = 1000;

function encoded(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

async function put(file, text, { as, limit }) {
  const before = text.value;
  const url = file.size < limit ? await encoded(file) : "";
  text.value = as === "data-url" ? url : url.slice(url.indexOf(",") + 1);
  const size = new URLSearchParams(new FormData(text.form)).toString().length + MARGIN;
  if (url === "" || size > limit) {
    text.value = before;
    throw new RangeError("too large");
  }
}

document.addEventListener("change", async ({ target }) => {
  if (!target.matches("[data-into]") || target.files.length === 0) {
    return;
  }
  const problem = target.nextElementSibling;
  problem.hidden = true;
  try {
    await put(target.files[0], document.getElementById(target.dataset.into), target.dataset);
  } catch {
    target.value = "";
    problem.hidden = false;
  }
});
