"""Cards of the codes that say: not in this form, not now, or not here."""

from __future__ import annotations

from typing import Final

from interrupts.surfaces.cards.card import Card

CARDS: Final = (
    Card(
        code="validation_error",
        meaning="What was sent does not have the form it must have: a field is missing, unknown or of the wrong kind,"
        " or the text is not JSON at all. Nothing was changed.",
        example="An answer without the field that the question requires: 'payload.approved: This is required.'",
        advice="Read the list of problems: each names a place by JSON Pointer (/payload/approved is the member"
        " 'approved'"
        " of 'payload') and says what is wrong there. Put all of them right and send it again. A run that failed with"
        " this code was ended by its workflow, or asked a question that breaks the request_schema of its own node: read"
        " its error.",
    ),
    Card(
        code="idempotency_key_invalid",
        meaning="The header Idempotency-Key is there and does not have the form of one.",
        example="Idempotency-Key: 42",
        advice="Send 22 to 128 characters out of letters, digits, '.', '_', '~' and '-', for example a UUID.",
    ),
    Card(
        code="idempotency_key_mismatch",
        meaning="This Idempotency-Key came with a different request before, within the last 48 hours.",
        example="A program uses one key for the answers to two questions.",
        advice="Use a new key for each request, and the same key only to send the very same request again.",
    ),
    Card(
        code="idempotency_in_flight",
        meaning="The first request with this Idempotency-Key is still being worked on.",
        example="A client gives up after a second, and asks again while the host is still busy.",
        advice="Wait as long as Retry-After says, and send the same request with the same key again.",
    ),
    Card(
        code="not_found",
        meaning="There is nothing with this id or under this address: no such run, node, workflow, tenant or"
        " operation.",
        example="wop run show acme/r-0000000000000000, or a node that does not wait for an answer.",
        advice="Check the id letter by letter. 'wop inbox' lists what waits; GET /runs lists the runs.",
    ),
    Card(
        code="protocol_version_unsupported",
        meaning="The request asks for another major version of the protocol than this host speaks.",
        example="OpenWOP-Version: 1",
        advice="Send 'OpenWOP-Version: 2', or leave the header out. details.protocolVersions lists what is spoken"
        " here.",
    ),
    Card(
        code="webhook_url_rejected",
        meaning="This host does not call that URL: it is not https on port 443, or it leads into a private network.",
        example="A webhook for http://localhost:3000/hook.",
        advice="Use a public https address. An operator can allow a private receiver with WOP_EGRESS_ALLOW.",
    ),
    Card(
        code="webhook_endpoint_unverified",
        meaning="The new webhook did not answer the signed challenge with a 2xx status in time, so it was not"
        " registered.",
        example="The receiver answers 404, because it is not deployed yet.",
        advice="Let the receiver answer the challenge with 200, and register the webhook again.",
    ),
    Card(
        code="payload_too_large",
        meaning="More was sent than this host accepts, or a node of a run put out more than may be kept.",
        example="An answer with a picture of 5 MB in it.",
        advice="Send less: a link to the thing instead of the thing. An operator sets the limit of requests with"
        " WOP_MAX_BODY_BYTES.",
    ),
    Card(
        code="unsupported_media_type",
        meaning="The body does not say that it is JSON in UTF-8.",
        example="curl -d '{…}' without a Content-Type, which says that it is a form.",
        advice="Send the header 'Content-Type: application/json'.",
    ),
    Card(
        code="capability_required",
        meaning="The workflow needs something that this host does not offer.",
        example="A run of a workflow that asks people to connect an account, on a host that knows no accounts.",
        advice="Read /.well-known/openwop for what is offered. Change the workflow, or ask the operator to switch it"
        " on.",
    ),
    Card(
        code="conversation_roster_exceeded",
        meaning="A conversation of the workflow has more participants than this host allows.",
        example="A conversation between 17 agents, where 16 may take part.",
        advice="Give the conversation fewer participants.",
    ),
    Card(
        code="conversation_speaker_not_participant",
        meaning="The turn is said by somebody who takes no part in the conversation.",
        example="A turn whose agent is 'critic' in a conversation between 'writer' and 'editor'.",
        advice="Name one of the participants, who are listed in the question.",
    ),
    Card(
        code="rate_limited",
        meaning="Too many requests at once: all places for waiting are taken.",
        example="Hundreds of programs wait for events of this host at the same time.",
        advice="Wait as long as Retry-After says, and ask again.",
    ),
    Card(
        code="internal_error",
        meaning="The host made a mistake. It is not yours.",
        example="Something happened that nobody thought of.",
        advice="Tell the operator details.correlationId, if it is there: with it they find the fault in the log.",
    ),
    Card(
        code="service_unavailable",
        meaning="The host cannot do it right now: its database does not answer or is too busy, or the host itself"
        " cannot be reached.",
        example="The database is being restarted; the address in WOP_URL has nobody listening.",
        advice="Try again in a moment. If it stays so, check the address, and tell the operator.",
    ),
)
