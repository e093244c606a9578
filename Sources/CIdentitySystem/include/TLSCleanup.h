#ifndef TLS_CLEANUP_H
#define TLS_CLEANUP_H

/// Keeps OpenSSL from cleaning up when the process exits. The cleanup frees what connections of other threads still use, and
/// the process would end with SIGSEGV. Call this before the first use of OpenSSL. Without OpenSSL it does nothing.
///
/// - Parameter library: a handle of dlopen(3) for a library that loads OpenSSL; NULL for the libraries of the program.
void tls_skip_cleanup(void *library);

#endif
