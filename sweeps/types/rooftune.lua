---@meta rooftune
-- SPDX-License-Identifier: Apache-2.0
-- What a sweep can use, for lua-language-server: add this folder to "workspace.library". Nothing here runs.
-- A test compares it with the program: every function and every key is here, and nothing else.
-- Lua's own functions that a sweep can use, and those it cannot, are in docs/sweeps.md.

---@alias rooftune.value number|boolean|string what a parameter or a dimension can be
---@alias rooftune.seconds number|string seconds, or text with a unit: "250us", "2s", "10m", "1.5h"

---The problem: one field per name in the kernel's `problem`. Any other name is an error.
---@class rooftune.p
---@field [string] rooftune.value

---The configuration: one field per parameter. Any other name is an error.
---@class rooftune.c
---@field [string] rooftune.value

---The buffers of the point, by name. Any other name is an error.
---@class rooftune.b
---@field [string] rooftune.handle

---The device: from the GPU, the recording that is replayed, or `--arch`.
---@class rooftune.gpu
---@field name string "NVIDIA H200"
---@field arch string "sm_90a"
---@field cc integer compute capability, 10 * major + minor: 90
---@field sms integer multiprocessors
---@field warp_size integer threads
---@field max_threads_per_block integer
---@field max_threads_per_sm integer
---@field max_blocks_per_sm integer
---@field registers_per_block integer 32-bit registers
---@field registers_per_sm integer 32-bit registers
---@field shared_per_block integer bytes, static and dynamic together, with the opt-in
---@field shared_per_block_static integer bytes without the opt-in
---@field shared_per_sm integer bytes
---@field l2_bytes integer
---@field persisting_l2_max_bytes integer largest L2 persistence window, 0 = none
---@field memory_bytes integer device memory
---@field memory_free integer bytes free when the program asked; all of it when unknown
---@field max_cluster integer blocks of a portable cluster, 0 = no clusters
---@field cooperative boolean whether cooperative launches work
---@field sm_clock_khz integer maximum
---@field memory_clock_khz integer 0 = unknown
---@field memory_bus_bits integer 0 = unknown

---A question: which kernels, over which problems, with which values.
---@class rooftune.sweep
---@field name? string in file names and reports; default: the file's name
---@field kernel? rooftune.Kernel|rooftune.Vendor what is tuned, the library's ALGO included; or `variants`
---@field variants? rooftune.variant[] several kernels for the same problem, in the order of the ladder
---@field over? table<string, rooftune.Values>|rooftune.Problems|fun(gpu: rooftune.gpu): table<string, rooftune.Values> the dimensions that are swept, each with its values; a function gives sizes that suit the card
---@field problems? rooftune.Problems|table<string, rooftune.value>[]|fun(gpu: rooftune.gpu): table<string, rooftune.value>[] a list of problems instead of `over`; no transitions
---@field with? table<string, rooftune.value|fun(p: rooftune.p): rooftune.value> the other dimensions, or functions of them
---@field along? string|string[] dimensions to find bound transitions along; default: all numeric ones in `over`
---@field tune? table<string, rooftune.Values|rooftune.value> values to try; a parameter that is not here keeps its default
---@field where? (function|string|table)[] constraints: function(A, B), text in Lua syntax (compiled, faster), or { "A", "B", f }; true or false
---@field baseline? (string|rooftune.Vendor|rooftune.Kernel)[] "cublaslt", vendor.matmul{}, or a kernel{} whose source is a cubin or PTX: what the best is compared with, measured in the same run
---@field diagnostic? boolean true: it explains the card and is no workload; summaries leave it out
---@field note? string a sentence or two for its page: what the picture says
---@field measure? rooftune.measure how a point is timed
---@field search? rooftune.search how the space is searched

---One step of a ladder: { "three kernels", kernel = a, tune = { ... } }.
---@class rooftune.variant
---@field [1] string its name
---@field kernel rooftune.Kernel|rooftune.Vendor same `problem` as the other variants
---@field tune? table<string, rooftune.Values|rooftune.value> beside the sweep's `tune`
---@field where? (function|string|table)[] beside the sweep's `where`
---@field prior? fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu, t: rooftune.times): number in place of its kernel's

