// Lines for a person on standard error. Ranks other than 0 put their number in front.
#ifndef TW_RUNTIME_BASE_LOG_H
#define TW_RUNTIME_BASE_LOG_H

#include <string>

namespace tw::rt {

/// The rank that later lines carry; `size` 1 drops the prefix.
void setLogRank(int rank, int size);
void logInfo(const std::string &line);
void logWarning(const std::string &line);
void logError(const std::string &line);

} // namespace tw::rt
#endif
