#ifndef CIDENTITY_CURL_H
#define CIDENTITY_CURL_H

#include <stddef.h>
#include <stdint.h>

// libcurl, found at run time: it is in every program that could use it, because Foundation's client is made of it. Swift
// cannot make its variadic calls. Numbers of options and results are libcurl's own, which never change.

/// Finds libcurl once and prepares it. Any thread may call this.
/// - Returns: NULL, or the name of what is missing. Nothing else here may be called then.
const char *identity_curl_find(void);

/// Such as "libcurl/7.88.1 OpenSSL/3.0.19".
const char *identity_curl_version_text(void);

// MARK: One request

void *identity_curl_request_new(void);
void identity_curl_request_free(void *request);
int identity_curl_request_set_number(void *request, int option, long value);
int identity_curl_request_set_text(void *request, int option, const char *text);
/// A list, which must live as long as the request.
int identity_curl_request_set_list(void *request, int option, void *list);
/// The body, which is copied. Without bytes it may be NULL.
int identity_curl_request_set_body(void *request, const void *bytes, size_t count);
/// The authorities to trust in servers and proxies, in PEM form, which are copied.
int identity_curl_request_set_authorities(void *request, const void *bytes, size_t count);
/// Where to write what went wrong in words, at least 256 bytes.
int identity_curl_request_set_words(void *request, char *buffer);

struct identity_curl_callbacks {
    /// A line of a header section or of trailers. Anything but its length ends the transfer.
    size_t (*line)(char *bytes, size_t one, size_t count, void *context);
    /// A part of the body. Anything but its length ends the transfer, and `IDENTITY_CURL_PAUSE` keeps the part for later.
    size_t (*part)(char *bytes, size_t one, size_t count, void *context);
    /// There is a connection, and the request goes out on it now. Anything but 0 prevents it.
    int (*sends)(void *context, char *remote, char *local, int remote_port, int local_port);
};
void identity_curl_request_set_callbacks(void *request, struct identity_curl_callbacks callbacks, void *context);

/// Belongs to all requests of a group, and lives longer than that, because connections do.
struct identity_curl_sockets {
    /// Begins to connect.
    void (*opened)(void *context, int descriptor);
    /// Is about to be closed.
    void (*closes)(void *context, int descriptor);
    void *context;
};
void identity_curl_request_set_sockets(void *request, const struct identity_curl_sockets *sockets);

/// Looks at each address before a connection of a request is made to it, and lives as long as the request.
struct identity_curl_check {
    const struct identity_curl_sockets *sockets;
    /// Whether to leave the address out, a `sockaddr`.
    int (*refuses)(void *context, const void *address, size_t size);
    void *context;
};
/// Called after `identity_curl_request_set_sockets`.
void identity_curl_request_set_check(void *request, const struct identity_curl_check *check);
extern const size_t IDENTITY_CURL_PAUSE;

/// A fact about a request that has ended; 0 when it is unknown.
long identity_curl_request_number(void *request, int fact);
void identity_curl_request_go_on(void *request);
const char *identity_curl_words(int result);

void *identity_curl_list_append(void *list, const char *line);
void identity_curl_list_free(void *list);

// MARK: All requests of a thread

void *identity_curl_group_new(long maximum_connections);
void identity_curl_group_free(void *group);
int identity_curl_group_add(void *group, void *request);
void identity_curl_group_remove(void *group, void *request);
void identity_curl_group_perform(void *group);
/// Waits until a socket is ready, `identity_curl_group_wake` was called, or the time is over.
void identity_curl_group_wait(void *group, int milliseconds);
/// Any thread may call this while the group exists.
void identity_curl_group_wake(void *group);
/// The next request that has ended, and its result; NULL when there is none.
void *identity_curl_group_ended(void *group, int *result);

// MARK: Sockets

/// Ends the attempt to connect of a socket that is not connected yet, so that the next address is tried.
void identity_curl_socket_give_up(int descriptor);

#endif
