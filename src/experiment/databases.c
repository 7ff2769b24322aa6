#include "experiment/databases.h"

#include <sys/vfs.h>

void databases_remark(const struct experiment_env *env)
{
    enum { TMPFS = 0x01021994 };
    struct statfs fs;
    if (env->remarks && statfs(env->work_dir, &fs) == 0 && fs.f_type == TMPFS)
        buf_text(env->remarks, "the files are on a tmpfs: nothing is synced to a disk, and "
                               "safety costs as little as none\n");
}

void databases_put_pragmas(struct json *j, const struct sql_effective *e)
{
    json_put_int(j, "synchronous", e->synchronous);
    json_put_text(j, "journal_mode", e->journal_mode);
    json_put_int(j, "cache_size", e->cache_size);
    json_put_int(j, "page_size", e->page_size);
    json_put_int(j, "mmap_size", e->mmap_size);
    json_put_int(j, "automatic_index", e->automatic_index);
    json_put_int(j, "busy_timeout", e->busy_timeout_ms);
    json_put_int(j, "temp_store", e->temp_store);
    json_put_int(j, "foreign_keys", e->foreign_keys);
}
