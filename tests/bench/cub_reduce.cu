/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cub_reduce.cu - reductions, scan and histogram of CUB, which comes with the CUDA toolkit, as peers of those in
 * kernels/reduction.
 *
 *   nvcc -O3 -std=c++17 -arch=native -o build/bench/cub_reduce tests/bench/cub_reduce.cu
 *   build/bench/cub_reduce --flush CUBIN --op sum|max|cumsum|histogram --type u8|u16|i32|f32
 *                          [--n 268435456] [--samples 50] [--warmup 10] [--seed 1]
 *
 * CUBIN is rooftune's flush of the L2, which build/bench/peers writes (peer_flush.h): CUDA 12.8 and newer load it.
 * One line of JSON on standard output: what was reduced, "samples_us" (cold: flushed in front of each), their
 * "median_us" with the 95 % "interval_us" of the median, "result", and "gb_per_s" of the median. The result is checked
 * against the same reduction in fp64 or whole numbers; a wrong one ends the program with status 1. Inputs are seeded:
 * whole numbers from -1000 to 999, floats in [-1, 1). cumsum is of i32, and of what it leaves the last sum is
 * checked. histogram is of u8 (256 bins, keys below 256), u16 (4096) and i32 (1024).
 */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t status = (call);                                                                             \
        if (status != cudaSuccess) {                                                                                   \
            std::fprintf(stderr, "cub_reduce: %s: %s\n", #call, cudaGetErrorString(status));                           \
            std::exit(2);                                                                                              \
        }                                                                                                              \
    } while (0)

struct Options {
    std::string op = "sum", type = "f32", flush;
    long long n = 1ll << 28;
    int samples = 50, warmup = 10;
    unsigned long long seed = 1;
};

__host__ __device__ inline unsigned hash_of(unsigned long long i, unsigned long long seed) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)((z ^ (z >> 31)) >> 32);
}

/* As those of sweeps/histograms.lua. */
template <typename T> struct Bins {
    enum { COUNT = sizeof(T) == 1 ? 256 : sizeof(T) == 2 ? 4096 : 1024 };
};

template <typename T> __host__ __device__ inline void fill_one(T &x, unsigned bits, bool keys) {
    x = (T)(keys ? (int)(bits % Bins<T>::COUNT) : (int)(bits % 2000u) - 1000);
}
__host__ __device__ inline void fill_one(float &x, unsigned bits, bool) {
    x = (float)(int)(bits >> 8) * (1.0f / 8388608.0f) - 1.0f;
}

template <typename T> __global__ void fill(T *x, long long n, unsigned long long seed, bool keys) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        fill_one(x[i], hash_of(i, seed), keys);
    }
}

/* rooftune's own kernels (harness/measure/device/flush.cu) on two buffers of twice the L2. */
struct Flush {
    uint4 *out = nullptr, *in = nullptr;
    unsigned *sum = nullptr;
    unsigned long long count = 0;
    unsigned value = 1, never = 0x7FEDCBA9u;
    int sms = 0;
    cudaKernel_t write = nullptr, read = nullptr;

    explicit Flush(const char *cubin) {
        int device = 0, l2_bytes = 0;
        cudaLibrary_t library;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
        CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
        count = 2 * (unsigned long long)l2_bytes / sizeof(uint4);
        CHECK(cudaMalloc(&out, count * sizeof(uint4)));
        CHECK(cudaMalloc(&in, count * sizeof(uint4)));
        CHECK(cudaMalloc(&sum, sizeof *sum));
        CHECK(cudaMemset(in, 0x5A, count * sizeof(uint4)));
        CHECK(cudaLibraryLoadFromFile(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0));
        CHECK(cudaLibraryGetKernel(&write, library, "rft_flush_write_kernel"));
        CHECK(cudaLibraryGetKernel(&read, library, "rft_flush_read_kernel"));
    }
    void queue() {
        void *write_values[] = {&out, &count, &value};
        void *read_values[] = {&in, &count, &never, &sum, &out};
        CHECK(cudaLaunchKernel((const void *)write, sms * 8, 256, write_values, 0, nullptr));
        CHECK(cudaLaunchKernel((const void *)read, sms * 8, 256, read_values, 0, nullptr));
        value++;
    }
};

