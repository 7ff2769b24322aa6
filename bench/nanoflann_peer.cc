// nanoflann (Debian libnanoflann-dev) behind C functions, for bench/index.c: the kd-tree that
// C++ programs use, with its defaults (leaves of 10), numbers of 32 bits and unsorted results.
#include "bench/nanoflann_peer.h"

#include <nanoflann.hpp>

namespace {

struct Cloud {
    const double *places = nullptr;
    size_t count = 0;
    size_t kdtree_get_point_count() const { return count; }
    double kdtree_get_pt(size_t i, size_t axis) const { return places[2 * i + axis]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<
    nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 2, uint32_t>;

} // namespace

struct nanoflann_peer {
    Cloud cloud;
    Tree *tree = nullptr;
    std::vector<std::pair<uint32_t, double>> found;
};

nanoflann_peer *nanoflann_peer_new() { return new nanoflann_peer; }

void nanoflann_peer_build(nanoflann_peer *p, const double *places, size_t count)
{
    delete p->tree;
    p->cloud.places = places;
    p->cloud.count = count;
    p->tree = new Tree(2, p->cloud); // its constructor builds
}

size_t nanoflann_peer_radius(nanoflann_peer *p, const double *centre, double radius,
                             uint64_t *sum)
{
    size_t count = p->tree->radiusSearch(centre, radius * radius, p->found,
                                         nanoflann::SearchParams(32, 0.0F, false));
    if (sum)
        for (const auto &pair : p->found) *sum += pair.first;
    return count;
}

uint32_t nanoflann_peer_nearest(const nanoflann_peer *p, const double *centre)
{
    uint32_t id = 0;
    double distance2 = 0;
    p->tree->knnSearch(centre, 1, &id, &distance2);
    return id;
}

void nanoflann_peer_free(nanoflann_peer *p)
{
    delete p->tree;
    delete p;
}
