/* answer_alarms.h - regressions that were reported, and what people said of them. */
#ifndef REPORT_ANSWER_ALARMS_H
#define REPORT_ANSWER_ALARMS_H

#include "base/layout.h"
#include "history/alarm.h"

/* Of a struct alarm_record: a part of every answer that has one. */
extern const struct layout answer_alarm_layout;

/* "alarm 12: judged false by ann on 2026-11-17 (a busy machine); muted until 2026-12-01 by bob
 * (known)"; "alarm 12" where nobody said anything. */
const char *answer_alarm_words(const struct alarm_record *a, struct arena *out);

#endif
