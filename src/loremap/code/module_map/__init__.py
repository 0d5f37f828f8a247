"""The module map: the parts of a project that a person would name, found without any model."""

from loremap.code.module_map.manifests import is_manifest, wanted_texts
from loremap.code.module_map.mapped import mapped
from loremap.code.module_map.packages import names_in_manifests
from loremap.code.module_map.parting import is_source
from loremap.code.module_map.project_view import ProjectFile, ProjectView

__all__ = [
    "ProjectFile",
    "ProjectView",
    "is_manifest",
    "is_source",
    "mapped",
    "names_in_manifests",
    "wanted_texts",
]
