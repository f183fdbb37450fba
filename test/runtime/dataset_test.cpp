#include "runtime/base/Types.h"
#include "runtime/train/data/Dataset.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {

std::string floatArray(std::vector<int64_t> shape, float value = 0.5f) {
  return npyOf("<f4", shape, std::vector<float>(size_t(rt::elementCount(shape)), value));
}

rt::Expected<rt::Dataset> open(const planpb::Plan &plan, std::vector<std::string> files,
                               std::vector<std::string> normalize = {}) {
  rt::DataOptions options;
  options.files = std::move(files);
  options.normalize = std::move(normalize);
  return rt::Dataset::open(options, plan);
}

void expectRefused(const planpb::Plan &plan, std::vector<std::string> files, const std::string &part) {
  auto dataset = open(plan, files);
  ASSERT_TRUE(dataset.failed());
  EXPECT_NE(dataset.message().find(part), std::string::npos) << dataset.message();
}

// Ten rows for classifierPlan(4, 3).
std::string labelsNpz(const std::vector<int64_t> &labels, const std::string &name = "labels") {
  return npzBytes(
      {{"x", floatArray({int64_t(labels.size()), 3})}, {name, npyOf("<i8", {int64_t(labels.size())}, labels)}});
}

} // namespace

TEST(Dataset, StoredAndDeflatedNpz) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  for (bool deflated : {false, true}) {
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    writeFile(folder.path("a.npz"),
              npzBytes({{"x", npyOf("<f4", {2, 3}, x)}, {"y", npyOf("<f4", {2}, std::vector<float>{7, 8})}}, deflated));
    auto dataset = open(plan, {folder.path("a.npz")});
    ASSERT_FALSE(dataset.failed()) << dataset.message();
    EXPECT_EQ(dataset->rows(), 2);
    float row[3];
    dataset->stage(*dataset->column("x"), 1, row);
    EXPECT_EQ(row[0], 4);
    EXPECT_EQ(row[2], 6);
  }
}

TEST(Dataset, BytesBecomeFractionsAndAreNormalized) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  std::string pixels("\0\x33\xff\x00\x00\x00", 6);
  writeFile(folder.path("x.gz"), gzipBytes(idxBytes({2, 1, 3}, pixels)));
  writeFile(folder.path("y.npy"), floatArray({2}));
  auto dataset = open(plan, {"x=" + folder.path("x.gz"), "y=" + folder.path("y.npy")}, {"x=0.2,0.4"});
  ASSERT_FALSE(dataset.failed()) << dataset.message();
  float row[3];
  dataset->stage(*dataset->column("x"), 0, row);
  EXPECT_FLOAT_EQ(row[0], -0.5f);
  EXPECT_FLOAT_EQ(row[1], 0.0f);
  EXPECT_FLOAT_EQ(row[2], 2.0f);
}

TEST(Dataset, FloatsAndDoublesNormalizeAlike) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  writeFile(folder.path("x4.npy"), npyOf("<f4", {1, 3}, std::vector<float>{1, 2, 5}));
  writeFile(folder.path("x8.npy"), npyOf("<f8", {1, 3}, std::vector<double>{1, 2, 5}));
  writeFile(folder.path("y.npy"), floatArray({1}));
  for (const char *name : {"x4.npy", "x8.npy"}) {
    auto dataset = open(plan, {"x=" + folder.path(name), "y=" + folder.path("y.npy")}, {"x=1,4"});
    ASSERT_FALSE(dataset.failed()) << dataset.message();
    float row[3];
    dataset->stage(*dataset->column("x"), 0, row);
    EXPECT_FLOAT_EQ(row[0], 0);
    EXPECT_FLOAT_EQ(row[2], 1);
  }
  auto dataset = open(plan, {"x=" + folder.path("x4.npy"), "y=" + folder.path("y.npy")}, {"x=1,0"});
  EXPECT_NE(dataset.message().find("--normalize is 'x=1,0'; it is NAME=MEAN,DEVIATION"), std::string::npos);
}

TEST(Dataset, MissingNameListsWhatThereIs) {
  TemporaryFolder folder;
  writeFile(folder.path("a.npz"), labelsNpz({0, 1}, "lables"));
  expectRefused(classifierPlan(4, 3), {folder.path("a.npz")},
                "the data have no 'labels', an input of the model; they have x, lables (did you mean 'lables'?)");
}

TEST(Dataset, WrongTypeAndShape) {
  TemporaryFolder folder;
  planpb::Plan plan = classifierPlan(4, 3);
  writeFile(folder.path("a.npz"), npzBytes({{"x", floatArray({2, 3})}, {"labels", floatArray({2})}}));
  expectRefused(plan, {folder.path("a.npz")}, "input 'labels' takes i64, but array 'labels.npy' of");
  writeFile(folder.path("a.npz"),
            npzBytes({{"x", floatArray({2, 4})}, {"labels", npyOf("<i8", {2}, std::vector<int64_t>(2))}}));
  expectRefused(plan, {folder.path("a.npz")}, "input 'x' takes rows of shape [3], but array 'x.npy' of");
}

TEST(Dataset, DifferentNumbersOfRows) {
  TemporaryFolder folder;
  writeFile(folder.path("a.npz"), npzBytes({{"x", floatArray({2, 3})}, {"y", floatArray({3})}}));
  expectRefused(linearPlan(), {folder.path("a.npz")}, "the data have 2 rows of 'x' but 3 rows of 'y'");
}

TEST(Dataset, LabelsOutOfRangeNameTheRow) {
  TemporaryFolder folder;
  planpb::Plan plan = classifierPlan(4, 3);
  writeFile(folder.path("a.npz"), labelsNpz({0, 2, -100, 3}));
  expectRefused(plan, {folder.path("a.npz")},
                "input 'labels', row 3: the value 3 is outside [0, 3) and is not -100, the ignored label");
  writeFile(folder.path("a.npz"), labelsNpz({0, 2, -100, 1}));
  EXPECT_FALSE(open(plan, {folder.path("a.npz")}).failed());
}

