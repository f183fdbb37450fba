// Scaled dot-product attention in tiles, after FlashAttention (T. Dao et al., 2022): scores exist only for kQueries x
// kKeys at a time, the softmax is kept up to date by running maxima and sums, and the backward pass recomputes the
// probabilities from logsumexp. Parts of tiles above the causal diagonal are left out.
#include "kernels/attention/Tile.h"
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

#include <initializer_list>

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

constexpr int64_t kQueries = 48; // rows of a tile
constexpr int64_t kKeys = 128;   // columns of a tile

struct Problem {
  int64_t batch, heads, groups, queries, keys, width, valueWidth; // b, h, g, s, t, d, e
  float scale;
  bool causal;
  const tw_tensor *query, *key, *value, *bias;
};

const float *rowOf(const tw_tensor &tensor, int64_t batch, int64_t head, int64_t row) {
  return static_cast<const float *>(tensor.data) + batch * tensor.strides[0] + head * tensor.strides[1] +
         row * tensor.strides[2];
}
float *mutableRowOf(const tw_tensor &tensor, int64_t batch, int64_t head, int64_t row) {
  return const_cast<float *>(rowOf(tensor, batch, head, row));
}

/// Reads query, key, value from inputs `first` on, bias from input `bias` if there is one.
int readProblem(const tw_call *call, int first, int bias, Problem &p, char *message, size_t capacity) {
  p.query = &call->inputs[first];
  p.key = &call->inputs[first + 1];
  p.value = &call->inputs[first + 2];
  p.bias = call->input_count > bias ? &call->inputs[bias] : nullptr;
  for (const tw_tensor *tensor : {p.query, p.key, p.value})
    if (tensor->rank != 4 || (tensor->shape[3] > 1 && tensor->strides[3] != 1))
      return fail(message, capacity,
                  "attention needs query, key and value of rank 4 with stride 1 in the last dimension");
  p.batch = p.query->shape[0];
  p.heads = p.query->shape[1];
  p.groups = p.key->shape[1];
  p.queries = p.query->shape[2];
  p.keys = p.key->shape[2];
  p.width = p.query->shape[3];
  p.valueWidth = p.value->shape[3];
  if (p.groups == 0 || p.heads % p.groups != 0 || p.value->shape[1] != p.groups || p.value->shape[2] != p.keys ||
      p.key->shape[3] != p.width)
    return fail(message, capacity, "attention's query, key and value do not fit each other");
  if (p.bias && p.bias->rank != 4)
    return fail(message, capacity, "attention's bias needs rank 4, not %d", p.bias->rank);
  p.scale = float(number(call, "scale", 1));
  p.causal = flag(call, "causal");
  return 0;
}
bool unitRows(const tw_tensor &tensor) {
  return tensor.rank == 4 && (tensor.shape[3] <= 1 || tensor.strides[3] == 1);
}

/// Where the bias of (batch, head, query) starts, and the stride along keys; null without a bias.
struct BiasRow {
  const float *data;
  int64_t stride;
};
BiasRow biasRow(const Problem &p, int64_t batch, int64_t head, int64_t query) {
  if (!p.bias)
    return {nullptr, 0};
  const tw_tensor &bias = *p.bias;
  int64_t at[3] = {batch, head, query};
  const float *data = static_cast<const float *>(bias.data);
  for (int i = 0; i < 3; ++i)
    data += bias.shape[i] == 1 ? 0 : at[i] * bias.strides[i];
  return {data, bias.shape[3] == 1 ? 0 : bias.strides[3]};
}

/// A tile of scores: queries [firstQuery, +rows) by keys [firstKey, +columns).
struct Tile {
  int64_t firstQuery, rows, firstKey, columns;
  bool causal;
  /// Keys of this tile that row r sees.
  int64_t seen(int64_t r) const {
    int64_t visible = causal ? firstQuery + r + 1 - firstKey : columns;
    return visible < 0 ? 0 : visible < columns ? visible : columns;
  }
  /// Padded columns that the rows [r, r + height) are worked on for.
  int64_t worked(int64_t r, int height) const { return padded(seen(r + height - 1)); }
  /// The group of rows that r belongs to ends here.
  int64_t workedRow(int64_t r) const {
    int64_t first = r / kTileRows * kTileRows, last = first + kTileRows < rows ? first + kTileRows : rows;
    return padded(seen(last - 1));
  }
};