---A CUDA template and its facts.
---@class rooftune.kernel
---@field name? string default: the source's name without .cu
---@field source? string .cu, .cubin or .ptx file, relative to this file; none where the launch is a library's
---@field entry? string|string[] name expression, or the symbol in a cubin or PTX; parameters named in it are substituted as text and are no macros
---@field problem string[] the problem's dimensions, in the order of the reference's arguments
---@field compiled? string[] dimensions that are compiled in: -D NAME=value, or named in `entry`
---@field params? table[] { "NAME", default, "help" }, in the order of the report
---@field options? string[]|fun(c: rooftune.c, gpu: rooftune.gpu): string[] more NVRTC options
---@field buffers fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu): table<string, rooftune.Buffer> inputs and outputs must not depend on c
---@field constants? table<string, rooftune.Buffer|rooftune.Scalar|rooftune.Struct>|fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu): table<string, rooftune.Buffer|rooftune.Scalar|rooftune.Struct> what __constant__ and __device__ variables hold: d_filter = input(f32, 225); must not depend on c
---@field prepare? fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu, b: rooftune.b): rooftune.launch|table once per configuration, untimed
---@field launch fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu, b: rooftune.b): rooftune.launch|table|rooftune.Vendor one launch or a list, timed as one; or vendor.matmul{}
---@field work fun(p: rooftune.p): rooftune.work what anyone must do for the problem
---@field traffic? fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu): rooftune.traffic what this configuration moves and executes
---@field prior? fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu, t: rooftune.times): number above 0, the lower the better it should be: what a search begins with
---@field check rooftune.check how results are verified

---What work and traffic of a configuration take at the hardware's limits, in seconds; 0 where nothing is known.
---@class rooftune.times
---@field floor number the longest that is certain
---@field sum number all of them, one after the other
---@field dram number
---@field l2 number
---@field l1 number
---@field shared number
---@field [string] number a pipe by its name: t.fp32, t.tensor_bf16

---How results are verified. Every other key names an output buffer: y = { tol = 1e-3 }.
---@class rooftune.check
---@field reference string|rooftune.reference|rooftune.Variant "FILE.cu:NAME", relative to this file; compiled without the parameters' macros
---@field options? string[] NVRTC options for the reference
---@field tol? number relative tolerance of all outputs; default: from the type and `length`
---@field length? number|fun(p: rooftune.p): number terms accumulated into an output; default 1
---@field odd? table<string, rooftune.value>|table<string, rooftune.value>[]|false dimensions of the odd problem, or of several; default: derived; false: none
---@field [string] rooftune.check_buffer

---How a reference is launched, { "FILE.cu:NAME", grid = ... }, or which configuration of a variant it is.
---@class rooftune.reference
---@field [1] string|rooftune.Variant "FILE.cu:NAME", or variant "NAME"; with launch "FILE.cu" is enough
---@field grid? integer|integer[]|rooftune.Resident|fun(p: rooftune.p): integer|integer[]|rooftune.Resident blocks; default: one thread an element of the largest output
---@field block? integer|integer[]|fun(p: rooftune.p): integer|integer[] threads; default 256
---@field shared? integer|fun(p: rooftune.p): integer dynamic shared memory, bytes; default 0
---@field launch? fun(p: rooftune.p, c: rooftune.c, gpu: rooftune.gpu, b: rooftune.b): rooftune.launch|table one launch or a list, in place of grid, block and shared; c is empty
---@field buffers? fun(p: rooftune.p): table<string, rooftune.Buffer> temp() buffers of its own
---@field set? table<string, rooftune.value> of a variant: parameters that are not at their defaults

---@class rooftune.check_buffer
---@field tol number relative tolerance of this output

