//go:build cgo && !llama_none

#include "targets.hpp"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace kernels {

namespace scalar {
extern const target table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const target table;
}
namespace avxvnni {
extern const target table;
}
namespace avx512vnni {
extern const target table;
}
#elif defined(__aarch64__)
namespace neon {
extern const target table;
}
namespace neoni8mm {
extern const target table;
}
#endif

const std::vector<const target *> & compiled() {
    static const std::vector<const target *> all = {
#if defined(__x86_64__)
        &avx512vnni::table,
        &avxvnni::table,
        &avx2::table,
#elif defined(__aarch64__)
        &neoni8mm::table,
        &neon::table,
#endif
        &scalar::table,
    };
    return all;
}

// What an arm64 processor has, the system says.
#if defined(__aarch64__) && defined(__linux__)
static bool has_dotprod() { return getauxval(AT_HWCAP) & HWCAP_ASIMDDP; }
static bool has_i8mm() { return getauxval(AT_HWCAP2) & HWCAP2_I8MM; }
#elif defined(__aarch64__) && defined(__APPLE__)
static bool has(const char * name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value;
}
static bool has_dotprod() { return has("hw.optional.arm.FEAT_DotProd"); }
static bool has_i8mm() { return has("hw.optional.arm.FEAT_I8MM"); }
#elif defined(__aarch64__)
static bool has_dotprod() { return false; }
static bool has_i8mm() { return false; }
#endif

bool runs(const target & t) {
    if (&t == &scalar::table) return true;
#if defined(__x86_64__)
    unsigned a, b, c = 0, d;
    const bool f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    const bool has_avx2 = f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (&t == &avx2::table) return has_avx2;
    if (&t == &avxvnni::table) return has_avx2 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & bit_AVXVNNI);
    return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__)
    return has_dotprod() && (&t == &neon::table || has_i8mm());
#else
    return false;
#endif
}

// asked is the name that holds: that of the caller, or else of the environment.
static std::string asked_for(const std::string & name) {
    const char * set = getenv("PARLEY_KERNELS");
    return name.empty() && set ? set : name;
}

const target * choose(const std::string & name, std::string & why) {
    const std::string asked = asked_for(name);
    std::string usable;
    for (const target * t : compiled()) {
        if (runs(*t) && asked.empty()) return t;
        if (runs(*t) && asked == t->name) return t;
        if (runs(*t)) usable += (usable.empty() ? "" : ", ") + std::string(t->name);
    }
    why = "no target \"" + asked + "\" in this program";
    for (const target * t : compiled())
        if (asked == t->name) why = "this processor cannot run " + asked + ", which needs " + t->needs;
    why += "; it can run " + usable;
    return nullptr;
}

bool covers(const target & t, const std::string & name) { return &t != &scalar::table || !asked_for(name).empty(); }

} // namespace kernels
