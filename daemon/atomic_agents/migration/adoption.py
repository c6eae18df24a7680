"""Making units of what other memory tools wrote, as one migration from v0 (contract [M-7])."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from atomic_agents._files.move import rename_exclusively
from atomic_agents._io import move_file, sync_folder
from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import MigrationError, NothingToMigrateError
from atomic_agents.migration import checks
from atomic_agents.migration.contents import Contents, Handles
from atomic_agents.migration.filesystem import FilesystemMigrationBackend
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.legacy import (
    FIRST_VERSION,
    LEGACY_VERSION,
    Adoption,
    Undecided,
    decide,
    with_block,
)
from atomic_agents.migration.listing import UnitFile
from atomic_agents.migration.origins import Origin, commit_dates, file_dates
from atomic_agents.migration.plan import find_chain
from atomic_agents.migration.readings import read_bytes
from atomic_agents.migration.scripts import find_scripts, load_script
from atomic_agents.migration.sheet import Surroundings
from atomic_agents.migration.unit import MigratableUnit, UnreadableUnitError
from atomic_agents.migration.values import LoadedScript, MigrationPlan
from atomic_agents.vault.walk import read_layout

_SCRIPT: Final = Path("adopt-legacy")


class LegacyAdoption(FilesystemMigrationBackend):
    """A vault whose files without `schema_version` become units; everything else is left alone.

    Args:
        agents_root: the vault.
        rename: whether files also get the name that their layer's pattern asks for.
        ignore: `[vault] ignore` of the configuration.
        around: whom to tell, and what time it is.

    """

    def __init__(
        self,
        agents_root: Path,
        *,
        rename: bool = False,
        ignore: tuple[str, ...] = (),
        around: Surroundings | None = None,
    ) -> None:
        super().__init__(agents_root, ignore=ignore, around=around)
        self._renames = rename
        self._contents = Contents(self._root, read_layout(self._root, ignore), opened=with_block)
        self.adoptions: dict[str, Adoption] = {}
        self.undecided: list[Undecided] = []

    @property
    def target(self) -> int:
        """The vault's current version, which every adopted file reaches."""
        return SchemaSet.of_vault(self._root).current

    def decide(self) -> None:
        """Fill `adoptions`, by absolute path, and `undecided`; only reads."""
        schemas = SchemaSet.of_vault(self._root)
        self.adoptions, self.undecided = {}, []
        listing = self._contents.list()
        self.undecided += (Undecided(path, reason) for path, reason in listing.unknown.items())
        for unit in listing.units:
            self._decide(unit, schemas)
        self._keep_names_apart()

    def build_plan(self, target_version: int) -> MigrationPlan:
        """Return the adoption, and the vault's own scripts up to its current version."""
        self.decide()
        if not self.adoptions:
            raise NothingToMigrateError(f"vault {self._root}: no file without schema_version can be adopted")
        chain = find_chain(FIRST_VERSION, target_version, find_scripts(migrations_folder(self._root)))
        scripts = (self._script(), *map(load_script, chain))
        return MigrationPlan(LEGACY_VERSION, target_version, scripts)

    def prepare(self) -> Handles:
        """Decide once more, under the lock; only what is adopted takes part."""
        self._refuse_unfinished()
        self._refresh()
        self.decide()
        self._prepared = self._adopted()
        return Handles(self._contents, self._prepared)

    def settle(self) -> None:
        """Put every write in place, then rename."""
        super().settle()
        if self._renames:
            checks.told(self._rename_all)

    def validate(self, target_version: int) -> list[dict[str, str]]:
        """Return what keeps an adopted file from being valid, under its new name."""
        schemas = SchemaSet.of_vault(self._root)
        return checks.faults(self._contents, self._adopted(), schemas, target_version)

    @cached_property
    def _committed(self) -> dict[str, Origin]:
        return dict(commit_dates(self._root))

    def _decide(self, unit: UnitFile, schemas: SchemaSet) -> None:
        path = os.path.relpath(unit.path, self._root)
        try:
            data, status = read_bytes(unit.path)
        except UnreadableUnitError as error:
            self.undecided.append(Undecided(path, str(error)))
            return
        place = self._contents.layout.place(path)
        found = decide(place, data, lambda: self._committed.get(path) or file_dates(status), schemas)
        if isinstance(found, Adoption):
            self.adoptions[unit.path] = found
        elif isinstance(found, Undecided):
            self.undecided.append(found)

    def _keep_names_apart(self) -> None:
        """Drop a rename whose name is taken, or wanted by another file."""
        wanted: dict[str, str] = {}
        for path, adoption in self.adoptions.items():
            target = _target(path, adoption)
            if target is not None and (target in wanted or os.path.lexists(target)):
                self.adoptions[path] = _unrenamed(adoption)
            elif target is not None:
                wanted[target] = path

    def _adopted(self) -> list[UnitFile]:
        """Return the adopted files under the names that they have now."""
        names = set(self.adoptions) | {
            target for path, adoption in self.adoptions.items() if (target := _target(path, adoption))
        }
        return [unit for unit in self._units() if unit.path in names]

    def _script(self) -> LoadedScript:
        module = SimpleNamespace(applies_to=self._applies_to, migrate=self._migrate)
        return LoadedScript(_SCRIPT, LEGACY_VERSION, FIRST_VERSION, module)

    def _applies_to(self, unit: MigratableUnit) -> bool:
        return unit.unit_id in self.adoptions

    def _migrate(self, unit: MigratableUnit) -> dict[str, Any]:
        adoption = self.adoptions[unit.unit_id]
        unit.write_frontmatter(dict(adoption.meta))
        return {"changes": [f"{item.field}: {item.value} ({item.source})" for item in adoption.filled]}

    def _rename_all(self) -> None:
        folders: set[Path] = set()
        for path, adoption in self.adoptions.items():
            target = _target(path, adoption)
            if target is not None and os.path.lexists(path):
                _rename(Path(path), Path(target))
                folders.add(Path(path).parent)
        for folder in folders:
            sync_folder(folder)


def as_json(adoptions: Sequence[Adoption], undecided: Sequence[Undecided], *, rename: bool) -> dict[str, Any]:
    """Return every decision, for people and programs (contract [M-7], *each listed in the report*)."""
    return {
        "adopted": [
            {
                "path": item.path,
                "filled": [
                    {"field": one.field, "value": one.value, "source": one.source} for one in item.filled
                ],
                "rename": item.rename if rename else None,
                "suggested_name": item.rename,
            }
            for item in adoptions
        ],
        "undecided": [{"path": item.path, "reason": item.reason} for item in undecided],
    }


def _target(path: str, adoption: Adoption) -> str | None:
    return f"{path.rpartition('/')[0]}/{adoption.rename}" if adoption.rename else None


def _unrenamed(adoption: Adoption) -> Adoption:
    return Adoption(adoption.path, adoption.meta, adoption.filled, None)


def _rename(source: Path, target: Path) -> None:
    try:
        if not rename_exclusively(source, target):
            move_file(source, target)
    except FileExistsError as error:
        raise MigrationError(f"{target}: appeared meanwhile, so {source.name} was not renamed") from error
