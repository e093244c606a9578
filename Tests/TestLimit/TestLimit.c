#include <stdlib.h>
#include <string.h>

extern char **environ;

/// Limits how many tests run at once, unless whoever started them has chosen a number.
///
/// Swift Testing starts every test of a program at once. A thousand tests with their servers and processes open more files
/// than a process may, and on Linux Foundation's `Process` crashes at about 1,350. Swift Testing reads the limit from its
/// environment only, before any Swift code of the tests runs.
__attribute__((constructor)) static void limit_tests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}

/// Keeps Swift Testing from collecting where each error is thrown, which takes a tenth of the tests' time, unless whoever
/// started them has said otherwise.
__attribute__((constructor)) static void collect_no_backtraces(void) {
    setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 0);
}

/// Whether a variable says how somebody works at this machine, and the libraries or what tests start read it.
static int is_personal(const char *name, size_t length) {
    static const char *const names[] = {
        "BROWSER", "COLUMNS", "LINES", "LANG", "LANGUAGE", "TZ", "DISPLAY", "WAYLAND_DISPLAY",
        "DBUS_SESSION_BUS_ADDRESS", "IDENTITY_CONFIG", "SWIFT_IDENTITY_PROFILE", "SWIFT_IDENTITY_PROVIDER",
        "SWIFT_IDENTITY_ACCOUNT", "SWIFT_IDENTITY_TOKEN", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
        "ALL_PROXY", "NO_PROXY",
    };
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (strlen(names[index]) == length && strncmp(name, names[index], length) == 0) return 1;
    static const char *const beginnings[] = {"LC_", "PG", "XDG_", "SWIFT_IDENTITY__"};
    for (size_t index = 0; index < sizeof beginnings / sizeof *beginnings; index++)
        if (strncmp(name, beginnings[index], strlen(beginnings[index])) == 0) return 1;
    return 0;
}

/// Removes what a person has set for their own programs: a test depends on nothing but itself, and so do the programs that
/// it starts. They inherit what is left.
__attribute__((constructor)) static void forget_person(void) {
    for (char **entry = environ; *entry;) {
        size_t length = strcspn(*entry, "=");
        char *name = is_personal(*entry, length) ? strndup(*entry, length) : NULL;
        // When one goes, those behind it move up.
        int is_gone = name && unsetenv(name) == 0;
        free(name);
        if (!is_gone) entry++;
    }
}
