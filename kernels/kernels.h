/* The C interface of the kernels, for Go. */
#ifndef PARLEY_KERNELS_H
#define PARLEY_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name, *needs;
    bool runs; /* on this processor */
} parley_target;
int32_t parley_target_count(void);
parley_target parley_target_get(int32_t i);

/* The number of the target that a name stands for ("": the best, or that of the environment), and whether it computes
 * products with weights; -1 if it is refused, for which why has room for `size` bytes of reasons. */
int32_t parley_target_choose(const char * name, bool * products, char * why, int32_t size);

typedef struct {
    const char * name;
    int32_t type, bytes, weights;
    int32_t halves[2];
} parley_format;
int32_t parley_format_count(void);
parley_format parley_format_get(int32_t i);

typedef struct {
    double bytes, float_products, byte_products;
} parley_speed; /* per second */
parley_speed parley_measure(int32_t target, int32_t threads);

#ifdef __cplusplus
}
#endif

#endif