/* How many results there are. */
template <typename T> long long results_of(const Options &options) {
    return options.op == "cumsum" ? options.n : options.op == "histogram" ? Bins<T>::COUNT : 1;
}

/* Keys of types that have nothing but a histogram. */
template <typename T> cudaError_t apply(const Options &options, void *room, size_t &room_bytes, const T *x, int *y) {
    const int bins = Bins<T>::COUNT;
    return cub::DeviceHistogram::HistogramEven(room, room_bytes, x, y, bins + 1, 0, bins, options.n);
}
template <typename T> cudaError_t reduce(const Options &options, void *room, size_t &room_bytes, const T *x, T *y) {
    return options.op == "sum" ? cub::DeviceReduce::Sum(room, room_bytes, x, y, options.n)
                               : cub::DeviceReduce::Max(room, room_bytes, x, y, options.n);
}
cudaError_t apply(const Options &options, void *room, size_t &room_bytes, const float *x, float *y) {
    return reduce(options, room, room_bytes, x, y);
}
cudaError_t apply(const Options &options, void *room, size_t &room_bytes, const int *x, int *y) {
    if (options.op == "cumsum") {
        return cub::DeviceScan::InclusiveSum(room, room_bytes, x, y, options.n);
    }
    if (options.op == "histogram") {
        return apply<int>(options, room, room_bytes, x, y);
    }
    return reduce(options, room, room_bytes, x, y);
}

/* On the host, of the values that fill() makes. `most` is what rounding may cost: that of a sum carried through 2^22
 * additions. Of a scan `results` are the last alone. */
template <typename T, typename Y> bool is_right(const Options &options, const std::vector<Y> &results) {
    const bool keys = options.op == "histogram";
    std::vector<long long> counts(Bins<T>::COUNT);
    double sum = 0.0, most = -1e300;
    for (long long i = 0; i < options.n; i++) {
        T x;
        fill_one(x, hash_of(i, options.seed), keys);
        counts[keys ? (int)x : 0]++;
        sum += (double)x;
        most = std::max(most, (double)x);
    }
    const bool exact = options.type != "f32" || options.op == "max";
    const double tolerance = exact ? 0.0 : 2.0 * 8.0 * std::ldexp(1.0, -24) * 2048.0 * std::fabs(sum);
    for (size_t i = 0; i < results.size(); i++) {
        const double want = keys ? (double)counts[i] : options.op == "max" ? most : sum;
        if (!(std::fabs((double)results[i] - want) <= tolerance)) {
            std::fprintf(stderr, "cub_reduce: got %.17g, want %.17g\n", (double)results[i], want);
            return false;
        }
    }
    return true;
}

/* Median and the order statistics around it that hold it in 95 % of cases (binomial, normal approximation). */
void print_line(const Options &options, double bytes, std::vector<double> samples_us, double result) {
    std::string list;
    char text[64];
    for (double sample_us : samples_us) {
        std::snprintf(text, sizeof text, "%s%.3f", list.empty() ? "" : ", ", sample_us);
        list += text;
    }
    std::sort(samples_us.begin(), samples_us.end());
    const int count = (int)samples_us.size();
    const double median_us = (samples_us[(count - 1) / 2] + samples_us[count / 2]) / 2.0;
    const int low = std::max(0, (int)std::floor(count / 2.0 - 0.98 * std::sqrt((double)count)) - 1);
    const int high = std::min(count - 1, (int)std::ceil(count / 2.0 + 0.98 * std::sqrt((double)count)));
    std::printf(
        "{\"peer\": \"cub\", \"op\": \"%s\", \"type\": \"%s\", \"n\": %lld, \"cub_version\": %d, \"result\": %.9g, "
        "\"median_us\": %.3f, \"interval_us\": [%.3f, %.3f], \"gb_per_s\": %.1f, \"samples_us\": [%s]}\n",
        options.op.c_str(), options.type.c_str(), options.n, CUB_VERSION, result, median_us, samples_us[low],
        samples_us[high], bytes / median_us / 1e3, list.c_str());
}

