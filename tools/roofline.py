#!/usr/bin/env python3
"""Draws where the time goes: tools/roofline.py MODEL [WORKLOAD...] >docs/roofline.svg

Left, products with weights by format and number of columns (kernels/check/rates.cpp), below the machine's two roofs:
its rate of reading memory, and of multiplying bytes. Right, the samples of `perf` in each workload of `parley bench
--small` (all without one), by kernel, and what share of the time the ceiling of the workload takes. Prints the numbers
of both on standard error. Needs perf, a C++ compiler and matplotlib; the machine should be idle.
"""
import collections
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402, after the choice of what draws

PARLEY = os.environ.get("PARLEY", "bin/parley")
THREADS = str(os.cpu_count())
FORMATS = ["q4_0", "q4_K", "q6_K", "q8_0", "f16"]

# Kernels by the names of their functions, the first that matches. Functions without a kernel are time before and after
# the work: loading, hashing, measuring the machine.
KERNELS = [
    ("", r"add_up|float_chains|byte_chains|multiply_floats\(|sha256|blake|Sum256|read_file|clear_page|copy_user"),
    ("products", r"matmul|multiply<|gemv|accumulate|unpack<|unpack_floats|quantize|vec_dot|gemm"),
    ("rounding", r"::round\b|round_some|prepare"),
    ("attention", r"attention|advance|attend|scores<|weigh<|halves_to_floats|transpose_rows"),
    ("barriers", r"ggml_barrier|barrier_pool|sched_yield|pause|gomp|ggml_graph_compute_thread|entry_SYSCALL|schedule"),
    ("drawing", r"highest_logit|sums_of_logits|weigh_logits|reaching|sampler|penalt"),
    ("norms, rotations, sums", r"rms_norm|rope|ggml_compute_forward|silu|vec_|add_rows|expf"),
    ("graph of llama.cpp", r"llama|ggml|memcpy|memmove|memset"),
    ("Go", r"runtime\.|parley-debate|^main\.|syscall\.|encoding"),
]
COLOURS = ["#1b6ca8", "#5fa8d3", "#d9822b", "#8a8f98", "#3d9970", "#b56576", "#c9b037", "#6d597a", "#d0d4d9"]


def rates():
    """The machine's three rates, and those of products: format, columns, products a second, bytes a second."""
    os.makedirs("build", exist_ok=True)
    sources = [f"kernels/{name}" for name in sorted(os.listdir("kernels")) if name.endswith(".cpp")]
    subprocess.check_call([os.environ.get("CXX", "g++"), "-O3", "-std=c++17", "-Wno-psabi", *sources,
                           "kernels/check/rates.cpp", "-lpthread", "-o", "build/rates"])
    machine, products = None, []
    for line in subprocess.check_output(["build/rates", THREADS, *FORMATS], text=True).splitlines():
        kind, name, *numbers = line.split("\t")
        print(line, file=sys.stderr)
        if kind == "machine":
            machine = name, *map(float, numbers)
        else:
            products.append((name, *map(float, numbers)))
    return machine, products


def kernel_of(symbol):
    return next((kernel for kernel, pattern in KERNELS if re.search(pattern, symbol)), "other")


def shares(model, workload):
    """The share of the samples of each kernel in a workload, and what share of its time its ceiling is."""
    data = "build/perf.data"
    report = json.loads(subprocess.check_output(
        ["perf", "record", "-q", "-F", "499", "-e", "cpu-clock", "-o", data, PARLEY, "bench", "--small", "--repeats",
         "1", "--json", "--threads", THREADS, "--model", model, workload], text=True, stderr=subprocess.DEVNULL))
    result = report["results"][0]
    usage = result["ours"][0]
    ceiling = usage["tokens_delivered"] / (usage["wall_ns"] / 1e9) / result["ceiling"]["tokens_second"]
    count = collections.Counter()
    for line in subprocess.check_output(
            ["perf", "report", "-i", data, "--stdio", "-q", "-F", "overhead,sym", "-g", "none"], text=True,
            stderr=subprocess.DEVNULL).splitlines():
        match = re.match(r"\s*([\d.]+)%\s+\[.\]\s+(.*)", line)
        if match:
            count[kernel_of(match[2])] += float(match[1])
            if kernel_of(match[2]) == "other" and float(match[1]) > 0.3:
                print(f"{workload}: no kernel for {match[2]} ({match[1]} %)", file=sys.stderr)
    del count[""]
    total = sum(count.values())
    of = {kernel: share / total for kernel, share in count.most_common()}
    print(workload, f"ceiling {ceiling:.3f}", *(f"{kernel} {share:.3f}" for kernel, share in of.items()), sep="\t",
          file=sys.stderr)
    return of, ceiling


