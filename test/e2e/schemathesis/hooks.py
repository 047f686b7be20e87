"""Schemathesis hooks: credentials, ids that exist, and two checks.

FIXTURES names a JSON file (see fixtures.ts), COUNTS the file for the number of answers by operation and status.
"""

import atexit
import collections
import copy
import json
import os
import pathlib
import re
import urllib.parse
import zlib

import jsonschema_rs
import schemathesis

FIXTURES = json.loads(pathlib.Path(os.environ["FIXTURES"]).read_text())
TOLERATED = json.loads((pathlib.Path(__file__).parent / "tolerated.json").read_text())
A_DATE = "2027-01-01"
counts = collections.Counter()


@schemathesis.hook
def before_call(context, case, kwargs):
    definition = case.operation.definition.raw
    for scheme in [name for each in definition.get("security", []) for name in each][:1]:
        case.headers.update(FIXTURES["credentials"][scheme])
    # One of four requests keeps the ids that were generated; they do not exist.
    chosen = zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode())
    for name, values in ids_for(definition["operationId"]).items():
        if name in case.path_parameters and (chosen % 4 != 0 or case.path_parameters[name] in FIXTURES["kept"]):
            case.path_parameters[name] = values[chosen // 4 % len(values)]
    spelling = chosen // 32 % 4 if chosen // 8 % 4 == 0 else None
    if isinstance(case.query, dict):
        case.query = respelled(case.query, spelling)
    if isinstance(case.body, dict):
        for name, value in FIXTURES["body"].items():
            if isinstance(case.body.get(name), str) and case.body[name] != "" and (chosen % 4 != 0 or "url" in name):
                case.body[name] = value
        case.body = respelled(case.body, spelling)


def respelled(value, way):
    """The value with digits for numbers, capitals, a word for a date, or null: some of these spellings are tolerated."""
    if isinstance(value, dict):
        return {name: respelled(member, way) for name, member in value.items()}
    if way == 0 and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if way == 1 and isinstance(value, str) and re.fullmatch(r"[a-z_]+", value):
        return value.upper()
    if way == 2 and isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return "tomorrow"
    return None if way == 3 and isinstance(value, str) else value


def ids_for(operation_id):
    return FIXTURES["paths"]["*"] | FIXTURES["paths"].get(operation_id, {})


@schemathesis.hook
def after_call(context, case, response):
    counts[f"{case.operation.definition.raw['operationId']} {response.status_code // 100}xx"] += 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False for the answers that the list of exceptions allows."""
    operation_id = case.operation.definition.raw["operationId"]
    return not any(
        response.status_code == each["status"] and operation_id in each.get("operations", [operation_id])
        for each in TOLERATED["exceptions"]
    )


@atexit.register
def write_counts():
    pathlib.Path(os.environ["COUNTS"]).write_text(json.dumps(counts))


@schemathesis.check
def accepted_by_its_schema(ctx, response, case):
    """A success answers a request that its schema allows, or that is written in a tolerated spelling."""
    if not 200 <= response.status_code < 300:
        return
    request = Request(case, response.request)
    for place, value, validator in request.parts():
        spelled = tolerated(request.operation_id, value, validator)
        for error in validator.iter_errors(spelled):
            where = ".".join([place, *map(str, error.instance_path)])
            raise AssertionError(f"accepted against the schema: {where}: {error.message}")


@schemathesis.check
def refused_with_a_documented_code(ctx, response, case):
    """A refusal has one of the codes that the document names for its status."""
    status = str(response.status_code)
    answers = case.operation.definition.raw["responses"]
    answer = Request(case, response.request).resolved(answers.get(status, answers.get("default", {})))
    documented = answer.get("x-codes")
    if response.request.method != case.operation.method.upper():
        # The introduction of the document has the refusal of other methods.
        documented = ["METHOD_NOT_ALLOWED"]
    elif status not in answers and "default" in answers:
        # The common failures name the status of each code: "- 401 `MISSING_TOKEN`: …".
        documented = [code for code in documented if f"- {status} `{code}`:" in answer["description"]]
    if documented is None:
        return
    code = response.json().get("code")
    if code not in documented:
        raise AssertionError(f"{status} {code} is none of {documented}")


def tolerated(operation_id, value, validator):
    """A copy of the value, with its tolerated spellings rewritten as the schema has them."""
    spelled = copy.deepcopy(value)
    while True:
        errors = [list(error.instance_path) for error in validator.iter_errors(spelled)]
        if not any(path and rewritten(operation_id, spelled, path) for path in errors):
            return spelled


def rewritten(operation_id, value, path):
    """Rewrites the member at the path in place, if its spelling is tolerated. Returns whether it was."""
    name = ".".join(part for part in path if isinstance(part, str))
    owner = value
    for part in path[:-1]:
        owner = owner[part]
    written = owner[path[-1]]
    if isinstance(written, dict):
        # Of alternatives, the validator names the whole object.
        return any(rewritten(operation_id, value, [*path, inner]) for inner in written)
    for each in TOLERATED["spellings"]:
        elsewhere = "operations" not in each and operation_id not in TOLERATED["money"]
        if not elsewhere and operation_id not in each.get("operations", []):
            continue
        if name not in each.get("fields", [name]):
            continue
        spelling = each["spelling"]
        if spelling == "digits" and isinstance(written, str) and re.fullmatch(r"-?\d+(\.\d+)?", written):
            owner[path[-1]] = float(written) if "." in written else int(written)
            return True
        if spelling == "words" and isinstance(written, str) and written != A_DATE:
            owner[path[-1]] = A_DATE
            return True
        if spelling == "case" and isinstance(written, str):
            lower = written.lower()
            owner[path[-1]] = lower if lower != written else re.sub(r"[-\s]", "_", lower)
            if owner[path[-1]] != written:
                return True
    return False


class Request:
    """A request as it was sent, and the schemas that it should keep."""

    def __init__(self, case, sent):
        self.definition = case.operation.definition.raw
        self.operation_id = self.definition["operationId"]
        self.document = case.operation.schema.raw_schema
        self.sent = sent

    def parts(self):
        parameters = [self.resolved(each) for each in self.definition.get("parameters", [])]
        known = {each["name"]: each for each in parameters if each["in"] == "query"}
        pairs = urllib.parse.parse_qsl(urllib.parse.urlsplit(self.sent.url).query, keep_blank_values=True)
        times = collections.Counter(name for name, _ in pairs)
        schema_of = {name: each["schema"] for name, each in known.items()}
        values = {
            # A list is a parameter that was sent several times.
            name: [text] if times[name] > 1 else typed(text, self.resolved(schema_of.get(name, {})))
            for name, text in pairs
            # The service ignores these.
            if not name.startswith("utm_")
        }
        required = [name for name, each in known.items() if each.get("required")]
        yield "query", values, self.validator(
            {"type": "object", "properties": schema_of, "required": required, "additionalProperties": False}
        )
        content = self.resolved(self.definition.get("requestBody", {})).get("content", {})
        if "application/json" in content:
            body = json.loads(self.sent.body or b"{}")
            yield "body", body, self.validator(content["application/json"]["schema"])

    def validator(self, schema):
        whole = {"components": self.document.get("components", {}), "allOf": [schema]}
        return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)

    def resolved(self, value):
        found = value
        while "$ref" in found:
            path = found["$ref"].removeprefix("#/").split("/")
            found = self.document
            for part in path:
                found = found[part]
        return found


def typed(text, schema):
    """The value of a query parameter, as its schema reads the text; true and false in any case (docs/api.md)."""
    if schema.get("type") in ("integer", "number") and re.fullmatch(r"-?\d+(\.\d+)?", text):
        return float(text) if "." in text else int(text)
    if schema.get("type") == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text
