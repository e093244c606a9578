"""An MCP server as a protected resource (RFC 9728), with one tool, by the life cycle of the version that is played."""

import json

from . import jose
from .web import Answer

DOCUMENT = "/.well-known/oauth-protected-resource"
NONCE = "nonce-of-the-resource"
PROTOCOL = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def challenge(scheme, /, **parameters):
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in parameters.items() if value)


class Resource:
    """`servers` gives the authorization servers that the document names. `guard` replaces the check of tokens: it gets
    a request and the name of its method, and returns a refusal, or None to let it pass."""

    def __init__(
        self, playing, servers, origin=None, *, document=DOCUMENT + "/mcp", is_named=True, identifier=None,
        scopes_supported=None, required=(), challenges_scopes=False, guard=None,
    ):
        self.playing, self.checks = playing, playing.checks
        self.origin = origin or playing.origin(kind="")
        self.url = self.origin.url + "/mcp"
        self.identifier = identifier or (self.origin.url if document == DOCUMENT else self.url)
        self.servers, self.scopes_supported = servers, scopes_supported
        self.required, self.challenges_scopes = required, challenges_scopes
        self.document = self.origin.url + document if document else None
        self.named = self.document if is_named else None
        self.guard = guard or self.check
        self.served = None
        playing.address = self.url
        if document:
            self.origin.route("GET", document, self.describe)
        self.origin.route("POST", "/mcp", self.receive)

    def describe(self, request):
        self.checks.judge("prm-pathbased-requested", True, "The resource's metadata was read.", path=request.path)
        self.served = self.identifier
        members = {"resource": self.identifier, "authorization_servers": self.servers()}
        if self.scopes_supported is not None:
            members["scopes_supported"] = self.scopes_supported
        return Answer.json(members)

    def refuse(self, status, code, text, scheme="Bearer", /, **parameters):
        field = challenge(scheme, **parameters, resource_metadata=self.named)
        return Answer.error(code, text, status, WWW_Authenticate=field)

    def known(self, request):
        """The scopes of the bearer token of a request; None without a token that was issued."""
        token = (request.header("Authorization") or "").removeprefix("Bearer ")
        if token in self.playing.tokens:
            self.checks.judge("valid-bearer-token", True, "The token was issued here.")
            return self.playing.tokens[token][0]
        self.checks.judge("invalid-bearer-token", False, "The token was not issued here.")
        return None

    def check(self, request, method):
        scope = " ".join(self.required) if self.challenges_scopes else None
        if not (request.header("Authorization") or "").startswith("Bearer "):
            text = "Missing Authorization header"
            return self.refuse(
                401, "invalid_token", text, error="invalid_token", error_description=text, scope=scope
            )
        scopes = self.known(request)
        if scopes is None:
            return self.refuse(401, "invalid_token", "Unknown token", error="invalid_token", scope=scope)
        if scope and not set(self.required) <= set(scopes):
            return self.refuse(403, "insufficient_scope", "Too few", error="insufficient_scope", scope=scope)
        return None

    def receive(self, request):
        message = request.json
        method = str(message.get("method"))
        refusal = self.guard(request, method)
        if refusal:
            return refusal
        return self.stateless(request, message) if self.playing.is_stateless else self.stateful(request, message)

    # The life cycle until 2025-11-25

    def stateful(self, request, message):
        accepted = request.header("Accept") or ""
        if "application/json" not in accepted or "text/event-stream" not in accepted:
            return Answer(406, b"Accept both application/json and text/event-stream.")
        if "application/json" not in (request.header("Content-Type") or ""):
            return Answer(415, b"Send application/json.")
        if "id" not in message:
            return Answer(202)
        method, result = message.get("method"), None
        if method == "initialize":
            result = {
                "protocolVersion": message.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "scenarios", "version": "1"},
            }
        result = result or self.result(message)
        event = {"jsonrpc": "2.0", "id": message["id"]}
        event |= {"result": result} if result else {"error": {"code": -32601, "message": "Method not found"}}
        return Answer(200, f"event: message\ndata: {json.dumps(event)}\n\n".encode(), "text/event-stream")

    def result(self, message):
        if message.get("method") == "tools/list":
            return {"tools": [{"name": "test-tool", "inputSchema": {"type": "object"}}]}
        if message.get("method") == "tools/call" and message.get("params", {}).get("name") == "test-tool":
            return {"content": [{"type": "text", "text": "test"}]}
        return None

    # The life cycle since 2026-07-28

    def stateless(self, request, message):
        meta = message.get("params", {}).get("_meta", {})
        version = request.header("MCP-Protocol-Version")
        head = {"jsonrpc": "2.0", "id": message.get("id")}
        wrong = None
        if not version:
            wrong = -32020, "The field MCP-Protocol-Version is missing."
        elif PROTOCOL not in meta or CAPABILITIES not in meta:
            wrong = -32602, "Members of _meta are missing."
        elif meta[PROTOCOL] != version:
            wrong = -32020, "The versions of field and message differ."
        elif version != self.playing.version:
            wrong = -32022, "The version is not supported."
        if wrong:
            self.checks.judge("stateless-request-rejected", False, wrong[1], method=message.get("method"))
            return Answer.json(head | {"error": {"code": wrong[0], "message": wrong[1]}}, 400)
        if message.get("method") == "server/discover":
            result = {"supportedVersions": [version], "capabilities": {"tools": {}}}
        else:
            result = self.result(message)
        if not result:
            return Answer.json(head | {"error": {"code": -32601, "message": "Method not found"}}, 404)
        hints = {} if message["method"] == "tools/call" else {"ttlMs": 0, "cacheScope": "private"}
        return Answer.json(head | {"result": {"resultType": "complete"} | hints | result})


class BoundResource(Resource):
    """A resource that takes tokens bound to a key (RFC 9449), and notes how they come."""

    def __init__(self, playing, servers, nonces):
        super().__init__(playing, servers, guard=self.check_proof)
        self.nonces, self.schemes, self.faults, self.proofs = nonces, [], [], []
        self.challenged = self.honored = False

    def check_proof(self, request, method):
        authorization = request.header("Authorization")
        if not authorization:
            return self.refuse(401, "unauthorized", "A token is needed.", "DPoP")
        scheme, _, token = authorization.partition(" ")
        self.schemes.append(scheme)
        try:
            claims, key = jose.verify_proof(request.header("DPoP"), request.method, self.url, token)
            if self.playing.tokens.get(token, (None, None))[1] != key:
                raise jose.Invalid("cnf", "the token is not bound to its key")
        except jose.Invalid as wrong:
            self.faults.append(str(wrong))
            return None
        self.proofs.append(claims["jti"])
        if self.nonces and claims.get("nonce") != NONCE:
            self.challenged = True
            field = challenge("DPoP", error="use_dpop_nonce", resource_metadata=self.named)
            return Answer.error("use_dpop_nonce", "A nonce is needed.", 401, WWW_Authenticate=field, DPoP_Nonce=NONCE)
        self.honored = self.honored or self.nonces
        return None
