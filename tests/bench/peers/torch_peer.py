# SPDX-License-Identifier: Apache-2.0
"""What people run today, timed for build/bench/peers: one process that stays, driven by JSON lines.

  {"do": "about"}                                              -> {"ok": true, "torch": "2.11.0", "device": "...", ...}
  {"do": "prepare", "peer": "compile", "op": "softmax", "type": "bf16", "shape": {"rows": 16384, "cols": 4096}}
                                                               -> {"ok": true, "seconds": 4.1}
  {"do": "time", "peer": "compile", "samples": 20, "cache": "cold", "flush": "flush.cubin"}
                                                               -> {"ok": true, "samples_us": [...]}
  {"do": "drop"}                                               -> {"ok": true}; what was prepared, and its memory, is gone

A request that fails is answered with {"ok": false, "reason": "..."} and the next one is taken. Peers: "eager";
"compile" (torch.compile(dynamic=False), as a user gets it); "max-autotune"; "liger", "flashinfer" and "fa4"
(FlashAttention-4's CuTe kernels) where they are installed; "cudnn" and "fa2": torch's attention by that backend. A sample is what rooftune's is: behind a blocking
kernel that gives the host the time to queue everything, between two CUDA events, with caches that were made cold by
rooftune's own flush, which comes as a cubin: writing one buffer of twice the L2 and reading another, and letting go of
lines that were asked to stay (torch.compile asks so, too). "rotating" is a CUDA graph of calls in a row, each on the
next of so many copies of its arguments as are twice the L2; a sample is such a graph's time by its calls.

  python3 torch_peer.py                        serves stdin
  python3 torch_peer.py --self-test TABLE      holds the protocol and the table's operations against this file; no GPU
"""
import ctypes
import json
import os
import sys
import time

WARM_UP_S = 0.03
HOST_CALLS = 5
SLEEP_LEAST_S = 100e-6
EPS = 1e-6
GRAPH_CALLS = 32


# ---- operations: each gives a function and its arguments; `t` makes tensors, all of them uniform in [-1, 1] ----

def copy(t, s):
    x, y = t.random(s["n"]), t.empty(s["n"])
    return lambda x, y: y.copy_(x), (x, y)


def scale(t, s):
    x, y = t.random(s["n"]), t.empty(s["n"])
    return lambda x, y: t.torch.mul(x, 2.0, out=y), (x, y)


def add(t, s):
    x, y, z = t.random(s["n"]), t.random(s["n"]), t.empty(s["n"])
    return lambda x, y, z: t.torch.add(x, y, out=z), (x, y, z)


def triad(t, s):
    x, y, z = t.random(s["n"]), t.random(s["n"]), t.empty(s["n"])
    return lambda x, y, z: t.torch.add(x, y, alpha=2.0, out=z), (x, y, z)


def reduce_sum(t, s):
    return lambda x: x.sum(), (t.random(s["n"]),)


def reduce_max(t, s):
    return lambda x: x.max(), (t.random(s["n"]),)


def bias_relu_dropout(t, s):
    return lambda x, b: t.F.dropout(t.F.relu(x + b), 0.1), (t.random(s["rows"], s["cols"]), t.random(s["cols"]))


def softmax(t, s):
    return lambda x: t.F.softmax(x, -1), (t.random(s["rows"], s["cols"]),)


def rmsnorm(t, s):
    n = s["cols"]
    return lambda x, w: t.F.rms_norm(x, (n,), w, EPS), (t.random(s["rows"], n), t.random(n))


def layernorm(t, s):
    n = s["cols"]
    return lambda x, w, b: t.F.layer_norm(x, (n,), w, b), (t.random(s["rows"], n), t.random(n), t.random(n))


def add_rmsnorm(t, s):
    n = s["cols"]

    def both(x, r, w):
        h = x + r
        return h, t.F.rms_norm(h, (n,), w, EPS)

    return both, (t.random(s["rows"], n), t.random(s["rows"], n), t.random(n))


def cross_entropy(t, s):
    labels = t.labels(s["cols"], s["rows"])
    return lambda x, y: t.F.cross_entropy(x, y, reduction="none"), (t.random(s["rows"], s["cols"]), labels)


