/* One JSON object a line, numbers under names of their own: every number is a
 * metric but for those that --column leaves out. */
#include "interop/generic.h"

#include <math.h>

enum { FIELDS_MAX = 512 };

static const struct value_limits limits = {16 << 20, 64, 100000};

static bool detect(struct str bytes)
{
    struct arena scratch = arena_open();
    struct str rest = str_trim(bytes);
    struct str line = str_trim(str_cut(&rest, '\n'));
    const struct value *v = NULL;
    bool is_object = line.n < 1 << 20 && value_read_json(line, &limits, &scratch, &v, NULL) &&
                     v->kind == VALUE_MAP;
    arena_close(&scratch);
    return is_object;
}

static bool take_line(struct imported *in, const struct import_options *options,
                      struct str line, struct error *err)
{
    struct arena scratch = arena_open();
    const struct value *v = NULL;
    bool done = import_json(line, &scratch, &v, err);
    if (done && v->kind != VALUE_MAP) done = error_set(err, ERROR_INVALID, "not an object");
    if (done) {
        struct generic_field *fields = arena_new(&scratch, struct generic_field, FIELDS_MAX);
        size_t count = 0;
        for (size_t i = 0; i < v->map.count && count < FIELDS_MAX; i++) {
            const struct value_pair *p = &v->map.pairs[i];
            bool is_number = value_is_number(p->value);
            fields[count].name = p->key;
            fields[count].number = is_number ? value_number(p->value) : (double)NAN;
            fields[count].text = p->value->source;
            if (is_number && fields[count].text.n == 0) {
                fields[count].text = str_of(import_json_text(p->value, &scratch));
            }
            count++;
        }
        done = generic_row(in, options, fields, count, err);
    }
    arena_close(&scratch);
    return done;
}

static bool read(struct str bytes, const struct import_options *options, struct imported *in,
                 struct error *err)
{
    for (size_t number = 1; bytes.p; number++) {
        struct str line = str_trim(str_cut(&bytes, '\n'));
        if (line.n == 0) continue;
        if (!take_line(in, options, line, err)) return error_wrap(err, "line %zu", number);
    }
    return generic_end(in, options, err);
}

const struct importer importer_jsonl = {
    .name = "jsonl",
    .summary = "one JSON object per line; --by, --column, --time, --unit name its parts",
    .detect = detect,
    .read = read,
};
