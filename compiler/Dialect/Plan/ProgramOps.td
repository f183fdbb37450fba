// Ops on buffers: the printed form of the executable plan.
#ifndef TW_PLAN_PROGRAM_OPS
#define TW_PLAN_PROGRAM_OPS
include "compiler/Dialect/Plan/PlanBase.td"

def Plan_Weight : I32EnumAttrCase<"Weight", 1, "weight">;
def Plan_Gradient : I32EnumAttrCase<"Gradient", 2, "gradient">;
def Plan_OptimizerState : I32EnumAttrCase<"OptimizerState", 3, "optimizer_state">;
def Plan_Activation : I32EnumAttrCase<"Activation", 4, "activation">;
def Plan_Workspace : I32EnumAttrCase<"Workspace", 5, "workspace">;
def Plan_Input : I32EnumAttrCase<"Input", 6, "input">;
def Plan_Communication : I32EnumAttrCase<"Communication", 7, "communication">;
def Plan_Constant : I32EnumAttrCase<"Constant", 8, "constant">;
def Plan_Scalar : I32EnumAttrCase<"Scalar", 9, "scalar">;
def Plan_Kind : I32EnumAttr<"Kind", "what a buffer is for (numbers as in plan.proto)",
    [Plan_Weight, Plan_Gradient, Plan_OptimizerState, Plan_Activation, Plan_Workspace, Plan_Input, Plan_Communication,
     Plan_Constant, Plan_Scalar]> {
  let cppNamespace = "::tw::plan";
  let genSpecializedAttr = 0;
}
def Plan_KindAttr : EnumAttr<Plan_Dialect, Plan_Kind, "kind"> { let assemblyFormat = "$value"; }

