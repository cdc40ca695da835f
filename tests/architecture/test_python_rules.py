"""House rules for Python that no linter of ours checks. Each rule is also shown something that breaks it."""

from __future__ import annotations

import ast

from tests.architecture.sources import PACKAGES, Source, parse, python_sources

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def imports_inside_functions(source: Source) -> list[str]:
    return [
        source.where(node)
        for function in source.functions()
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def long_functions(source: Source) -> list[str]:
    return [
        f"{source.where(function)} {function.name}"
        for function in source.functions()
        if (function.end_lineno or function.lineno) - function.lineno + 1 > MAX_FUNCTION_LINES
    ]


def whole_row_saves(source: Source) -> list[str]:
    """Calls of `save` that write every column, and so undo what another transaction wrote meanwhile."""
    return [
        source.where(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "save"
        and not {"update_fields", "force_insert"} & {keyword.arg for keyword in node.keywords}
    ]


def found_in_product(rule: object) -> list[str]:
    assert callable(rule)
    return [place for source in python_sources(*PACKAGES) for place in rule(source)]


def test_the_sources_of_all_three_packages_are_read() -> None:
    tops = {source.path.partition("/")[0] for source in python_sources(*PACKAGES)}
    assert tops == set(PACKAGES)


def test_no_import_hides_in_a_function() -> None:
    assert imports_inside_functions(parse("def f():\n    import os\n")) == ["example.py:2"]
    assert found_in_product(imports_inside_functions) == []


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {source.path: len(source.text.splitlines()) for source in python_sources(*PACKAGES, "tests", "bench")}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_no_function_is_longer_than_50_lines() -> None:
    body = "    x = 1\n"
    assert long_functions(parse("def f():\n" + body * (MAX_FUNCTION_LINES - 1))) == []
    assert long_functions(parse("def f():\n" + body * MAX_FUNCTION_LINES)) == ["example.py:1 f"]
    assert found_in_product(long_functions) == []


def test_no_save_writes_columns_it_does_not_name() -> None:
    assert whole_row_saves(parse("run.save()\nrun.save(update_fields=['status'])")) == ["example.py:1"]
    assert [place for place in found_in_product(whole_row_saves) if "/admin" not in place] == []
