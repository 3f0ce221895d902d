#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attention_errors.py [SEED]: how far rooftune's attention and torch's are from fp64, on the same inputs.

  python3 tests/bench/attention_errors.py      in the repository's root; ROOFTUNE names the program (default ./rooftune)

The inputs are those of sweeps/attention.lua, made again here (harness/measure/device/fill.cu, attention_data.cu): what
`rooftune point` says of its worst element is held against the fp64 here. Errors are parts of |want| + the mean |want|.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

TORCHS = (("cudnn", SDPBackend.CUDNN_ATTENTION), ("fa2", SDPBackend.FLASH_ATTENTION))
MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def signed(x):
    return x - (1 << 64) if x >> 63 else x


def mix(z):
    """splitmix64 of numbers, or of a tensor of int64 whose shifts must not bring the sign in."""
    number = isinstance(z, int)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, None)):
        down = z >> shift if number else (z >> shift) & ((1 << 64 - shift) - 1)
        z = z ^ down
        if factor is not None:
            z = z * factor & MASK if number else z * signed(factor)
    return z


def key_of(buffer, seed):
    fnv = 0xCBF29CE484222325
    for byte in buffer.encode():
        fnv = (fnv ^ byte) * 0x100000001B3 & MASK
    return mix((seed + STEP) & MASK) ^ fnv


def bits_of(count, key):
    i = torch.arange(1, count + 1, device="cuda", dtype=torch.int64)
    return mix(i * signed(STEP) + signed(key))


def uniform(count, key, width):
    unit = ((bits_of(count, key) >> 11) & ((1 << 53) - 1)).double() * 2.0 ** -53
    return (-width + 2 * width * unit).half().clamp_(max=width * (1 - 2.0 ** -11))


def values(count, key, d, length):
    even = ((bits_of(count, key) >> 40) & 0xFFFFFF).float() * 2.0 ** -23 - 1.0
    place = torch.arange(count, device="cuda") // d % length + 1
    return (even * place.float().sqrt() * 2.0 ** -6).half()


def exact(q, k, v, causal):
    """fp64, a head at a time."""
    out = torch.empty(q.shape, device="cuda", dtype=torch.float64)
    hidden = torch.ones(q.shape[2], q.shape[2], device="cuda", dtype=torch.bool).triu(1) if causal else None
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = q[b, h].double() @ k[b, h].double().t() / q.shape[3] ** 0.5
            if causal:
                scores.masked_fill_(hidden, float("-inf"))
            out[b, h] = scores.softmax(-1) @ v[b, h].double()
    return out


def ours(program, d, length, causal):
    """Columns of the one point of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.db")
        command = [program, "run", "sweeps/attention.lua", "-o", path, "--no-report", "--counters", "none", "--energy", "none",
                   "--processes", "1", "--variant", "blocks stay", "--at", f"l={length}", "--at",
                   f"causal={str(causal).lower()}", "--set", f"BLOCK_N={80 if d == 256 else 128}", "--set",
                   f"HEADS={4096 if causal else 1}", "--", str(d)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr.strip()[-300:]}")
        rows = sqlite3.connect(path)
        rows.row_factory = sqlite3.Row
        return rows.execute("select * from point where worst_frac is not null order by total_count desc").fetchone()


def main():
    program, seed = os.environ.get("ROOFTUNE", "./rooftune"), int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for d in (64, 128, 256):
        for causal in (False, True):
            length, heads = 4096, 2048 // d
            shape = (4, heads, length, d)
            count = 4 * heads * length * d
            q = uniform(count, key_of("q", seed), 4.0).view(shape)
            k = uniform(count, key_of("k", seed), 1.0).view(shape)
            v = values(count, key_of("v", seed), d, length).view(shape)
            want = exact(q, k, v, causal)
            allowed = want.abs() + want.abs().mean()
            own = ours(program, d, length, causal)
            there = want.view(-1)[own["worst_index"]].item()
            same = abs(there - own["worst_want"]) <= 1e-3 * (abs(there) + allowed.mean().item())
            text = f"ours {own['worst_frac'] * own['tol']:.2e} {own['rms_frac'] * own['tol']:.2e}"
            for name, backend in TORCHS:
                with sdpa_kernel(backend):
                    got = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                part = (got.double() - want).abs_().div_(allowed)
                text += f", {name} {part.max().item():.2e} {part.square().mean().sqrt().item():.2e}"
            print(f"d={d} causal={causal}: largest and rms, {text}{'' if same else '; NOT THE SAME INPUTS'}", flush=True)
            del q, k, v, want, allowed


if __name__ == "__main__":
    main()
