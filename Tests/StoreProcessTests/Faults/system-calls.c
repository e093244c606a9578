// A library to be loaded before a program (LD_PRELOAD), for tests that make system calls fail. It counts the calls that
// concern files below one folder, writes each into a log before it is made, and fails, shortens or never returns from
// those it was told to.
//
// Environment:
//   SYSTEM_CALLS_FOLDER  the folder's absolute path
//   SYSTEM_CALLS_LOG     a file that gets a line per call: its number, its name, and the path
//   SYSTEM_CALLS_FROM    the number of the first call to disturb, counted from 1; without it none is
//   SYSTEM_CALLS_COUNT   how many in a row are disturbed; 0 for all from there on; 1 without it
//   SYSTEM_CALLS_NAMES   the only calls that are disturbed, each between two spaces; without it all of them
//   SYSTEM_CALLS_ACTION  "kill", "short", or the error number that the call fails with
//
// Only calls that go through the program's dynamic symbols are seen: those of our code and of Foundation are, those that
// the C library makes for itself are not. So a folder is read by opendir and readdir here, and not by getdents.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The function that this one stands before.
#define NEXT(name) ({ \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    next; })

static const char *folder, *names;
static size_t folder_length;
static int log_file = -1;
static long first, count = 1;
static int kills, shortens, error_number;
static atomic_long calls;

// What is open below the folder: the paths, by descriptor, with a mark once a folder was read.
enum { HIGHEST = 4096 };
static _Atomic(char *) paths[HIGHEST];
static atomic_char was_read[HIGHEST];

__attribute__((constructor)) static void prepare(void) {
    const char *log = getenv("SYSTEM_CALLS_LOG"), *from = getenv("SYSTEM_CALLS_FROM");
    const char *number = getenv("SYSTEM_CALLS_COUNT"), *action = getenv("SYSTEM_CALLS_ACTION");
    folder = getenv("SYSTEM_CALLS_FOLDER");
    names = getenv("SYSTEM_CALLS_NAMES");
    if (!folder || !log) { folder = NULL; return; }
    folder_length = strlen(folder);
    // Out of the way of the numbers that the program's own files get.
    int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_file = syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, opened);
    if (from) first = atol(from);
    if (number) count = atol(number);
    if (!action) return;
    kills = !strcmp(action, "kill");
    shortens = !strcmp(action, "short");
    error_number = atoi(action);
}

static int concerns(const char *path) {
    return folder && path && !strncmp(path, folder, folder_length)
        && (path[folder_length] == '/' || path[folder_length] == '\0');
}

static const char *path_of(int descriptor) {
    return descriptor >= 0 && descriptor < HIGHEST ? paths[descriptor] : NULL;
}

static void remember(int descriptor, const char *path) {
    if (descriptor < 0 || descriptor >= HIGHEST || !concerns(path)) return;
    was_read[descriptor] = 0;
    // Never freed: another thread may be writing it into the log.
    paths[descriptor] = strdup(path);
}

enum verdict { PROCEED, SHORTEN, FAIL };

// Counts a call that is about to be made. FAIL comes with errno set.
static enum verdict counted(const char *name, const char *path) {
    if (!path) return PROCEED;
    char line[PATH_MAX + 64];
    long number = atomic_fetch_add(&calls, 1) + 1;
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
    syscall(SYS_write, log_file, line, (size_t)length);
    if (!first || number < first || (count && number >= first + count)) return PROCEED;
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    if (names && !strstr(names, word)) return PROCEED;
    if (kills) for (;;) kill(getpid(), SIGKILL);
    if (shortens) return SHORTEN;
    errno = error_number;
    return FAIL;
}

static enum verdict of_path(const char *name, const char *path) { return counted(name, concerns(path) ? path : NULL); }
static enum verdict of_file(const char *name, int descriptor) { return counted(name, path_of(descriptor)); }
static size_t half(size_t size) { return size > 1 ? size / 2 : size; }

// Opening. A file that may be created is a call of its own: it needs space.

static int opening(int folder_file, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    if (path[0] != '/' && path_of(folder_file)) {
        snprintf(whole, sizeof whole, "%s/%s", path_of(folder_file), path);
    } else {
        snprintf(whole, sizeof whole, "%s", path);
    }
    if (of_path(flags & O_CREAT ? "create" : "open", whole) == FAIL) return -1;
    int descriptor = NEXT(openat)(folder_file, path, flags, mode);
    remember(descriptor, whole);
    return descriptor;
}

#define MODE(last) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, last); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return opening(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opening(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int descriptor) {
    enum verdict verdict = of_file("close", descriptor);
    int saved = errno;
    if (descriptor >= 0 && descriptor < HIGHEST) paths[descriptor] = NULL;
    int result = NEXT(close)(descriptor);
    // The descriptor is gone all the same, as with a close that Linux lets fail.
    if (verdict != FAIL) return result;
    errno = saved;
    return -1;
}

DIR *opendir(const char *path) {
    if (of_path("opendir", path) == FAIL) return NULL;
    DIR *opened = NEXT(opendir)(path);
    if (opened) remember(dirfd(opened), path);
    return opened;
}

