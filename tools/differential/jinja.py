#!/usr/bin/env python3
"""Renders expressions with jinja2 in transformers' environment, as expectations for inference/chat/jinja.

    pip install jinja2==3.1.6
    tools/differential/jinja.py >inference/chat/jinja/testdata/expressions.jsonl   the expressions that the tests have
    tools/differential/jinja.py SEED COUNT                                         random ones, for the soak

A line is a JSON object: the template's source, and either its text or what kind of error it is. Every operator, filter,
test, method and function that templates may have is tried on values of all kinds."""

import json
import random
import re
import resource
import sys

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


ENVIRONMENT = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols]
)
ENVIRONMENT.filters["tojson"] = tojson
ENVIRONMENT.globals["raise_exception"] = refuse

VALUES = [
    "none",
    "true",
    "false",
    "0",
    "1",
    "-7",
    "3",
    "2.5",
    "-0.5",
    "1e20",
    "1e-7",
    "3.0",
    "''",
    "'a'",
    "' aB\\u001c\\n'",
    "'\\u001d x \\u00e9\\u00c9\\u00df'",
    "'1,2,,3'",
    "'12'",
    "' 3.7 '",
    "'it\\'s \"q\"'",
    "'a\\nb\\n\\nc'",
    "'x y  z'",
    "'\\u65e5\\u672c \\U0001f642'",
    "[]",
    "[3, 1, 2]",
    "['b', 'A', 'a']",
    "[1, 'a', none]",
    "(1, 2)",
    "('a',)",
    "()",
    "{}",
    "{'b': 1, 'a': [1, 2.0]}",
    "{'k': none, 'B': 'x', 'a': {'n': true}}",
    "{1: 'x', 'y': 2}",
    "[{'n': 2, 't': 'b'}, {'n': 1, 't': 'A'}, {'t': 'c'}]",
    "range(3)",
    "x",
    "x.y if x else 1",
    "[[1, 2], [3]]",
    "'<b>&'",
    '"tab\\t\\x07\\u200b"',
    "'abcabc'",
    "'Hello World-foo (bar)'",
    "['a', 'b'] | map('upper')",
    "{'a': 1, 'b': 2}.items()",
    "namespace(a=1)",
    "100000000000",
    "'%s and %d'",
    "'{} {}'",
    "-1",
    "2",
    "10",
]
SMALL = ["none", "true", "1", "-2", "0", "2.5", "'a'", "','", "''", "' '", "[1]", "'b'", "x", "3"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
FILTERS = {
    "abs": [""],
    "attr": ["('a')", "('items')"],
    "capitalize": [""],
    "count": [""],
    "length": [""],
    "d": ["('z')", ""],
    "default": ["('z', true)", "(default_value='q', boolean=true)"],
    "dictsort": ["", "(true)", "(by='value')", "(false, 'key', true)"],
    "first": [""],
    "float": ["", "(1.5)"],
    "indent": ["", "(2)", "(2, true)", "(2, true, true)", "('> ')", "(width=1, blank=true)"],
    "int": ["", "(7)"],
    "items": ["|list"],
    "join": ["", "(', ')", "('-', attribute='t')"],
    "last": [""],
    "list": [""],
    "lower": [""],
    "map": [
        "('upper')|list",
        "(attribute='n')|list",
        "(attribute='n', default=0)|list",
        "('default', 'z')|list",
        "('string')|join('|')",
        "('length')|list",
        "('tojson')|list",
    ],
    "max": ["", "(attribute='n')"],
    "min": ["", "(true)"],
    "reject": ["('odd')|list", "|list", "('equalto', 1)|list"],
    "rejectattr": ["('n')|list", "('n', 'defined')|list"],
    "replace": ["('a', 'bb')", "('', '-')", "('b', '', 1)"],
    "reverse": ["|list", ""],
    "round": ["", "(1)", "(0, 'ceil')", "(1, 'floor')"],
    "safe": [""],
    "select": ["('string')|list", "|list", "('in', [1, 2])|list"],
    "selectattr": ["('n')|list", "('n', 'gt', 1)|list", "('t', 'equalto', 'b')|list"],
    "sort": ["", "(reverse=true)", "(case_sensitive=true)", "(attribute='t')"],
    "string": [""],
    "sum": ["", "(attribute='n')", "(start=10)"],
    "title": [""],
    "tojson": ["", "(indent=2)", "(indent=0)", "(ensure_ascii=false)"],
    "trim": ["", "('a')", "(chars=' 1')"],
    "unique": ["|list", "(true)|list"],
    "upper": [""],
}
TESTS = [
    "boolean",
    "callable",
    "defined",
    "undefined",
    "divisibleby 3",
    "divisibleby(0)",
    "eq 1",
    "equalto('a')",
    "ne none",
    "in [1, 'a', none]",
    "gt 1",
    "greaterthan(1)",
    "ge 1",
    "lt 1",
    "lessthan 2.5",
    "le 1",
    "even",
    "odd",
    "true",
    "false",
    "none",
    "string",
    "float",
    "integer",
    "number",
    "mapping",
    "iterable",
    "sequence",
    "lower",
    "upper",
    "sameas none",
    "sameas true",
    "not defined",
    "not none",
    "not string",
    "== 1",
]
METHODS = [
    "capitalize()",
    "count('a')",
    "endswith('a')",
    "endswith(('a', ' '))",
    "find('b')",
    "rfind('a')",
    "format(1, 'x')",
    "isalnum()",
    "isalpha()",
    "isascii()",
    "isdecimal()",
    "isdigit()",
    "isnumeric()",
    "islower()",
    "isspace()",
    "istitle()",
    "isupper()",
    "join(['p', 'q'])",
    "join([1])",
    "lower()",
    "lstrip()",
    "lstrip('a ')",
    "rstrip()",
    "rstrip('c')",
    "strip()",
    "strip('aB')",
    "partition(',')",
    "rpartition(',')",
    "removeprefix('a')",
    "removesuffix('c')",
    "replace('a', 'X')",
    "replace('a', 'X', 1)",
    "split()",
    "split(',')",
    "split(',', 1)",
    "split(none, 1)",
    "split(maxsplit=1)",
    "rsplit(',', 1)",
    "rsplit(none, 1)",
    "splitlines()",
    "splitlines(true)",
    "startswith('a')",
    "title()",
    "upper()",
    "keys()|list",
    "values()|list",
    "items()|list",
    "get('a')",
    "get('zz', 5)",
    "get(1)",
    "index(1)",
    "count(1)",
    "a",
    "items",
    "n",
    "k.y",
]
SUFFIXES = [
    "[0]",
    "[-1]",
    "[1:]",
    "[:-1]",
    "[::-1]",
    "[1:3]",
    "[::2]",
    "[-2:]",
    "['a']",
    "['b']",
    "[9]",
    "[5:1:-1]",
    "[-9:9]",
    ".0",
    "['items']",
]
STATEMENTS = [
    "{% for a in [1, 2, 3] %}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ loop.revindex }}{% endfor %}",
    "{% for a in [1, 2] %}\n  {% if loop.last %}\nlast\n  {% endif %}\n{{ a }}\n{% else %}\nnone\n{% endfor %}\nend\n",
    "{% for k, v in {'b': 1, 'a': 2}.items() %}{{ k }}={{ v }},{% endfor %}",
    "{% for a in [] %}x{% else %}none{% endfor %}",
    "{% for k, v in {'b': 1}|items %}{{ k }}{{ v }}{% endfor %}{% for k, v in {'b': 1, 'a': 2}|dictsort %}{{ k }}"
    "{{ v }}{% endfor %}",
    "{% for k in {'b': 1, 'a': 2} %}{{ k }}{% endfor %}",
    "{% for a in x %}y{% else %}undefined{% endfor %}",
    "{% for a in [1, 2, 3, 4] if a is even %}{{ a }}{{ loop.index0 }}{{ loop.length }}{% endfor %}",
    "{% for a in [1, 2, 3] %}{% if a == 2 %}{% continue %}{% endif %}{{ a }}{% endfor %}{{ a }}",
    "{% for a in [1, 2, 3] %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% endfor %}",
    "{% for a in [1, 2] %}{% for b in [3, 4] %}{{ loop.index }}{% if b == 3 %}{% break %}{% endif %}{% endfor %}"
    "{% endfor %}",
    "{% set n = 0 %}{% for a in [1, 2, 3] %}{% set n = n + a %}{{ n }}{% endfor %}{{ n }}",
    "{% set ns = namespace(n=0) %}{% for a in [1, 2, 3] %}{% set ns.n = ns.n + a %}{% endfor %}{{ ns.n }}{{ ns.m }}",
    "{% for a in [1, 2] %}{% set y = a %}{% endfor %}{{ y }}",
    "{% if true %}{% set y = 5 %}{% endif %}{{ y }}",
    "{% for a in 'ab' %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle(1, 2) }}{{ loop.changed(1) }}{% endfor %}",
    "{% set y %}a{{ 1 }}b{% endset %}{{ y }}{{ y|length }}",
    "{% set y | upper %}ab{% endset %}{{ y }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a, b = [1] %}{{ a }}",
    "{% set (a, b) = 'xy' %}{{ b }}{{ a }}",
    "{% set d = {} %}{% set d.a = 1 %}{{ d }}",
    "{% set a = 1, 2 %}{{ a }}",
    "{{ 1, 2 }}",
    "{{ () }}{{ (1) }}{{ (1,) }}",
    "{% macro f(a, b=2, c=a) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(b=4, a=0) }}{{ f() }}",
    "{% macro f(a) %}{{ a }}{{ g }}{% endmacro %}{% set g = 7 %}{{ f(1) }}",
    "{% macro f() %}x{% endmacro %}{{ f(1) }}",
    "{% macro f(x) %}{% set y = x.append(1) %}{% endmacro %}not called",
    "{% macro f(x) %}{% set y = x.append(1) %}{% endmacro %}{{ f([]) }}",
    "{% set x = [3, 1] %}{{ x.sort() }}",
    "{% set x = {'a': 1} %}{% if false %}{{ x.pop('a') }}{% endif %}{{ x.a }}",
    "{% set x = {'a': 1} %}{{ x.pop('a') }}",
    "{% set x = {'a': 1} %}{{ x.update({'b': 2}) }}",
    "{% macro f(a) %}x{% endmacro %}{{ f(a=1, b=2) }}",
    "{% macro f() %}{{ caller() }}!{% endmacro %}{% call f() %}in{% endcall %}",
    "{% macro f() %}{{ caller(1, 2) }}{% endmacro %}{% call(a, b) f() %}{{ a + b }}{% endcall %}",
    "{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
    "  {% if true %}  \n a \n  {% endif %}  \n b",
    "a  {%- if true -%}  b  {%- endif -%}  c",
    "a\n  {{- 1 -}}  \n b",
    "a\n\n  {%+ if true %} b {% endif +%}\n c",
    "a {# c #} b\n{# c #}\nd\n  {# e #}\nf{#- g -#}  h",
    "{% raw %} {{ x }} {% y %} {% endraw %}z",
    "a\n  {% raw -%}\n b {%- endraw %}\nc",
    "x\n",
    "x\n\n",
    "\r\na\r\nb\r",
    "{% if x %}1{% elif y is defined %}2{% elif 1 %}3{% else %}4{% endif %}",
    "{% if none %}{% else %}n{% endif %}",
    "{{ 'a' if true }}{{ 'b' if false }}{{ 'c' if false else 'd' if false else 'e' }}",
    "{{ ('a' if x else 'b') + 'c' }}",
    "{{ not x and 1 or 2 }}{{ not not 3 }}{{ 1 if not 2 in [1] else 0 }}",
    "{{ 1 < 2 < 3 }}{{ 3 > 2 > 2 }}{{ 1 == 1 == 1 }}",
    "{{ -2 ** 2 }}{{ 2 ** 3 ** 2 }}{{ 2 * 3 + 4 // 2 - 1 }}{{ 7 - 2 - 1 }}{{ -1 | abs }}{{ (-1) | abs }}",
    "{{ +3 }}{{ - -3 }}",
    "{{ 1 + 1 ~ 'a' ~ 2 * 2 }}{{ 'a' 'b' }}{{ 'a' ~ none ~ true ~ x }}",
    "{{ 1_000 }}{{ 0x1f }}{{ 1.5e3 }}{{ 2e2 }}{{ 0b11 }}",
    r"""{{ 'a\tb\\n\x41\u00e9\'' }}{{ "it's" }}{{ '\q' }}{{ '\101' }}""",
    "{{ x }}{{ x.y }}",
    "{{ x['y'] }}",
    "{{ x + 1 }}",
    "{{ x() }}",
    "{{ x.y is defined }}",
    "{{ none.a }}",
    "{{ none.a.b }}",
    "{{ 'abc'.foo }}",
    "{{ 'abc'.foo.bar }}",
    "{{ {}.a }}{{ {}.a.b }}",
    "{{ [1, 2][5] }}",
    "{{ [1, 2][5].x }}",
    "{{ 1.5.real }}",
    "{{ [].append(1) }}",
    "{{ {}.update(a=1) }}",
    "{{ 'a'._b }}",
    "{{ ''.__class__ }}",
    "{{ 'a'['__class__'] }}",
    "{{ raise_exception('no') }}",
    "{{ 'a'.zfill(3) }}",
    "{% if false %}{{ 1|nosuch }}{{ 1 is nosuch }}{% endif %}a",
    "{% if true %}{{ 1|nosuch }}{% endif %}",
    "{% if false %}{% for a in [1] %}{{ a|nosuch }}{% endfor %}{% endif %}",
    "{% set y = '<a>'|safe %}{{ y }}{{ y ~ '<' }}",
    "{{ ('<a>'|safe) + 'b' }}{{ ('a '|safe).strip() + 'c' }}",
    "{{ ('a'|safe)|upper|length }}{{ ('a'|safe) in 'abc' }}",
    "{% set y = (1|tojson)|safe if true %}{{ y|trim }}",
    "{% include 'a' %}",
    "{% filter upper %}a{% endfilter %}",
    "{% do x %}",
    "{{ 1 is nosuch }}",
    "{{ 1 | nosuch }}",
    "{{ {'a': 1, 'a': 2} }}",
    "{{ {1: 2}[1] }}{{ {1: 2}['1'] }}",
    "{{ {[]: 1} }}",
    "{{ dict(a=1, b='x') }}{{ dict({'c': 3}, d=4) }}",
    "{{ dict([('a', 1)]) }}",
    "{{ range(2, 8, 3)|list }}{{ range(3, 0, -1)|list }}{{ range(0)|length }}{{ range(5)[1:3]|list }}",
    "{{ range(1, 2, 0) }}",
    "{{ namespace(a=1, b=2).b }}{{ namespace({'c': 3}).c }}",
    "{{ [1, 2, 3]|sum / 2 }}",
    "{{ '%s-%s' % ('a', 1) }}{{ '%d%%' % 5 }}",
    "{{ 'a' < 'b' }}{{ 'a' < 1 }}",
    "{{ 1 == '1' }}{{ 1 == true }}{{ 1.0 == 1 }}{{ none == false }}{{ [1] == [true] }}",
    "{{ (1, 2) == [1, 2] }}{{ {'a': 1} == {'a': 1.0} }}{{ x == y }}{{ x == none }}{{ x is none }}",
    "{{ 'a' in x }}{{ x in [] }}",
    "{{ [1, 2] + [3] }}{{ (1,) + (2,) }}",
    "{{ [1] + (2,) }}",
    "{{ 'a' + 1 }}",
    "{{ 'ab' * 3 }}{{ [0] * 2 }}{{ 2 * 'x' }}{{ 'a' * -1 }}",
    "{{ messages[0].role }}{{ messages[0]['content'] }}{{ messages|length }}{{ messages[-1].content[:2] }}",
    "{% for m in messages %}{{ m.role }}:{{ m.content|trim }}{% if not loop.last %}|{% endif %}{% endfor %}",
    "{{ messages|selectattr('role', 'equalto', 'user')|map(attribute='content')|list }}",
    "{{ messages[0] | tojson }}{{ messages }}",
    "{% if messages|selectattr('role', 'equalto', 'nobody') %}always{% endif %}",
    "{{ messages|map(attribute='role')|unique|join }}",
]
MESSAGES = [
    {"role": "system", "content": " Be brief.\n"},
    {"role": "user", "content": '2+2? "q" é'},
    {"role": "assistant", "content": "4"},
]


def single():
    for value in VALUES:
        yield f"{{{{ {value} }}}}"
        yield f"{{% if {value} %}}t{{% else %}}f{{% endif %}}"
        for suffix in SUFFIXES:
            yield f"{{{{ ({value}){suffix} }}}}"
        for name, arguments in FILTERS.items():
            for a in arguments:
                yield f"{{{{ ({value})|{name}{a} }}}}"
        for test in TESTS:
            yield f"{{{{ ({value}) is {test} }}}}"
        for method in METHODS:
            yield f"{{{{ ({value}).{method} }}}}"
        for operator in OPERATORS:
            for other in SMALL:
                if operator == "**" and len(value) > 9:
                    continue  # Python computes numbers of any size
                yield f"{{{{ ({value}) {operator} {other} }}}}"
                yield f"{{{{ {other} {operator} ({value}) }}}}"


def nested(draw, depth):
    """A random expression."""
    if depth == 0 or draw.random() < 0.25:
        return draw.choice(VALUES)
    value = nested(draw, depth - 1)
    kind = draw.randrange(7)
    if kind == 0:
        return f"({value}){draw.choice(SUFFIXES)}"
    if kind == 1:
        name = draw.choice(sorted(FILTERS))
        return f"({value})|{name}{draw.choice(FILTERS[name])}"
    if kind == 2:
        return f"({value}) is {draw.choice(TESTS)}"
    if kind == 3:
        return f"({value}).{draw.choice(METHODS)}"
    if kind == 4:
        return f"[{value}, {nested(draw, depth - 1)}]"
    if kind == 5:
        return f"({value}) if ({nested(draw, depth - 1)}) else ({draw.choice(SMALL)})"
    operator = draw.choice([o for o in OPERATORS if o != "**"])
    return f"({value}) {operator} ({nested(draw, depth - 1)})"


def rendered(source):
    """The line of a template, or None where the text is of one run of Python alone."""
    line = {"source": source}
    try:
        line["text"] = ENVIRONMENT.from_string(source).render(messages=MESSAGES)
    except jinja2.TemplateSyntaxError:
        line["error"] = "syntax"
    except RecursionError:
        return None
    except Exception:  # whatever Python raises
        line["error"] = "rendering"
    text = line.get("text", "")
    if re.search("0x[0-9a-f]{8}", text) or len(text) > 10_000 or "Namespace" in text:
        return None
    return line


def main():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # Python multiplies texts without a bound
    if len(sys.argv) > 2:
        draw = random.Random(int(sys.argv[1]))
        sources = (f"{{{{ {nested(draw, 4)} }}}}" for _ in range(int(sys.argv[2])))
    else:
        draw = random.Random(1)
        every = list(single())
        sources = STATEMENTS + draw.sample(every, 6000) + [f"{{{{ {nested(draw, 3)} }}}}" for _ in range(2000)]
    for source in sources:
        line = rendered(source)
        if line:
            print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
