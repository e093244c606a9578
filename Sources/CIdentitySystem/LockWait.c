#include "LockWait.h"

#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/time.h>

static void interrupt(int signal) { (void)signal; }

bool lock_take(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool lock_wait(int descriptor, unsigned seconds) {
    struct sigaction action = {.sa_handler = interrupt}, formerAction;
    sigset_t alarm, formerMask;
    // Without SA_RESTART, and unblocked, so that the alarm ends the wait.
    (void)sigaction(SIGALRM, &action, &formerAction);
    (void)sigemptyset(&alarm);
    (void)sigaddset(&alarm, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &alarm, &formerMask);
    // Again each second afterwards, because the first may come before the wait begins.
    struct itimerval timer = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = seconds}}, off = {{0}};
    (void)setitimer(ITIMER_REAL, &timer, NULL);
    bool isFree = flock(descriptor, LOCK_SH) == 0;
    // The alarm would end a program that this process executes.
    (void)setitimer(ITIMER_REAL, &off, NULL);
    (void)sigprocmask(SIG_SETMASK, &formerMask, NULL);
    (void)sigaction(SIGALRM, &formerAction, NULL);
    return isFree;
}
