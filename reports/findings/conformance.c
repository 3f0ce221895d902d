/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/conformance.h"
#include "reports/findings/words.h"

static const char *const state_names[] = {"met", "not met", "not applicable"};

void rft_conform_body(rft_conform *s, const char *name, const char *title) {
    s->body = name;
    rft_cell_row *row = rft_cell_table_row(s->table);
    row->where = RFT_TO_PEOPLE;
    row->strong = row->spans = row->rule = true;
    row->cells[RFT_CONFORM_RULE] = rft_datum_text(title);
}

void rft_conform_rule(const rft_conform *s, const char *id, const char *rule, rft_conform_state is, const char *why) {
    rft_cell_row *row = rft_cell_table_row(s->table);
    row->cells[RFT_CONFORM_BODY] = rft_datum_text(s->body);
    row->cells[RFT_CONFORM_ID] = rft_datum_text(id);
    row->cells[RFT_CONFORM_RULE] = rft_datum_text(rule);
    row->cells[RFT_CONFORM_STATE] = rft_datum_text(state_names[is]);
    row->cells[RFT_CONFORM_WHY] = rft_datum_text(why);
}

void rft_conform_count(rft_conform_tally *t, const rft_sweep *sweep, bool holds) {
    t->asked++;
    t->met += holds;
    t->first = holds || t->first ? t->first : sweep->name;
}

rft_conform_tally rft_conform_tally_of(const rft_conform *s, rft_conform_test asked, rft_conform_test holds) {
    rft_conform_tally t = {0};
    for (size_t i = 0; i < s->best_count;) {
        size_t sweep = s->bests[i]->sweep, of = 0, met = 0;
        for (; i < s->best_count && s->bests[i]->sweep == sweep; i++) {
            if (!asked || asked(s->run, s->bests[i])) {
                of++;
                met += holds(s->run, s->bests[i]);
            }
        }
        if (of > 0) {
            rft_conform_count(&t, &s->run->sweeps[sweep].sweep, met == of);
        }
    }
    return t;
}

rft_conform_state rft_conform_state_of(const rft_conform_tally *t) {
    return t->asked == 0 ? RFT_NOT_APPLICABLE : t->met == t->asked ? RFT_MET : RFT_NOT_MET;
}

const char *rft_conform_words(const rft_conform *s, const rft_conform_tally *t, const char *what) {
    if (t->asked == 0) {
        return "no sweep has anything to ask it of";
    }
    const char *of = rft_words_plural(t->asked, "sweep", "sweeps", s->arena);
    size_t others = t->asked - t->met - (t->first ? 1 : 0);
    return rft_arena_printf(s->arena, "%zu of %s: %s%s%.48s%s", t->met, of, what, t->first ? "; not " : "",
                            t->first ? t->first : "",
                            t->first && others ? rft_arena_printf(s->arena, " and %zu more", others) : "");
}

void rft_conform_tallied(const rft_conform *s, const char *id, const char *rule, rft_conform_tally t,
                         const char *what) {
    rft_conform_rule(s, id, rule, rft_conform_state_of(&t), rft_conform_words(s, &t, what));
}

bool rft_conform_verified(const rft_run *run, const rft_point *best) {
    return best->verification.done && best->verification.worst_frac <= 1.0 &&
           !run->sweeps[best->sweep].sweep.variants[best->variant].unverified_reference;
}
