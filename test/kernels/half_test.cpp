// Conversions of half types as each variant has them: in plain code and by the processor's instructions.
#include <cstdint>
#include <gtest/gtest.h>

extern "C" const char *tw_test_half_base(uint32_t *bits);
extern "C" const char *tw_test_half_v3(uint32_t *bits);
extern "C" const char *tw_test_half_v4(uint32_t *bits);

static void expectRight(const char *(*check)(uint32_t *)) {
  uint32_t bits = 0;
  const char *wrong = check(&bits);
  EXPECT_EQ(wrong, nullptr) << "not so at bits " << bits << ": " << (wrong ? wrong : "");
}

TEST(Half, convertsInPlainCode) {
  expectRight(tw_test_half_base);
}

#ifdef __x86_64__
TEST(Half, convertsInV3) {
  if (!__builtin_cpu_supports("x86-64-v3"))
    GTEST_SKIP() << "the processor does not have these instructions";
  expectRight(tw_test_half_v3);
}

TEST(Half, convertsInV4) {
  if (!__builtin_cpu_supports("x86-64-v4"))
    GTEST_SKIP() << "the processor does not have these instructions";
  expectRight(tw_test_half_v4);
}
#endif
