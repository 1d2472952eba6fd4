"""``manage.py bench retrieval``: how well a corpus's questions find their evidence.

The command checks the file and runs :func:`run`, which makes a scratch database and starts this module in a process
of its own, as ``bench memory`` does.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.apart import print_report, report_of, say
from bench.corpus import Question, checked
from bench.product import OWNER
from bench.ranks import Score, means, ranks_of, score
from bench.report import machine
from pawflow_web import __version__
from pawflow_web.env import Env
from pawflow_web.lib.errors import Unavailable

K_MOST = 50
KS = (5, 10)
# Of beliefs; of what was said in conversations, with more and more of what everyday search ranks by.
MODES = ("lexical", "vector", "fused")
SAID = ("said-exact", "said-stems", "said-both", "said-around", "said-session", "said")
DEPTH_SAID = 50
FORMATS = ("jsonl",)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of a run. ``part``: only questions of that part, over all rows."""

    path: str
    ks: Sequence[int]
    modes: Sequence[str]
    part: str | None = None


def run(env: Env, asked: Asked) -> dict[str, Any]:
    """The report, with one entry under ``questions`` for each question and mode. Leaves nothing behind.

    Raises:
        Invalid: the file cannot be read or has bad lines.
        Unavailable: nothing of what was wanted can be measured here, or the run broke off.
    """
    from pawflow_web.llm.providers import configured  # noqa: PLC0415 - needs the settings, as the next
    from pawflow_web.llm.state import why_none  # noqa: PLC0415

    path = Path(asked.path).absolute()
    summary = checked(path, asked.part)
    if not set(asked.modes) - {"vector", "fused"} and not configured():
        raise Unavailable(why_none())
    report = report_of(env, "bench.retrieval", [json.dumps({**asdict(asked), "path": str(path)})], settings=_model(env))
    corpus = {"file": path.name, "sha256": summary.sha256, "rows": summary.rows, **report.pop("corpus")}
    return {"corpus": corpus, "part": asked.part, **report}


def _model(env: Env) -> dict[str, str]:
    """Whoever embeds for the installation embeds for the run."""
    if env.embeddings_url is None:
        return {"PAWFLOW_EMBEDDINGS": env.embeddings}
    found = {
        "PAWFLOW_EMBEDDINGS": env.embeddings,
        "PAWFLOW_EMBEDDINGS_URL": env.embeddings_url,
        "PAWFLOW_EMBEDDINGS_MODEL": env.embeddings_model,
        "PAWFLOW_EMBEDDINGS_KEY": env.embeddings_key or "",
    }
    return {name: value for name, value in found.items() if value}


def measured(asked: Asked) -> dict[str, Any]:
    """The report of the process in the scratch environment. Raises :class:`Unavailable`."""
    # The apps are there only by now.
    from bench import hearing, recalling  # noqa: PLC0415
    from pawflow_web.llm.models import EmbeddingModel  # noqa: PLC0415
    from pawflow_web.llm.state import why_none  # noqa: PLC0415

    where = machine()
    seconds: dict[str, float] = {}
    clock = time.monotonic()

    def lap(name: str) -> None:
        nonlocal clock
        seconds[name] = round(time.monotonic() - clock, 1)
        say(f"{name}: {seconds[name]} s")
        clock = time.monotonic()

    told = None
    if set(asked.modes) & set(SAID):
        told = hearing.load(Path(asked.path), OWNER)
        lap("tell")
    loaded = recalling.load(Path(asked.path), OWNER) if set(asked.modes) & set(MODES) else None
    lap("load")
    if loaded is not None:
        recalling.follow(loaded)
        lap("index")
    skipped: dict[str, str] = {}
    model = None
    if set(asked.modes) - {recalling.LEXICAL, *SAID}:
        recalling.embed()
        model = EmbeddingModel.objects.filter(current=True).first()
        lap("embed")
        if model is None:
            skipped = {mode: why_none() for mode in asked.modes if mode in MODES and mode != recalling.LEXICAL}
    modes = [mode for mode in asked.modes if mode not in skipped]
    if not modes:
        raise Unavailable(next(iter(skipped.values())))
    for mode, reason in skipped.items():
        say(f"{mode} is left out: {reason}")
    rows = []
    for mode in modes:
        rows += _answers(mode, told if mode in SAID else loaded, asked.part)
        lap(mode)
    outcomes = Counter[str]()
    for one in (loaded, told):
        outcomes += one.outcomes if one is not None else Counter()
    return {
        "corpus": {"loaded": dict(outcomes)},
        "version": __version__,
        "machine": where,
        "model": None if model is None else {"source": model.source, "name": model.name, "dimension": model.dimension,
                                             "floor": round(model.floor, 4)},
        "k": list(asked.ks),
        "depth": recalling.DEPTH,
        "skipped": skipped,
        "seconds": seconds,
        "results": summarised(rows, asked.ks),
        "questions": rows,
    }  # fmt: skip


