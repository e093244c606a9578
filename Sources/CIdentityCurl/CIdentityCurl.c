#if defined(__linux__)
#define _GNU_SOURCE
#include "CIdentityCurl.h"
#include "TLSCleanup.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

const size_t IDENTITY_CURL_PAUSE = 0x10000001;

struct message {
    int kind;
    void *request;
    union {
        void *pointer;
        int result;
    } data;
};

struct blob {
    void *data;
    size_t length;
    unsigned flags;
};

struct address {
    int family, type, protocol;
    unsigned length;
    struct sockaddr socket;
};

// Name, type of the result, parameters.
#define FUNCTIONS(F)                                    \
    F(curl_global_init, int, (long))                    \
    F(curl_version, const char *, (void))               \
    F(curl_easy_init, void *, (void))                   \
    F(curl_easy_cleanup, void, (void *))                \
    F(curl_easy_setopt, int, (void *, int, ...))        \
    F(curl_easy_getinfo, int, (void *, int, ...))       \
    F(curl_easy_pause, int, (void *, int))              \
    F(curl_easy_strerror, const char *, (int))          \
    F(curl_slist_append, void *, (void *, const char *)) \
    F(curl_slist_free_all, void, (void *))              \
    F(curl_multi_init, void *, (void))                  \
    F(curl_multi_cleanup, int, (void *))                \
    F(curl_multi_setopt, int, (void *, int, ...))       \
    F(curl_multi_add_handle, int, (void *, void *))     \
    F(curl_multi_remove_handle, int, (void *, void *))  \
    F(curl_multi_perform, int, (void *, int *))         \
    F(curl_multi_poll, int, (void *, void *, unsigned, int, int *)) \
    F(curl_multi_wakeup, int, (void *))                 \
    F(curl_multi_info_read, struct message *, (void *, int *))

