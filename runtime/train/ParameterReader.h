// Streams a parameter out of the arena in the form that an ONNX file keeps it: transposed, or of another float type.
#ifndef TW_RUNTIME_TRAIN_PARAMETERREADER_H
#define TW_RUNTIME_TRAIN_PARAMETERREADER_H

#include "runtime/exec/Session.h"
#include "runtime/train/Safetensors.h"

namespace tw::rt {

class ParameterReader {
public:
  /// `type` is the tw_type that the file wants.
  ParameterReader(Session &session, const planpb::Parameter &parameter, bool transposed, int type)
      : session_(session), parameter_(parameter), transposed_(transposed), type_(type) {}
  Status send(const TensorSource::Sink &sink);

  /// The tw_type of a TensorProto.DataType, 0 when there is none; and back.
  static int typeOfOnnx(int type);
  static int onnxType(int type);

private:
  Session &session_;
  const planpb::Parameter &parameter_;
  bool transposed_;
  int type_;
};

} // namespace tw::rt
#endif
