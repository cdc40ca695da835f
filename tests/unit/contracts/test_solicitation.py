"""interrupt.md §Payload: an interrupt of any kind must not solicit credential material."""

from __future__ import annotations

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.solicitation import question_solicits, solicited, text_solicits
from interrupts.contracts.types import JsonObject, JsonValue

WHY = "A count of words, shown by the model."


def found(schema: JsonValue) -> list[tuple[str, str]]:
    assert check_schema(schema) == [], "only sound schemas are asked about"
    return [(problem.pointer, problem.keyword) for problem in solicited(schema)]


def fields(**properties: JsonValue) -> JsonObject:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "name",
    [
        "password", "Password", "userPassword", "user_password", "PASSWORD", "passwd", "pwd", "passphrase", "pass-word",
        "secret", "clientSecret", "client-secret", "apiKey", "api_key", "APIKey", "apikey", "api key", "access_key",
        "privateKey", "sshKey", "signing.key", "key", "keys", "token", "accessToken", "refresh_token", "githubTokens",
        "credential", "credentials", "otp", "oneTimeCode", "pinCode", "jwt", "recoveryPhrase", "securityCode",
        "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44",
    ],
)  # fmt: skip
def test_a_field_is_refused_by_its_name_however_it_is_spelled(name: str) -> None:
    assert found({"properties": {name: {"type": "string"}}}) == [
        (f"/properties/{name}", "credential_solicited"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "keyword", "monkey", "issueKey", "sortKey", "publicKey", "keyResults", "maxTokens", "tokenCount", "tokens_used",
        "secretary", "tokenizer", "passenger", "compass", "comment", "decision", "pin", "code", "Schlüssel",
    ],
)  # fmt: skip
def test_a_field_that_only_sounds_like_it_is_left_alone(name: str) -> None:
    assert found({"properties": {name: {"type": "string"}}}) == []


def test_titles_descriptions_and_formats_ask_too() -> None:
    assert found({"type": "string", "format": "password"}) == [("/format", "credential_solicited")]
    assert found({"title": "Your API key"}) == [("/title", "credential_solicited")]
    assert found(fields(a={"description": "Enter your password."})) == [
        ("/properties/a/description", "credential_solicited")
    ]


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"properties": {"a": {"properties": {"password": {}}}}}, "/properties/a/properties/password"),
        ({"items": {"properties": {"token": {}}}}, "/items/properties/token"),
        ({"prefixItems": [{"title": "Secret"}]}, "/prefixItems/0/title"),
        ({"allOf": [{"anyOf": [{"properties": {"pwd": {}}}]}]}, "/allOf/0/anyOf/0/properties/pwd"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"secret": {}}}}}, "/$defs/a/properties/secret"),
        ({"if": {}, "then": {"properties": {"otp": {}}}}, "/then/properties/otp"),
        ({"additionalProperties": {"title": "Token"}}, "/additionalProperties/title"),
        ({"patternProperties": {"^password": {}}}, "/patternProperties/^password"),
        ({"properties": {"password": True}}, "/properties/password"),
        ({"required": ["name", "password"]}, "/required/1"),
        ({"dependentRequired": {"name": ["size", "password"]}}, "/dependentRequired/name/1"),
        ({"propertyNames": {"enum": ["name", "password"]}}, "/propertyNames/enum/1"),
        ({"dependentSchemas": {"a": {"properties": {"secret": {}}}}}, "/dependentSchemas/a/properties/secret"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"properties": {"jwt": {}}}}},
            "/definitions/a/properties/jwt",
        ),
    ],
)
def test_no_place_in_a_schema_hides_a_field(schema: JsonObject, pointer: str) -> None:
    assert found(schema) == [(pointer, "credential_solicited")]


def test_a_field_with_a_reason_is_harmless_and_only_that_field() -> None:
    harmless: JsonObject = {"title": "Token", "x-wopsite-harmless": WHY, "properties": {"password": {}}}
    assert found(fields(token=harmless)) == [("/properties/token/properties/password", "credential_solicited")]
    assert found({"x-wopsite-harmless": WHY, **fields(token={})}) == [("/properties/token", "credential_solicited")]


@pytest.mark.parametrize("reason", ["", "ok", "          ", True, None, 7, {"why": "because I say so"}])
def test_a_reason_is_a_sentence(reason: JsonValue) -> None:
    assert found(fields(token={"x-wopsite-harmless": reason})) == [
        ("/properties/token", "credential_solicited"),
        ("/properties/token/x-wopsite-harmless", "x-wopsite-harmless"),
    ]


def test_no_reason_makes_a_password_box_harmless() -> None:
    assert found({"format": "password", "x-wopsite-harmless": WHY}) == [("/format", "credential_solicited")]


def test_a_name_that_only_stands_under_required_can_be_described_and_explained() -> None:
    assert found({"required": ["token"], **fields(token={"x-wopsite-harmless": WHY})}) == []


@pytest.mark.parametrize("schema", [True, False, {}, {"const": {"password": "x"}}, {"enum": ["password", "token"]}])
def test_values_are_not_questions(schema: JsonValue) -> None:
    assert found(schema) == []


def test_the_problem_says_what_it_found_and_the_way_out() -> None:
    [problem] = solicited(fields(apiKey={}))
    assert problem.message == (
        '"apiKey" asks for a credential ("api key"). Use a credential interrupt instead; if it is harmless, say why at'
        " this field with “x-wopsite-harmless”."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is your password?", True),
        ("Paste the API key here", True),
        ("Please send us the one-time code.", True),
        ("Which key results matter?", False),
        ("How many tokens in total did it use?", False),
        ("What is your favourite colour?", False),
        ("", False),
    ],
)
def test_a_question_is_judged_by_its_words(text: str, expected: bool) -> None:
    assert text_solicits(text) is expected
    assert question_solicits(text, schema=None) is expected
    assert question_solicits(text, schema={"x-wopsite-harmless": WHY}) is False


def test_a_schema_of_thousands_of_fields_is_read_in_one_pass() -> None:
    many: dict[str, JsonValue] = {f"field{index}": {"title": f"Field {index}"} for index in range(4_000)}
    assert found(fields(**many)) == []
