#ifndef TLS_CLEANUP_H
#define TLS_CLEANUP_H

/// Keeps OpenSSL as it is when the process exits. Its cleanup frees what the connections of other threads still use, and the
/// process would end with SIGSEGV. To be called before the first use of OpenSSL; without OpenSSL it does nothing.
///
/// - Parameter library: a handle of dlopen(3) for a library that loads OpenSSL; NULL for the libraries of the program.
void tls_skip_cleanup(void *library);

#endif