/// Fills what the row does not see with -inf, and adds scale and bias to what it sees. Returns the columns to work on.
inline int64_t finishScores(float *scores, const Problem &p, const Tile &tile, int64_t r, int64_t batch, int64_t head) {
  int64_t seen = tile.seen(r), worked = tile.workedRow(r);
  for (int64_t i = 0; i < worked; i += kFloats)
    store(scores + i, load(scores + i) * p.scale);
  BiasRow bias = biasRow(p, batch, head, tile.firstQuery + r);
  if (bias.data) {
    const float *from = bias.data + tile.firstKey * bias.stride;
    for (int64_t i = 0; i < seen; ++i)
      scores[i] += from[i * bias.stride];
  }
  for (int64_t i = seen; i < worked; ++i)
    scores[i] = -INFINITY;
  return worked;
}

/// Hands out consecutive pieces of a thread's workspace.
struct Scratch {
  float *next;
  float *take(int64_t count) {
    float *piece = next;
    next += (count + 15) / 16 * 16;
    return piece;
  }
};
struct ForwardScratch {
  float *keys, *values, *query, *scores, *sums, *maxima, *totals;
  int64_t floats;
  ForwardScratch(const Problem &p, float *memory) {
    Scratch scratch{memory};
    keys = scratch.take(padded(p.keys) * p.width);
    values = scratch.take(p.keys * padded(p.valueWidth));
    query = scratch.take(kQueries * p.width);
    scores = scratch.take(kQueries * padded(kKeys));
    sums = scratch.take(kQueries * padded(p.valueWidth));
    maxima = scratch.take(kQueries);
    totals = scratch.take(kQueries);
    floats = scratch.next - memory;
  }
};

/// One row of the online softmax: scores become exponentials, and the row's sum of values is rescaled.
inline void softmaxRow(float *scores, int64_t worked, float &maximum, float &total, float *sums, int64_t sumsWidth) {
  Floats largest = fill(maximum);
  for (int64_t i = 0; i < worked; i += kFloats)
    largest = max(largest, load(scores + i));
  float updated = maxLanes(largest), shift = updated == -INFINITY ? 0.0f : updated;
  Floats sum{};
  for (int64_t i = 0; i < worked; i += kFloats) {
    Floats value = exponential(load(scores + i) - shift);
    store(scores + i, value);
    sum += value;
  }
  if (updated != maximum && maximum != -INFINITY) {
    float factor = std::exp(maximum - updated);
    total *= factor;
    for (int64_t i = 0; i < sumsWidth; i += kFloats)
      store(sums + i, load(sums + i) * factor);
  }
  total += sumLanes(sum);
  maximum = updated;
}

/// Queries [firstQuery, +rows) of one head against all keys, which are packed already.
void forwardTile(const Problem &p, const ForwardScratch &scratch, int64_t batch, int64_t head, int64_t firstQuery,
                 int64_t rows, const tw_tensor &result, float *logsumexp) {
  int64_t valuePitch = padded(p.valueWidth), scorePitch = padded(kKeys);
  for (int64_t r = 0; r < rows; ++r) {
    memcpy(scratch.query + r * p.width, rowOf(*p.query, batch, head, firstQuery + r), p.width * sizeof(float));
    scratch.maxima[r] = -INFINITY;
    scratch.totals[r] = 0;
  }
  memset(scratch.sums, 0, rows * valuePitch * sizeof(float));
  int64_t lastKey = p.causal && firstQuery + rows < p.keys ? firstQuery + rows : p.keys;
  for (int64_t firstKey = 0; firstKey < lastKey; firstKey += kKeys) {
    Tile tile = {firstQuery, rows, firstKey, lastKey - firstKey < kKeys ? lastKey - firstKey : kKeys, p.causal};
    product(rows, {scratch.query, p.width, 1}, scratch.keys + firstKey * p.width, kPanel * p.width, kPanel,
            scratch.scores, scorePitch, false,
            [&](int64_t r, int height) -> Span { return {tile.worked(r, height), 0, p.width}; });
    for (int64_t r = 0; r < rows; ++r) {
      float *scores = scratch.scores + r * scorePitch;
      int64_t worked = finishScores(scores, p, tile, r, batch, head);
      softmaxRow(scores, worked, scratch.maxima[r], scratch.totals[r], scratch.sums + r * valuePitch, valuePitch);
    }
    product(rows, {scratch.scores, scorePitch, 1}, scratch.values + firstKey * valuePitch, kPanel, valuePitch,
            scratch.sums, valuePitch, true, [&](int64_t r, int height) -> Span {
              int64_t depth = tile.worked(r, height);
              return {valuePitch, 0, depth < tile.columns ? depth : tile.columns};
            });
  }
  for (int64_t r = 0; r < rows; ++r) {
    float total = scratch.totals[r], inverse = total > 0 ? 1.0f / total : 0.0f;
    float *to = mutableRowOf(result, batch, head, firstQuery + r);
    const float *from = scratch.sums + r * valuePitch;
    for (int64_t i = 0; i < p.valueWidth; ++i)
      to[i] = from[i] * inverse;
    logsumexp[r] = total > 0 ? scratch.maxima[r] + std::log(total) : -INFINITY;
    if (total != total) // NaN among the scores must not vanish
      for (int64_t i = 0; i < p.valueWidth; ++i)
        to[i] = logsumexp[r] = total;
  }
}

