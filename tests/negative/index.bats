#!/usr/bin/env bats
# Indexes made wrong on purpose: brute force must notice.
load helper

@test "brute force notices an index that loses edge points" {
    with_build
    breaks src/index/spatial_slots.h 's/out += dx \* dx + dy \* dy <= radius2;/out += dx * dx + dy * dy < radius2;/' index/spatial
    breaks src/index/spatial_slots.h 's/out += dx3 \* dx3 + dy3 \* dy3 <= radius2;/out += dx3 * dx3 + dy3 * dy3 < radius2;/' index/spatial
    breaks src/index/spatial_slots.h 's/(x <= b->max_x)/(x < b->max_x)/' index/spatial
    breaks src/index/spatial_quadtree.c 's/spatial_box_near2(&n->box, centre) > radius2/spatial_box_near2(\&n->box, centre) >= radius2/' index/spatial
    breaks src/index/spatial_hash.c 's/at_edge(r, g->rows) ? radius2/at_edge(r, g->rows) ? radius2 - dy * dy/' index/spatial
    breaks src/index/spatial_hash.c 's/if (at_edge(r, g->rows)) return none;//' index/spatial
}

@test "brute force notices ties that go to the wrong one, and searches that stop early" {
    with_build
    breaks src/index/spatial_slots.c 's/&& id > worst->id/\&\& id < worst->id/' index/spatial
    breaks src/index/spatial_kd_tree.c 's/w.near2 > best.bound) continue/w.near2 >= best.bound) continue/' index/spatial
    breaks src/index/spatial_kd_tree.c 's/gap = gap > before ? gap : before;/gap = 2 * gap;/' index/spatial
    breaks src/index/spatial_hash.c 's/sure \* sure \* (1 - SAFETY) > bound/2 * sure * sure > bound/' index/spatial
    breaks src/index/spatial_hash.c 's/if (least\[i\] == overall)/if (least[i] == overall \&\& !best->count)/' index/spatial
}

@test "brute force notices points that are lost or found twice after changes" {
    with_build
    breaks src/index/spatial_kd_tree.c 's/        s->at\[slot\] = SPATIAL_NOWHERE;//' index/spatial
    breaks src/index/spatial_kd_tree.c 's/if (t->holes == 0) {/if (t) {/' index/spatial
    breaks src/index/spatial_slots.h 's/    s->at\[last\] = SPATIAL_NOWHERE;//' index/spatial
    breaks src/index/spatial_hash.c 's/if (b->begin != before) own(g, cell);//' index/spatial
    breaks src/index/spatial_quadtree.c 's/if (sparse != UINT32_MAX) merge(q, sparse);/if (sparse != UINT32_MAX) q->nodes[sparse].child = 0;/' index/spatial
}

@test "an experiment that asks the wrong thing, or leaves an index unchecked, is noticed" {
    with_build
    breaks src/experiment/spatial_workload.c 's/struct spatial_point other = {c.x + radius, c.y};/struct spatial_point other = c;/' experiment/experiment_spatial
    breaks src/experiment/experiment_spatial_comprehensive.c 's/bool ok = spatial_workload_check_unmoved(.*/bool ok = true;/' experiment/experiment_spatial
    breaks src/experiment/experiment_spatial_memory_profiler.c 's/    spatial_list_release(&s->work.found); .*//' experiment/experiment_spatial
}
