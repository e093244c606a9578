#include "MemoryWait.h"

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool memory_can_wait(void) { return true; }

void memory_wait(const uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct timespec duration = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    // Without FUTEX_PRIVATE_FLAG, so that other processes can wake it. Whatever ends it, the caller looks again.
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value, &duration, (void *)0, 0);
}

void memory_wake(const uint32_t *word) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, (void *)0, (void *)0, 0);
}
#else
bool memory_can_wait(void) { return false; }

void memory_wait(const uint32_t *word, uint32_t value, uint64_t nanoseconds) {}

void memory_wake(const uint32_t *word) {}
#endif
