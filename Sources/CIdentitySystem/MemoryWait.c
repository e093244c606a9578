#include "MemoryWait.h"

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct wait {
    const uint32_t *word;
    uint32_t value;
    struct timespec duration;
    void (*woken)(void *);
    void *context;
};

static void *run(void *argument) {
    struct wait *wait = argument;
    // Without FUTEX_PRIVATE_FLAG, so that other processes can wake it. Whatever ends it, the caller looks again.
    (void)syscall(SYS_futex, wait->word, FUTEX_WAIT, wait->value, &wait->duration, (void *)0, 0);
    wait->woken(wait->context);
    free(wait);
    return 0;
}

bool memory_can_wait(void) { return true; }

bool memory_await(
    const uint32_t *word, uint32_t value, uint64_t nanoseconds, void (*woken)(void *context), void *context) {
    struct wait *wait = malloc(sizeof *wait);
    if (!wait) return false;
    struct timespec duration = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    *wait = (struct wait){word, value, duration, woken, context};
    pthread_attr_t attributes;
    pthread_t thread;
    bool runs = pthread_attr_init(&attributes) == 0;
    if (runs) {
        runs = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0
            && pthread_create(&thread, &attributes, run, wait) == 0;
        (void)pthread_attr_destroy(&attributes);
    }
    if (!runs) free(wait);
    return runs;
}

void memory_wake(const uint32_t *word) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, (void *)0, (void *)0, 0);
}
#else
bool memory_can_wait(void) { return false; }

bool memory_await(
    const uint32_t *word, uint32_t value, uint64_t nanoseconds, void (*woken)(void *context), void *context) {
    return false;
}

void memory_wake(const uint32_t *word) {}
#endif
