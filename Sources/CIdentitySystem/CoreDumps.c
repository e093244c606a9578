#include "CoreDumps.h"

#if defined(__linux__)
#include <sys/prctl.h>
#else
#include <sys/resource.h>
#endif

void core_dumps_forbid(void) {
    // A failure is ignored: the program runs on without the protection.
#if defined(__linux__)
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
#endif
}
