#ifndef CORE_DUMPS_H
#define CORE_DUMPS_H

/// Keeps the memory of this process out of core dumps, from now on. A program that it executes starts without it on Linux
/// and inherits it on Darwin.
///
/// On Linux the process is no longer "dumpable" (PR_SET_DUMPABLE), whatever the limits say and wherever the system sends core
/// dumps: other processes of the same user cannot trace it, and read neither its memory nor its environment. Elsewhere the
/// soft limit of a core dump's size is 0.
///
/// In C, because the call takes a variable number of arguments.
void core_dumps_forbid(void);

#endif
