"""Experiments: questions to readers, answered once and kept."""

from measurand.core.catalogue import Catalogue, Entry

ENGINES = Catalogue(
    "engine",
    {
        "local": Entry(
            "measurand.experiment.engine:LocalEngine", "processes on this machine"
        ),
        "ray": Entry(
            "measurand.experiment.ray_engine:RayEngine",
            "a Ray cluster, running or started here",
            extra="ray",
        ),
    },
)