---@class rooftune.measure
---@field mode? "events"|"graph" launches go to the device one by one, or as a CUDA graph; default "events"
---@field cache? "cold"|"hot"|"rotating" L2 is flushed before every sample, left as it is, or left while every run works on another copy of the buffers; default "cold"
---@field timeout? rooftune.seconds for one point; default 10 s
---@field compile_timeout? rooftune.seconds for one configuration; default 60 s
---@field min_samples? integer default 10
---@field max_samples? integer default 100
---@field noise? number stop when half the 95 % interval is below this share of the median; default 0.005
---@field max_time? rooftune.seconds for timing one point; default 0.25 s
---@field min_time? rooftune.seconds that a point's samples take on the GPU at least; default: no such demand
---@field processes? integer|"auto" device processes of the final round; default "auto": as many as it takes
---@field race? boolean false: also measure to the end what is clearly slower than the best so far; default true
---@field seed? integer of the inputs; default 1

---@class rooftune.search
---@field strategy? string default "auto"
---@field budget? integer|string a number of points, a time, GPU time, or several: 500, "10m", "gpu:30s", "500,10m"; default: none
---@field goal? number share of the roof at which a part of the search ends: 0.95; default: none
---@field objective? "time"|"energy"|"edp" what the best is best in; default "time"
---@field seed? integer default 1

---One launch.
---@class rooftune.launch
---@field entry? string name expression when it is not the kernel's (first) `entry`
---@field args? (rooftune.handle|rooftune.Scalar|rooftune.TensorMap|rooftune.Struct)[] in the order of the kernel's parameters
---@field grid integer|integer[]|rooftune.Resident blocks: number, { x, y, z } or resident()
---@field block integer|integer[] threads: number or { x, y, z }
---@field shared? integer dynamic shared memory, bytes; default 0
---@field cluster? integer|integer[] blocks: number or { x, y, z }; default 1
---@field cooperative? boolean grid-wide synchronisation; default false
---@field pdl? boolean may start before the launch in front of it ends; default false
---@field window? rooftune.window L2 persistence
---@field work? rooftune.work of a launch among several: what it alone must do (operations, read, write)
---@field traffic? rooftune.traffic of a launch among several: what it alone moves and executes

---@class rooftune.window
---@field buffer rooftune.handle
---@field offset? integer bytes; default 0
---@field bytes? integer default: to the end of the buffer
---@field hit_ratio? number 0 to 1; default 1

---@class rooftune.tensor_map_options
---@field box integer[] elements a copy takes, fastest first, 1 to 256
---@field strides? integer[] bytes from one step of dimension 2, 3, ... to the next; default: dense
---@field swizzle? 0|32|64|128 bytes; default 0
---@field l2_promotion? 0|64|128|256 bytes; default 0
---@field tf32? boolean elements of f32 are rounded to TF32 (to nearest) on their way to shared memory; default false
---@field im2col? rooftune.im2col of images: a copy takes pixels in the order of memory, box = { channels, pixels }

---Which pixels of an image copies begin at; an offset for each dimension but the first and the last, fastest first.
---@class rooftune.im2col
---@field lower integer[] from an image's first pixel: minus the padding
---@field upper integer[] from its last: the padding minus (filter - 1)

---What anyone must do for the problem: operations per pipe (an FMA is 2), compulsory bytes.
---@class rooftune.work
---@field bytes? number read and written together, split as the buffers' sizes are
---@field read? number bytes
---@field write? number bytes
---@field items? table { "token", count }: the report also shows tokens per second
---@field fp64? number
---@field fp32? number
---@field fp16? number packed
---@field sfu? number ex2 and the like
---@field int32? number
---@field atomics? rooftune.atomics
---@field tensor_fp64? number
---@field tensor_tf32? number
---@field tensor_bf16? number
---@field tensor_fp16? number
---@field tensor_fp8? number
---@field tensor_int8? number