size_t forwardWorkspace(const tw_call *call) {
  Problem p{};
  if (readProblem(call, 0, 3, p, nullptr, 0))
    return 0;
  return size_t(call->threads) * ForwardScratch(p, nullptr).floats * sizeof(float);
}

int attention(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(3, 4, 2);
  Problem p{};
  if (int status = readProblem(call, 0, 3, p, message, capacity))
    return status;
  const tw_tensor &result = call->outputs[0], &logsumexp = call->outputs[1];
  if (!unitRows(result))
    return fail(message, capacity, "attention needs a result of rank 4 with stride 1 in the last dimension");
  if (call->workspace_bytes < forwardWorkspace(call))
    return fail(message, capacity, "attention needs %zu bytes of workspace, but has %zu", forwardWorkspace(call),
                call->workspace_bytes);
  int64_t tiles = (p.queries + kQueries - 1) / kQueries, tasks = p.batch * p.heads * tiles;
  int64_t cost = kQueries * p.keys * (p.width + p.valueWidth) / 8;
  int team = teamSize(call->threads, tasks, cost);
  // Consecutive tasks share packed keys and values. With few heads and a causal mask, later tiles are larger: then
  // threads take turns.
  bool turns = p.causal && p.batch * p.heads < 2 * team;
  forRanges(team, team, [&](int part, int64_t, int64_t) {
    ForwardScratch sizes(p, nullptr);
    ForwardScratch scratch(p, static_cast<float *>(call->workspace) + part * sizes.floats);
    int64_t first = turns ? part : tasks * part / team, last = turns ? tasks : tasks * (part + 1) / team;
    int64_t packed = -1;
    for (int64_t task = first; task < last; task += turns ? team : 1) {
      int64_t batch = task / tiles / p.heads, head = task / tiles % p.heads, group = head / (p.heads / p.groups);
      if (packed != batch * p.groups + group) {
        packTransposed(scratch.keys, rowOf(*p.key, batch, group, 0), p.key->strides[2], p.keys, p.width);
        packRows(scratch.values, rowOf(*p.value, batch, group, 0), p.value->strides[2], p.keys, p.valueWidth);
        packed = batch * p.groups + group;
      }
      int64_t query = task % tiles * kQueries, rows = p.queries - query < kQueries ? p.queries - query : kQueries;
      float logs[kQueries];
      forwardTile(p, scratch, batch, head, query, rows, result, logs);
      float *to = static_cast<float *>(logsumexp.data) + batch * logsumexp.strides[0] + head * logsumexp.strides[1];
      for (int64_t r = 0; r < rows; ++r)
        to[(query + r) * logsumexp.strides[2]] = logs[r];
    }
  });
  return 0;
}

struct BackwardScratch {
  float *keysAcross, *valuesAcross, *keys, *dKeys, *dValues, *query, *cotangent, *scores, *dScores, *dQuery, *deltas,
      *logs;
  int64_t floats;
  BackwardScratch(const Problem &p, float *memory) {
    Scratch scratch{memory};
    int64_t width = padded(p.width), valueWidth = padded(p.valueWidth);
    keysAcross = scratch.take(padded(p.keys) * p.width);
    valuesAcross = scratch.take(padded(p.keys) * p.valueWidth);
    keys = scratch.take(p.keys * width);
    dKeys = scratch.take(p.keys * width);
    dValues = scratch.take(p.keys * valueWidth);
    query = scratch.take(kQueries * width);
    cotangent = scratch.take(kQueries * valueWidth);
    scores = scratch.take(kQueries * padded(kKeys));
    dScores = scratch.take(kQueries * padded(kKeys));
    dQuery = scratch.take(kQueries * width);
    deltas = scratch.take(kQueries);
    logs = scratch.take(kQueries);
    floats = scratch.next - memory;
  }
};

