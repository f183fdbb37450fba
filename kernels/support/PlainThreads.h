// Teams of plain threads in place of OpenMP's, for ThreadSanitizer: it does not see how GCC's OpenMP runtime
// synchronises, and would watch no parallel loop of a kernel.
#ifndef TW_KERNELS_SUPPORT_PLAINTHREADS_H
#define TW_KERNELS_SUPPORT_PLAINTHREADS_H

namespace tw::kernels {

/// Calls body(context, part) for each part below `team`, each on a thread of its own. Compiled once: nothing of the
/// standard library gets into a variant.
void runPlainThreads(int team, void (*body)(const void *context, int part), const void *context);

} // namespace tw::kernels
#endif
