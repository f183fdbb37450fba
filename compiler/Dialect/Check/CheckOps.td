// Expectations of tests that execute.
#ifndef TW_CHECK_OPS
#define TW_CHECK_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::tw::check";
  let summary = "What a test expects of values, checked by executing it";
  let description = [{
    The pass `tw-check-execute` runs functions that hold these ops in the reference interpreter; an expectation that
    does not hold is an error at its op. For tests only: no later phase knows these ops.

    ```mlir
    func.func @test_add() {
      %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %sum = arith.addf %a, %a : tensor<2xf32>
      %expected = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
      check.expect_close %sum, %expected : tensor<2xf32>
      return
    }
    ```
  }];
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;
def Check_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger, Index]>;
def Check_FloatTensor : RankedTensorOf<[AnyFloat]>;

def Check_ExpectCloseOp : Check_Op<"expect_close", [SameTypeOperands]> {
  let summary = "|actual - expected| <= atol + rtol |expected|, element by element";
  let description = [{ Equal infinities are close, and so are two NaNs. }];
  let arguments = (ins Check_FloatTensor:$actual, Check_FloatTensor:$expected, DefaultValuedAttr<F64Attr, "1e-6">:$rtol,
      DefaultValuedAttr<F64Attr, "1e-6">:$atol);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

def Check_ExpectEqualOp : Check_Op<"expect_equal", [SameTypeOperands]> {
  let summary = "the same elements, bit by bit (but any NaN equals any other)";
  let arguments = (ins Check_Tensor:$actual, Check_Tensor:$expected);
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

def Check_ExpectFiniteDifferencesOp : Check_Op<"expect_finite_differences",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gradients agree with central differences";
  let description = [{
    Runs `function` on the arguments; its first result, a scalar float, is the value. `gradient` takes the same
    arguments. If some of its results are named `gradient/<parameter>` (result attribute `graph.name`), these are
    compared, each with respect to that parameter. Otherwise its results are the gradients with respect to the
    arguments: those that `with_respect_to` lists, by default all of float type, in order.

    For each element: (value(x + step) - value(x - step)) / (2 step), all of it in double precision, so that only the
    difference's own error, O(step^2), remains.

    Constraints:
    - (C1) both symbols name functions whose arguments have the operands' types.
    - (C2) the function's first result is a float tensor of rank 0.
    - (C3) without named results, `gradient` has one result for each argument it is compared for, of that type.

    ```mlir
    check.expect_finite_differences(%x, %w) {function = @loss, gradient = @loss_gradient} : tensor<4x3xf32>, tensor<3xf32>
    ```
  }];
  let arguments = (ins Variadic<Check_Tensor>:$arguments, FlatSymbolRefAttr:$function, FlatSymbolRefAttr:$gradient,
      OptionalAttr<DenseI64ArrayAttr>:$with_respect_to, DefaultValuedAttr<F64Attr, "1e-4">:$step,
      DefaultValuedAttr<F64Attr, "1e-5">:$rtol, DefaultValuedAttr<F64Attr, "1e-6">:$atol);
  let assemblyFormat = "`(` $arguments `)` attr-dict (`:` type($arguments)^)?";
  let extraClassDeclaration = [{
    /// Positions of the arguments that unnamed results are compared for.
    ::llvm::SmallVector<int64_t> getComparedArguments();
    /// The parameter that a result of `gradient` is for, or "" when it is not named gradient/<parameter>.
    static ::llvm::StringRef getGradientParameter(::mlir::Operation *function, unsigned result);
  }];
}

#endif
