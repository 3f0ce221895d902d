/* SPDX-License-Identifier: Apache-2.0 */
#include "model/mix/mix_cost.h"

#include <math.h>

static double given_or(double value, double otherwise) {
    return isnan(value) ? otherwise : value;
}

rft_mix_terms rft_mix_terms_of(const rft_mix_book *book, const rft_mix *mix, const rft_mix_price *price) {
    return (rft_mix_terms){.price = price ? price->amount : (double)NAN,
                           .host_price = given_or(book->host_price, 0.0),
                           .years = book->years,
                           .utilisation = given_or(book->utilisation, 1.0),
                           .kwh = given_or(book->kwh, 0.0),
                           .pue = given_or(book->pue, 1.0),
                           .host_watts = given_or(book->host_watts, 0.0),
                           .cards = mix->cards};
}

rft_mix_rates rft_mix_rates_of(const rft_mix_terms *t) {
    double joule = t->kwh / RFT_MIX_KWH_J * t->pue;
    double waits = (1.0 - t->utilisation) / t->utilisation; /* seconds of it for one of work */
    double idle = waits > 0.0 ? t->idle_watts * waits : 0.0;
    return (rft_mix_rates){.device_s =
                               t->cards * (t->price + t->host_price) / (t->years * RFT_MIX_YEAR_S * t->utilisation),
                           .power_s = t->cards * joule * (t->host_watts / t->utilisation + idle),
                           .joule = joule};
}
