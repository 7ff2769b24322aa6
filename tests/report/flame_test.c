#include "report/flame.h"

#include "tests/test.h"

static struct buf draw(const char *folded)
{
    struct buf svg;
    buf_init(&svg, 1 << 20);
    flame_write(str_of(folded), "a <b>", &svg);
    return svg;
}

TEST(boxes_are_as_wide_as_their_share)
{
    struct buf svg = draw("p;f;g 30\np;f;h 20\np;k 50\n");
    assert_non_null(strstr(svg.p, "f: 50 samples, 50.00 %"));
    assert_non_null(strstr(svg.p, "g: 30 samples, 30.00 %"));
    assert_non_null(strstr(svg.p, "width=\"294.00\"")); /* 30 % of 980 */
    assert_non_null(strstr(svg.p, "100 samples"));
    buf_release(&svg);
}

TEST(nothing_from_outside_gets_in_as_markup)
{
    struct buf svg = draw("p;<script>alert(1)</script> 5\n\"&;x 2\nno count\n; \n");
    assert_null(strstr(svg.p, "<script"));
    assert_non_null(strstr(svg.p, "&lt;script&gt;"));
    assert_non_null(strstr(svg.p, "a &lt;b&gt;"));
    buf_release(&svg);
}

/* A name may hold any bytes; a picture that is not UTF-8 is not shown at all. */
TEST(the_picture_is_utf8_whatever_the_names_are)
{
    struct buf svg = draw("p;bad\xFF\x01name 5\n");
    assert_true(str_is_utf8(buf_str(&svg)));
    assert_non_null(strstr(svg.p, "bad\xEF\xBF\xBD"));
    buf_release(&svg);
}

TEST(no_samples_give_an_empty_picture)
{
    struct buf svg = draw("");
    assert_non_null(strstr(svg.p, "0 samples"));
    assert_non_null(strstr(svg.p, "</svg>"));
    buf_release(&svg);
}

TEST_MAIN(T(boxes_are_as_wide_as_their_share), T(nothing_from_outside_gets_in_as_markup),
          T(the_picture_is_utf8_whatever_the_names_are), T(no_samples_give_an_empty_picture))
