/* A stand-in for libcuda.so.1: as much as a test program asks, so that what is shown is whether a
 * sandboxed program reaches its card's files and may speak to the driver at all.
 *
 * A driver's request to a plain file ends with ENOTTY when the filter lets it through.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OK = 0, NO_DEVICE = 100, NOT_PERMITTED = 800 };

static int reach(const char *path, unsigned long request) {
  int fd = open(path, O_RDWR);
  if (fd < 0) return NO_DEVICE;
  int code = ioctl(fd, request, 0) == 0 || errno == ENOTTY ? OK : NOT_PERMITTED;
  close(fd);
  return code;
}

int cuInit(unsigned flags) {
  (void)flags;
  int code = reach("/dev/nvidiactl", _IOWR('F', 200, char[8]));
  return code ? code : reach("/dev/nvidia-uvm", 0x30000001);
}

int cuDeviceGetCount(int *count) {
  const char *shown = getenv("CUDA_VISIBLE_DEVICES");
  *count = shown != NULL;
  for (; shown && (shown = strchr(shown, ',')) != NULL; shown++) ++*count;
  return OK;
}

int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return OK; }
int cuCtxCreate_v2(void **context, unsigned flags, int device) {
  (void)flags; (void)device;
  *context = NULL;
  return OK;
}
int cuMemAlloc_v2(unsigned long long *at, size_t size) { (void)size; *at = 1; return OK; }
