// RUN: tw-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{(C1) parameter_bytes <= lower_bound <= arena_bytes must hold, found 64, 512, 128}}
plan.program @train arena 128 parameters 64 lower_bound 512 {
}

// -----

plan.program @train arena 128 parameters 0 lower_bound 128 {
  // expected-error @+1 {{(C2) ends at byte 160, beyond the arena of 128 bytes}}
  %0 = plan.buffer "x" at 128 activation : memref<8xf32>
}

// -----

plan.program @train arena 128 parameters 0 lower_bound 128 {
  // expected-error @+1 {{(C1) offset must be a multiple of 64 and not negative, found 4}}
  %0 = plan.buffer "x" at 4 activation : memref<8xf32>
}
