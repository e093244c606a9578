#ifndef MEMORY_WAIT_H
#define MEMORY_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this system has the calls below (Linux). Elsewhere they return at once.
bool memory_can_wait(void);

/// Blocks the calling thread until another thread or process wakes it, unless the memory at `word` is not `value` any
/// more, for `nanoseconds` at most. It may return earlier: look at the memory again.
///
/// The memory may be shared with other processes, and it need not be writable.
///
/// In C, because the call (futex(2)) takes a variable number of arguments.
void memory_wait(const uint32_t *word, uint32_t value, uint64_t nanoseconds);

/// Wakes all who wait for the memory at `word`, in this and in other processes.
void memory_wake(const uint32_t *word);

#endif