def Plan_ProgramOp : Plan_Op<"program", [Symbol, SingleBlock, NoTerminator, IsolatedFromAbove]> {
  let summary = "instructions over one arena, in the order in which they run";
  let description = [{
    `parameter_bytes` is what all parameters take at the bottom of the arena, `lower_bound` the largest sum of bytes
    alive at once, below which no placement can go.

    Constraints:
    - (C1) parameter_bytes <= lower_bound <= arena_bytes.
    - (C2) every buffer lies inside the arena.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$arena_bytes, I64Attr:$parameter_bytes, I64Attr:$lower_bound);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ $sym_name `arena` $arena_bytes `parameters` $parameter_bytes `lower_bound` $lower_bound
      attr-dict-with-keyword $body }];
  let hasVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer", [Pure, HasParent<"ProgramOp">]> {
  let summary = "a typed range of the arena";
  let description = [{
    `offset` is in bytes and belongs to the first element. With `base` this is a view of that buffer's bytes. With
    `parameter` it is that parameter's memory. `node` is the ONNX node it stems from. The first buffer of a piece of the
    arena says how many bytes the piece `holds` and from which instruction `to` which these are needed: -1 is before
    the first instruction, the number of instructions and more is after the last. Parameters and constants are always
    needed and do not say so.

    Constraints:
    - (C1) offset is not negative, and a multiple of 64 unless there is a base.
    - (C2) holds, from and to come together, without a base; holds is not negative, and -1 <= from <= to.

    ```mlir
    %y = plan.buffer "/fc/MatMul" at 512 activation holds 320 from 3 to 9 node "/fc/MatMul" : memref<8x10xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$offset, Plan_KindAttr:$kind, Optional<Plan_Buffer>:$base,
      OptionalAttr<FlatSymbolRefAttr>:$parameter, OptionalAttr<I64Attr>:$holds, OptionalAttr<I64Attr>:$from,
      OptionalAttr<I64Attr>:$to, OptionalAttr<StrAttr>:$node);
  let results = (outs Plan_Buffer:$result);
  let assemblyFormat = [{ $name `at` $offset $kind (`view_of` $base^ `:` type($base))? (`of` $parameter^)?
      (`holds` $holds^ `from` $from `to` $to)? (`node` $node^)? attr-dict `:` type($result) }];
  let hasVerifier = 1;
}

class Plan_Instruction<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">])>;

def Plan_CallOp : Plan_Instruction<"call", [AttrSizedOperandSegments]> {
  let summary = "calls a hand-written kernel";
  let arguments = (ins StrAttr:$kernel, Variadic<Plan_Buffer>:$inputs, Variadic<Plan_Buffer>:$outputs,
      DictionaryAttr:$call_attributes, DefaultValuedAttr<I64Attr, "0">:$workspace_bytes,
      DefaultValuedAttr<I64Attr, "0">:$workspace_offset);
  let assemblyFormat = [{ $kernel `(` $inputs `)` `->` `(` $outputs `)` $call_attributes
      (`workspace` $workspace_bytes^ `at` $workspace_offset)? attr-dict
      `:` `(` type($inputs) `)` `->` `(` type($outputs) `)` }];
}
def Plan_GeneratedOp : Plan_Instruction<"generated"> {
  let summary = "calls a generated kernel";
  let description = [{ `written` are the positions in `buffers` that the kernel writes. }];
  let arguments = (ins StrAttr:$kernel, Variadic<Plan_Buffer>:$buffers, DenseI64ArrayAttr:$written,
      DenseI64ArrayAttr:$sizes, I64Attr:$extent, I64Attr:$grain);
  let assemblyFormat = [{ $kernel `(` $buffers `)` `written` $written `sizes` $sizes `extent` $extent `grain` $grain
      attr-dict `:` type($buffers) }];
}
def Plan_CollectiveOp : Plan_Instruction<"collective"> {
  let summary = "combines buffers over a group of ranks, in place; several lie side by side and are one transfer";
  let arguments = (ins StrAttr:$collective, Variadic<Plan_Buffer>:$buffers, StrAttr:$reduction, ArrayAttr:$groups);
  let assemblyFormat = "$collective $reduction `(` $buffers `)` `groups` $groups attr-dict `:` type($buffers)";
}
def Plan_CopyOp : Plan_Instruction<"copy"> {
  let summary = "copies a buffer into another of the same shape; strides may differ";
  let arguments = (ins Plan_Buffer:$source, Plan_Buffer:$destination);
  let assemblyFormat = "$source `to` $destination attr-dict `:` type($source) `to` type($destination)";
}
def Plan_FillOp : Plan_Instruction<"fill"> {
  let summary = "writes one value to every element";
  let arguments = (ins Plan_Buffer:$buffer, F64Attr:$value);
  let assemblyFormat = "$buffer `with` $value attr-dict `:` type($buffer)";
}
def Plan_ConstantOp : Plan_Instruction<"constant"> {
  let summary = "what a buffer holds from the start; one value, or one for each rank";
  let arguments = (ins Plan_Buffer:$buffer, ElementsAttr:$value, UnitAttr:$per_rank);
  let assemblyFormat = "$buffer `=` $value (`per_rank` $per_rank^)? attr-dict `:` type($buffer)";
}
def Plan_InputOp : Plan_Instruction<"input"> {
  let summary = "a buffer that the loader fills before the program runs";
  let description = [{
    Integer inputs with `lower` and `upper` hold values in [lower, upper), or `ignore` where given.
  }];
  let arguments = (ins StrAttr:$name, Plan_Buffer:$buffer, OptionalAttr<I64Attr>:$lower, OptionalAttr<I64Attr>:$upper,
      OptionalAttr<I64Attr>:$ignore);
  let assemblyFormat = [{ $name $buffer (`in` `[` $lower^ `,` $upper `)`)? (`or` $ignore^)? attr-dict
      `:` type($buffer) }];
}
def Plan_OutputOp : Plan_Instruction<"output"> {
  let summary = "a buffer whose value is read after the program ran";
  let arguments = (ins StrAttr:$name, Plan_Buffer:$buffer);
  let assemblyFormat = "$name $buffer attr-dict `:` type($buffer)";
}
#endif
