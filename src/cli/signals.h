/* signals.h - Ctrl-C and SIGTERM end a server in good order. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* From now on they do not end the program; the descriptor can be read when one has come. */
int signals_watch(void);

/* Forgets those that have come: the program ended as asked, not by the signal. */
void signals_close(int fd);

#endif
