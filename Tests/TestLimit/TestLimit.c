#include <stdlib.h>

/// Limits how many tests run at once, unless whoever started them has chosen a number.
///
/// Swift Testing starts every test of a program at once. A thousand tests with their servers and processes open more files
/// than a process may, and on Linux Foundation's `Process` crashes at about 1,350. Swift Testing reads the limit from its
/// environment only, before any Swift code of the tests runs.
__attribute__((constructor)) static void limit_tests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