TEST(Dataset, NarrowingIsChecked) {
  TemporaryFolder folder;
  planpb::Plan plan = classifierPlan(4, 3);
  plan.mutable_inputs(1)->set_type(planpb::I8);
  plan.mutable_inputs(1)->set_has_bounds(false);
  writeFile(folder.path("a.npz"), labelsNpz({0, 1000}));
  expectRefused(plan, {folder.path("a.npz")}, "input 'labels', row 1: the value 1000 does not fit into i8");
}

TEST(Dataset, NanAndInfinity) {
  TemporaryFolder folder;
  for (auto &[value, word] : {std::pair(float(NAN), "NaN"), std::pair(float(INFINITY), "infinity")}) {
    std::vector<float> x(6, 1.0f);
    x[4] = value;
    writeFile(folder.path("a.npz"), npzBytes({{"x", npyOf("<f4", {2, 3}, x)}, {"y", floatArray({2})}}));
    expectRefused(linearPlan(), {folder.path("a.npz")}, std::string("input 'x', row 1: the data hold ") + word);
  }
}

TEST(Dataset, FilesThatAreMissingOrNameless) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  expectRefused(plan, {folder.path("none.npz")}, "there is no data file");
  writeFile(folder.path("x.npy"), floatArray({2, 3}));
  expectRefused(plan, {folder.path("x.npy")}, "does not say which input it is for");
  expectRefused(plan, {"x=" + folder.path("x.npy"), "x=" + folder.path("x.npy")}, "the data give 'x' twice");
}

TEST(Dataset, ArraysThatAreNotRead) {
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  writeFile(folder.path("x.npy"), npyBytes(">f4", {2, 3}, std::string(24, '\0')));
  expectRefused(plan, {"x=" + folder.path("x.npy")}, "has the element type >f4");
  std::string fortran = floatArray({2, 3});
  fortran.replace(fortran.find("False"), 5, "True ");
  writeFile(folder.path("x.npy"), fortran);
  expectRefused(plan, {"x=" + folder.path("x.npy")}, "is in Fortran order");
}

TEST(Dataset, TokenWindows) {
  TemporaryFolder folder;
  planpb::Plan plan = classifierPlan(4, 3);
  plan.clear_inputs();
  for (const char *name : {"ids", "labels"}) {
    planpb::DataInput &input = *plan.add_inputs();
    input.set_name(name);
    input.set_type(planpb::I64);
    input.add_row_shape(4);
    input.set_batched(true);
    input.set_has_bounds(true);
    input.set_upper(300);
  }
  std::vector<uint16_t> tokens;
  for (uint16_t i = 0; i < 14; ++i)
    tokens.push_back(i);
  writeFile(folder.path("t.bin"), std::string(reinterpret_cast<char *>(tokens.data()), tokens.size() * 2));
  rt::DataOptions options;
  options.tokens = folder.path("t.bin");
  auto dataset = rt::Dataset::open(options, plan);
  ASSERT_FALSE(dataset.failed()) << dataset.message();
  EXPECT_EQ(dataset->rows(), 3);
  int64_t row[4];
  dataset->stage(*dataset->column("ids"), 2, row);
  EXPECT_EQ(row[3], 11);
  dataset->stage(*dataset->column("labels"), 2, row);
  EXPECT_EQ(row[3], 12);
  plan.mutable_inputs(0)->set_upper(10);
  options.tokenType = "u16";
  EXPECT_NE(rt::Dataset::open(options, plan).message().find("input 'ids', row 2: the value 10 is outside [0, 10)"),
            std::string::npos);
  writeFile(folder.path("t.bin"), "123");
  EXPECT_NE(rt::Dataset::open(options, plan).message().find("not a whole number of tokens"), std::string::npos);
}

// No truncation and no changed byte may crash or read outside of the file (sanitizers watch).
template <typename Read>
static void tryDamage(const std::string &whole, Read read) {
  TemporaryFolder folder;
  std::string path = folder.path("file.npz");
  for (size_t length = 0; length < whole.size(); ++length) {
    writeFile(path, whole.substr(0, length));
    EXPECT_FALSE(read(path)) << "truncated to " << length << " of " << whole.size();
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      writeFile(path, damaged);
      read(path);
    }
}

TEST(DataFiles, DamagedNpz) {
  for (bool deflated : {false, true})
    tryDamage(npzBytes({{"x", floatArray({2, 3})}, {"y", floatArray({2})}}, deflated),
              [](const std::string &path) { return !rt::readNpz(path).failed(); });
}

TEST(DataFiles, DamagedNpy) {
  tryDamage(floatArray({2, 3}), [](const std::string &path) {
    auto file = rt::MappedFile::open(path);
    auto shared = std::make_shared<rt::MappedFile>(file.take());
    return !rt::readNpy(shared, shared->data(), shared->size(), "it").failed();
  });
}

TEST(DataFiles, NpyWithoutAType) {
  TemporaryFolder folder;
  std::string whole = floatArray({2, 3});
  whole.replace(whole.find("'<f4'"), 5, "     ");
  writeFile(folder.path("x.npy"), whole);
  expectRefused(linearPlan(), {"x=" + folder.path("x.npy")}, "has the element type ");
}

TEST(DataFiles, DamagedIdx) {
  std::string plain = idxBytes({2, 3}, "abcdef");
  for (const std::string &whole : {plain, gzipBytes(plain)})
    tryDamage(whole, [](const std::string &path) { return !rt::readIdx(path).failed(); });
}