---What a configuration moves per level and executes per pipe.
---@class rooftune.traffic
---@field dram? number bytes, read and written together
---@field dram_read? number bytes
---@field dram_write? number bytes
---@field l2? number bytes
---@field l1? number bytes
---@field shared? number bytes
---@field issue? number warp instructions
---@field fp64? number operations
---@field fp32? number
---@field fp16? number
---@field sfu? number
---@field int32? number
---@field atomics? rooftune.atomics
---@field tensor_fp64? number
---@field tensor_tf32? number
---@field tensor_bf16? number
---@field tensor_fp16? number
---@field tensor_fp8? number
---@field tensor_int8? number

---32-bit atomic additions where the hardware does them.
---@class rooftune.atomics
---@field shared? number 32 for each pass of a warp: n without bank conflicts
---@field shared_one? number of these, those on the busiest address of each block
---@field l2? number one for each 32-byte sector of a warp's access: n scattered
---@field l2_one? number of these, those on the busiest address
---@field shared_f32? number
---@field shared_f32_one? number
---@field l2_f32? number
---@field l2_f32_one? number

---@class rooftune.integers_options
---@field below integer values are 0 to below - 1
---@field order? "random"|"sorted"|"zipf" default "random"

---What fills an input; [1] is "FILE.cu:NAME".
---@class rooftune.from_options
---@field [1] string
---@field args? (string|rooftune.Scalar)[] behind the buffer, its count and a seed: inputs by name, scalars
---@field grid? integer|integer[] blocks; default: one thread an element
---@field block? integer|integer[] threads; default 256
---@field options? string[] for NVRTC

---A buffer as a launch sees it.
---@class rooftune.handle
local handle = {}

---The same buffer from `bytes` on.
---@param bytes integer
---@return rooftune.handle
function handle:offset(bytes) end

---The same buffer for a kernel that takes a pointer to another type, such as `unsigned *` to the bits of floats.
---@param type rooftune.Type
---@return rooftune.handle
function handle:as(type) end

---@class rooftune.Kernel what kernel{} returns
---@class rooftune.Sweep what sweep{} returns
---@class rooftune.Values what values(), range(), pow2_values() and refine() return
---@class rooftune.Problems what problems{} returns
---@class rooftune.Buffer what input(), output(), inout() and temp() return
---@class rooftune.Fill what uniform(), integers{}, from and file return
---@class rooftune.Scalar what a type called as a function returns
---@class rooftune.Struct what struct{} returns

---The fields of struct{} in their order.
---@class rooftune.struct
---@field [integer] rooftune.Scalar|rooftune.handle|rooftune.TensorMap|rooftune.Struct|table
---@field align? integer alignment in bytes, where __align__ asks for more than the fields do
---@class rooftune.TensorMap what tensor_map() returns
---@class rooftune.Memset what memset() returns
---@class rooftune.Resident what resident() returns
---@class rooftune.CType what ctype returns
---@class rooftune.Type an element type; called with a number it makes a scalar argument
---@operator call(number): rooftune.Scalar

---A sweep; a file returns one, or a list of them.
---@param facts rooftune.sweep
---@return rooftune.Sweep
function sweep(facts) end

---@param facts rooftune.kernel
---@return rooftune.Kernel
function kernel(facts) end

---The values themselves, or one list of them. Not empty, none twice.
---@param ... rooftune.value|rooftune.CType|table
---@return rooftune.Values
function values(...) end

---lo, lo + step, ... up to hi. Values, never exponents.
---@param lo number
---@param hi number
---@param step? number default 1
---@return rooftune.Values
function range(lo, hi, step) end

---Every power of two from lo to hi, both powers of two: pow2_values(1, 4096).
---@param lo integer
---@param hi integer
---@return rooftune.Values
function pow2_values(lo, hi) end

---Once the grid is measured: where the bound changes between two values, or the times turn, also measures the value
---halfway, at most `depth` times in each half with the flip, with the winners of both ends and a prior's first choices.
---For dimensions of numbers in `over`.
---@param list rooftune.Values what values(), range() or pow2_values() returned
---@param depth integer 1 to 20
---@return rooftune.Values
function refine(list, depth) end

