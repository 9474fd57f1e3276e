/* A stand-in for libnvidia-ml.so.1 that shows whatever a text file says, for tests.
 *
 * The file is named by HEADNODE_NVML_STUB and read anew on every call, so that a test can change
 * a card under a running reader. Each line is a word and key=value pairs ('_' stands for a blank):
 *
 *   driver version=580.1 init=0          init: the code nvmlInit answers with
 *   gpu uuid=GPU-.. name=Test_Card pci=00000000:1B:00.0 total=81559 used=500 util=40 ...
 *   mig uuid=MIG-.. gi=1 ci=0 total=9984 used=10      an instance of the card above; hole=1: none
 *   proc pid=4242 mem=600 kind=c          on the device above (kinds c, g, m); shown while it lives
 *
 * Memory is in MiB; that of the processes comes on top of 'used'. 'leak' MiB and, through 'power' (mW), energy grow by the second from the
 * file's change on. 'lost', 'reset' and 'mute' (no process list) are switches; 'xid' is reported
 * once to each listener and change of the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { OK = 0, UNINITIALIZED = 1, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7,
       TIMED_OUT = 10, LOST = 15, RESET = 16 };
enum { DEVICES = 32, PROCESSES = 16, LINE = 512 };

typedef unsigned long long wide;
typedef struct { unsigned pid; wide used; unsigned gpu_instance, compute_instance; } listed;
typedef struct { unsigned pid; wide mem; char kind; } process;
typedef struct {
  int is_mig, parent, place, hole;
  char line[LINE];
  process processes[PROCESSES];
  int process_count;
} device;
typedef struct { int place; long long heard; } event_set;
typedef struct { void *device; wide type, data; unsigned gpu_instance, compute_instance; } event;

/* Each thread reads for itself: the real library may be called from several at once. */
static __thread device devices[DEVICES];
static __thread int device_count;
static __thread char driver_line[LINE];
static __thread struct timespec changed;
static _Atomic int connections;

/* The text behind key= in a line, or the other one. */
static const char *text(const char *line, const char *key, const char *other) {
  static __thread char value[128];
  size_t length = strlen(key), n = 0;
  for (const char *at = line; (at = strchr(at, ' ')) != NULL; ) {
    at++;
    if (strncmp(at, key, length) == 0 && at[length] == '=') {
      for (at += length + 1; *at && *at != ' ' && *at != '\n' && n < sizeof value - 1; at++)
        value[n++] = *at == '_' ? ' ' : *at;
      value[n] = 0;
      return value;
    }
  }
  return other;
}

static wide number(const char *line, const char *key, wide other) {
  const char *found = text(line, key, NULL);
  return found ? strtoull(found, NULL, 0) : other;
}

static double age(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double passed = (now.tv_sec - changed.tv_sec) + (now.tv_nsec - changed.tv_nsec) / 1e9;
  return passed > 0 ? passed : 0;
}

static void add_device(const char *line, int is_mig) {
  static __thread int parent, place;
  if (device_count == DEVICES) return;
  device *one = &devices[device_count];
  memset(one, 0, sizeof *one);
  if (is_mig) place++; else { parent = device_count; place = -1; }
  one->is_mig = is_mig;
  one->parent = parent;
  one->place = place;
  one->hole = (int)number(line, "hole", 0);
  snprintf(one->line, sizeof one->line, "%s", line);
  device_count++;
}

/* Neither gone nor a zombie, which holds no device any more. */
static int lives(unsigned pid) {
  char name[64], stat[256] = "";
  snprintf(name, sizeof name, "/proc/%u/stat", pid);
  FILE *file = fopen(name, "r");
  if (!file) return 0;
  size_t n = fread(stat, 1, sizeof stat - 1, file);
  fclose(file);
  stat[n] = 0;
  const char *end = strrchr(stat, ')');
  return end && end[1] && end[2] != 'Z' && end[2] != 'X';
}

static void add_process(const char *line) {
  if (!device_count) return;
  device *on = &devices[device_count - 1];
  process one = { (unsigned)number(line, "pid", 0), number(line, "mem", 0),
                  text(line, "kind", "c")[0] };
  if (lives(one.pid) && on->process_count < PROCESSES) on->processes[on->process_count++] = one;
}

static void load(void) {
  const char *name = getenv("HEADNODE_NVML_STUB");
  FILE *file = name ? fopen(name, "r") : NULL;
  struct stat status;
  char line[LINE];
  device_count = 0;
  driver_line[0] = 0;
  if (!file) return;
  if (fstat(fileno(file), &status) == 0) changed = status.st_mtim;
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, "driver ", 7)) snprintf(driver_line, sizeof driver_line, "%s", line);
    else if (!strncmp(line, "gpu ", 4)) add_device(line, 0);
    else if (!strncmp(line, "mig ", 4)) add_device(line, 1);
    else if (!strncmp(line, "proc ", 5)) add_process(line);
  }
  fclose(file);
}

