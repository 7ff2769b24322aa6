/* The starter's program, as it was built (src/starter), inside of ours: one binary is
 * enough. STARTER_FILE is the Makefile's. */
#include "sandbox/starter.h"

#ifndef STARTER_FILE
#define STARTER_FILE "/dev/null" /* for whoever only reads this file */
#endif

__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".balign 16\n"
        ".globl starter_image\n"
        "starter_image: .incbin \"" STARTER_FILE "\"\n"
        ".globl starter_image_end\n"
        "starter_image_end: .byte 0\n"
        ".popsection\n");
