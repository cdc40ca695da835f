// Rewrites the times of a page in the reader's own zone, in the style of the server's. Without this they are in UTC.
const format = new Intl.DateTimeFormat(document.documentElement.lang, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

function inWords(date) {
  const part = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
  return `${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute} ${part.timeZoneName}`;
}

for (const element of document.querySelectorAll("time[datetime][data-local]")) {
  const date = new Date(element.dateTime);
  if (!Number.isNaN(date.getTime())) {
    element.textContent = inWords(date);
  }
}
