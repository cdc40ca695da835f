"""Cards of the codes that say: not with this credential, not by you."""

from __future__ import annotations

from typing import Final

from interrupts.surfaces.cards.card import Card

CARDS: Final = (
    Card(
        code="unauthenticated",
        meaning="The request came without a key, or with one that this host does not know.",
        example="curl http://127.0.0.1:8000/runs, without an Authorization header.",
        advice="Send the header 'Authorization: Bearer <key>'. For the wop command, set WOP_KEY. An administrator"
        " makes a key with 'wop key create'.",
    ),
    Card(
        code="credential_revoked",
        meaning="Somebody ended this key, or the person it acts for has left or is inactive.",
        example="A script goes on using a key after 'wop key revoke 0a1b2c3d4e5f'.",
        advice="Ask an administrator for a new key. This one never works again.",
    ),
    Card(
        code="credential_lifetime_exceeded",
        meaning="The key was made for a limited time, and that time is over.",
        example="A key made with '--expires-in-days 90' is used on the 91st day.",
        advice="Ask an administrator for a new key.",
    ),
    Card(
        code="interrupt_token_invalid",
        meaning="The signed link is not one of this host's, was changed on its way, or the key that signed it was"
        " taken out of use.",
        example="A mail program broke the link in two, and only the first half was opened.",
        advice="Copy the whole link. If that does not help, ask whoever sent it for a new one.",
    ),
    Card(
        code="interrupt_expired",
        meaning="Time is over: of a signed link, which can no longer be used, or of a question that nobody answered by"
        " its deadline, which fails its node.",
        example="A link is opened 31 minutes after it was made; a question with a timeout of one hour is left alone.",
        advice="For a link, ask for a new one. For a run that failed, start it again, give the question a longer"
        " 'timeoutMs', or let an edge of the workflow lead on from the failure.",
    ),
    Card(
        code="forbidden",
        meaning="The key lacks the scope that this takes, or you are not among those who may answer this question.",
        example="A key with runs:read alone is used to answer an approval; carol answers a gate that names the group"
        " finance.",
        advice="Read details.scopeRequired, if it is there, and ask for a key with that scope. Otherwise let somebody"
        " answer whom the gate names, or ask an administrator for the right ('wop grant').",
    ),
    Card(
        code="run_forbidden",
        meaning="The run is one of your tenant, and you may not act on it.",
        example="A program tries to change a run that only its owner may change.",
        advice="Let the run's owner do it, or ask an administrator.",
    ),
    Card(
        code="id_tenant_mismatch",
        meaning="The id begins with the name of another tenant than the one your key belongs to.",
        example="A key of acme reads the run globex/r-0123….",
        advice="Use a key of that tenant. An id is <tenant>/<rest>; check that you copied the right one.",
    ),
    Card(
        code="force_engine_version_forbidden",
        meaning="The request asks for a certain version of the engine, which is the host's to choose.",
        example="A run is created with a member that forces an engine version.",
        advice="Leave that member out.",
    ),
    Card(
        code="credential_forbidden",
        meaning="The request brings a credential for a model with the run. This host takes none, so that none can"
        " leak.",
        example="A run is created with an API key of a model provider among its options.",
        advice="Leave the credential out, and end it where it was made if it was a real one: it has been sent.",
    ),
    Card(
        code="mock_provider_forbidden",
        meaning="The request asks for a pretended provider of models, and this host has none.",
        example="A run made for another host's tests is created here unchanged.",
        advice="Leave the mock provider out of the run's options.",
    ),
)
