"""Requests that nobody thought of (schemathesis, from a schema of all addresses): never a server error, never a lost session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from hypothesis import HealthCheck, given, settings

from scenarist.lab.database.engine import open_database
from scenarist.lab.study import parse_study
from scenarist.lab.web.admin import new_admin_token
from scenarist.lab.web.app import make_app
from tests.lab.conftest import SMALL, Visitor

TEXT = {"type": "string"}
FIELDS = ("csrf", "attempt", "opened", "answer", "where", "label", "gloss", "nothing", "choice", "external", "source", "preview", "sure", "kind",
          "text", "password", "condition", "close", "model", "csv", "pastes", "away")  # fmt: skip
EXAMPLES = 8


def body() -> dict[str, Any]:
    fields = {"type": "object", "properties": dict.fromkeys(FIELDS, TEXT), "additionalProperties": True}
    return {"content": {"application/x-www-form-urlencoded": {"schema": fields}}}


def operation(path: str, method: str) -> dict[str, Any]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer"}
            if name == "trial"
            else {"enum": ["small", "marks"]}
            if name == "name"
            else TEXT,
        }
        for name in names
    ]
    if method == "get":
        parameters += [
            {"name": name, "in": "query", "schema": TEXT}
            for name in ("id", "PROLIFIC_PID", "workerId", "preview", "assignmentId")
        ]
    described: dict[str, Any] = {"parameters": parameters, "responses": {"default": {"description": "any page"}}}
    return described | ({"requestBody": body()} if method == "post" else {})


def schema_of(app: Any) -> dict[str, Any]:
    """The addresses of the application as OpenAPI has it, made from its routes: none is forgotten."""
    paths: dict[str, dict[str, Any]] = {}
    for route in app.routes:
        for method in sorted(getattr(route, "methods", None) or ()):
            if method in ("GET", "POST"):
                path = route.path.replace(":int", "")
                paths.setdefault(path, {})[method.lower()] = operation(path, method.lower())
    assert len(paths) > 15
    return {"openapi": "3.0.2", "info": {"title": "lab", "version": "1"}, "paths": paths}


MARKING = """
name = "marks"
title = "Marks"
kind = "mark-scenarios"
[source]
make = "stories"
corpus = "toy"
limit = 2
[draw]
a_family = 0
[[steps]]
kind = "trials"
"""


def test_no_request_is_a_server_error(tmp_path: Path) -> None:
    database = open_database(str(tmp_path / "lab.db"))
    app = make_app(database, [parse_study(SMALL), parse_study(MARKING)])
    people = [Visitor(app, name) for name in ("small", "marks")]
    for person in people:
        person.agree()
    admin = Visitor(app)
    admin.client.post("/admin/login", data={"password": new_admin_token(database)})
    schema = schemathesis.openapi.from_dict(schema_of(app))
    seen: set[int] = set()

    def ask(case: Any) -> None:
        """As nobody, as somebody in the study (with her form's key), and as the admin."""
        for visitor, key in (
            (Visitor(app), ""),
            *((person, person.page.forms[0].hidden()["csrf"][0]) for person in people),
            (admin, ""),
        ):
            fields = {**case.body, **({"csrf": key} if key else {})} if isinstance(case.body, dict) else None
            reply = visitor.client.request(
                case.method, case.formatted_path, params=dict(case.query or {}), data=fields, follow_redirects=False
            )
            seen.add(reply.status_code)
            assert reply.status_code < 500 or reply.status_code == 503, (
                case.method,
                case.formatted_path,
                case.body,
                reply.text[:300],
            )

    for result in schema.get_all_operations():
        target = result.ok()
        if target.path.endswith("/ranks"):
            continue  # a model that answers all gaps: slow, and tried by name elsewhere
        strategy = target.as_strategy()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            derandomize=True,
        )
        @given(case=strategy)
        def every(case: Any) -> None:
            ask(case)

        every()
    assert {200, 303, 403, 422} <= seen
    database.close()
