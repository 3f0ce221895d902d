#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""personas.py RECORDING.json.gz FOLDER [NAME...]: plays other cards from a recording of one.

Writes FOLDER/NAME.json.gz for each persona: facts, environment, ceilings and times as such a card, or such a machine,
would have them. They are made up: they ask what the program says of a card that it has never seen, not how fast the
card is. Without names, all; prints the names.
"""
import copy
import gzip
import json
import sys
import zlib

NOT_SUPPORTED = "Not Supported"
NO_UNIT = "this architecture has no such unit"
KEPT = ("stats", "at_least", "sustained_n", "sustained_interval_is_95", "measured_unix_ns")
TENSOR = ("tensor_fp64", "tensor_tf32", "tensor_bf16", "tensor_fp16", "tensor_fp8", "tensor_int8")
GIB = 1 << 30
SHARED = {70: 98304, 75: 65536, 80: 166912}  # a block's, where it is not one of two usual sizes


def card(name, cc, sms, memory_gib, l2_mib, mhz, memory_mhz, bus_bits, watts=None, **more):
    major, minor = divmod(cc, 10)
    small = cc in (86, 89, 120, 121)  # 100 KiB of shared memory an SM
    facts = {
        "name": name,
        "arch": f"sm_{cc}" + ("a" if cc >= 90 else ""),
        "cc_major": major,
        "cc_minor": minor,
        "sms": sms,
        "max_threads_per_sm": 1536 if small else 1024 if cc == 75 else 2048,
        "max_blocks_per_sm": 16 if cc in (75, 86) else 24 if small else 32,
        "shared_per_block": SHARED.get(cc, 101376 if small else 232448),
        "shared_per_sm": SHARED.get(cc, 101376 if small else 232448) + (1024 if cc >= 80 else 0),
        "l2_bytes": l2_mib << 20,
        "persisting_l2_max_bytes": (l2_mib << 20) * 5 // 8 if cc >= 80 else 0,
        "memory_bytes": int(memory_gib * GIB),
        "memory_free_bytes": int(memory_gib * GIB * 0.95),
        "max_cluster": 8 if cc >= 90 else 1,
        "sm_clock_khz": mhz * 1000,
        "memory_clock_khz": memory_mhz * 1000,
        "memory_bus_bits": bus_bits,
    }
    return {"facts": facts, "watts": watts, **more}


# lacks: ceilings that the card has no pipe for. none: groups of the environment that nothing tells, with the reason.
# env: single facts that are otherwise.
GEFORCE = {
    "no_counters": True,
    "env": {"gpu.ecc": "off", "gpu.watchdog": "on", "nvml.ecc": (None, NOT_SUPPORTED), "nvml.nvlinks": "none"},
}
PERSONAS = {
    "v100": card("Tesla V100-SXM2-16GB", 70, 80, 16, 6, 1530, 877, 4096, 300, lacks=TENSOR[:3] + TENSOR[4:]),
    "a100": card("NVIDIA A100-SXM4-80GB", 80, 108, 80, 40, 1410, 1593, 5120, 400, lacks=("tensor_fp8",)),
    "rtx3060": card("NVIDIA GeForce RTX 3060", 86, 28, 12, 3, 1777, 7501, 192, 170, lacks=("tensor_fp64", "tensor_fp8"), **GEFORCE),
    "rtx4090": card("NVIDIA GeForce RTX 4090", 89, 128, 24, 72, 2520, 10501, 384, 450, lacks=("tensor_fp64",), **GEFORCE),
    "l4": card("NVIDIA L4", 89, 58, 24, 48, 2040, 6251, 192, 72, lacks=("tensor_fp64",),
               env={"nvml.other_processes": "2", "nvml.mps_processes": "1"}),
    "h100pcie": card("NVIDIA H100 PCIe", 90, 114, 80, 50, 1755, 1593, 5120, 350),
    "b200": card("NVIDIA B200", 100, 148, 180, 126, 1965, 3996, 8192, 1000),
    "rtx5090": card("NVIDIA GeForce RTX 5090", 120, 170, 32, 96, 2407, 14001, 512, 575, lacks=("tensor_fp64",), **GEFORCE),
    "pro6000": card("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, 188, 96, 128, 2617, 14001, 512, 600,
                    lacks=("tensor_fp64",)),
    "gb10": card("NVIDIA GB10", 121, 48, 119.7, 24, 2418, 0, 0, lacks=("tensor_fp64",)),
    "mig": card("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 90, 16, 9.8, 6, 1980, 2619, 640, no_counters=True, no_power=True,
                env={"gpu.mig_slice": "on", "nvml.mig": "on"}),
    "vgpu": card("GRID A100-10C", 80, 108, 10, 40, 1410, 1215, 5120, lacks=("tensor_fp8",), no_counters=True, no_power=True,
                 no_clocks=True),
    "no_nvml": card("NVIDIA A100-SXM4-80GB", 80, 108, 80, 40, 1410, 1593, 5120, lacks=("tensor_fp8",), no_counters=True,
                    no_power=True, no_clocks=True, none={"nvml.": "libnvidia-ml.so.1: cannot open shared object file"}),
    "no_power": card("NVIDIA T1200 Laptop GPU", 75, 16, 4, 1, 1425, 5001, 128, lacks=TENSOR[:3] + ("tensor_fp8",),
                     no_power=True, no_counters=True),
    "unknown": card("Quantum Flux 9000", 90, 99, 33, 17, 1234, 2222, 777, 333),
    "two_gib": card("NVIDIA A2", 86, 10, 16, 2, 1770, 6251, 128, 60, lacks=("tensor_fp64", "tensor_fp8"), free_gib=2),
    "wsl2": card("NVIDIA GeForce RTX 4090", 89, 128, 24, 72, 2520, 10501, 384, 450, lacks=("tensor_fp64",), no_counters=True,
                 no_clocks=True, env={"gpu.watchdog": "on", "host.kernel": "Linux 5.15.153.1-microsoft-standard-WSL2",
                                      "nvml.throttle_counters": (None, NOT_SUPPORTED)}),
}


def scale(value, factor):
    return value * factor if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def play_ceilings(ceilings, persona, rate, clock):
    for name, ceiling in ceilings.items():
        if name in persona.get("lacks", ()):
            ceiling.update({key: None for key in ceiling if key not in KEPT}, measured=False, reason=NO_UNIT)
            ceiling["stats"] = {key: 0 if key == "n" else False if key == "interval_is_95" else None for key in ceiling["stats"]}
            continue
        for key in ("min", "q1", "median", "q3", "max", "mean", "low", "high"):
            factor = 1 / rate if name == "launch" else rate
            for place in (ceiling.get("stats") or {}, ceiling):
                for at in (key, "sustained_" + key):
                    if place.get(at) is not None:
                        place[at] = scale(place[at], factor)
        for key in ("datasheet", "datasheet_basis", "hardware_limit", "limit_basis"):
            ceiling[key] = None
        for key in ("clock_mhz", "sustained_clock_mhz"):
            ceiling[key] = scale(ceiling.get(key), clock)
        if persona.get("no_clocks"):
            ceiling["clock_mhz"] = ceiling["sustained_clock_mhz"] = None
        if persona.get("no_power"):
            ceiling["sustained_power_w"] = None


def play_env(env, persona, facts):
    told = {"gpu.name": facts["name"], "gpu.arch": facts["arch"], "gpu.sms": str(facts["sms"]),
            "gpu.compute_capability": f"{facts['cc_major']}.{facts['cc_minor']}",
            "gpu.memory_bytes": str(facts["memory_bytes"]), "gpu.l2_bytes": str(facts["l2_bytes"]),
            "gpu.sm_clock_max_mhz": str(facts["sm_clock_khz"] // 1000), "gpu.uuid": facts["uuid"],
            "gpu.memory_type": (None, "no datasheet of this device is known"), **persona.get("env", {})}
    power = {k: (None, NOT_SUPPORTED) for k in (
        "nvml.power_w", "nvml.power_limit_w", "nvml.power_limit_default_w", "nvml.power_limit_enforced_w",
        "nvml.power_limit_min_w", "nvml.power_limit_max_w", "nvml.energy_counter")}
    clocks = {k: (None, NOT_SUPPORTED) for k in (
        "nvml.sm_clock_mhz", "nvml.memory_clock_mhz", "nvml.clock_event_reasons", "nvml.throttle_counters")}
    limit = str(persona["watts"]) if persona["watts"] else (None, NOT_SUPPORTED)
    told.update({f"nvml.power_limit_{of}w": limit for of in ("", "default_", "enforced_", "max_")})
    told.update(power if persona.get("no_power") else {})
    told.update(clocks if persona.get("no_clocks") else {})
    for item in env:
        for prefix, reason in persona.get("none", {}).items():
            if item[0].startswith(prefix):
                item[1:] = [None, reason]
        if item[0] in told and item[1] is not None:
            fact = told[item[0]]
            item[1:] = list(fact) if isinstance(fact, tuple) else [fact, None]


def play_points(data, persona, rate, clock):
    section = data["rooftune"]
    points = section["points"]
    for result in data["results"]:
        times = result["times"]
        times["runtimes"] = [t / rate for t in times["runtimes"]]
        for measured in result["measurements"]:
            measured["value"] = scale(measured["value"], 1 / rate)
    for key in list(points):
        if key.endswith("_sample_ms"):
            points[key] = [s and [t / rate for t in s] for s in points[key]]
        elif "mhz" in key:
            points[key] = [[m and m * clock for m in v] if isinstance(v, list) else scale(v, clock) for v in points[key]]
        if persona.get("no_clocks") and ("mhz" in key or "throttled" in key or "affected" in key):
            del points[key]
    if persona.get("no_counters"):
        section.pop("counters", None)
    if persona.get("no_power"):
        for load in section.get("loads", []):
            for key in ("power_w", "joules_per_run", "uncertainty_frac"):
                load[key] = None
            load.update(energy_reason="NVML tells no power of this device", asked_s=1.0)


def play(recording, name):
    persona = PERSONAS[name]
    data = copy.deepcopy(recording)
    section = data["rooftune"]
    facts = section["gpu"]
    before = dict(facts)
    facts.update(persona["facts"])
    facts["l2_bytes"] = int(facts["l2_bytes"])
    facts["persisting_l2_max_bytes"] = int(facts["persisting_l2_max_bytes"])
    facts["uuid"] = f"GPU-{zlib.crc32(name.encode()):08x}-0000-0000-0000-000000000000"
    if "free_gib" in persona:
        facts["memory_free_bytes"] = persona["free_gib"] * GIB
    section["run"]["id"] = f"{zlib.crc32(name.encode()):012x}"
    clock = facts["sm_clock_khz"] / before["sm_clock_khz"]
    rate = clock * facts["sms"] / before["sms"]
    play_env(section["env"], persona, facts)
    play_ceilings(section["ceilings"], persona, rate, clock)
    play_points(data, persona, rate, clock)
    return data


def main():
    recording = json.load(gzip.open(sys.argv[1]))
    for name in sys.argv[3:] or PERSONAS:
        with gzip.open(f"{sys.argv[2]}/{name}.json.gz", "wt", compresslevel=1) as out:
            json.dump(play(recording, name), out)
        print(name)


main()