/// p = exp(scores - logsumexp), ds = p (dp - delta), row by row.
void probabilities(const Problem &p, const BackwardScratch &scratch, const Tile &tile, int64_t batch, int64_t head) {
  int64_t pitch = padded(kKeys);
  for (int64_t r = 0; r < tile.rows; ++r) {
    float *scores = scratch.scores + r * pitch, *dScores = scratch.dScores + r * pitch;
    int64_t worked = finishScores(scores, p, tile, r, batch, head);
    float shift = scratch.logs[r], delta = scratch.deltas[r];
    for (int64_t i = 0; i < worked; i += kFloats) {
      Floats probability = exponential(load(scores + i) - shift);
      store(scores + i, probability);
      store(dScores + i, probability * (load(dScores + i) - delta));
    }
    // A group of keys may reach past the columns this row worked on, by less than a panel.
    if (worked < pitch) {
      memset(scores + worked, 0, kPanel * sizeof(float));
      memset(dScores + worked, 0, kPanel * sizeof(float));
    }
  }
}

/// One tile of scores: adds to dValues, dKeys and dQuery.
void backwardTile(const Problem &p, const BackwardScratch &s, const Tile &tile, int64_t batch, int64_t head) {
  int64_t width = padded(p.width), valueWidth = padded(p.valueWidth), pitch = padded(kKeys);
  auto wholeRows = [&](int64_t depth) {
    return [&tile, depth](int64_t r, int height) -> Span { return {tile.worked(r, height), 0, depth}; };
  };
  product(tile.rows, {s.query, width, 1}, s.keysAcross + tile.firstKey * p.width, kPanel * p.width, kPanel, s.scores,
          pitch, false, wholeRows(p.width));
  product(tile.rows, {s.cotangent, valueWidth, 1}, s.valuesAcross + tile.firstKey * p.valueWidth, kPanel * p.valueWidth,
          kPanel, s.dScores, pitch, false, wholeRows(p.valueWidth));
  probabilities(p, s, tile, batch, head);
  // Keys are the rows now. Key j is seen by queries from j on; the row groups of scores before hold nothing for it.
  auto fromDiagonal = [&](int64_t columns) {
    return [&tile, columns](int64_t j, int) -> Span {
      int64_t first = tile.causal ? tile.firstKey + j - tile.firstQuery : 0;
      first = first < 0 ? 0 : first / kTileRows * kTileRows;
      return {columns, first < tile.rows ? first : tile.rows, tile.rows};
    };
  };
  product(tile.columns, {s.scores, 1, pitch}, s.cotangent, kPanel, valueWidth, s.dValues + tile.firstKey * valueWidth,
          valueWidth, true, fromDiagonal(valueWidth));
  product(tile.columns, {s.dScores, 1, pitch}, s.query, kPanel, width, s.dKeys + tile.firstKey * width, width, true,
          fromDiagonal(width));
  product(tile.rows, {s.dScores, pitch, 1}, s.keys + tile.firstKey * width, kPanel, width, s.dQuery, width, true,
          [&](int64_t r, int height) -> Span {
            int64_t depth = tile.worked(r, height);
            return {width, 0, depth < tile.columns ? depth : tile.columns};
          });
}

struct BackwardOperands {
  const tw_tensor *cotangent, *result, *logsumexp, *dQuery, *dKey, *dValue;
};

/// Packs a tile's queries and cotangents, and computes delta = rowsum(dy * y).
void loadQueries(const Problem &p, const BackwardOperands &o, const BackwardScratch &s, int64_t batch, int64_t head,
                 int64_t query, int64_t rows) {
  packRows(s.query, rowOf(*p.query, batch, head, query), p.query->strides[2], rows, p.width);
  packRows(s.cotangent, rowOf(*o.cotangent, batch, head, query), o.cotangent->strides[2], rows, p.valueWidth);
  memset(s.dQuery, 0, rows * padded(p.width) * sizeof(float));
  const tw_tensor &logs = *o.logsumexp;
  for (int64_t r = 0; r < rows; ++r) {
    const float *dy = s.cotangent + r * padded(p.valueWidth), *y = rowOf(*o.result, batch, head, query + r);
    s.deltas[r] = sumOver(p.valueWidth,
                          [&](int64_t i, int64_t lanes) { return loadSome(dy + i, lanes) * loadSome(y + i, lanes); });
    float value = static_cast<const float *>(
        logs.data)[batch * logs.strides[0] + head * logs.strides[1] + (query + r) * logs.strides[2]];
    s.logs[r] = value == -INFINITY ? INFINITY : value; // a row that sees nothing has no probabilities
  }
}

