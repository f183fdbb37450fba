// Reading and verifying the device code of plans for CUDA, without CUDA.
#include "runtime/device/MakeDevice.h"
#include "runtime/exec/InProcess.h"
#include "runtime/plan/DeviceCode.h"
#include "runtime/plan/VerifyPlan.h"
#include "test/runtime/support/TestPlan.h"
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {

/// PTX that defines kernels with that many parameters.
std::string ptxOf(int architecture, const std::map<std::string, int> &kernels) {
  std::string text = ".version 8.0\n.target sm_" + std::to_string(architecture) + "\n.address_size 64\n";
  for (const auto &[name, parameters] : kernels) {
    text += ".visible .entry " + name + "(\n";
    for (int i = 0; i < parameters; ++i)
      text += std::string(i ? ",\n" : "") + "\t.param .u64 " + name + "_param_" + std::to_string(i);
    text += "\n)\n{\n\tld.param.u64 %rd1, [" + name + "_param_0];\n\tret;\n}\n";
  }
  return text;
}

/// An ELF file with a section for each kernel, as ptxas lays it out: header, names, section headers.
std::string cubinOf(int architecture, const std::vector<std::string> &kernels, bool wide = true) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1);
  auto add = [&](const std::string &name) {
    Elf64_Shdr section{};
    section.sh_name = Elf64_Word(names.size());
    section.sh_type = SHT_PROGBITS;
    names += name + '\0';
    sections.push_back(section);
  };
  for (const std::string &kernel : kernels) {
    add(".text." + kernel);
    add(".nv.info." + kernel);
  }
  add(".shstrtab");
  sections.back().sh_offset = sizeof(Elf64_Ehdr);
  sections.back().sh_size = names.size();
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_ABIVERSION] = wide ? 8 : 7;
  header.e_machine = 190;
  header.e_flags = wide ? Elf64_Word(0x6000002 | architecture << 8) : Elf64_Word(0x500 | architecture);
  header.e_shoff = sizeof header + names.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Elf64_Half(sections.size());
  header.e_shstrndx = Elf64_Half(sections.size() - 1);
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes += names;
  return bytes.append(reinterpret_cast<const char *>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
}

/// The generated kernels of the plan with the number of parameters that their calls give.
std::map<std::string, int> kernelsOf(const planpb::Plan &plan) {
  std::map<std::string, int> kernels;
  for (const planpb::Program &program : plan.programs())
    for (const planpb::Instruction &instruction : program.instructions())
      if (instruction.has_generated())
        kernels[instruction.generated().name()] =
            instruction.generated().buffers_size() + instruction.generated().sizes_size() + 1;
  return kernels;
}
std::vector<std::string> namesOf(const std::map<std::string, int> &kernels) {
  std::vector<std::string> names;
  for (const auto &entry : kernels)
    names.push_back(entry.first);
  return names;
}

planpb::Plan cudaPlan(std::vector<int> architectures = {80, 90}) {
  planpb::Plan plan = linearPlan();
  plan.set_target("cuda");
  auto kernels = kernelsOf(plan);
  plan.set_device_code(ptxOf(architectures.front(), kernels));
  for (int architecture : architectures) {
    planpb::Cubin &cubin = *plan.add_cubins();
    cubin.set_architecture(uint32_t(architecture));
    cubin.set_code(cubinOf(architecture, namesOf(kernels)));
  }
  return plan;
}

void expectRejected(const planpb::Plan &plan, const std::string &part) {
  rt::Status status = rt::verifyPlan(plan, testKernels());
  ASSERT_TRUE(status.failed()) << "expected: " << part;
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

} // namespace

TEST(DeviceCode, PtxIsRead) {
  auto code = rt::readPtx(ptxOf(86, {{"scale_0", 3}, {"sum_1", 5}}));
  ASSERT_FALSE(code.failed()) << code.message();
  EXPECT_EQ(code->architecture, 86);
  EXPECT_EQ(code->kernels, (std::map<std::string, int>{{"scale_0", 3}, {"sum_1", 5}}));
  EXPECT_TRUE(rt::readPtx("").failed());
  EXPECT_TRUE(rt::readPtx(".version 8.0\n.target sm_80\n.visible .entry half(").failed());
}

TEST(DeviceCode, CubinsOfBothLayoutsAreRead) {
  for (bool wide : {true, false}) {
    auto code = rt::readCubin(cubinOf(90, {"scale_0", "sum_1"}, wide));
    ASSERT_FALSE(code.failed()) << code.message();
    EXPECT_EQ(code->architecture, 90);
    EXPECT_EQ(code->kernels, (std::map<std::string, int>{{"scale_0", -1}, {"sum_1", -1}}));
  }
}

TEST(DeviceCode, DamagedCubinsAreRefused) {
  std::string cubin = cubinOf(90, {"scale_0"});
  for (size_t length = 0; length < cubin.size(); ++length)
    EXPECT_TRUE(rt::readCubin(cubin.substr(0, length)).failed()) << length;
  std::string other = cubin;
  other[offsetof(Elf64_Ehdr, e_machine)] = 62; // x86-64
  EXPECT_NE(rt::readCubin(other).message().find("another machine"), std::string::npos);
  for (size_t at = 0; at < cubin.size(); ++at) { // whatever a byte says, nothing outside is read
    std::string wrong = cubin;
    wrong[at] = char(0xff);
    (void)rt::readCubin(wrong).failed();
  }
}