def rotate_half(t, x):
    half = x.shape[-1] // 2
    return t.torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rope_tensors(t, s):
    """As transformers has them: (1, heads, tokens, d) seen through a transposition of (1, tokens, heads, d)."""
    q, k = (t.random(1, s["tokens"], s[heads], s["d"]).transpose(1, 2) for heads in ("q_heads", "k_heads"))
    return q, k, t.random(1, s["tokens"], s["d"]), t.random(1, s["tokens"], s["d"])


def rope(t, s):
    def apply(q, k, cos, sin):
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        return q * cos + rotate_half(t, q) * sin, k * cos + rotate_half(t, k) * sin

    return apply, rope_tensors(t, s)


def embedding(t, s):
    return lambda i, e: t.F.embedding(i, e), (t.ids(s["vocabulary"], s["tokens"]), t.random(s["vocabulary"], s["d"]))


def embedding_rmsnorm(t, s):
    d = s["d"]
    return (lambda i, e, w: t.F.rms_norm(t.F.embedding(i, e), (d,), w, EPS),
            (t.ids(s["vocabulary"], s["tokens"]), t.random(s["vocabulary"], d), t.random(d)))


def l2_norm(t, s):
    return lambda x: x / t.torch.linalg.vector_norm(x), (t.random(s["n"]),)


def transpose(t, s):
    return lambda x: x.t().contiguous(), (t.random(s["rows"], s["cols"]),)


def cumsum(t, s):
    x, y = t.random(s["n"]), t.empty(s["n"])
    return lambda x, y: t.torch.cumsum(x, 0, dtype=x.dtype, out=y), (x, y)


def argmax(t, s):
    return lambda x: x.argmax(), (t.random(s["n"]),)


def top_k(t, s):
    return lambda x: t.torch.topk(x, s["k"]), (t.random(s["rows"], s["cols"]),)


def index_select(t, s):
    i, e, y = t.ids(s["vocabulary"], s["tokens"]), t.random(s["vocabulary"], s["d"]), t.empty(s["tokens"], s["d"])
    return lambda i, e, y: t.torch.index_select(e, 0, i, out=y), (i, e, y)


def index_add(t, s):
    i, e, x = t.ids(s["vocabulary"], s["tokens"]), t.random(s["vocabulary"], s["d"]), t.random(s["tokens"], s["d"])
    return lambda i, e, x: e.index_add_(0, i, x), (i, e, x)


def masked_select(t, s):
    """Waits for the count, as every use of it does: how many there are decides the size of what it returns."""
    x = t.torch.randint(0, 100, (s["n"],), device=t.device, dtype=t.type)
    return lambda x: x[x < s["percent"]], (x,)


def segmented_sum(t, s):
    """Segments of about one length, as `even` of kernels/reduction/segmented_sum_inputs.cu."""
    n, segments = s["n"], s["segments"]
    at = t.torch.arange(1, segments, device=t.device) * n // segments
    ends = t.torch.tensor([0, n], device=t.device)
    offsets = t.torch.cat((ends[:1], at, ends[1:]))
    return (lambda x, offsets: t.torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True), (t.random(n), offsets))


def histogram(t, s):
    """histc takes floats on every device, and counts in the type of its keys, which whole numbers of one and two bytes
    are too small for: those go to bincount, which waits for the largest key."""
    bins, torch = s["bins"], t.torch
    if t.type.is_floating_point:
        return lambda x: torch.histc(x, bins, -1.0, 1.0), (t.random(s["n"]),)
    x = torch.randint(0, bins, (s["n"],), device=t.device, dtype=t.type)
    return lambda x: torch.bincount(x, minlength=bins), (x,)


def gemv(t, s):
    return lambda w, x: t.torch.mv(w, x), (t.random(s["n"], s["n"]), t.random(s["n"]))


def linear(t, s):
    return lambda x, w: t.F.linear(x, w), (t.random(s["m"], s["k"]), t.random(s["n"], s["k"]))


def matmul_nn(t, s):
    return lambda a, b: a @ b, (t.random(s["m"], s["k"]), t.random(s["k"], s["n"]))


def matmul_nt(t, s):
    return lambda a, b: a.t() @ b, (t.random(s["k"], s["m"]), t.random(s["k"], s["n"]))


