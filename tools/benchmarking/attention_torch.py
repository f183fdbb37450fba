"""PyTorch's side of tools/benchmark-attention: answers lines of kernels/attention/benchmark.cpp's commands."""
import os
import sys
import time

import torch
import torch.nn.functional as F


class Work:
    def __init__(self, batch, heads, length, width, causal):
        shape = (batch, heads, length, width)
        self.inputs = [torch.randn(shape, requires_grad=True) for _ in range(3)]
        self.cotangent = torch.randn(shape)
        self.causal = bool(causal)

    def run(self):
        for tensor in self.inputs:
            tensor.grad = None
        result = F.scaled_dot_product_attention(*self.inputs, is_causal=self.causal)
        result.backward(self.cotangent)
        return result

    def run_on_files(self, folder):
        with torch.no_grad():
            for name, tensor in zip(("query", "key", "value", "cotangent"), (*self.inputs, self.cotangent)):
                loaded = torch.from_file(f"{folder}/{name}.f32", size=tensor.numel())
                tensor.copy_(loaded.reshape(tensor.shape))
        outputs = [self.run().detach(), *(tensor.grad for tensor in self.inputs)]
        for name, tensor in zip(("result", "d_query", "d_key", "d_value"), outputs):
            tensor.contiguous().numpy().tofile(f"{folder}/{name}.f32")


def main():
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
    made, work = None, None
    for line in sys.stdin:
        command, *words = line.split()
        if made != words[:5]:
            made, work = words[:5], Work(*map(int, words[:5]))
        if command == "error":
            work.run_on_files(words[5])
            print("written", flush=True)
            continue
        start = time.perf_counter()
        work.run()
        print((time.perf_counter() - start) * 1e3, flush=True)


if __name__ == "__main__":
    main()
