/* alarmed.h - versions of a cell that were reported as worse.
 *
 * Whoever says that an alarm is real expects it to go on failing until it is mended. So a
 * version with such an alarm is not what later ones are compared with, unless it is named or
 * pinned; and neither is a later one whose alarm on the same metric nobody judged, as it is
 * the same change again. A mute ends both: it says that the change is accepted. */
#ifndef VIEW_ALARMED_H
#define VIEW_ALARMED_H

#include "model/cell.h"
#include "store/store.h"

struct alarmed {
    struct alarm_record *rows;
    size_t count;
    const char *now;
};

MUST_USE bool alarmed_read(struct store *store, struct arena *out, struct alarmed *alarmed,
                           struct error *err);

/* The alarm by which that version of the cell is known to be worse, or NULL. */
const struct alarm_record *alarmed_real(const struct alarmed *alarmed,
                                        const struct execution_record *e, const char *version);

/* One that is neither judged nor muted, or NULL. */
const struct alarm_record *alarmed_open(const struct alarmed *alarmed,
                                        const struct execution_record *e, const char *version);

/* Sets is_points: whether the amount is in points, as of shares and of what the rules count, or
 * relative. By the kind of the metric in the execution that showed it; of one that was forgotten
 * by its name. */
void alarmed_fill_points(struct store *store, struct alarm_record *alarm);

bool alarm_is_muted(const struct alarm_record *a, const char *now);

/* Of all cells together there is one alarm, whichever of them comes first in a question. */
bool alarm_is_over_cells(const struct alarm_record *a);

/* `cell`: cell_identity of e, as alarms have it. */
bool alarm_is_of(const struct alarm_record *a, const struct execution_record *e,
                 const struct cell_identity *cell);
struct cell_identity alarm_cell(const struct execution_record *e);

#endif
