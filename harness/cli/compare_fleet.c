/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compare_fleet.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/compose.h"
#include "cli/outputs.h"
#include "model/compare/fleet.h"
#include "reports/findings/compare_findings.h"
#include "reports/print/print.h"
#include "reports/report.h"
#include "store/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LIST_BYTES ((size_t)16 << 20)
#define SERIAL_DIGITS 8                /* at least */
#define AHEAD 32                       /* runs in memory */
#define READERS_MOST 16                /* threads */
#define LEFT_TOLD 8                    /* files that are left out, by name */
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* of a spreadsheet's CSV */
#define SEPARATORS " \t\r,;\"'|"

/* ---- the list of what was bought ---- */

static bool names_card(const char *word) {
    return strncasecmp(word, "GPU-", 4) == 0 || strncasecmp(word, "MIG-", 4) == 0 ||
           (strlen(word) >= SERIAL_DIGITS && strspn(word, "0123456789") == strlen(word));
}

/* The first word of a line that names a card; NULL: none does. `line` is cut up. */
static const char *card_in(char *line) {
    char *rest = NULL;
    for (char *word = strtok_r(line, SEPARATORS, &rest); word; word = strtok_r(NULL, SEPARATORS, &rest)) {
        if (names_card(word)) {
            return word;
        }
    }
    return NULL;
}