struct dirent *readdir(DIR *opened) {
    int descriptor = dirfd(opened);
    // The C library asks the kernel for many entries at once; only that can fail.
    if (path_of(descriptor) && !atomic_exchange(&was_read[descriptor], 1)
        && of_file("readdir", descriptor) == FAIL) return NULL;
    return NEXT(readdir)(opened);
}

int closedir(DIR *opened) {
    int descriptor = dirfd(opened);
    if (descriptor >= 0 && descriptor < HIGHEST) paths[descriptor] = NULL;
    return NEXT(closedir)(opened);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (of_file("mmap", descriptor) == FAIL) return MAP_FAILED;
    return NEXT(mmap)(address, size, protection, flags, descriptor, offset);
}

// Bytes.

ssize_t read(int descriptor, void *bytes, size_t size) {
    enum verdict verdict = of_file("read", descriptor);
    return verdict == FAIL ? -1 : NEXT(read)(descriptor, bytes, verdict == SHORTEN ? half(size) : size);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
    enum verdict verdict = of_file("read", descriptor);
    return verdict == FAIL ? -1 : NEXT(pread)(descriptor, bytes, verdict == SHORTEN ? half(size) : size, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    enum verdict verdict = of_file("write", descriptor);
    return verdict == FAIL ? -1 : NEXT(write)(descriptor, bytes, verdict == SHORTEN ? half(size) : size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    enum verdict verdict = of_file("write", descriptor);
    return verdict == FAIL ? -1 : NEXT(pwrite)(descriptor, bytes, verdict == SHORTEN ? half(size) : size, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int number) {
    enum verdict verdict = of_file("write", descriptor);
    if (verdict == FAIL) return -1;
    if (verdict == SHORTEN && number > 0) return NEXT(write)(descriptor, parts[0].iov_base, half(parts[0].iov_len));
    return NEXT(writev)(descriptor, parts, number);
}

// Space, locks, and what else is done with an open file.

#define WITH_FILE(name, parameters, arguments) \
    int name parameters { return of_file(#name, descriptor) == FAIL ? -1 : NEXT(name) arguments; }

WITH_FILE(fsync, (int descriptor), (descriptor))
WITH_FILE(fdatasync, (int descriptor), (descriptor))
WITH_FILE(flock, (int descriptor, int operation), (descriptor, operation))
WITH_FILE(fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WITH_FILE(ftruncate, (int descriptor, off_t size), (descriptor, size))
WITH_FILE(fstat, (int descriptor, struct stat *status), (descriptor, status))
WITH_FILE(fstatfs, (int descriptor, struct statfs *status), (descriptor, status))

// Returns the error number, and leaves errno alone.
int posix_fallocate(int descriptor, off_t offset, off_t size) {
    int saved = errno;
    if (of_file("posix_fallocate", descriptor) != FAIL) return NEXT(posix_fallocate)(descriptor, offset, size);
    errno = saved;
    return error_number;
}

int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (of_file("fcntl", descriptor) == FAIL) return -1;
    int result = NEXT(fcntl)(descriptor, command, argument);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) remember(result, path_of(descriptor));
    return result;
}

// Names.

#define WITH_PATH(name, parameters, arguments) \
    int name parameters { return of_path(#name, path) == FAIL ? -1 : NEXT(name) arguments; }

WITH_PATH(stat, (const char *path, struct stat *status), (path, status))
WITH_PATH(lstat, (const char *path, struct stat *status), (path, status))
WITH_PATH(fstatat, (int at, const char *path, struct stat *status, int flags), (at, path, status, flags))
WITH_PATH(statfs, (const char *path, struct statfs *status), (path, status))
WITH_PATH(access, (const char *path, int mode), (path, mode))
WITH_PATH(faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
WITH_PATH(chmod, (const char *path, mode_t mode), (path, mode))
WITH_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
WITH_PATH(unlink, (const char *path), (path))
WITH_PATH(unlinkat, (int at, const char *path, int flags), (at, path, flags))
WITH_PATH(rename, (const char *old, const char *path), (old, path))
WITH_PATH(renameat, (int at, const char *old, int to, const char *path), (at, old, to, path))
WITH_PATH(link, (const char *old, const char *path), (old, path))

// The same under the names of programs that are built for large files.

#ifdef __GLIBC__
int open64(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return opening(at, path, flags, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }
struct dirent64 *readdir64(DIR *opened) { return (struct dirent64 *)readdir(opened); }
void *mmap64(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return mmap(address, size, protection, flags, descriptor, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t size, off_t offset) {
    return pread(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t offset) {
    return pwrite(descriptor, bytes, size, offset);
}
int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl(descriptor, command, argument);
}
int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }
int posix_fallocate64(int descriptor, off_t offset, off_t size) { return posix_fallocate(descriptor, offset, size); }
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }
int fstat64(int descriptor, struct stat64 *status) { return fstat(descriptor, (struct stat *)status); }
int statfs64(const char *path, struct statfs64 *status) { return statfs(path, (struct statfs *)status); }
#endif
