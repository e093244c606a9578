"""Plays the client scenarios of the conformance suite of the Model Context Protocol, for a test that asks.

    GET  /scenarios          what there is: name, group, versions of the protocol, whether a client is meant to give up
    POST /playings           {"scenario": "auth/…", "version": "2025-11-25"} starts one, on ports of its own
    GET  /playings/1         its checks until now, with the statuses of the suite
    POST /playings/1/end     the same, and its servers end

With `--self-check` every scenario is played with a client that does all as it should, and with others that do one thing
wrong.
"""

import itertools
import signal
import sys
import threading

import common
from mcp_scenarios import drafts, extensions  # noqa: F401
from mcp_scenarios.catalogue import SCENARIOS
from mcp_scenarios.web import Answer, Origin


def serve():
    numbers = itertools.count(1)
    origin = Origin(threading.Lock())

    def start(request):
        wanted = request.json
        playing = SCENARIOS[wanted["scenario"]].play(wanted.get("version"))
        path = f"/playings/{next(numbers)}"

        def report(_):
            return Answer.json({"checks": playing.report()})

        def end(_):
            playing.close()
            return report(_)

        origin.route("GET", path, report)
        origin.route("POST", path + "/end", end)
        return Answer.json(
            {"address": playing.address, "context": playing.context, "report": origin.url + path}, 201
        )

    origin.route("GET", "/scenarios", lambda _: Answer.json([entry.description for entry in SCENARIOS.values()]))
    origin.route("POST", "/playings", start)
    common.write({"address": origin.url})
    signal.pause()


if sys.argv[1:] == ["--self-check"]:
    from mcp_scenarios import self_check

    self_check.run()
else:
    serve()