/* Y: of results. */
template <typename T, typename Y> int run(const Options &options) {
    const long long count = results_of<T>(options);
    std::vector<Y> results(options.op == "cumsum" ? 1 : count);
    T *x = nullptr;
    Y *y = nullptr;
    void *room = nullptr;
    size_t room_bytes = 0;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&x, options.n * sizeof(T)));
    CHECK(cudaMalloc(&y, count * sizeof(Y)));
    fill<<<4096, 256>>>(x, options.n, options.seed, options.op == "histogram");
    CHECK(cudaGetLastError());
    CHECK(apply(options, room, room_bytes, x, y));
    CHECK(cudaMalloc(&room, room_bytes));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    Flush flush(options.flush.c_str());
    std::vector<double> samples_us;
    for (int i = 0; i < options.warmup + options.samples; i++) {
        float ms = 0.0f;
        flush.queue(); /* takes the device longer than queuing what follows takes the host */
        CHECK(cudaEventRecord(begin));
        CHECK(apply(options, room, room_bytes, x, y));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= options.warmup) {
            samples_us.push_back(ms * 1e3);
        }
    }
    CHECK(cudaMemcpy(results.data(), y + count - results.size(), results.size() * sizeof(Y), cudaMemcpyDeviceToHost));
    print_line(options, (double)options.n * sizeof(T), samples_us, (double)results[0]);
    return is_right<T>(options, results) ? 0 : 1;
}

int usage(const char *why) {
    std::fprintf(stderr,
                 "cub_reduce: %s\nusage: cub_reduce --flush CUBIN --op sum|max|cumsum|histogram --type u8|u16|i32|f32 "
                 "[--n N] [--samples K] [--warmup K] [--seed S]\n",
                 why);
    return 2;
}

int main(int count, char **words) {
    Options options;
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? words[i + 1] : nullptr;
        if (!value) {
            return usage("an option without a value");
        } else if (!std::strcmp(words[i], "--flush")) {
            options.flush = value;
        } else if (!std::strcmp(words[i], "--op")) {
            options.op = value;
        } else if (!std::strcmp(words[i], "--type")) {
            options.type = value;
        } else if (!std::strcmp(words[i], "--n")) {
            options.n = std::atoll(value);
        } else if (!std::strcmp(words[i], "--samples")) {
            options.samples = std::atoi(value);
        } else if (!std::strcmp(words[i], "--warmup")) {
            options.warmup = std::atoi(value);
        } else if (!std::strcmp(words[i], "--seed")) {
            options.seed = std::strtoull(value, nullptr, 10);
        } else {
            return usage("an unknown option");
        }
    }
    const bool is_key = options.type == "u8" || options.type == "u16", is_whole = options.type == "i32";
    const bool reduces = (options.op == "sum" || options.op == "max") && (is_whole || options.type == "f32");
    const bool scans = options.op == "cumsum" && is_whole;
    const bool counts = options.op == "histogram" && (is_whole || is_key);
    if ((!reduces && !scans && !counts) || options.flush.empty() || options.n < 1 || options.samples < 1 ||
        options.warmup < 0) {
        return usage("no --flush, or a value that is none of its choices");
    }
    if (is_key) {
        return options.type == "u8" ? run<unsigned char, int>(options) : run<unsigned short, int>(options);
    }
    return is_whole ? run<int, int>(options) : run<float, float>(options);
}
