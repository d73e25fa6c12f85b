// A preloaded library that makes the k-th system call on a file fail, or kills the process in it; part of kill-test.
// FAULT_CALL is k, FAULT_KIND one of kill, half, after, enospc, eio.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

static const char *kind(void) { const char *text = getenv("FAULT_KIND"); return text ? text : ""; }
static int is(const char *name) { return strcmp(kind(), name) == 0; }
static void die(void) { kill(getpid(), SIGKILL); pause(); }

// 0 before the fault, 1 at it, 2 after it.
static int moment(void) {
  const char *text = getenv("FAULT_CALL");
  int wanted = text ? atoi(text) : 0, now = atomic_fetch_add(&calls, 1) + 1;
  return wanted == 0 || now < wanted ? 0 : now == wanted ? 1 : 2;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
  if (file < 3) return NEXT(write)(file, bytes, count);
  int when = moment();
  if (when == 1 && is("kill")) die();
  if (when == 1 && is("half")) { NEXT(write)(file, bytes, count / 2); die(); }
  if (when >= 1 && is("enospc")) {
    // A full disk writes the bytes that still fit.
    if (when == 1 && count > 1) return NEXT(write)(file, bytes, count / 2);
    errno = ENOSPC;
    return -1;
  }
  ssize_t result = NEXT(write)(file, bytes, count);
  if (when == 1 && is("after")) die();
  return result;
}

#define WRAPPED(name, parameters, arguments)                        \
  int name parameters {                                             \
    int when = moment();                                            \
    if (when == 1 && (is("kill") || is("half"))) die();             \
    if (when == 1 && is("eio")) { errno = EIO; return -1; }         \
    int result = NEXT(name) arguments;                              \
    if (when == 1 && is("after")) die();                            \
    return result;                                                  \
  }

WRAPPED(rename, (const char *from, const char *to), (from, to))
WRAPPED(fsync, (int file), (file))
WRAPPED(fdatasync, (int file), (file))
WRAPPED(ftruncate, (int file, off_t size), (file, size))
WRAPPED(unlink, (const char *path), (path))
