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

// -----

plan.program @train arena 128 parameters 0 lower_bound 128 {
  // expected-error @+1 {{(C2) found holds 32 from 3 to 2, expected -1 <= from <= to}}
  %0 = plan.buffer "x" at 64 activation holds 32 from 3 to 2 : memref<8xf32>
}

// -----

plan.program @train arena 128 parameters 0 lower_bound 128 {
  %0 = plan.buffer "x" at 64 activation : memref<8xf32>
  // expected-error @+1 {{(C2) holds, from and to come together, on a buffer without a base}}
  %1 = plan.buffer "x" at 64 activation view_of %0 : memref<8xf32> holds 32 from 0 to 2 : memref<8xf32>
}
