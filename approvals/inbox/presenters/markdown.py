"""Markdown written by an author we do not trust, as HTML that can neither run nor hide anything."""

from __future__ import annotations

from typing import Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from approvals.inbox.presenters.text import visible

# What is longer is shown as plain text: some inputs cost the parser more than their length.
MAX_CHARACTERS: Final = 20_000

_PARSER: Final = MarkdownIt("commonmark", {"html": False, "linkify": False}).disable("image").enable("table")
_TAGS: Final = {
    *("a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"),
    *("h3", "h4", "h5", "h6", "table", "tbody", "td", "th", "thead", "tr"),
}
_DEEPER: Final = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
# "*": without it titles and languages would be kept on every tag.
_ATTRIBUTES: Final = {"*": set[str](), "a": {"href"}, "ol": {"start"}}


def render_markdown(text: str) -> SafeString:
    """Return sanitised HTML: no scripts, styles or images; links only to http(s) and mailto addresses.

    Headings sink below the page's own. Invisible characters are written out first, so they are seen in code as well.
    """
    tokens = _PARSER.parse(visible(text))
    for token in tokens:
        token.tag = _DEEPER.get(token.tag, token.tag)
        token.attrs.pop("style", None)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        generic_attribute_prefixes=set(),
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="nofollow noopener noreferrer ugc",
    )
    return mark_safe(clean)  # noqa: S308 - nh3 has just cleaned it
