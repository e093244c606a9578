"""`identity mcp`: 64 bridges at two servers at once, while the token that each server knows has expired."""

import json
import subprocess

from servers import Resource
from world import LONGEST, promise

BRIDGES = 64
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"


class ModelContext(Resource):
    """A server of the Model Context Protocol that refuses the first token that it sees, whenever it comes."""

    def __init__(self, world):
        super().__init__(world)
        self.answer = self.respond_once_fresh

    def respond_once_fresh(self, request):
        if request.secret == self.seen[0][1]:
            return request.respond(401, ("WWW-Authenticate", 'Bearer error="invalid_token"'))
        message = json.loads(request.body)
        return request.json({"jsonrpc": "2.0", "id": message["id"], "result": {"at": self.url}})

    @property
    def tokens(self):
        return {secret for _, secret in self.seen if secret}


def run(world):
    servers = {name: world.add(ModelContext(world)) for name in ("notes", "files")}
    world.configure(servers)
    for name in servers:
        world.sign_in(name)
    # Whoever is active is the account of neither.
    done = world.run("identity", "switch", "git")
    promise("The active account is another one.", done.returncode == 0, done)
    for server in servers.values():
        server.seen = []
    bridges = [(servers[name], start(world, name)) for name in list(servers) * (BRIDGES // 2)]
    for _, bridge in bridges:
        bridge.stdin.write(PING)
        bridge.stdin.close()
    answers = [(server, bridge.stdout.read(), bridge.stderr.read(), bridge.wait(LONGEST)) for server, bridge in bridges]
    promise(
        f"{BRIDGES} bridges at two servers: each passes on one response, that of its own server, and says nothing else.",
        all(status == 0 and not said and json.loads(line)["result"] == {"at": server.url}
            for server, line, said, status in answers), *answers)
    promise(
        "Each server has seen the token that it refused and its successor, of one refresh, and none of the other server.",
        all(len(server.tokens) == 2 for server in servers.values())
        and servers["notes"].tokens.isdisjoint(servers["files"].tokens),
        *(len(server.tokens) for server in servers.values()))


def start(world, name):
    return subprocess.Popen(
        ["identity", "mcp", name], env=world.environment, cwd=world.folder, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
