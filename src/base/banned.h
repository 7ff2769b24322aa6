/* banned.h - functions that this project does without; forced into every file
 * by the compiler's -include. Each has a safe form in base/: str.h and buf.h
 * for texts, rng.h for random numbers, clock.h for dates. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef strtok
#undef sprintf
#undef vsprintf
#undef sscanf
#define strcpy(...)    banned_use_str_copy
#define strcat(...)    banned_use_buf_add
#define strncpy(...)   banned_use_str_copy
#define strncat(...)   banned_use_buf_add
#define strtok(...)    banned_use_str_cut
#define sprintf(...)   banned_use_buf_printf
#define vsprintf(...)  banned_use_buf_printf
#define sscanf(...)    banned_use_str_to_int
#define atoi(...)      banned_use_str_to_int
#define atol(...)      banned_use_str_to_int
#define atof(...)      banned_use_str_to_real
#define rand(...)      banned_use_rng
#define srand(...)     banned_use_rng
#define asctime(...)   banned_use_clock_stamp
#define localtime(...) banned_use_clock_stamp
#define gmtime(...)    banned_use_clock_stamp

#endif