def draw(machine, products, measured, model):
    target, memory, bytes_rate, _ = machine
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "roofline", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(1, 1.15))
    reach = [2 ** (i / 4) for i in range(-4, 40)]  # products for each byte of weights
    left.loglog(reach, [min(memory * x, bytes_rate) / 1e9 for x in reach], color="black", linewidth=1)
    for i, name in enumerate(FORMATS):
        of = [p for p in products if p[0] == name]
        left.loglog([p[2] / p[3] for p in of], [p[2] / 1e9 for p in of], marker="o", markersize=3, linewidth=0.8,
                    color=COLOURS[i], label=name)
    left.set_xlabel("products for each byte of weights (1 to 64 columns)")
    left.set_ylabel("G products a second")
    left.set_title(f"Products, {target}, {THREADS} threads, below memory and arithmetic", fontsize=9)
    left.legend(fontsize=8)
    kernels = [kernel for kernel, _ in KERNELS if kernel] + ["other"]
    for row, (of, ceiling) in enumerate(measured.values()):
        at = 0
        for colour, kernel in zip(COLOURS, kernels):
            share = of.get(kernel, 0)
            right.barh(row, share, left=at, color=colour, label=kernel if row == 0 else None)
            at += share
        right.plot([ceiling, ceiling], [row - 0.4, row + 0.4], color="black", linewidth=1.5,
                   label="ceiling" if row == 0 else None)
    right.set_yticks(range(len(measured)), list(measured))
    right.invert_yaxis()
    right.set_xlim(0, 1)
    right.set_xlabel("share of the time")
    right.set_title(f"Kernels in small workloads, {os.path.basename(model)}", fontsize=9)
    right.legend(fontsize=7, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    print(small(drawn.getvalue()))


def small(drawing):
    """The same drawing without metadata, names that nothing refers to, groups of nothing, digits that cannot be seen,
    and the same style twice."""
    referred = set(re.findall(r"#([\w.-]+)", drawing))
    drawing = re.sub(r"-?\d+\.\d{2,}", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), drawing)
    drawing = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", drawing)

    def tidied(node):
        if node.get("id") not in referred:
            node.attrib.pop("id", None)
        node.text, node.tail = (node.text or "").strip(), ""
        for name in ("d", "points"):
            if name in node.attrib:
                node.set(name, " ".join(node.get(name).split()))
        children = [new for child in list(node) for new in tidied(child)]
        node[:] = children
        name = node.tag.partition("}")[2]
        if name == "metadata" or name == "g" and not children:
            return []
        return children if name == "g" and not node.attrib else [node]

    for prefix, space in ("", "http://www.w3.org/2000/svg"), ("xlink", "http://www.w3.org/1999/xlink"):
        ET.register_namespace(prefix, space)
    root = ET.fromstring(drawing)
    tidied(root)
    classes = {}
    for node in root.iter():
        if "style" in node.attrib:
            node.set("class", classes.setdefault(node.attrib.pop("style"), f"s{len(classes)}"))
    root.find(".//{*}style").text += "".join(f".{name}{{{style}}}" for style, name in classes.items())
    return ET.tostring(root, "unicode").replace("><", ">\n<")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    model, workloads = sys.argv[1], sys.argv[2:] or ["w0", "w1", "w2", "w3-exact", "w3-shared", "w4"]
    machine, products = rates()
    draw(machine, products, {workload: shares(model, workload) for workload in workloads}, model)


main()
