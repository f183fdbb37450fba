#include "tools/twc/VerifyEmittedPlan.h"

#include <gtest/gtest.h>

using namespace tw;

/// Two buffers; a generated kernel writes the first, a copying kernel reads `source` and writes the second.
static planpb::Plan planThatCopies(uint32_t source) {
  planpb::Plan plan;
  plan.set_format_version(1);
  plan.set_target("host");
  planpb::Program &program = *plan.add_programs();
  program.set_name("train");
  program.set_arena_bytes(128);
  program.set_streams(1);
  for (const char *name : {"x", "y"}) {
    planpb::Buffer &buffer = *program.add_buffers();
    buffer.set_name(name);
    buffer.set_type(planpb::F32);
    buffer.add_shape(4);
    buffer.set_offset(uint64_t(program.buffers_size() - 1) * 64);
    buffer.set_kind(planpb::ACTIVATION);
  }
  planpb::GeneratedCall &first = *program.add_instructions()->mutable_generated();
  first.set_name("fill_f32");
  first.add_buffers(0);
  first.add_written(0);
  first.set_extent(4);
  planpb::Instruction &second = *program.add_instructions();
  second.set_node("/Transpose");
  planpb::KernelCall &copy = *second.mutable_kernel();
  copy.set_name("transpose_b4_host");
  copy.add_inputs(source);
  copy.add_outputs(1);
  planpb::Attribute &permutation = *copy.add_attributes();
  permutation.set_name("permutation");
  permutation.set_kind(planpb::Attribute::INTS);
  permutation.add_ints(0);
  return plan;
}

TEST(VerifyEmittedPlan, LeavesGeneratedKernelsToTheProgram) {
  rt::Status status = twc::verifyEmittedPlan(planThatCopies(0));
  EXPECT_FALSE(status.failed()) << status.message();
}

TEST(VerifyEmittedPlan, FindsErrorsBehindGeneratedKernels) {
  rt::Status status = twc::verifyEmittedPlan(planThatCopies(1));
  ASSERT_TRUE(status.failed());
  EXPECT_NE(status.message().find("internal error"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("instruction 1 (kernel transpose_b4_host, node '/Transpose')"), std::string::npos)
      << status.message();
}

TEST(VerifyEmittedPlan, KnowsTheHandWrittenKernels) {
  planpb::Plan plan = planThatCopies(0);
  plan.mutable_programs(0)->mutable_instructions(1)->mutable_kernel()->set_name("transpose_b4_abacus");
  rt::Status status = twc::verifyEmittedPlan(plan);
  ASSERT_TRUE(status.failed());
  EXPECT_NE(status.message().find("no such kernel"), std::string::npos) << status.message();
}
