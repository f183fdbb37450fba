// RUN: tw-opt %s -o /dev/null --verify-diagnostics --pass-pipeline="builtin.module(tw-lower-emit-ptx{chip=sm_13})"

// expected-error @below {{unknown GPU architecture 'sm_13'}}
module {
}