static int state(const device *one) {
  const char *card = devices[one->parent].line;
  if (number(card, "lost", 0)) return LOST;
  return number(card, "reset", 0) ? RESET : OK;
}

static int find(void *handle, device **one) {
  if (!connections) return UNINITIALIZED;
  load();
  size_t place = (size_t)handle;
  if (place < 1 || place > (size_t)device_count) return INVALID;
  *one = &devices[place - 1];
  return state(*one);
}

static void *handle_of(const device *one) { return (void *)(size_t)(one - devices + 1); }

#define ON(handle) device *one; int code = find(handle, &one); if (code) return code
#define WHOLE(handle) ON(handle); if (one->is_mig) return UNSUPPORTED
#define ANSWER(call, type, key, other) \
  int call(void *handle, type *value) { \
    WHOLE(handle); \
    if (!text(one->line, key, NULL) && (other) < 0) return UNSUPPORTED; \
    *value = (type)number(one->line, key, (wide)(other)); \
    return OK; }

int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  load();
  int code = (int)number(driver_line, "init", 0);
  if (!code) connections++;
  return code;
}
int nvmlShutdown(void) {
  if (!connections) return UNINITIALIZED;
  connections--;
  return OK;
}
const char *nvmlErrorString(int code) { return code == LOST ? "GPU is lost" : "Stub error"; }
int nvmlSystemGetDriverVersion(char *to, unsigned size) {
  load();
  snprintf(to, size, "%s", text(driver_line, "version", "580.0"));
  return OK;
}

int nvmlDeviceGetCount_v2(unsigned *count) {
  if (!connections) return UNINITIALIZED;
  load();
  *count = 0;
  for (int i = 0; i < device_count; i++) *count += !devices[i].is_mig;
  return OK;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
  if (!connections) return UNINITIALIZED;
  load();
  for (int i = 0; i < device_count; i++)
    if (!devices[i].is_mig && index-- == 0) {
      *handle = handle_of(&devices[i]);
      return state(&devices[i]);
    }
  return INVALID;
}
int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle) {
  if (!connections) return UNINITIALIZED;
  load();
  for (int i = 0; i < device_count; i++)
    if (!devices[i].hole && !strcmp(text(devices[i].line, "uuid", ""), uuid)) {
      *handle = handle_of(&devices[i]);
      return state(&devices[i]);
    }
  return NOT_FOUND;
}

int nvmlDeviceGetName(void *handle, char *to, unsigned size) {
  ON(handle);
  snprintf(to, size, "%s", text(one->line, "name", "Stub"));
  return OK;
}
int nvmlDeviceGetUUID(void *handle, char *to, unsigned size) {
  ON(handle);
  snprintf(to, size, "%s", text(one->line, "uuid", ""));
  return OK;
}
int nvmlDeviceGetPciInfo_v3(void *handle, char *info) {
  WHOLE(handle); /* the long bus name follows 16 legacy characters and five numbers */
  memset(info, 0, 68);
  snprintf(info + 36, 32, "%s", text(one->line, "pci", "00000000:01:00.0"));
  return OK;
}
ANSWER(nvmlDeviceGetMinorNumber, unsigned, "minor", 0)
ANSWER(nvmlDeviceGetPowerUsage, unsigned, "power", -1)
ANSWER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "limit", 700000)
ANSWER(nvmlDeviceGetCurrentClocksEventReasons, wide, "why", 0)

