"""Work on a GPU that is captured once for each shape of batch, and then replayed.

Small models wait for their kernels to be launched, one after another; a captured graph
launches them all at once.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

Batch = Mapping[str, torch.Tensor]
Graph = tuple[Any, dict[str, torch.Tensor], torch.Tensor]  # what it reads, and gives
WARM = 2  # runs before a capture: what is allocated or chosen once must be there


class GraphReplay:
    """What `work` gives for a batch.

    Attributes:
        work: A function of a batch that copies nothing from or to the CPU.
        pool: The memory of all its graphs; what is replayed in turn can share one.
        refused: Whether it could not be captured, so that it runs as it is.
    """

    def __init__(self, work: Callable[[Batch], torch.Tensor], pool: Any) -> None:
        self.work, self.pool, self.refused = work, pool, False
        self.graphs: dict[Any, Graph] = {}

    def __call__(self, batch: Batch) -> torch.Tensor:
        """What it gives: a copy, since the next replay writes over it."""
        shape = tuple((name, tuple(part.shape)) for name, part in sorted(batch.items()))
        if shape not in self.graphs and not self.refused:
            try:
                self.graphs[shape] = self.capture(batch)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError:
                # Some models copy from the CPU in every step, which no graph can hold:
                # MPNet in transformers 5.17, for one. They run launch by launch.
                self.refused = True
        if self.refused:
            return self.work(batch)
        graph, static, value = self.graphs[shape]
        for name, part in batch.items():
            static[name].copy_(part, non_blocking=True)
        graph.replay()
        return value.clone()

    def capture(self, batch: Batch) -> Graph:
        """A graph of the work on batches of this shape."""
        static = {name: part.clone() for name, part in batch.items()}
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM):
                self.work(static)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            value = self.work(static)
        return graph, static, value
