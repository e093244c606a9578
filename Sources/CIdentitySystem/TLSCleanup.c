#define _GNU_SOURCE
#include "TLSCleanup.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

void tls_skip_cleanup(void *library) {
    int (*initialize)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(library ? library : RTLD_DEFAULT, "OPENSSL_init_crypto");
    // OPENSSL_INIT_NO_ATEXIT
    if (initialize) (void)initialize(0x00080000, NULL);
}