def _answers(mode: str, loaded: Any, part: str | None) -> list[dict[str, Any]]:
    return [_answer(mode, one, loaded) for one in loaded.questions if part is None or one.part == part]


def _answer(mode: str, question: Question, loaded: Any) -> dict[str, Any]:
    """One question in one mode: ranks are from 1, None for what was not found."""
    from bench import hearing, recalling  # noqa: PLC0415 - need the apps

    found = (hearing if mode in SAID else recalling).found_by(mode, loaded, question)
    told = {"id": question.id, "kind": question.kind, "part": question.part, "mode": mode, "text": question.text}
    if question.as_of is not None:
        told["as_of"] = question.as_of
    if found is None:
        return {**told, "asked": False, "evidence": {}, "absent": {}, "top": []}
    ranks = [_ranks(names, loaded, found) for names in (question.evidence, question.absent)]
    top = [loaded.names[pk][0] for pk in found]
    return {**told, "asked": True, "evidence": ranks[0], "absent": ranks[1], "top": top}


def _ranks(names: Sequence[str], loaded: Any, found: Sequence[int]) -> dict[str, int | None]:
    return dict(zip(names, ranks_of([loaded.beliefs.get(name, ()) for name in names], found), strict=True))


def summarised(rows: Iterable[dict[str, Any]], ks: Sequence[int]) -> list[dict[str, Any]]:
    """One result for each mode and kind in the order in which they come, then one over all kinds of that mode.

    ``questions`` are those that were asked, ``not_asked`` the others, ``leaks`` those that found what must be absent.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    modes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["mode"], row["kind"]].append(row)
        modes[row["mode"]].append(row)
    results = []
    for mode, all_of_it in modes.items():
        kinds = [(kind, group) for (of, kind), group in groups.items() if of == mode]
        results += [_result(mode, kind, group, ks) for kind, group in [*kinds, (None, all_of_it)]]
    return results


def _result(mode: str, kind: str | None, rows: Sequence[dict[str, Any]], ks: Sequence[int]) -> dict[str, Any]:
    asked = [row for row in rows if row["asked"]]
    scores: list[Score] = [score(list(row["evidence"].values()), ks) for row in asked]
    return {
        "mode": mode,
        "kind": kind,
        "questions": len(asked),
        "not_asked": len(rows) - len(asked),
        "leaks": sum(any(row["absent"].values()) for row in asked),
        **(means(scores, ks) if scores else {}),
    }


def table(report: dict[str, Any]) -> str:
    """The report for a person."""
    names = [f"{name}@{k}" for k in report["k"] for name in ("any", "all", "fractional")]
    lines = [f"{'mode':12} {'kind':16} asked {' '.join(f'{name:>13}' for name in names)}    mrr leaks"]
    for row in report["results"]:
        kind = row["kind"] or "all of them"
        begin = f"{row['mode']:12} {kind[:16]:16} {row['questions']:5}"
        if not row["questions"]:
            lines.append(f"{begin} this mode cannot be asked that")
            continue
        figures = [row[name][str(k)] for k in report["k"] for name in ("any", "all", "fractional")]
        lines.append(f"{begin} {' '.join(f'{figure:13.3f}' for figure in figures)} {row['mrr']:6.3f} {row['leaks']:5}")
    facts = {
        **report["corpus"],
        "model": (report["model"] or {}).get("name", "none"),
        "version": report["version"],
        "seconds": report["seconds"],
        **{f"{mode} left out": reason for mode, reason in report["skipped"].items()},
    }
    return "\n".join([*lines, "", *(f"{name}: {value}" for name, value in facts.items())])


def main(arguments: Sequence[str]) -> int:
    """The process in the scratch environment: prints the report as JSON."""
    asked = Asked(**json.loads(arguments[0]))
    return print_report(lambda: measured(asked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