def tf32_linear(t, s):
    t.torch.backends.cuda.matmul.allow_tf32 = True  # until what was prepared is dropped
    return linear(t, s)


def int8_linear(t, s):
    """Of whole numbers as ours: what is multiplied decides the watts."""
    x, w = (t.torch.randint(-8, 8, (s[rows], s["k"]), device=t.device, dtype=t.torch.int8) for rows in ("m", "n"))
    return lambda x, w: t.torch._int_mm(x, w.t()), (x, w)


def linear_gelu(t, s):
    return (lambda x, w, b: t.F.gelu(t.F.linear(x, w, b), approximate="tanh"),
            (t.random(s["m"], s["k"]), t.random(s["n"], s["k"]) * 3 / s["k"] ** 0.5, t.random(s["n"])))


def scaled_linear(t, s):
    """e4m3 by e4m3: cuBLASLt's fp8. A scale for both; by rows; or for 1 x 128 of x, 128 x 128 of w. fast: sums as the
    tensor cores have them."""
    x, w = (t.random(s[rows], s["k"]).to(t.torch.float8_e4m3fn) for rows in ("m", "n"))

    def ones(*shape):
        return t.torch.ones(shape, device=t.device)

    of = s.get("scales", "tensor")
    blocks = s["k"] // 128
    a, b = {"tensor": lambda: (ones(), ones()), "rows": lambda: (ones(s["m"], 1), ones(1, s["n"])),
            "blocks": lambda: (ones(blocks, s["m"]).t(), ones(s["n"] // 128, blocks).t())}[of]()
    fast = s.get("fast", False)
    return lambda x, w: t.torch._scaled_mm(x, w.t(), a, b, out_dtype=t.type, use_fast_accum=fast), (x, w)


def int4_linear(t, s):
    """torch's own (tinygemm), weights packed before."""
    codes = t.torch.randint(0, 256, (s["n"], s["k"] // 2), device=t.device, dtype=t.torch.uint8)
    packed = t.torch._convert_weight_to_int4pack(codes, 8)
    scales = t.random(s["k"] // s["group"], s["n"], 2)
    return (lambda x, w, scales: t.torch._weight_int4pack_mm(x, w, s["group"], scales),
            (t.random(s["m"], s["k"]), packed, scales))


def spmv(t, s):
    """cuSPARSE's CSR. Matrices as of kernels/sparse/spmv_inputs.cu."""
    n, mean, torch = s["n"], s["mean"], t.torch
    draw = lambda *shape: torch.rand(*shape, device=t.device, dtype=torch.float64)
    place = torch.arange(n * mean, device=t.device)
    offsets = torch.arange(0, n * mean + 1, mean, device=t.device)
    if s["matrix"] == "power":
        before = (1.0 - draw(n)).pow(-0.7).cumsum(0)
        offsets[1:] = (before * (n * mean / before[-1])).long()
        offsets[-1] = n * mean
    lengths = offsets.diff()
    row = torch.arange(n, device=t.device).repeat_interleave(lengths)
    at = place - offsets[row]
    if s["matrix"] == "band":
        columns = (row - mean // 2).clamp(0, n - mean) + at
    elif s["matrix"] == "block":
        parts = (mean + 7) // 8
        share = draw((n + 7) // 8 * parts)[row // 8 * parts + at // 8]
        columns = ((at // 8 + share) * (((n + 7) // 8) / parts)).long() * 8 + at % 8
    else:
        share = (at + draw(n * mean)) / lengths[row]
        columns = ((share * share if s["matrix"] == "power" else share) * n).long()
    offsets, columns = offsets.to(torch.int32), columns.clamp_(max=n - 1).to(torch.int32)
    a = torch.sparse_csr_tensor(offsets, columns, t.random(n * mean), size=(n, n))
    return lambda a, x: a @ x, (a, t.random(n))


def depthwise(t, s):
    x = t.random(s["n"], s["c"], s["h"], s["w"]).to(memory_format=t.torch.channels_last)
    taps = t.random(s["c"], 1, 3, 3).to(memory_format=t.torch.channels_last)
    return lambda x, taps: t.F.conv2d(x, taps, padding=1, groups=s["c"]), (x, taps)


def convolution(t, s):
    """In TF32 where cuDNN likes to, which torch allows by default."""
    k = s["filter"]
    x = t.random(1, 1, s["height"] + k - 1, s["width"] + k - 1)
    return lambda x, taps: t.F.conv2d(x, taps), (x, t.random(1, 1, k, k))


def convolution_nhwc(t, s):
    """The fastest of cuDNN's for this problem: torch times them all at the first call."""
    t.torch.backends.cudnn.benchmark = True
    x = t.random(s["n"], s["c"], s["h"], s["w"]).to(memory_format=t.torch.channels_last)
    filters = t.random(s["k"], s["c"], 3, 3).to(memory_format=t.torch.channels_last)
    return lambda x, filters: t.F.conv2d(x, filters, padding=1), (x, filters)


def liger_rope(t, s):
    from liger_kernel.transformers.rope import liger_rotary_pos_emb
    return lambda q, k, cos, sin: liger_rotary_pos_emb(q, k, cos, sin), rope_tensors(t, s)


def flashinfer_add_rmsnorm(t, s):
    import flashinfer
    x, r, w = add_rmsnorm(t, s)[1]
    return lambda x, r, w: flashinfer.fused_add_rmsnorm(x, r, w, EPS), (x, r, w)


def attention_by(backend):
    """torch's attention by the backend that torch.nn.attention.SDPBackend calls so."""
    def prepared(t, s):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        q = t.random(s["batch"], s["heads"], s.get("queries", s["tokens"]), s["d"])
        k, v = (t.random(s["batch"], s["kv_heads"], s["tokens"], s["d"]) for _ in range(2))

        def attend(q, k, v):
            with sdpa_kernel(getattr(SDPBackend, backend)):
                return t.F.scaled_dot_product_attention(q, k, v, is_causal=s["causal"],
                                                        enable_gqa=s["heads"] != s["kv_heads"])

        return attend, (q, k, v)

    return prepared


def fa4_attention(t, s):
    from flash_attn.cute import flash_attn_func
    q = t.random(s["batch"], s.get("queries", s["tokens"]), s["heads"], s["d"])
    k, v = (t.random(s["batch"], s["tokens"], s["kv_heads"], s["d"]) for _ in range(2))
    splits = 0 if "queries" in s else 1  # 0: as many as its heuristic likes
    return lambda q, k, v: flash_attn_func(q, k, v, causal=s["causal"], num_splits=splits), (q, k, v)


def flashinfer_decode(t, s):
    """One query a sequence against a cache of pages in random order, as ours; the plan is made ahead."""
    import flashinfer
    if s.get("queries") != 1:
        raise ValueError("flashinfer is measured at decoding only")
    page, torch = s["page"], t.torch
    pages = s["tokens"] // page  # of a sequence
    wrapper = flashinfer.BatchDecodeWithPagedKVCacheWrapper(
        torch.empty(256 << 20, dtype=torch.uint8, device=t.device), "NHD", use_tensor_cores=True)
    starts = torch.arange(s["batch"] + 1, dtype=torch.int32, device=t.device) * pages
    table = torch.randperm(s["batch"] * pages, device=t.device).to(torch.int32)
    last = torch.full((s["batch"],), page, dtype=torch.int32, device=t.device)
    wrapper.plan(starts, table, last, s["heads"], s["kv_heads"], s["d"], page, q_data_type=t.type, kv_data_type=t.type)
    cache = t.random(s["batch"] * pages, 2, page, s["kv_heads"], s["d"])
    return wrapper.run, (t.random(s["batch"], s["heads"], s["d"]), cache)


OPERATIONS = {"copy": copy, "scale": scale, "add": add, "triad": triad, "sum": reduce_sum, "max": reduce_max,
              "bias_relu_dropout": bias_relu_dropout, "softmax": softmax,
              "rmsnorm": rmsnorm, "layernorm": layernorm, "add_rmsnorm": add_rmsnorm, "cross_entropy": cross_entropy,
              "rope": rope, "embedding": embedding, "embedding_rmsnorm": embedding_rmsnorm, "l2_norm": l2_norm,
              "transpose": transpose, "cumsum": cumsum, "argmax": argmax, "top_k": top_k, "index_select": index_select,
              "index_add": index_add, "masked_select": masked_select,
              "segmented_sum": segmented_sum, "histogram": histogram, "linear": linear, "gemv": gemv,
              "matmul_nn": matmul_nn, "matmul_nt": matmul_nt, "tf32_linear": tf32_linear, "int8_linear": int8_linear,
              "linear_gelu": linear_gelu, "scaled_linear": scaled_linear, "int4_linear": int4_linear, "spmv": spmv, "depthwise": depthwise,
              "convolution": convolution,
              "convolution_nhwc": convolution_nhwc}
OF_PEERS = {("liger", "rope"): liger_rope, ("flashinfer", "add_rmsnorm"): flashinfer_add_rmsnorm,
            ("fa4", "attention"): fa4_attention, ("flashinfer", "attention"): flashinfer_decode,
            ("cudnn", "attention"): attention_by("CUDNN_ATTENTION"),
            ("fa2", "attention"): attention_by("FLASH_ATTENTION")}
PEERS = ("eager", "compile", "max-autotune")


def operation_of(peer, op):
    found = OF_PEERS.get((peer, op)) or (OPERATIONS.get(op) if peer in PEERS else None)
    if found is None:
        raise ValueError(f"{peer} has no operation {op}")
    return found


# ---- torch ----

class Tensors:
    def __init__(self, torch, type_name, device="cuda"):
        types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
                 "i32": torch.int32, "u16": torch.int16, "u8": torch.uint8}  # few operations have torch.uint16
        if type_name not in types:
            raise ValueError(f"no type {type_name}")
        self.torch, self.F, self.type, self.device = torch, torch.nn.functional, types[type_name], device

    def random(self, *shape):
        if self.type == self.torch.int32:
            return self.torch.randint(-100, 101, shape, device=self.device, dtype=self.type)
        return self.torch.empty(*shape, device=self.device, dtype=self.type).uniform_(-1, 1)

    def empty(self, *shape):
        return self.torch.empty(*shape, device=self.device, dtype=self.type)

    def labels(self, below, count):
        return self.torch.randint(0, below, (count,), device=self.device)

    def ids(self, below, count):
        return self.labels(below, count).to(self.torch.int32)  # ours has four bytes an id as well


class Flush:
    """rooftune's kernels (harness/measure/device/flush.cu), launched by the driver on torch's stream."""

    def __init__(self, torch, path):
        self.torch, self.cuda = torch, ctypes.CDLL("libcuda.so.1")
        device = torch.cuda.get_device_properties(0)
        self.grid = 8 * device.multi_processor_count
        self.vectors = ctypes.c_uint64(2 * device.L2_cache_size // 16)
        self.out, self.into = (torch.zeros(2 * device.L2_cache_size // 4, device="cuda") for _ in range(2))
        self.sum = torch.zeros(1, device="cuda")
        module = ctypes.c_void_p()
        self.call("cuModuleLoad", ctypes.byref(module), os.fsencode(path))
        self.kernels = []
        for name in (b"rft_flush_write_kernel", b"rft_flush_read_kernel"):
            self.kernels.append(ctypes.c_void_p())
            self.call("cuModuleGetFunction", ctypes.byref(self.kernels[-1]), module, name)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: CUDA error {status}")

    def launch(self, kernel, *values):
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        stream = ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", kernel, self.grid, 1, 1, 256, 1, 1, 0, stream, pointers, None)

    def queue(self, ticket):
        out, into, total = (ctypes.c_uint64(t.data_ptr()) for t in (self.out, self.into, self.sum))
        self.launch(self.kernels[0], out, self.vectors, ctypes.c_uint32(ticket))
        self.launch(self.kernels[1], into, self.vectors, ctypes.c_uint32(0x7FEDCBA9), total, out)


class TorchBench:
    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("torch sees no GPU")
        self.torch, self.calls, self.graphs, self.flushes = torch, {}, {}, {}
        self.clock_hz = 2e9

    def about(self):
        try:
            import triton
            triton_version = triton.__version__
        except ImportError:
            triton_version = None
        return {"torch": self.torch.__version__, "triton": triton_version,
                "device": self.torch.cuda.get_device_name(0)}

    def prepare(self, peer, op, type_name, shape):
        begun = time.perf_counter()
        function, arguments = operation_of(peer, op)(Tensors(self.torch, type_name), shape)
        if peer == "compile":
            function = self.torch.compile(function, dynamic=False)
        elif peer == "max-autotune":
            function = self.torch.compile(function, dynamic=False, mode="max-autotune-no-cudagraphs")
        with self.torch.no_grad():
            for _ in range(3):
                function(*arguments)
        self.torch.cuda.synchronize()
        self.calls[peer] = function, arguments
        return {"seconds": time.perf_counter() - begun}

    def flush_of(self, path):
        if path not in self.flushes:
            self.flushes[path] = Flush(self.torch, path)
        return self.flushes[path]

    def host_s(self, function, arguments):
        """Host time that a call takes to be queued."""
        took = []
        for _ in range(HOST_CALLS):
            self.torch.cuda.synchronize()
            begun = time.perf_counter()
            function(*arguments)
            took.append(time.perf_counter() - begun)
        return sorted(took)[HOST_CALLS // 2]

    def graph_of(self, function, arguments):
        torch = self.torch
        size = sum(x.numel() * x.element_size() for x in arguments)
        count = 2 + 2 * torch.cuda.get_device_properties(0).L2_cache_size // size
        sets = [arguments] + [tuple(x.clone() for x in arguments) for _ in range(min(count, GRAPH_CALLS) - 1)]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(GRAPH_CALLS):
                function(*sets[i % len(sets)])
        return graph, sets

    def time_graph(self, peer, samples):
        torch, events = self.torch, []
        with torch.no_grad():
            if peer not in self.graphs:
                self.graphs[peer] = self.graph_of(*self.calls[peer])
            graph, begun = self.graphs[peer][0], time.perf_counter()
            while time.perf_counter() - begun < WARM_UP_S:
                graph.replay()
                torch.cuda.synchronize()
            for _ in range(samples):
                start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                torch.cuda._sleep(int(SLEEP_LEAST_S * self.clock_hz))
                start.record()
                graph.replay()
                stop.record()
                events.append((start, stop))
            torch.cuda.synchronize()
        return {"samples_us": [start.elapsed_time(stop) * 1e3 / GRAPH_CALLS for start, stop in events]}

    def time(self, peer, samples, cache, flush):
        if cache == "rotating":
            return self.time_graph(peer, samples)
        function, arguments = self.calls[peer]
        flush = self.flush_of(flush) if cache == "cold" else None
        torch, events = self.torch, []
        with torch.no_grad():
            held_s = max(SLEEP_LEAST_S, 2 * self.host_s(function, arguments))
            begun = time.perf_counter()
            while time.perf_counter() - begun < WARM_UP_S:
                function(*arguments)
                torch.cuda.synchronize()
            for ticket in range(samples):
                start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                if flush:
                    flush.queue(ticket)
                torch.cuda._sleep(int(held_s * self.clock_hz))
                start.record()
                function(*arguments)
                stop.record()
                events.append((start, stop))
            torch.cuda.synchronize()
        return {"samples_us": [start.elapsed_time(stop) * 1e3 for start, stop in events]}

    def drop(self):
        self.calls.clear()
        self.graphs.clear()
        self.torch._dynamo.reset()
        self.torch.backends.cuda.matmul.allow_tf32 = False
        self.torch.cuda.empty_cache()


# ---- the protocol ----

def answer(bench, line):
    request = json.loads(line)
    what = request.get("do")
    if what == "about":
        return bench.about()
    if what == "prepare":
        return bench.prepare(request["peer"], request["op"], request["type"], request["shape"])
    if what == "time":
        if request["cache"] not in ("cold", "hot", "rotating"):
            raise ValueError(f"no cache mode {request['cache']}")
        return bench.time(request["peer"], request["samples"], request["cache"], request["flush"])
    if what == "drop":
        bench.drop()
        return {}
    raise ValueError(f"no request {what}")


def first_line(failure):
    text = (str(failure).strip() or "no message").splitlines()[0][:300]
    return f"{type(failure).__name__}: {text}"


def serve(lines, out, make_bench):
    """Answers every line; what `make_bench` raises is the answer to all of them."""
    bench, broken = None, None
    try:
        bench = make_bench()
    except Exception as failure:  # pylint: disable=broad-except
        broken = first_line(failure)
    for line in lines:
        try:
            reply = {"ok": False, "reason": broken} if broken else {"ok": True, **answer(bench, line)}
        except Exception as failure:  # pylint: disable=broad-except
            reply = {"ok": False, "reason": first_line(failure)}
        print(json.dumps(reply), file=out, flush=True)


# ---- without torch ----

class NoBench:
    """Answers as TorchBench does and times nothing."""

    def __init__(self):
        self.calls = {}

    def about(self):
        return {"torch": None, "triton": None, "device": "none"}

    def prepare(self, peer, op, type_name, shape):
        self.calls[peer] = operation_of(peer, op), type_name, shape
        return {"seconds": 0.0}

    def time(self, peer, samples, cache, flush):
        assert self.calls[peer] and cache and flush
        return {"samples_us": [float(i) for i in range(samples)]}

    def drop(self):
        self.calls.clear()


def self_test(table_path):
    class Lines(list):
        def write(self, text):
            self.extend(line for line in text.splitlines() if line)

        def flush(self):
            pass

    def replies(requests, make_bench):
        out = Lines()
        serve([json.dumps(r) if isinstance(r, dict) else r for r in requests], out, make_bench)
        return [json.loads(line) for line in out]

    def no_torch():
        raise ModuleNotFoundError("No module named 'torch'")

    prepare = {"do": "prepare", "peer": "eager", "op": "softmax", "type": "bf16", "shape": {"rows": 4, "cols": 8}}
    time_it = {"do": "time", "peer": "eager", "samples": 3, "cache": "cold", "flush": "flush.cubin"}
    got = replies([{"do": "about"}, time_it, prepare, time_it, dict(time_it, cache="rotating"), {"do": "drop"}, time_it,
                   "{", {"do": "sing"}, dict(prepare, op="juggle"), dict(time_it, cache="tepid")], NoBench)
    assert [r["ok"] for r in got] == [True, False, True, True, True, True, False, False, False, False, False], got
    assert got[3]["samples_us"] == [0.0, 1.0, 2.0], got
    assert "no operation juggle" in got[9]["reason"], got
    broken = replies([{"do": "about"}, prepare], no_torch)
    assert all(not r["ok"] and "No module named 'torch'" in r["reason"] for r in broken) and len(broken) == 2, broken
    with open(table_path, encoding="utf-8") as file:
        rows = [row for row in json.load(file)["rows"] if row["op"] != "matmul"]  # baselines of runs, never asked here
    for row in rows:
        for peer in row["peers"]:
            if peer["peer"] != "cub":
                operation_of(peer["peer"], row["op"])
    print(f"{len(got) + len(broken)} requests and {len(rows)} rows: as they should be; {run_small(rows)}")


def run_small(rows):
    """Every operation once, on the CPU: what torch does not take as it is written here is found without a GPU."""
    try:
        import torch
    except ImportError:
        return "no torch here, no operation was run"
    most = {"n": 64, "rows": 4, "cols": 16, "tokens": 8, "q_heads": 4, "k_heads": 2, "d": 16, "vocabulary": 32,
            "k": 4, "mean": 4, "height": 16, "width": 16, "filter": 3, "h": 8, "w": 8, "c": 8, "segments": 8, "bins": 8}
    only_gpu = ("scaled_linear", "int8_linear", "int4_linear", "attention")
    for row in (row for row in rows if row["op"] not in only_gpu):
        shape = {name: min(value, most.get(name, value)) for name, value in row["shape"].items()}
        function, arguments = operation_of("eager", row["op"])(Tensors(torch, row["type"], "cpu"), shape)
        found = function(*arguments)
        for result in found if isinstance(found, tuple) else (found,):
            assert result.numel() > 0 and bool(torch.isfinite(result.float()).all()), row["name"]
    return "torch ran them all"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
        return
    out = os.fdopen(os.dup(1), "w")  # libraries print what they like; answers go alone
    os.dup2(2, 1)
    serve(sys.stdin, out, TorchBench)


if __name__ == "__main__":
    main()
