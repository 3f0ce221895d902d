/* SPDX-License-Identifier: Apache-2.0 */
/* product.hpp - matrices of small integers, which every type holds exactly, and the plain product that C must be. */
#pragma once
#include "emulator/device.hpp"

#include <functional>
#include <random>
#include <type_traits>
#include <vector>

namespace emulator {

template <typename T> T small(int value) {
    return T((float)value);
}
template <> inline unsigned char small<unsigned char>(int value) { /* e4m3 */
    const unsigned char sizes[] = {0, 7 << 3, 8 << 3};
    return (unsigned char)(sizes[value < 0 ? -value : value] | (value < 0 ? 0x80 : 0));
}
/* NaN or an infinity; e4m3 has no infinity, int8 neither. */
template <typename T> void plant_in(T &value, float real) {
    if constexpr (std::is_same_v<T, unsigned char>) {
        value = std::isnan(real) ? 0x7f : value;
    } else if constexpr (!std::is_same_v<T, signed char>) {
        value = T(real);
    }
}
template <typename T> double number(T value) {
    return (double)(float)value;
}
template <> inline double number<unsigned char>(unsigned char value) {
    return float_of_e4m3(value);
}

/* A is m x k, or k x m; B n x k, or k x n; C m x n. */
template <typename T, typename C> struct Product {
    int m, n, k;
    bool a_by_k, b_by_k;
    std::vector<T> a, b;
    std::vector<C> c;
    std::vector<unsigned> writes; /* of each element of C, by TMA */
    std::function<double(int row, int column, int k)> scale = [](int, int, int) { return 1.0; }; /* of a product */

    Product(int rows, int columns, int depth, unsigned seed, bool a_is_by_k = true, bool b_is_by_k = true)
        : m(rows), n(columns), k(depth), a_by_k(a_is_by_k), b_by_k(b_is_by_k), a((size_t)m * k), b((size_t)n * k),
          c((size_t)m * n), writes((size_t)m * n) {
        std::mt19937 drawn(seed);
        for (T &value : a) {
            value = small<T>((int)(drawn() % 5) - 2);
        }
        for (T &value : b) {
            value = small<T>((int)(drawn() % 5) - 2);
        }
        memset((void *)c.data(), 0x7f, c.size() * sizeof(C));
    }

    /* A row of C becomes NaN, a column infinite, or NaN where A has a zero; nothing else does, whatever lies beside it
     * in a tile. */
    void plant() {
        plant_in(a[a_by_k ? (size_t)k + 3 : (size_t)3 * m + 1], NAN);
        plant_in(b[b_by_k ? (size_t)2 * k + 5 : (size_t)5 * n + 2], -INFINITY);
    }

    Map a_map(unsigned box_rows) {
        return map_of(a, a_by_k ? k : m, a_by_k ? m : k, box_rows);
    }
    Map b_map(unsigned box_rows) {
        return map_of(b, b_by_k ? k : n, b_by_k ? n : k, box_rows);
    }
    Map c_map(unsigned box_columns, unsigned box_rows) {
        return {(unsigned char *)c.data(),         sizeof(C),    n, m, n, box_columns, box_rows,
                box_columns * (unsigned)sizeof(C), writes.data()};
    }

    /* "" or the first element that is wrong. `once`: TMA has stored each exactly once. */
    std::string wrong(bool once) const {
        return wrong(once, 0, [](int, int, double sum) { return sum; });
    }
    /* C is after(row, column, sum), or differs by this part of it, or of 1. */
    template <class After> std::string wrong(bool once, double tolerance, const After &after) const {
        const std::vector<double> a_lines = lines_of(a, m, a_by_k), b_lines = lines_of(b, n, b_by_k);
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                const double *of_a = &a_lines[(size_t)row * k], *of_b = &b_lines[(size_t)column * k];
                double sum = 0;
                for (int i = 0; i < k; i++) {
                    sum += scale(row, column, i) * of_a[i] * of_b[i];
                }
                const size_t at = (size_t)row * n + column;
                sum = after(row, column, sum);
                if (!(number(c[at]) == number(C((float)sum)) || (std::isnan(number(c[at])) && std::isnan(sum)) ||
                      std::fabs(number(c[at]) - sum) <= tolerance * std::fmax(1, std::fabs(sum)))) {
                    return "wrong: C[" + std::to_string(row) + "][" + std::to_string(column) + "] is " +
                           std::to_string(number(c[at])) + ", not " + std::to_string(number(C((float)sum)));
                }
                if (once && writes[at] != 1) {
                    return "C[" + std::to_string(row) + "][" + std::to_string(column) + "] is stored " +
                           std::to_string(writes[at]) + " times";
                }
            }
        }
        return "";
    }

  private:
    /* Line after line, k contiguous. */
    std::vector<double> lines_of(const std::vector<T> &values, int lines, bool by_k) const {
        std::vector<double> all;
        for (int line = 0; line < lines; line++) {
            for (int i = 0; i < k; i++) {
                all.push_back(number(values[by_k ? (size_t)line * k + i : (size_t)i * lines + line]));
            }
        }
        return all;
    }

    /* In boxes of 128 bytes along the rows. */
    Map map_of(std::vector<T> &values, int columns, int rows, unsigned box_rows) {
        return {(unsigned char *)values.data(), sizeof(T), columns, rows, columns,
                128 / (unsigned)sizeof(T),      box_rows,  128};
    }
};

} // namespace emulator
