// Rewrites the times of a page in the reader's own zone, and names it. Without this they are in UTC, and say so.
const language = document.documentElement.lang;
const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const zone = new Intl.DateTimeFormat(locale, { timeZoneName: "short" });

function zoneName(date) {
  return zone.formatToParts(date).find((part) => part.type === "timeZoneName")?.value ?? "";
}

for (const element of document.querySelectorAll("time[datetime][data-local]")) {
  const date = new Date(element.dateTime);
  if (!Number.isNaN(date.getTime())) {
    element.textContent = `${format.format(date)} ${zoneName(date)}`;
  }
}
