"""Validates what `parley export` wrote below the current directory, with each format's own programs, and prints a line
of JSON: how many records and decisions there are, and what is against a requirement. The context of RO-Crate comes
from the package rocrate in place of the network."""
import glob
import json
import os
import pathlib
import sys

import datasets
import mlcroissant
import requests
import rocrate
from every_eval_ever.validator.validation_core import validate_file

TABLES = ("replies", "decisions", "measures")
errors = []


def context(_, request, **__):
    """Answers a request for RO-Crate's context, and no other."""
    answer = requests.Response()
    answer.request, answer.url = request, request.url
    answer.status_code = 200 if request.url.startswith("https://w3id.org/ro/crate/1.") else 504
    answer.headers["Content-Type"] = "application/ld+json"
    with open(os.path.join(os.path.dirname(rocrate.__file__), "data", "ro-crate.jsonld"), "rb") as file:
        answer._content = file.read()
    return answer


def records():
    """Every Eval Ever: as its validator sees a datastore."""
    os.chdir("every-eval-ever")
    paths = sorted(glob.glob("data/*/*/*/*"))
    for path in paths:
        report = validate_file(pathlib.Path(path), repo_path=path, available_files=frozenset(paths),
                               read_repo_file=lambda p: open(p).read(), run_semantic_checks=True)
        errors.extend(f"{path}: {error}" for error in report.errors)
    os.chdir("..")
    return len(paths)


def data_set():
    """The hub's directory: datasets and Croissant's reader find the same rows."""
    rows = {name: datasets.load_dataset("hub", name)["train"].num_rows for name in TABLES}
    described = mlcroissant.Dataset("hub/croissant.json")
    errors.extend(described.metadata.ctx.issues.errors)
    for name in TABLES:
        if (n := sum(1 for _ in described.records(record_set=name))) != rows[name]:
            errors.append(f"{name}: {n} records of Croissant, {rows[name]} rows")
    return rows["decisions"]


def crate():
    requests.adapters.HTTPAdapter.send = context
    from rocrate_validator import models, services
    result = services.validate(services.ValidationSettings(
        rocrate_uri="ro-crate", profile_identifier="process-run-crate-0.5", no_cache=True,
        requirement_severity=models.Severity.REQUIRED))
    errors.extend(f"ro-crate {issue.check.identifier}: {issue.message}" for issue in result.get_issues())


found = {"records": records(), "decisions": data_set()}
crate()
json.dump(found | {"errors": errors}, sys.stdout)