---An explicit list of problems: over = problems { { m = 1, n = 2, k = 3 }, ... }.
---@param list table<string, rooftune.value>[]
---@return rooftune.Problems
function problems(list) end

---The lines of a file as tables, by the names of its first line: problems = csv "shapes.csv".
---@param path string relative to the file that names it
---@return table<string, rooftune.value>[]
function csv(path) end

---A JSON file as a table; null is nil.
---@param path string relative to this file
---@return table
function json(path) end

---A C++ type as a value of a parameter; it reaches the kernel as written.
---@param text string "half"
---@return rooftune.CType
function ctype(text) end

---Read only, filled with the same values for every configuration.
---@param type rooftune.Type
---@param n integer elements
---@param fill? rooftune.Fill default: uniform(-1, 1); integers: uniform(-8, 8), unsigned uniform(0, 16)
---@return rooftune.Buffer
function input(type, n, fill) end

---Written, poisoned before every check.
---@param type rooftune.Type
---@param n integer elements
---@return rooftune.Buffer
function output(type, n) end

---Read and written; restored before every sample, untimed.
---@param type rooftune.Type
---@param n integer elements
---@param fill? rooftune.Fill
---@return rooftune.Buffer
function inout(type, n, fill) end

---Scratch memory; may depend on the configuration.
---@param type rooftune.Type
---@param n integer elements
---@return rooftune.Buffer
function temp(type, n) end

---Seeded values in [low, high); whole ones for integer types.
---@param low number
---@param high number
---@return rooftune.Fill
function uniform(low, high) end

---Seeded whole numbers from 0.
---@param options rooftune.integers_options
---@return rooftune.Fill
function integers(options) end

---Filled by a kernel of the sweep's, which takes the buffer, its count, a seed and `args`.
---@param fill string|rooftune.from_options
---@return rooftune.Fill
function from(fill) end

---Read from an .npy file of the same type and count, in the sweep's tree.
---@param path string
---@return rooftune.Fill
function file(path) end

---a / b rounded up; whole numbers.
---@param a integer
---@param b integer
---@return integer
function ceil_div(a, b) end

---Sets every byte of a buffer; stands in a list of launches.
---@param buffer rooftune.handle
---@param byte integer 0 to 255
---@return rooftune.Memset
function memset(buffer, byte) end

---A struct by value, an argument of a launch: its fields in their order, laid out as C does; a list in it is an array.
---`align = 16` for what is aligned more than its fields (float4).
---@param fields rooftune.struct
---@return rooftune.Struct
function struct(fields) end

---A TMA descriptor, an argument of a launch.
---@param buffer rooftune.handle
---@param dims integer[] elements, fastest first
---@param options rooftune.tensor_map_options
---@return rooftune.TensorMap
function tensor_map(buffer, dims, options) end

---As a grid: as many blocks as fit on the device at once.
---@return rooftune.Resident
function resident() end

---@class rooftune.Variant
---A variant of the sweep, as the reference of another: check = { reference = variant "naive" }.
---@param name string
---@return rooftune.Variant
function variant(name) end

---A workload for report, show and compare (docs/mix.md): the operations of one pass, prices, names, remarks.
---`return mix { name = "decode", unit = "token", per = 32, { "gemv", { n = 8192, k = 8192 }, count = 160 } }`
---@param facts rooftune.mix
---@return table
function mix(facts) end

---@class rooftune.mix
---@field [integer] rooftune.mix_item
---@field name? string may be left out where there are no operations
---@field unit? string what one pass makes: "token"; default "pass"
---@field per? number of them in one pass; default 1
---@field cards? integer that work on a pass at once, each on the listed operations; default 1
---@field memory? rooftune.mix_memory
---@field sweeps? string[] files for `run --mix`; default: those called like the operations
---@field prices? rooftune.prices
---@field names? table<string, string> by device name or UUID: "card in rack 3"
---@field remarks? string[] printed as they are