static int read_list(rft_words *out, const char *path, rft_arena *arena, rft_err *err) {
    char *text = NULL, *rest = NULL;
    size_t size = 0, lines = 0, at = 0;
    bool headed = false;
    int rc = rft_fs_read(&text, &size, path, LIST_BYTES, err);
    for (size_t i = 0; i < size && rc == RFT_OK; i++) {
        lines += text[i] == '\n';
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
    out->items = rft_arena_calloc(arena, lines + 2, sizeof *out->items);
    char *begin = rc == RFT_OK && rft_text_starts(text, BYTE_ORDER_MARK) ? text + strlen(BYTE_ORDER_MARK) : text;
    for (char *line = rc == RFT_OK ? begin : NULL; line && rc == RFT_OK; line = rest) {
        rest = strchr(line, '\n');
        if (rest) {
            *rest++ = '\0';
        }
        at++;
        const bool says_nothing = line[strspn(line, SEPARATORS)] == '\0' || *line == '#';
        const char *card = says_nothing ? NULL : card_in(line);
        if (card) {
            out->items[out->count++] = rft_arena_strdup(arena, card);
            headed = true;
        } else if (!says_nothing && !headed) { /* above the first card there may be headings */
            headed = true;
        } else if (!says_nothing) {
            rft_err_set(err, RFT_E_USAGE, "line %zu of %s names no card", at, path);
            rc = rft_err_remedy(err, "a card a line: its UUID (GPU-...) or its serial number; # begins a remark");
        }
    }
    if (rc == RFT_OK && out->count == 0) {
        rft_err_set(err, RFT_E_USAGE, "%s names no card", path);
        rc = rft_err_remedy(err, "a card a line: its UUID (GPU-...) or its serial number");
    }
    free(text);
    return rc;
}

/* ---- the runs ---- */

/* Files are read side by side and added in their order; few runs are in memory at once. */
typedef struct reading {
    const rft_words *paths;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next, added; /* to be read; to be added */
    struct {
        bool there;
        rft_run *run; /* NULL: why */
        rft_err why;
    } ahead[AHEAD]; /* by place modulo AHEAD */
} reading;

static void *read_files(void *payload) {
    reading *r = payload;
    pthread_mutex_lock(&r->lock);
    while (r->next < r->paths->count) {
        const size_t at = r->next;
        if (at >= r->added + AHEAD) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        r->next++;
        pthread_mutex_unlock(&r->lock);
        rft_err why = RFT_ERR_INIT;
        rft_run *run = NULL;
        if (rft_store_load_for(&run, r->paths->items[at], RFT_NEED_FIGURES, &why) != RFT_OK) {
            run = NULL;
        }
        pthread_mutex_lock(&r->lock);
        r->ahead[at % AHEAD].run = run;
        r->ahead[at % AHEAD].why = why;
        r->ahead[at % AHEAD].there = true;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void add_next(reading *r, rft_fleet *fleet) {
    const size_t at = r->added;
    pthread_mutex_lock(&r->lock);
    while (!r->ahead[at % AHEAD].there) {
        pthread_cond_wait(&r->changed, &r->lock);
    }
    rft_run *run = r->ahead[at % AHEAD].run;
    const rft_err why = r->ahead[at % AHEAD].why;
    r->ahead[at % AHEAD].there = false;
    r->added++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    if (run) {
        rft_fleet_add(fleet, run, r->paths->items[at]);
    } else {
        rft_fleet_leave_out(fleet, r->paths->items[at], why.message);
    }
    rft_run_free(run);
}

static int add_files(rft_fleet *fleet, const rft_words *paths, rft_err *err) {
    reading *r = rft_calloc(1, sizeof *r);
    pthread_t threads[READERS_MOST];
    size_t started = 0, wanted = rft_compose_compile_workers();
    rft_store_keep_no_accounts();
    *r = (reading){.paths = paths, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    while (started < wanted && started < READERS_MOST && pthread_create(&threads[started], NULL, read_files, r) == 0) {
        started++;
    }
    for (size_t i = 0; i < paths->count && started > 0; i++) {
        add_next(r, fleet);
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    free(r);
    if (started > 0) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_IO, "no thread can be started to read the files");
    return rft_err_remedy(err, "check the limits on processes and memory (ulimit -u, ulimit -v)");
}

/* Nothing is left out by the way: its cards are not among those that were looked at. */
static void tell_left(const rft_cli *cli, const rft_fleet *fleet) {
    for (size_t i = 0; i < fleet->left_count && i < LEFT_TOLD; i++) {
        rft_log_warn(&cli->log, "%s is left out: %s", fleet->left[i].path, fleet->left[i].why);
    }
    if (fleet->left_count > LEFT_TOLD) {
        rft_log_warn(&cli->log, "%zu more files are left out: --json names all", fleet->left_count - LEFT_TOLD);
    }
}

/* One run compares with nothing, but with a list. */
static int check_left(const rft_fleet *fleet, bool listed, rft_err *err) {
    if (listed || fleet->run_count > 1) {
        return RFT_OK;
    }
    rft_err_set(err, RFT_E_NOT_FOUND, "of %zu files one is left, and nothing to compare it with",
                fleet->run_count + fleet->left_count);
    return rft_err_remedy(err, "name finished runs of one sweep on cards of one model");
}

static int write_out(rft_cli *cli, const rft_fleet *fleet, const rft_compare_fleet_opts *to, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_str text = RFT_STR_INIT;
    int rc = to->drawn ? rft_fleet_write(fleet, rft_report_form_of(to->drawn), to->drawn, err) : RFT_OK;
    if (rc == RFT_OK && to->json) {
        rft_print_json_line(&text, rft_print_json(rft_finding_fleet(fleet, arena)));
        rc = rft_cli_write(cli, to->json, rft_str_get(&text), text.length, err);
    }
    if (rc == RFT_OK && to->csv) {
        rft_str_truncate(&text, 0);
        rft_print_csv(&text, rft_finding_fleet_values(fleet, arena));
        rc = rft_cli_write(cli, to->csv, rft_str_get(&text), text.length, err);
    }
    if (rc == RFT_OK && !rft_output_is_stdout(to->json) && !rft_output_is_stdout(to->csv)) {
        rft_str_truncate(&text, 0);
        rft_print_text(&text, rft_finding_fleet(fleet, arena), &(rft_print_opts){.label = ""});
        rc = rft_cli_write(cli, "-", rft_str_get(&text), text.length, err);
    }
    rft_str_clear(&text);
    rft_arena_free(arena);
    return rc;
}

int rft_compare_fleet(rft_cli *cli, const rft_words *paths, const rft_compare_fleet_opts *to, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_words list = {0};
    rft_fleet *fleet = rft_fleet_new();
    int rc = to->expected ? read_list(&list, to->expected, arena, err) : RFT_OK;
    rc = rc ? rc : add_files(fleet, paths, err);
    rc = rc ? rc : rft_fleet_judge(fleet, err);
    tell_left(cli, fleet);
    rc = rc ? rc : check_left(fleet, to->expected != NULL, err);
    if (rc == RFT_OK && to->expected) {
        rft_fleet_expect(fleet, list.items, list.count);
    }
    rc = rc ? rc : write_out(cli, fleet, to, err);
    rft_fleet_free(fleet);
    rft_arena_free(arena);
    return rc;
}
