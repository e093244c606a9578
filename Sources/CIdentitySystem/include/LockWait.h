#ifndef LOCK_WAIT_H
#define LOCK_WAIT_H

#include <stdbool.h>

/// Takes the exclusive lock of an open file (flock(2)) when no process has a lock on it. It lasts until every copy of the
/// descriptor is closed, also in a program that this process executes.
bool lock_take(int descriptor);

/// Waits until no process has the exclusive lock of an open file, for `seconds` at most. It uses the alarm of the process.
/// Returns false after that time, and where the file cannot be locked.
///
/// In C, because Swift has no common form of these calls.
bool lock_wait(int descriptor, unsigned seconds);

#endif
