#!/usr/bin/env python3
"""A player that chooses at random: the smallest program that speaks the line protocol of propjit.

    propjit match GAME.kif --player "cmd:python3 examples/agent.py" --player random

Each request is a line of JSON on standard input and gets one line on standard output; docs/engines.md describes them. The
referee lists the legal moves with each `go`, so that a program need not understand the rules.
"""

import json
import random
import sys


def reply_to(request: dict, rng: random.Random) -> dict | None:
    """The reply to a request; none to `stop`, which comes too late for so quick a player."""
    if "load" in request:
        # The rules are in request["load"]["rules"].
        return {"loaded": {"engine": "agent.py"}}
    if "position" in request or "apply" in request:
        # A player that thinks would go to the position in request["position"]["moves"], or make the joint move in
        # request["apply"]["moves"].
        return {"state": {}}
    if "go" in request:
        moves = request["go"]["legal"]
        return {"move": {"move": rng.choice(moves), "statistics": {"moves": len(moves)}}}
    if "stop" in request:
        return None
    return {"error": {"message": "what is that?"}}


def main() -> None:
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    for line in sys.stdin:
        request = json.loads(line)
        reply = reply_to(request, rng)
        if reply is not None:
            # The number tells which request it is about.
            print(json.dumps({"id": request.get("id"), **reply}), flush=True)


if __name__ == "__main__":
    main()
