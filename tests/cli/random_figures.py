# SPDX-License-Identifier: Apache-2.0
"""random_figures.py REPORT.md SHOW.json COUNT SEED...: figures of a report's tables, picked at random, are those of
`show --json`: the value of the same name, converted to the cell's unit and rounded to its digits. COUNT 0: all."""
import json
import random
import re
import sys

PREFIX = {"": 1, "p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
# What a ceiling is called on a page: its key in the JSON.
CEILINGS = {"device memory, read": "dram_read", "device memory, write": "dram_write",
            "device memory, copy (1:1)": "dram_copy", "device memory, 2 reads : 1 write": "dram_triad",
            "L2, read": "l2_read", "L1, read": "l1_read", "shared memory, read": "shared_read", "FP64 FMA": "fp64",
            "FP32 FMA": "fp32", "FP16 packed FMA": "fp16", "ex2": "sfu", "INT32 multiply-add and logic": "int32",
            "TF32 tensor": "tensor_tf32", "BF16 tensor": "tensor_bf16", "FP16 tensor": "tensor_fp16",
            "FP8 tensor": "tensor_fp8", "INT8 tensor": "tensor_int8", "empty kernel between two events": "launch"}


def bare(cell):
    """Without Markdown and what stands under the number."""
    return cell.split("<br>")[0].replace("**", "").replace("\\", "").strip()


def plain(cell):
    """And without the mark of a note, which "(ms)" of a header is not."""
    return re.sub(r" \([a-z]{1,2}\)$", "", bare(cell))


def told(cell, unit=""):
    """The numbers of a cell as (value, half a unit of its last digit); `unit` is that of the column."""
    out = []
    for found in re.finditer(rf"({NUMBER})\s*(?:([pnµmkMGTP]?)(FLOP/s/W|B/s/W|op/s/W|FLOP/s|op/s|B/s|[a-z]+/s|pJ/\w+|"
                             rf"FLOP|op|B|s|J|W|Hz)(?![A-Za-z]))?(\s*%)?(×)?", cell):
        number, prefix, of, percent, _ = found.groups()
        digits = number.replace(",", "")
        last = 10.0 ** -(len(digits.split("e")[0].split(".")[1]) if "." in digits else 0)
        if "." not in digits and "e" not in digits:  # 3,890: trailing zeros may be rounding
            whole = digits.lstrip("+-")
            last = 10.0 ** max(0, len(whole) - max(3, len(whole.rstrip("0"))))
        scale = PREFIX[prefix] if of else 0.01 if percent else 1.0
        if not of and not percent:
            own = re.fullmatch(r"([pnµmkMGTP]?)(FLOP/s|op/s|B/s|op/B|s|W|MHz)", unit)
            scale = PREFIX[own[1]] if own and own[2] not in ("op/B", "MHz") else 0.01 if unit == "%" else 1.0
        exponent = 10.0 ** int(digits.split("e")[1]) if "e" in digits else 1.0
        out.append((float(digits) * scale, last * exponent * scale / 2))
    return out


def tables(text):
    """(headings above, header cells as (name, unit), rows) of every table with a header."""
    chapter = section = group = ""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("# "):
            chapter, section = line[2:], ""
        elif line.startswith("## "):
            section = line[3:]
        elif line.startswith("| ---"):
            cut = lambda one: [c.strip() for c in re.split(r"(?<!\\)\|", one)[1:-1]]
            head = [re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", bare(c)).groups(default="") for c in cut(lines[i - 1])]
            rows = []
            for k in range(i + 1, len(lines)):
                if not lines[k].startswith("|"):
                    break
                rows.append(cut(lines[k]))
            yield chapter, section, head, rows


def at(data, *path):
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def problem_of(text):
    return dict(re.findall(r"(\w+)=(\S+)", text))


def is_problem(one, text):
    """"n=1024" of {"n": 1024, "k": 1024}: a report leaves out what follows from the rest."""
    said = problem_of(text)
    spelled = {k: str(v) for k, v in one["problem"].items()}
    return bool(said) and all(spelled.get(k) == v for k, v in said.items())


def energy_of(sweep, point):
    return next((at(load, "energy") for load in sweep["loads"] if load["point"] == point["point"]), None)


def rate_of(point, cell):
    return point["rate_bytes_s"] if "B/s" in cell else point["rate_ops_s"]


def over(a, b):
    """Their ratio, where both are known."""
    return a / b if a is not None and b else None


class Report:
    """Every figure that has a name in the JSON: (where it stands, cell, unit, values)."""

    def __init__(self, text, data):
        self.data, self.sweeps, self.found, self.lost = data, {s["name"]: s for s in data["sweeps"]}, [], []
        for chapter, section, head, rows in tables(text):
            names = [name for name, _ in head]
            sweep = self.sweeps.get(chapter[6:]) if chapter.startswith("Sweep ") else None
            for take, wanted in ((self.results, ["Problem", "Useful rate"]), (self.ladder, ["Variant", "useful"]),
                                 (self.ceilings, ["Ceiling", "Burst"]), (self.limits, ["Ceiling", "Hardware limit"]),
                                 (self.counters, ["Best of", "DRAM read"]), (self.params, ["Parameter", "costs at best"]),
                                 (self.transitions, ["Along", "Where"]), (self.power, ["Problem", "Energy a run"]),
                                 (self.parts, ["What", "Of limit"]), (self.questions, ["Ask for", "Accept"])):
                if all(name in names for name in wanted) and section != "Beside the baselines":
                    take(f"{chapter} / {section}", sweep, head, rows)
        for found in re.finditer(r"has ([\d.]+ %) of the speed .*?, and ([\d.]+ %) at worst, at (\S+)", text):
            base = at(self.sweeps.get(found[3].rstrip(":"), {}), "base") or {}
            self.add("base and peak", found[1], "", [base.get("frac")])
            self.add("base and peak", found[2], "", [base.get("worst_frac")])

    def add(self, where, cell, unit, values):
        cell = plain(cell)
        if not re.search(r"\d", cell) or cell.startswith("n/a"):
            return
        if values is None or any(value is None for value in values):
            self.lost.append((where, cell))
        else:
            self.found.append((where, cell, unit, values))

    def row(self, where, head, cells, of):
        medians = [(unit or (re.search(r"([mµn]?s)$", plain(cell)) or [""])[0]) for (name, unit), cell in
                   zip(head, cells) if name == "Median"]
        for (name, unit), cell in zip(head, cells):
            unit = medians[0] if name == "95 %" and medians else unit  # the interval is told in the median's
            if name in of:
                values = of[name](plain(cell))
                self.add(f"{where}, {name}", cell, unit, values if isinstance(values, list) else [values])

    def point_columns(self, sweep, point):
        # "[5.89, 6.27]" are both ends, "±0.23 %" is half their distance.
        ends = lambda cell: [point["low_s"], point["high_s"]] if "[" in cell else [None]
        energy = energy_of(sweep, point)
        joules = at(energy, "joules_per_run")
        return {"Median": lambda cell: point["median_s"],
                "95 %": lambda cell: ends(cell) if "[" in cell else [("half", point)],
                "Useful rate": lambda cell: rate_of(point, cell),
                "Items": lambda cell: point["rate_items_s"],
                "of ceiling": lambda cell: point["efficiency_frac"],
                "of sheet": lambda cell: point["datasheet_frac"],
                "at its clock": lambda cell: at(point, "at_clock", "efficiency_frac"),
                "left": lambda cell: point["left_factor"],
                "Energy": lambda cell: over(over(joules, point["median_s"]), rate_of(
                    point, "B/s" if cell.endswith("/B") else "FLOP/s"))}

    def results(self, where, sweep, head, rows):
        group, last = sweep, None
        for cells in rows:
            first = plain(cells[0]) or plain(cells[1])
            if first.split(" (")[0] in self.sweeps and not any(cells[1:]):
                group = self.sweeps[first.split(" (")[0]]  # its rows follow
                continue
            if first.startswith(("back to back", "sustained")):
                if first.startswith("back") and last:
                    self.row(where, head, cells, {
                        "Median": lambda cell: last["back_to_back_s"],
                        "Useful rate": lambda cell: last["back_to_back_bytes_s" if "B/s" in cell else
                                                         "back_to_back_ops_s"],
                        "of ceiling": lambda cell: last["reach"]["frac"]})
                continue
            name = first.split(" ")[0]
            own = self.sweeps.get(name, group)
            under = next((c.split("<br>", 1)[1] for c in cells if "<br>" in c), "")
            said = first if problem_of(first) else under.split(": ")[0]  # of many sweeps it stands below
            matches = [p for p in at(own, "best") or [] if is_problem(p, said)] or (
                own["best"] if own and len(own["best"]) == 1 else [])
            last = matches[0] if matches else None
            if last is None:
                if any(re.search(r"\d", plain(cell)) for cell in cells[1:]):  # else nothing was measured
                    self.lost.append((where, said or first))
                continue
            self.row(where, head, cells, self.point_columns(own, last))

    def ladder(self, where, sweep, head, rows):
        first = before = None
        for cells in rows:
            point = next((p for p in sweep["ladder"] if p["variant"] == plain(cells[0])), None)
            if point is None:
                continue  # "no valid measurement"
            counted = at(point, "counters", "values") or {}
            moved = over((counted.get("dram_read_bytes") or 0) + (counted.get("dram_write_bytes") or 0),
                         point["median_s"]) if counted.get("dram_read_bytes") is not None else None
            first, previous, before = first or point, before, point
            of = {"Median": lambda cell: point["median_s"], "useful": lambda cell: point["rate_bytes_s"],
                  "rate": lambda cell: point["rate_ops_s"], "inten- sity": lambda cell: point["intensity_ops_byte"],
                  "of ceiling": lambda cell: point["efficiency_frac"],
                  "over first": lambda cell: over(first["median_s"], point["median_s"]),
                  "over previous": lambda cell: over(at(previous, "median_s"), point["median_s"])}
            if moved is not None:
                of["moved"] = lambda cell: moved
            self.row(where, head, cells, of)

    def ceilings(self, where, sweep, head, rows):
        for cells in rows:
            one = self.data["ceilings"].get(CEILINGS.get(plain(cells[0])))
            if one:
                self.row(where, head, cells, {
                    "Burst": lambda cell: one["median"], "SM clock": lambda cell: one["clock_mhz"],
                    "Datasheet": lambda cell: one["datasheet"],
                    "of sheet": lambda cell: over(one["median"], one["datasheet"]),
                    "of limit": lambda cell: over(one["median"], one["limit"]),
                    "Sustained": lambda cell: one["sustained"], "Clock then": lambda cell: one["sustained_clock_mhz"]})

    def limits(self, where, sweep, head, rows):
        for cells in rows:
            one = self.data["ceilings"].get(CEILINGS.get(plain(cells[0])))
            if one:
                self.row(where, head, cells, {"Datasheet": lambda cell: one["datasheet"],
                                              "Hardware limit": lambda cell: one["limit"]})

    def counters(self, where, sweep, head, rows):
        for cells in rows:
            best = {p["point"] for p in sweep["best"]}
            one = next((c for c in sweep["counted"] if c["point"] in best and is_problem(c, plain(cells[0]))), None)
            values = at(one, "counters", "values")
            if values:
                self.row(where, head, cells, {"DRAM read": lambda cell: values["dram_read_bytes"],
                                              "written": lambda cell: values["dram_write_bytes"],
                                              "occupancy": lambda cell: values["warps_active_frac"],
                                              "useful of 32 B": lambda cell: values["load_bytes_per_sector"]})

    def params(self, where, sweep, head, rows):
        variant = ""
        for cells in rows:
            named = dict(zip([name for name, _ in head], cells))
            variant = plain(named["Variant"]) or variant
            own = [p for p in sweep["profiles"] if p["along"] == "parameter" and p["variant"] == variant and
                   p["name"] == plain(named["Parameter"]) and is_problem(p, section_problem(where))]
            if own:
                self.row(where, head, cells, {"costs at best": lambda cell: own[0]["costs_factor"],
                                              "of the scatter": lambda cell: own[0]["explains_frac"]})

    def transitions(self, where, sweep, head, rows):
        for cells in rows:
            place = plain(cells[[name for name, _ in head].index("Where")])
            if re.fullmatch(NUMBER, place):  # others are told as 6.79M or 2^22
                near = min((t["where"] for t in sweep["transitions"] if t["where"]), default=None,
                           key=lambda value: abs(value - float(place.replace(",", ""))))
                self.add(f"{where}, Where", place, "", [near])

    def power(self, where, sweep, head, rows):
        for cells in rows:
            first = plain(cells[0])
            own = sweep or self.sweeps.get(first.split(" ")[0])
            point = next((p for p in at(own, "best") or [] if is_problem(p, first)), None)
            energy = energy_of(own, point) if point else None
            if energy:
                self.row(where, head, cells, {
                    "Power": lambda cell: energy["power_w"], "±": lambda cell: energy["uncertainty_frac"],
                    "Energy a run": lambda cell: energy["joules_per_run"],
                    "Useful rate per watt": lambda cell: energy["per_watt"],
                    "Burst": lambda cell: rate_of(point, cell), "Time back to back": lambda cell: energy["run_s"],
                    "SM clock": lambda cell: energy["clock_mhz"]})

    def parts(self, where, sweep, head, rows):
        own = {part["name"]: part for part in at(self.data, "buyer", "answer", "parts") or []}
        for cells in rows:
            part = own.get(plain(cells[0]))
            if part:
                self.row(where, head, cells, {
                    "Weight": lambda cell: part["weight"], "Rate": lambda cell: part["rate"],
                    "Without a pause": lambda cell: part["rate_back_to_back"], "Items": lambda cell: part["items_s"],
                    "Per watt": lambda cell: part["rate_per_watt"], "Of limit": lambda cell: [
                        part[key] for key in ("share_of_limit", "share_low", "share_high")][:3 if "(" in cell else 1]})

    def questions(self, where, sweep, head, rows):
        for cells, own in zip(rows, at(self.data, "buyer", "questions") or []):
            self.row(where, head, cells, {"Accept": lambda cell: over(own["threshold"], 100 if own["unit"] == "%" else 1),
                                          "This card": lambda cell: own["reading"]})


def section_problem(where):
    return where.rsplit(" / ", 1)[-1]


def agrees(cell, unit, values):
    if isinstance(values[0], tuple):  # an interval as half of it, rounded outward
        point = values[0][1]
        half = max(point["high_s"] - point["median_s"], point["median_s"] - point["low_s"]) / point["median_s"]
        number, slack = told(cell, unit)[0]
        return number - 2.001 * slack <= half <= number * 1.001
    numbers = told(cell, unit)
    ends = len(values) - len(values) % 2  # of an interval, rounded outward; a value may stand before them
    return len(numbers) >= len(values) and all(
        abs(number - value) <= slack * (2 if left <= ends else 1) * 1.001 + 1e-9 * abs(value)
        for (number, slack), value, left in zip(numbers, values, range(len(values), 0, -1)))


def main():
    text, data = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
    count, seeds = int(sys.argv[3]), sys.argv[4:]
    report, wrong = Report(text, data), []
    for seed in seeds:
        figures = report.found if count == 0 else random.Random(int(seed)).sample(
            report.found, min(count, len(report.found)))
        wrong += [figure for figure in figures if not agrees(*figure[1:])]
    for where, cell, unit, values in {str(w): w for w in wrong}.values():
        print(f"{where}: the report says {cell} {unit}, the JSON {values}")
    for where, cell in report.lost:
        print(f"{where}: nothing in the JSON is {cell}")
    print(f"{len(report.found)} figures, {len(report.lost)} without a name in the JSON, {len(wrong)} disagree")
    return bool(wrong or report.lost or len(report.found) < max(count, 60))


sys.exit(main())