TEST(DeviceCode, AGpuLoadsTheNearestCubinElsePtx) {
  planpb::Plan plan = cudaPlan({80, 86, 90});
  for (auto [gpu, index] : {std::pair{80, 0}, {86, 1}, {89, 1}, {90, 2}}) {
    auto code = rt::codeFor(plan, gpu);
    ASSERT_FALSE(code.failed()) << code.message();
    EXPECT_EQ(*code, &plan.cubins(index).code()) << gpu;
  }
  auto newer = rt::codeFor(plan, 120);
  ASSERT_FALSE(newer.failed()) << newer.message();
  EXPECT_EQ(*newer, &plan.device_code());
  EXPECT_EQ(rt::codeFor(plan, 75).message(), "this GPU is an sm_75, the program was compiled for sm_80 and newer; "
                                             "compile it with twc --gpu=sm_75");
}

TEST(DeviceCode, C9AcceptsWhatTheCompilerMakes) {
  rt::Status status = rt::verifyPlan(cudaPlan(), testKernels());
  EXPECT_FALSE(status.failed()) << status.message();
  planpb::Plan ptxAlone = cudaPlan();
  ptxAlone.clear_cubins();
  status = rt::verifyPlan(ptxAlone, testKernels());
  EXPECT_FALSE(status.failed()) << status.message();
}

TEST(DeviceCode, C9EveryKernelIsThere) {
  planpb::Plan plan = cudaPlan();
  plan.clear_cubins();
  plan.clear_device_code();
  expectRejected(plan, "carries no code of its generated kernels");
  plan = cudaPlan();
  auto kernels = kernelsOf(plan);
  kernels.erase("sgd");
  plan.set_device_code(ptxOf(80, kernels));
  expectRejected(plan, "(generated kernel sgd, node '/update'): the plan's PTX lacks this kernel");
  plan = cudaPlan();
  plan.mutable_cubins(1)->set_code(cubinOf(90, namesOf(kernels)));
  expectRejected(plan, "the plan's cubin for sm_90 lacks this kernel");
}

TEST(DeviceCode, C9ParametersFitTheCalls) {
  planpb::Plan plan = cudaPlan();
  auto kernels = kernelsOf(plan);
  ++kernels["sgd"];
  plan.set_device_code(ptxOf(80, kernels));
  expectRejected(plan, "the kernel in the plan's PTX takes 5 parameters, the call gives 4");
}

TEST(DeviceCode, C9ArchitecturesAreWhatTheySay) {
  planpb::Plan plan = cudaPlan();
  plan.mutable_cubins(0)->set_architecture(86);
  expectRejected(plan, "the plan's cubin for sm_86 holds code for sm_80");
  plan = cudaPlan({90, 80});
  expectRejected(plan, "cubin for sm_80 is out of order or older than its PTX, which is for sm_90");
  plan = cudaPlan();
  plan.mutable_cubins(1)->mutable_code()->resize(100);
  expectRejected(plan, "cubin for sm_90: the cubin is damaged");
}

TEST(DeviceCode, C9OnlyPlansForCudaCarryIt) {
  planpb::Plan plan = cudaPlan();
  plan.set_target("host");
  expectRejected(plan, "the plan is for 'host', but carries device code");
}

TEST(DeviceCode, C4KernelsRunOnThePlansTarget) {
  planpb::Plan plan = cudaPlan();
  plan.mutable_programs(0)->add_instructions()->mutable_kernel()->set_name("matmul_f32_host");
  expectRejected(plan, "the kernel runs on the host, the plan is for CUDA");
  plan = linearPlan();
  plan.mutable_programs(0)->add_instructions()->mutable_kernel()->set_name("matmul_f32_cuda");
  expectRejected(plan, "the kernel runs on the GPU, the plan is for the host");
}

TEST(DeviceCode, RanksInOneProcessRunOnTheHost) {
  rt::LoadedPlan loaded = rt::makeLoadedPlan(cudaPlan());
  rt::InProcessRun run;
  EXPECT_EQ(rt::runPlanInProcess(loaded, testKernels(), run).message(),
            "the plan is for CUDA, but ranks in one process run on the host; compile it with --target host");
}

TEST(DeviceCode, WithoutAGpuOrCudaTheDeviceSaysSo) {
  auto device = rt::makeDevice(cudaPlan());
  if (!device.failed())
    GTEST_SKIP() << "there is a GPU";
#ifdef TW_CUDA
  EXPECT_NE(device.message().find("this program needs an NVIDIA GPU, and none can be used here"), std::string::npos)
      << device.message();
#else
  EXPECT_EQ(device.message(),
            "this program was compiled for 'cuda', which its runtime was built without: configure the "
            "build with -DTW_CUDA=ON and compile the model again, or compile it with --target host");
#endif
}
