// The entrance to LLVM's fuzzer for a program with a `main` of its own. The compiler links the library itself, with
// `-sanitize=fuzzer,address`; it brings no header for this.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*consume)(const uint8_t *data, size_t size));

// How much is allocated now, as AddressSanitizer counts it; not there without it.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

// Whether this program was built with AddressSanitizer.
static inline int counts_allocated_bytes(void) {
    return __sanitizer_get_current_allocated_bytes != 0;
}
