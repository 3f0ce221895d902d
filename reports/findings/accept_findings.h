/* SPDX-License-Identifier: Apache-2.0 */
/* accept_findings.h - a table of limits, and cards held to it (finding.h). Everything lives in `arena`. */
#ifndef RFT_REPORTS_ACCEPT_FINDINGS_H
#define RFT_REPORTS_ACCEPT_FINDINGS_H

#include "model/acceptance/accept.h"
#include "reports/findings/finding.h"

/* What a delivered card must read, where each limit is from, and how to test it: for a page of the report. */
rft_finding *rft_finding_limits(const rft_limits *limits, rft_arena *arena);

/* Verdict, cards, every card x limit (as CSV and JUnit, too), and the risks. */
rft_finding *rft_finding_acceptance(const rft_acceptance *acceptance, rft_arena *arena);

#endif
