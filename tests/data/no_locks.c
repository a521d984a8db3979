/* A network's disk without a lock manager: every lock is refused. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int without(const char *name, int handle, int command, void *argument) {
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) { errno = ENOLCK; return -1; }
    return ((int (*)(int, int, ...)) dlsym(RTLD_NEXT, name))(handle, command, argument);
}
int fcntl(int handle, int command, ...) {
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
    return without("fcntl", handle, command, argument);
}
int fcntl64(int handle, int command, ...) {
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
    return without("fcntl64", handle, command, argument);
}
int flock(int handle, int operation) { errno = ENOLCK; return -1; }