---@class rooftune.mix_item
---@field [1] string a sweep's or a kernel's name
---@field [2] table<string, rooftune.value> problem
---@field count number how often it is launched in one pass

---@class rooftune.mix_memory
---@field weights? number bytes kept in device memory, on all cards of a pass together
---@field cache? number likewise

---@class rooftune.mix_host
---@field price? number of the share of its host that one card has
---@field watts? number drawn by that share all the time

---@class rooftune.prices
---@field currency? string "EUR"; required with kwh or devices
---@field date? string "2026-11"; required with kwh or devices
---@field kwh? number price of a kilowatt-hour
---@field years? number that a device's price is spread over
---@field utilisation? number share of these in which the mix runs, 0 to 1; default 1
---@field pue? number energy of the site over that of its machines; default 1
---@field host? rooftune.mix_host
---@field devices? table<string, number> price of one, by device name or UUID

---Vendor libraries, as baselines and in a kernel's place.
vendor = {}

---C (m x n) = A (m x k) times B (k x n) by cuBLASLt, each dense and by rows unless transposed.
---@param facts rooftune.vendor_matmul
---@return rooftune.Vendor
function vendor.matmul(facts) end

---@class rooftune.Vendor

---What is multiplied, in the kernel's own buffers.
---@class rooftune.vendor_matmul
---@field name? string in tables; default: "cuBLASLt", "cuBLASLt tf32"
---@field math? "fp32"|"tf32"|"fp16"|"bf16"|"fp8"|"int8"|"fp64" default: as the type of A says (f32: "fp32")
---@field a? string input buffer; default: "a"
---@field b? string input buffer; default: "b"
---@field c? string output buffer; default: "c"
---@field m? string|integer|fun(p: rooftune.p): integer rows of A and C: a dimension's name, a number or a function; default: "m"
---@field n? string|integer|fun(p: rooftune.p): integer columns of B and C; default: "n"
---@field k? string|integer|fun(p: rooftune.p): integer columns of A, rows of B; default: "k"
---@field transpose_a? boolean A lies k x m by rows
---@field transpose_b? boolean B lies n x k by rows
---@field transpose_c? boolean C lies n x m by rows
---@field exact? boolean fp8: no fast accumulation
---@field epilogue? "none"|"bias"|"bias_relu"|"bias_gelu"|"residual" what is done to the sums before they are rounded; GELU by tanh
---@field bias? string input buffer, an element for each column of C and of its type; default: "bias"
---@field residual? string input buffer like C; default: "residual"
---@field scale? "none"|"tensor"|"rows"|"blocks" fp8: what A and B are multiplied by; default: "none"
---@field a_scale? string input buffer, f32; default: "a_scale"
---@field b_scale? string input buffer, f32; default: "b_scale"
---@field output? rooftune.Type of C in a kernel's place; default: as `math` says
---@field tol? number what it is judged by; default: as the kernels are, and what tf32 or fast accumulation make worse

---Arguments after `--` on the command line.
---@type string[]
arg = {}

---@type rooftune.Type
f64 = nil
---@type rooftune.Type
f32 = nil
---@type rooftune.Type
f16 = nil
---@type rooftune.Type
bf16 = nil
---@type rooftune.Type
e4m3 = nil
---@type rooftune.Type
e5m2 = nil
---@type rooftune.Type
i8 = nil
---@type rooftune.Type
u8 = nil
---@type rooftune.Type
i16 = nil
---@type rooftune.Type
u16 = nil
---@type rooftune.Type
i32 = nil
---@type rooftune.Type
u32 = nil
---@type rooftune.Type
i64 = nil
---@type rooftune.Type
u64 = nil

-- Units: bytes and seconds.
KiB = 1024
MiB = 1024 ^ 2
GiB = 1024 ^ 3
TiB = 1024 ^ 4
kB = 1e3
MB = 1e6
GB = 1e9
TB = 1e12
ns = 1e-9
us = 1e-6
ms = 1e-3
s = 1
min = 60
