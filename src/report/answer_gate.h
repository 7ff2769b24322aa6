/* gate.h - what a gate says: to people, programs, pull requests and CI. */
#ifndef REPORT_ANSWER_GATE_H
#define REPORT_ANSWER_GATE_H

#include "base/buf.h"
#include "history/gate.h"

void gate_text(const struct gate *gate, struct buf *out);
void gate_json(const struct gate *gate, struct buf *out); /* assay.gate/1 */
void gate_markdown(const struct gate *gate, struct buf *out);
void gate_junit(const struct gate *gate, struct buf *out);
/* GitHub's workflow commands: ::error, ::warning, ::notice. */
void gate_annotations(const struct gate *gate, struct buf *out);

#endif