/// All queries that use one key/value head.
void backwardGroup(const Problem &p, const BackwardOperands &o, const BackwardScratch &s, int64_t batch,
                   int64_t group) {
  int64_t width = padded(p.width), valueWidth = padded(p.valueWidth), headsEach = p.heads / p.groups;
  const float *key = rowOf(*p.key, batch, group, 0), *value = rowOf(*p.value, batch, group, 0);
  packTransposed(s.keysAcross, key, p.key->strides[2], p.keys, p.width);
  packTransposed(s.valuesAcross, value, p.value->strides[2], p.keys, p.valueWidth);
  packRows(s.keys, key, p.key->strides[2], p.keys, p.width);
  memset(s.dKeys, 0, p.keys * width * sizeof(float));
  memset(s.dValues, 0, p.keys * valueWidth * sizeof(float));
  for (int64_t head = group * headsEach; head < (group + 1) * headsEach; ++head)
    for (int64_t query = 0; query < p.queries; query += kQueries) {
      int64_t rows = p.queries - query < kQueries ? p.queries - query : kQueries;
      loadQueries(p, o, s, batch, head, query, rows);
      int64_t lastKey = p.causal && query + rows < p.keys ? query + rows : p.keys;
      for (int64_t firstKey = 0; firstKey < lastKey; firstKey += kKeys)
        backwardTile(p, s, {query, rows, firstKey, lastKey - firstKey < kKeys ? lastKey - firstKey : kKeys, p.causal},
                     batch, head);
      for (int64_t r = 0; r < rows; ++r) {
        float *to = mutableRowOf(*o.dQuery, batch, head, query + r);
        for (int64_t i = 0; i < p.width; ++i)
          to[i] = s.dQuery[r * width + i] * p.scale;
      }
    }
  for (int64_t j = 0; j < p.keys; ++j) {
    float *dKey = mutableRowOf(*o.dKey, batch, group, j), *dValue = mutableRowOf(*o.dValue, batch, group, j);
    for (int64_t i = 0; i < p.width; ++i)
      dKey[i] = s.dKeys[j * width + i] * p.scale;
    memcpy(dValue, s.dValues + j * valueWidth, p.valueWidth * sizeof(float));
  }
}

size_t backwardWorkspace(const tw_call *call) {
  Problem p{};
  if (readProblem(call, 1, 6, p, nullptr, 0))
    return 0;
  return size_t(call->threads) * BackwardScratch(p, nullptr).floats * sizeof(float);
}

int attentionBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(6, 7, 3);
  Problem p{};
  if (int status = readProblem(call, 1, 6, p, message, capacity))
    return status;
  BackwardOperands operands = {&call->inputs[0],  &call->inputs[4],  &call->inputs[5],
                               &call->outputs[0], &call->outputs[1], &call->outputs[2]};
  for (const tw_tensor *tensor : {operands.cotangent, operands.result, operands.dQuery, operands.dKey, operands.dValue})
    if (!unitRows(*tensor))
      return fail(message, capacity, "attention_backward needs operands of rank 4 with stride 1 in the last dimension");
  if (call->workspace_bytes < backwardWorkspace(call))
    return fail(message, capacity, "attention_backward needs %zu bytes of workspace, but has %zu",
                backwardWorkspace(call), call->workspace_bytes);
  int64_t tasks = p.batch * p.groups;
  int team = teamSize(call->threads, tasks, p.queries * p.keys * p.width / 2);
  forRanges(team, tasks, [&](int part, int64_t begin, int64_t end) {
    BackwardScratch sizes(p, nullptr);
    BackwardScratch scratch(p, static_cast<float *>(call->workspace) + part * sizes.floats);
    for (int64_t task = begin; task < end; ++task)
      backwardGroup(p, operands, scratch, task / p.groups, task % p.groups);
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

TW_RUN(attention_f32_host) {
  return attention(call, message, capacity);
}
TW_WORKSPACE(attention_f32_host) {
  return forwardWorkspace(call);
}
TW_RUN(attention_backward_f32_host) {
  return attentionBackward(call, message, capacity);
}
TW_WORKSPACE(attention_backward_f32_host) {
  return backwardWorkspace(call);
}
