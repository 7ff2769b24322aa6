#include "base/fault.h"

#include "base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int reached;

static int errno_named(struct str name)
{
    static const struct {
        const char *name;
        int value;
    } table[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}};
    for (size_t i = 0; i < COUNT(table); i++) {
        if (str_is(name, table[i].name)) return table[i].value;
    }
    return 0;
}

int fault_at(const char *point)
{
    const char *setting = getenv("ASSAY_FAULT");
    if (!setting) return 0;
    struct str rest = str_of(setting);
    if (!str_is(str_cut(&rest, ':'), point)) return 0;
    int64_t wanted = 1;
    struct str number = str_cut(&rest, ':');
    if (!str_to_int(number, &wanted)) return 0;
    if (atomic_fetch_add(&reached, 1) + 1 != wanted) return 0;
    if (str_is(rest, "kill")) kill(getpid(), SIGKILL);
    return errno_named(rest);
}
