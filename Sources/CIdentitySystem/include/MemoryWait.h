#ifndef MEMORY_WAIT_H
#define MEMORY_WAIT_H

#include <stdbool.h>
#include <stdint.h>

// In C, because the call (futex(2)) takes a variable number of arguments, and because Swift has no atomic access to memory that
// another process changes, and none at all on the oldest systems that this package supports.

/// The word at `word`, loaded atomically, before whatever the caller reads next.
static inline uint64_t memory_load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/// Stores `value` at `word` atomically, after whatever the caller has written before.
static inline void memory_store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/// Whether this system has the calls below (Linux).
bool memory_can_wait(void);

/// Calls `woken` once, on a thread of its own: when another thread or process wakes those who wait for the memory at `word`,
/// at once when it is not `value` any more, and after `nanoseconds` at the latest. It may come earlier: look at the memory
/// again.
///
/// The memory may be shared with other processes, and it need not be writable. It must be there until `woken` is called.
/// Returns false, and does not call `woken`, where the system has no such call or starts no thread.
bool memory_await(
    const uint32_t *word, uint32_t value, uint64_t nanoseconds, void (*woken)(void *context), void *context);

/// Wakes all who wait for the memory at `word`, in this and in other processes.
void memory_wake(const uint32_t *word);

#endif