#define DECLARE(name, result, parameters) static result(*found_##name) parameters;
FUNCTIONS(DECLARE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;

// A program that is linked with musl has no library to look into, so its linker finds libcurl.
#if defined(__GLIBC__) && !defined(IDENTITY_CURL_IS_LINKED)
static void *library;
#define FIND(name, result, parameters) \
    if (!missing && !(found_##name = (result(*) parameters)dlsym(library, #name))) missing = #name;
#else
#define WEAK(name, result, parameters) extern result name parameters __attribute__((weak));
FUNCTIONS(WEAK)
#define FIND(name, result, parameters) \
    if (!missing && !(found_##name = name)) missing = #name;
#endif

static void find(void) {
#if defined(__GLIBC__) && !defined(IDENTITY_CURL_IS_LINKED)
    // Prefer the loaded library: a program must not have two versions of libcurl.
    library = dlsym(RTLD_DEFAULT, "curl_easy_init") ? RTLD_DEFAULT : dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library && !dlsym(RTLD_DEFAULT, "curl_easy_init")) missing = "libcurl.so.4";
#endif
    FUNCTIONS(FIND)
    if (missing) return;
    // A linked libcurl has its TLS library in the program, where no symbol can be looked up.
#if defined(__GLIBC__) && !defined(IDENTITY_CURL_IS_LINKED)
    tls_skip_cleanup(library);
#endif
    if (found_curl_global_init(3) != 0) missing = "curl_global_init";
    // libcurl has CURLOPT_PREREQFUNCTION since 7.80. Without it nobody knows whether a request was sent.
    void *request = missing ? NULL : found_curl_easy_init();
    if (!missing && (!request || found_curl_easy_setopt(request, 20312, NULL) != 0)) missing = "CURLOPT_PREREQFUNCTION";
    if (request) found_curl_easy_cleanup(request);
}

const char *identity_curl_find(void) {
    pthread_once(&once, find);
    return missing;
}

const char *identity_curl_version_text(void) { return found_curl_version(); }

void *identity_curl_request_new(void) { return found_curl_easy_init(); }
void identity_curl_request_free(void *request) { found_curl_easy_cleanup(request); }

int identity_curl_request_set_number(void *request, int option, long value) {
    return found_curl_easy_setopt(request, option, value);
}

int identity_curl_request_set_text(void *request, int option, const char *text) {
    return found_curl_easy_setopt(request, option, text);
}

int identity_curl_request_set_list(void *request, int option, void *list) {
    return found_curl_easy_setopt(request, option, list);
}

int identity_curl_request_set_body(void *request, const void *bytes, size_t count) {
    int result = found_curl_easy_setopt(request, 30120, (int64_t)count);
    return result ? result : found_curl_easy_setopt(request, 10165, bytes ? bytes : "");
}

int identity_curl_request_set_authorities(void *request, const void *bytes, size_t count) {
    struct blob blob = {(void *)bytes, count, 1};
    int result = found_curl_easy_setopt(request, 40309, &blob);
    return result ? result : found_curl_easy_setopt(request, 40310, &blob);
}

int identity_curl_request_set_words(void *request, char *buffer) { return found_curl_easy_setopt(request, 10010, buffer); }

static int open_socket(void *context, int purpose, struct address *address) {
    (void)purpose;
    // Not for programs that this process executes.
    int descriptor = socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
    const struct identity_curl_sockets *sockets = context;
    if (descriptor < 0) return descriptor;
#ifdef TCP_USER_TIMEOUT
    // The longest time, in milliseconds, without an acknowledgement of sent data. The system's default is a quarter of an
    // hour, in which overlapping requests would go on using a dead connection of HTTP/2. The time also ends an idle
    // connection, so it leaves room for several probes. It also ends a connection whose peer is alive, but takes no
    // data for so long while some waits to be sent (tcp(7)).
    unsigned limit = 90000;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
#endif
    sockets->opened(sockets->context, descriptor);
    return descriptor;
}

static int close_socket(void *context, int descriptor) {
    const struct identity_curl_sockets *sockets = context;
    sockets->closes(sockets->context, descriptor);
    return close(descriptor);
}

void identity_curl_request_set_callbacks(void *request, struct identity_curl_callbacks callbacks, void *context) {
    (void)found_curl_easy_setopt(request, 20079, callbacks.line);
    (void)found_curl_easy_setopt(request, 10029, context);
    (void)found_curl_easy_setopt(request, 20011, callbacks.part);
    (void)found_curl_easy_setopt(request, 10001, context);
    (void)found_curl_easy_setopt(request, 20312, callbacks.sends);
    (void)found_curl_easy_setopt(request, 10313, context);
}

void identity_curl_request_set_sockets(void *request, const struct identity_curl_sockets *sockets) {
    (void)found_curl_easy_setopt(request, 20163, open_socket);
    (void)found_curl_easy_setopt(request, 10164, sockets);
    (void)found_curl_easy_setopt(request, 20208, close_socket);
    (void)found_curl_easy_setopt(request, 10209, sockets);
}

static int open_checked_socket(void *context, int purpose, struct address *address) {
    const struct identity_curl_check *check = context;
    if (check->refuses(check->context, &address->socket, address->length)) return -1;
    return open_socket((void *)check->sockets, purpose, address);
}

void identity_curl_request_set_check(void *request, const struct identity_curl_check *check) {
    (void)found_curl_easy_setopt(request, 20163, open_checked_socket);
    (void)found_curl_easy_setopt(request, 10164, check);
}

long identity_curl_request_number(void *request, int fact) {
    long number = 0;
    return found_curl_easy_getinfo(request, 0x200000 + fact, &number) == 0 ? number : 0;
}

void identity_curl_request_go_on(void *request) { (void)found_curl_easy_pause(request, 0); }
const char *identity_curl_words(int result) { return found_curl_easy_strerror(result); }

void *identity_curl_list_append(void *list, const char *line) { return found_curl_slist_append(list, line); }
void identity_curl_list_free(void *list) { found_curl_slist_free_all(list); }

void *identity_curl_group_new(long maximum_connections) {
    void *group = found_curl_multi_init();
    if (group) (void)found_curl_multi_setopt(group, 13, maximum_connections);
    return group;
}

void identity_curl_group_free(void *group) { (void)found_curl_multi_cleanup(group); }
int identity_curl_group_add(void *group, void *request) { return found_curl_multi_add_handle(group, request); }
void identity_curl_group_remove(void *group, void *request) { (void)found_curl_multi_remove_handle(group, request); }

void identity_curl_group_perform(void *group) {
    int running;
    (void)found_curl_multi_perform(group, &running);
}

void identity_curl_group_wait(void *group, int milliseconds) {
    int ready;
    (void)found_curl_multi_poll(group, NULL, 0, milliseconds, &ready);
}

void identity_curl_group_wake(void *group) { (void)found_curl_multi_wakeup(group); }

void *identity_curl_group_ended(void *group, int *result) {
    int left;
    struct message *message;
    while ((message = found_curl_multi_info_read(group, &left))) {
        if (message->kind != 1) continue;
        *result = message->data.result;
        return message->request;
    }
    return NULL;
}

void identity_curl_socket_give_up(int descriptor) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_SYN_SENT)
        (void)shutdown(descriptor, SHUT_RDWR);
}
#endif
