#include "runtime/plan/VerifyPlan.h"
#include "test/runtime/support/TestPlan.h"
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;
using rt::Status;
using testing::Test;

namespace {

void expectRejected(const planpb::Plan &plan, const std::string &part) {
  Status status = rt::verifyPlan(plan, testKernels());
  ASSERT_TRUE(status.failed()) << "expected: " << part;
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

planpb::Instruction &instruction(planpb::Plan &plan, int index) {
  return *plan.mutable_programs(0)->mutable_instructions(index);
}

// A program with buffers a, b, c of four floats and no instructions.
struct Small {
  planpb::Plan plan = linearPlan();
  ProgramBuilder builder{plan, "small", 0};
  uint32_t a = builder.buffer("a", TW_F32, {4}), b = builder.buffer("b", TW_F32, {4}),
           c = builder.buffer("c", TW_F32, {4});
};

} // namespace

TEST(VerifyPlan, AcceptsTrainingOnOneAndManyRanks) {
  for (uint32_t ranks : {1u, 2u, 4u}) {
    LinearOptions options;
    options.ranks = ranks;
    Status status = rt::verifyPlan(linearPlan(options), testKernels());
    EXPECT_FALSE(status.failed()) << status.message();
  }
}

TEST(VerifyPlan, C1BufferBehindTheArena) {
  planpb::Plan plan = linearPlan();
  planpb::Program &program = *plan.mutable_programs(0);
  program.mutable_buffers(0)->set_offset(program.arena_bytes());
  expectRejected(plan, "buffer 0 'x' ends behind the arena");
}

TEST(VerifyPlan, C1ArenaBelowItsLowerBound) {
  planpb::Plan plan = linearPlan();
  planpb::Program &program = *plan.mutable_programs(0);
  program.set_lower_bound_bytes(program.arena_bytes());
  EXPECT_FALSE(rt::verifyPlan(plan, testKernels()).failed());
  program.set_lower_bound_bytes(program.arena_bytes() + 1);
  expectRejected(plan, "below its lower bound");
}

TEST(VerifyPlan, C1PieceThatEndsBeforeItBegins) {
  planpb::Plan plan = linearPlan();
  planpb::Piece &piece = *plan.mutable_programs(0)->mutable_buffers(0)->mutable_piece();
  piece.set_bytes(16);
  piece.set_first(2);
  piece.set_last(1);
  expectRejected(plan, "buffer 0 'x' names a piece of 16 bytes from instruction 2 to 1");
}

TEST(VerifyPlan, C1ShapesThatOverflow) {
  planpb::Plan plan = linearPlan();
  planpb::Buffer &buffer = *plan.mutable_programs(0)->mutable_buffers(0);
  buffer.clear_shape();
  for (int i = 0; i < 3; ++i)
    buffer.add_shape(int64_t(1) << 40);
  expectRejected(plan, "impossible shape");
  buffer.set_shape(0, -1);
  expectRejected(plan, "impossible shape");
  buffer.clear_shape();
  buffer.add_shape(2);
  buffer.add_strides(int64_t(1) << 62);
  expectRejected(plan, "ends behind the arena");
}

TEST(VerifyPlan, C1InvalidType) {
  planpb::Plan plan = linearPlan();
  plan.mutable_programs(0)->mutable_buffers(0)->set_type(planpb::TYPE_INVALID);
  expectRejected(plan, "no valid type");
  plan.mutable_programs(0)->mutable_buffers(0)->set_type(planpb::Type(77));
  expectRejected(plan, "no valid type");
}

TEST(VerifyPlan, C1BufferAcrossTheEndOfTheParameters) {
  planpb::Plan plan = linearPlan();
  planpb::Buffer &buffer = *plan.mutable_programs(0)->mutable_buffers(0);
  buffer.set_offset(plan.programs(0).parameter_bytes() - 4);
  expectRejected(plan, "partly among the parameters");
}

TEST(VerifyPlan, C2ParametersOverlapOrRepeat) {
  planpb::Plan plan = linearPlan();
  plan.mutable_parameters(1)->set_offset(plan.parameters(0).offset());
  expectRejected(plan, "shares its place");
  plan = linearPlan();
  plan.mutable_parameters(1)->set_name("w");
  expectRejected(plan, "occurs twice");
  plan = linearPlan();
  plan.mutable_parameters(2)->set_offset(1 << 20);
  expectRejected(plan, "behind the");
}

TEST(VerifyPlan, C2SourceOfAnotherLength) {
  planpb::Plan plan = linearPlan();
  plan.mutable_parameters(0)->mutable_source()->mutable_file()->set_length(8);
  expectRejected(plan, "has 12 bytes, its source has 8");
}

TEST(VerifyPlan, C3OperandThatDoesNotExist) {
  planpb::Plan plan = linearPlan();
  instruction(plan, 0).mutable_generated()->set_buffers(0, 99);
  expectRejected(plan, "operand 99 is not one of");
}

TEST(VerifyPlan, C3CopyOfAnotherTypeOrShape) {
  Small small;
  small.builder.fill(small.a, 1);
  small.builder.copy(small.a, small.b);
  EXPECT_FALSE(rt::verifyPlan(small.plan, testKernels()).failed());
  small.builder.program().mutable_buffers(int(small.b))->set_type(planpb::I32);
  expectRejected(small.plan, "it copies f32 to i32");
  small.builder.program().mutable_buffers(int(small.b))->set_type(planpb::F32);
  small.builder.program().mutable_buffers(int(small.b))->set_shape(0, 3);
  expectRejected(small.plan, "it copies shape [4] to shape [3]");
}

TEST(VerifyPlan, C3EmptyInstruction) {
  Small small;
  small.builder.program().add_instructions();
  expectRejected(small.plan, "the instruction is empty");
}

TEST(VerifyPlan, C4UnknownKernels) {
  planpb::Plan plan = linearPlan();
  instruction(plan, 0).mutable_generated()->set_name("no_such");
  expectRejected(plan, "no such generated kernel");
  Small small;
  small.builder.program().add_instructions()->mutable_kernel()->set_name("matmul_f32_host");
  expectRejected(small.plan, "no such kernel");
}

TEST(VerifyPlan, C5ReadBeforeWritten) {
  Small small;
  small.builder.copy(small.a, small.b);
  expectRejected(small.plan, "instruction 0 (copy): it reads 'a' (buffer 0), which nothing has written before");
}

TEST(VerifyPlan, C5OutputNeverWritten) {
  Small small;
  small.builder.output("loss", small.a);
  expectRejected(small.plan, "output 'loss' at the end");
}

TEST(VerifyPlan, C5LiveBuffersShareMemory) {
  Small small;
  small.builder.fill(small.a, 1);
  small.builder.fill(small.b, 2); // b now lies where a is
  small.builder.copy(small.a, small.c);
  small.builder.program()
      .mutable_buffers(int(small.b))
      ->set_offset(small.builder.program().buffers(int(small.a)).offset());
  expectRejected(small.plan, "two live buffers share memory");
}

TEST(VerifyPlan, C5WorkspaceOverLiveBuffer) {
  static const tw_kernel scratch = {"scratch_f32_host", nullptr, nullptr, nullptr, nullptr, 0};
  Small small;
  small.builder.fill(small.a, 1);
  planpb::KernelCall &call = *small.builder.program().add_instructions()->mutable_kernel();
  call.set_name("scratch_f32_host");
  call.add_outputs(small.b);
  call.set_workspace_offset(small.builder.program().buffers(int(small.a)).offset());
  call.set_workspace_bytes(16);
  small.builder.copy(small.a, small.c);
  rt::KernelTable table = testKernels();
  table.kernel = [](const char *) { return &scratch; };
  Status status = rt::verifyPlan(small.plan, table);
  EXPECT_NE(status.message().find("a workspace (instruction 1) has overwritten"), std::string::npos)
      << status.message();
}

TEST(VerifyPlan, C5MemoryMayBeReusedWhenDead) {
  Small small;
  small.builder.fill(small.a, 1);
  small.builder.copy(small.a, small.c);
  small.builder.fill(small.b, 2);
  small.builder.copy(small.b, small.c);
  small.builder.program()
      .mutable_buffers(int(small.b))
      ->set_offset(small.builder.program().buffers(int(small.a)).offset());
  Status status = rt::verifyPlan(small.plan, testKernels());
  EXPECT_FALSE(status.failed()) << status.message();
}

TEST(VerifyPlan, C5StridedPartOfAPaddedBuffer) {
  Small small;
  uint32_t padded = small.builder.buffer("padded", TW_F32, {4, 4}),
           inside = small.builder.buffer("inside", TW_F32, {2, 2});
  planpb::Buffer &view = *small.builder.program().mutable_buffers(int(inside));
  view.set_offset(small.builder.program().buffers(int(padded)).offset() + 20);
  view.add_strides(4);
  view.add_strides(1);
  uint32_t target = small.builder.buffer("target", TW_F32, {4, 4});
  small.builder.fill(padded, 0);
  small.builder.fill(inside, 1);
  small.builder.copy(padded, target);
  Status status = rt::verifyPlan(small.plan, testKernels());
  EXPECT_FALSE(status.failed()) << status.message();
}

TEST(VerifyPlan, C5ConstantIsNeverOverwritten) {
  Small small;
  planpb::Constant &constant = *small.builder.program().add_constants();
  constant.set_buffer(small.a);
  constant.set_data(std::string(16, '\0'));
  small.builder.fill(small.a, 1);
  expectRejected(small.plan, "it overwrites the constant 'a'");
}

TEST(VerifyPlan, C6WaitsForALaterInstruction) {
  planpb::Plan plan = linearPlan();
  instruction(plan, 0).add_waits(3);
  expectRejected(plan, "waits for instruction 3, which is not earlier");
}

TEST(VerifyPlan, C6StreamsNeedWaits) {
  Small small;
  small.builder.fill(small.a, 1);
  planpb::Instruction &copy = small.builder.copy(small.a, small.b);
  copy.set_stream(1);
  expectRejected(small.plan, "without waiting for instruction 0");
  copy.add_waits(0);
  EXPECT_FALSE(rt::verifyPlan(small.plan, testKernels()).failed());
  small.builder.fill(small.a, 2);
  expectRejected(small.plan, "it overwrites memory that instruction 1 on another stream uses");
}

TEST(VerifyPlan, C7CollectivesThatDoNotMatch) {
  LinearOptions options;
  options.ranks = 2;
  planpb::Plan plan = linearPlan(options);
  auto &instructions = *plan.mutable_programs(0)->mutable_instructions();
  instructions.SwapElements(3, 4);
  expectRejected(plan, "but its partner on rank");
  plan = linearPlan(options);
  plan.mutable_programs(0)->mutable_instructions()->DeleteSubrange(4, 1);
  expectRejected(plan, "no partner");
}

TEST(VerifyPlan, C7SendNeedsItsReceive) {
  LinearOptions options;
  options.ranks = 2;
  planpb::Plan plan = linearPlan(options);
  ProgramBuilder zero(plan, "pair", 0), one(plan, "pair", 1);
  auto transfer = [](ProgramBuilder &builder, planpb::Collective::Operation operation, uint32_t peer) {
    uint32_t buffer = builder.buffer("data", TW_F32, {4});
    if (operation == planpb::Collective::SEND)
      builder.fill(buffer, 1);
    planpb::Collective &call = *builder.program().add_instructions()->mutable_collective();
    call.set_operation(operation);
    call.set_peer(peer);
    if (operation == planpb::Collective::SEND)
      call.add_inputs(buffer);
    else
      call.add_outputs(buffer);
  };
  transfer(zero, planpb::Collective::SEND, 1);
  transfer(one, planpb::Collective::RECEIVE, 0);
  Status status = rt::verifyPlan(plan, testKernels());
  EXPECT_FALSE(status.failed()) << status.message();
  transfer(zero, planpb::Collective::SEND, 1);
  transfer(one, planpb::Collective::SEND, 0);
  expectRejected(plan, "never meets its partners");
}

TEST(VerifyPlan, C7RankWithoutProgram) {
  LinearOptions options;
  options.ranks = 2;
  planpb::Plan plan = linearPlan(options);
  plan.mutable_programs()->DeleteSubrange(3, 1);
  expectRejected(plan, "no program 'train' for rank 1");
}

TEST(VerifyPlan, C8InputsFitTheirBuffers) {
  planpb::Plan plan = linearPlan();
  plan.mutable_inputs(0)->set_row_shape(0, 5);
  expectRejected(plan, "rows of shape [5] do not fill the buffer of shape [4, 3]");
  plan = linearPlan();
  plan.mutable_inputs(0)->set_name("z");
  expectRejected(plan, "input 'x' is not among the plan's inputs");
}

TEST(VerifyPlan, C8BatchedInputsHoldEquallyManyRows) {
  planpb::Plan plan = linearPlan();
  plan.mutable_programs(0)->mutable_buffers(1)->set_shape(0, 2); // y
  expectRejected(plan, "input 'y' holds 2 rows, not as many as the other inputs");
}

TEST(VerifyPlan, MeshesThatOverflow) {
  planpb::Plan plan = linearPlan();
  plan.mutable_mesh()->set_data(0x80000000u);
  plan.mutable_mesh()->set_tensor(0x80000000u);
  plan.mutable_mesh()->set_pipeline(4);
  expectRejected(plan, "more than 65536 ranks");
}

TEST(VerifyPlan, C6StreamNumbersThatOverflow) {
  planpb::Plan plan = linearPlan();
  instruction(plan, 0).set_stream(0xffffffffu);
  expectRejected(plan, "on stream 4294967295");
}

// Damaged plans are refused or harmless: nothing here may crash (sanitizers watch).
TEST(VerifyPlan, DamagedPlansDoNotCrash) {
  LinearOptions options;
  options.ranks = 2;
  std::string whole = linearPlan(options).SerializeAsString();
  uint64_t random = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (int change = 0; change < 1 + round % 4; ++change) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      damaged[(random >> 20) % damaged.size()] = char(random >> 56);
    }
    planpb::Plan plan;
    if (plan.ParseFromString(damaged))
      (void)rt::verifyPlan(plan, testKernels()).failed();
  }
}
