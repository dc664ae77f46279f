"""Work off the event loop: bounded, stopped by its flag, told as it goes."""

import asyncio
import time
from collections.abc import Callable
from threading import Event

import pytest

from gridlab.core.progress import bar
from gridlab.core.run import pause
from gridlab.web import work
from gridlab.web.work import Busy, Job, Jobs, Lane, Part, Tell, TooLong

SOON = 10.0  # seconds


def endless() -> None:
    while True:
        time.sleep(0.005)
        pause()


def until(job: Job, state: str) -> None:
    give_up = time.monotonic() + SOON
    while job.state != state:
        assert time.monotonic() < give_up, job
        time.sleep(0.01)


def test_a_lane_gives_results_and_errors() -> None:
    lane = Lane("test", 1, 1)
    assert asyncio.run(lane.run(lambda: 7, SOON)) == 7
    with pytest.raises(ZeroDivisionError):
        asyncio.run(lane.run(lambda: 1 // 0, SOON))
    lane.close()


def test_time_runs_out_and_clients_leave() -> None:
    lane = Lane("test", 1, 1)
    with pytest.raises(TooLong):
        asyncio.run(lane.run(endless, 0.2))

    async def left() -> bool:
        return True

    with pytest.raises(TooLong):
        asyncio.run(lane.run(endless, SOON, left))
    lane.close()


async def heard(lane: Lane, function: Callable[[Tell], object], most: int = 100) -> list[Part]:
    """The parts of some work; whoever has heard enough of them leaves."""
    found = []
    telling = lane.parts(function, SOON)
    async for part in telling:
        found.append(part)
        if len(found) == most:
            break
    await telling.aclose()  # type: ignore[attr-defined]
    return found


def test_parts_come_as_they_are_told_and_errors_at_their_end() -> None:
    lane, told = Lane("test", 1, 1), list[Part]()

    def talk(tell: Tell) -> None:
        tell("game", moves=[1])
        tell("end of it")

    def fail(tell: Tell) -> None:
        tell("game")
        raise ZeroDivisionError

    async def listen() -> None:
        async for part in lane.parts(fail, SOON):
            told.append(part)

    assert asyncio.run(heard(lane, talk)) == [{"part": "game", "moves": [1]}, {"part": "end of it"}]
    with pytest.raises(ZeroDivisionError):
        asyncio.run(listen())
    assert told == [{"part": "game"}]
    lane.close()


def test_whoever_stops_listening_stops_the_work() -> None:
    lane, ended = Lane("test", 1, 1), Event()

    def talk(tell: Tell) -> None:
        try:
            tell("first")
            endless()
        finally:
            ended.set()

    assert asyncio.run(heard(lane, talk, 1)) == [{"part": "first"}]
    assert ended.wait(SOON)
    lane.close()


def test_compiling_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "compiling", lambda: True)
    lane = Lane("test", 1, 1)
    found = asyncio.run(heard(lane, lambda tell: time.sleep(1.0)))
    assert {each["doing"] for each in found} == {"compiling, the first time only"}
    lane.close()


def test_a_full_lane_refuses_and_has_room_again() -> None:
    lane = Lane("test", 1, 1)

    async def crowd() -> list[object]:
        return await asyncio.gather(*(lane.run(endless, 0.3) for _ in range(3)), return_exceptions=True)

    found = asyncio.run(crowd())
    assert sorted(type(each).__name__ for each in found) == ["Busy", "TooLong", "TooLong"]
    assert asyncio.run(lane.run(lambda: "room", SOON)) == "room"
    lane.close()


def test_a_job_is_told_as_it_goes() -> None:
    jobs = Jobs(1, 1, SOON)

    def three(job: Job) -> str:
        with bar(3, "counting", "things", shown=False) as shown:
            for _ in range(3):
                shown.update(1)
        return "all"

    job = jobs.begin("count", three)
    until(job, "done")
    assert (job.doing, job.done, job.total, job.result) == ("counting", 3, 3, "all")
    jobs.close()


def test_jobs_that_nobody_listens_to_and_late_ones_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PATIENCE", 0.05)
    jobs = Jobs(2, 0, SOON)
    alone, late = (jobs.begin("wait", lambda job: endless(), seconds) for seconds in (SOON, 0.05))
    late.listeners = 1
    with pytest.raises(Busy):
        jobs.begin("more", lambda job: None)
    time.sleep(0.1)
    jobs.tidy()
    until(alone, "cancelled")
    until(late, "failed")
    assert "longer" in late.error
    jobs.close()


def test_a_job_that_fails_says_why() -> None:
    jobs = Jobs(1, 0, SOON)
    from gridlab.core.errors import BadNotation

    def refuse(job: Job) -> None:
        raise BadNotation("so it is")

    job = jobs.begin("fail", refuse)
    until(job, "failed")
    assert job.error == "so it is"
    jobs.close()


def test_a_job_cancelled_while_it_waits_leaves_its_place() -> None:
    jobs = Jobs(1, 2, SOON)
    running = jobs.begin("first", lambda job: endless())
    until(running, "running")
    waiting = [jobs.begin("next", lambda job: endless()) for _ in range(2)]
    with pytest.raises(Busy):
        jobs.begin("too many", lambda job: None)
    for each in waiting:
        each.cancel()
        assert each.state == "cancelled"
    last = jobs.begin("room again", lambda job: 7)
    running.cancel()
    until(last, "done")
    assert [each.state for each in waiting] == ["cancelled"] * 2
    jobs.close()


def test_a_job_cancelled_while_it_waits_never_runs() -> None:
    jobs, ran = Jobs(1, 1, SOON), list[str]()
    running = jobs.begin("first", lambda job: endless())
    until(running, "running")
    waiting = jobs.begin("next", lambda job: ran.append("next"))
    waiting.cancel()
    running.cancel()
    until(jobs.begin("last", lambda job: ran.append("last")), "done")
    assert ran == ["last"]
    jobs.close()