int nvmlDeviceGetUtilizationRates(void *handle, unsigned *rates) {
  WHOLE(handle);
  if (number(one->line, "mig", 0)) return UNSUPPORTED;
  rates[0] = (unsigned)number(one->line, "util", 0);
  rates[1] = (unsigned)number(one->line, "mutil", 0);
  return OK;
}
int nvmlDeviceGetMemoryInfo(void *handle, wide *memory) {
  ON(handle);
  wide total = number(one->line, "total", 0);
  wide used = number(one->line, "used", 0) + (wide)(number(one->line, "leak", 0) * age());
  for (int i = 0; i < one->process_count; i++) used += one->processes[i].mem;
  if (used > total) used = total;
  memory[0] = total << 20;
  memory[1] = (total - used) << 20;
  memory[2] = used << 20;
  return OK;
}
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *value) {
  WHOLE(handle);
  (void)sensor;
  *value = (unsigned)number(one->line, "temp", 30);
  return OK;
}
int nvmlDeviceGetTemperatureThreshold(void *handle, int which, unsigned *value) {
  WHOLE(handle);
  if (which != 1 || !text(one->line, "slow", NULL)) return UNSUPPORTED;
  *value = (unsigned)number(one->line, "slow", 0);
  return OK;
}
int nvmlDeviceGetTotalEnergyConsumption(void *handle, wide *value) {
  WHOLE(handle);
  if (!text(one->line, "energy", NULL)) return UNSUPPORTED;
  *value = number(one->line, "energy", 0) + (wide)(number(one->line, "power", 0) * age());
  return OK;
}
int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *value) {
  WHOLE(handle);
  *value = (unsigned)number(one->line, which == 1 ? "sm" : "memclock", which == 1 ? 345 : 2619);
  return OK;
}
int nvmlDeviceGetMaxClockInfo(void *handle, int which, unsigned *value) {
  WHOLE(handle);
  *value = which == 1 ? 1980 : 2619;
  return OK;
}
int nvmlDeviceGetTotalEccErrors(void *handle, int kind, int counter, wide *value) {
  WHOLE(handle);
  if (counter != 0 || number(one->line, "noecc", 0)) return UNSUPPORTED;
  *value = number(one->line, kind == 1 ? "uncorrected" : "corrected", 0);
  return OK;
}
int nvmlDeviceGetRemappedRows(void *handle, unsigned *corrected, unsigned *uncorrected,
                              unsigned *pending, unsigned *failed) {
  WHOLE(handle);
  *corrected = *uncorrected = 0;
  *pending = (unsigned)number(one->line, "pending", 0);
  *failed = (unsigned)number(one->line, "failed", 0);
  return OK;
}

static int list(void *handle, unsigned *count, listed *to, char kind) {
  ON(handle);
  if (number(one->line, "mute", 0)) return UNSUPPORTED;
  unsigned room = *count, found = 0;
  for (int i = 0; i < one->process_count; i++) {
    process *it = &one->processes[i];
    if (it->kind != kind) continue;
    if (to && found < room)
      to[found] = (listed){ it->pid, it->mem << 20,
                            (unsigned)number(one->line, "gi", 0xffffffffu),
                            (unsigned)number(one->line, "ci", 0xffffffffu) };
    found++;
  }
  *count = found;
  return found > room || (found && !to) ? TOO_SMALL : OK;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *count, listed *to) {
  return list(handle, count, to, 'c');
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *handle, unsigned *count, listed *to) {
  return list(handle, count, to, 'g');
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void *handle, unsigned *count, listed *to) {
  return list(handle, count, to, 'm');
}

int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending) {
  WHOLE(handle);
  if (number(one->line, "nomig", 0)) return UNSUPPORTED;
  *current = *pending = (unsigned)number(one->line, "mig", 0);
  return OK;
}
int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count) {
  WHOLE(handle);
  *count = 7;
  return OK;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned place, void **found) {
  WHOLE(handle);
  int parent = (int)(one - devices);
  for (int i = 0; i < device_count; i++)
    if (devices[i].is_mig && !devices[i].hole && devices[i].parent == parent
        && devices[i].place == (int)place) {
      *found = handle_of(&devices[i]);
      return OK;
    }
  return NOT_FOUND;
}
static int part(void *handle, unsigned *value, const char *key) {
  ON(handle);
  if (!one->is_mig) return INVALID;
  *value = (unsigned)number(one->line, key, 0);
  return OK;
}
int nvmlDeviceGetGpuInstanceId(void *handle, unsigned *value) { return part(handle, value, "gi"); }
int nvmlDeviceGetComputeInstanceId(void *handle, unsigned *value) {
  return part(handle, value, "ci");
}

int nvmlEventSetCreate(void **set) { *set = calloc(1, sizeof(event_set)); return OK; }
int nvmlEventSetFree(void *set) { free(set); return OK; }
int nvmlDeviceRegisterEvents(void *handle, wide types, event_set *set) {
  WHOLE(handle);
  (void)types;
  set->place = (int)(one - devices);
  return OK;
}
int nvmlEventSetWait_v2(event_set *set, event *to, unsigned wait_ms) {
  (void)wait_ms;
  load();
  wide xid = set->place < device_count ? number(devices[set->place].line, "xid", 0) : 0;
  long long stamp = changed.tv_sec * 1000000000LL + changed.tv_nsec;
  if (!xid || set->heard == stamp) return TIMED_OUT;
  set->heard = stamp;
  *to = (event){ handle_of(&devices[set->place]), 8, xid, 0xffffffffu, 0xffffffffu };
  return OK;
}
