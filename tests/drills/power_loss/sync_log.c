/* Loaded into the server by the drill (LD_PRELOAD): notes what has reached the disk, so that the
   drill can take away everything else. After every successful flush a line "<size> <path>" is
   appended to the file that SPINDLE_SYNC_LOG names; the size is that from before the flush. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int note(long call, int file) {
    struct stat before;
    char link[64], path[PATH_MAX], line[PATH_MAX + 32];
    int known = fstat(file, &before);
    int result = (int)syscall(call, file);
    const char *log = getenv("SPINDLE_SYNC_LOG");
    if (result != 0 || known != 0 || log == NULL) {
        return result;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) {
        return result;
    }
    path[length] = '\0';
    int size = snprintf(line, sizeof line, "%lld %s\n", (long long)before.st_size, path);
    int out = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (out >= 0) {
        ssize_t written = write(out, line, (size_t)size);
        (void)written;
        close(out);
    }
    return result;
}

int fsync(int file) { return note(SYS_fsync, file); }
int fdatasync(int file) { return note(SYS_fdatasync, file); }
