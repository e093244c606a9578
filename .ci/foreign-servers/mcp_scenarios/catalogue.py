"""The scenarios by name: a function that starts the servers of a playing, in the suite's groups."""

from .authorization import METADATA, AuthorizationServer, Refusal, basic
from .playing import Playing
from .resource import DOCUMENT, Resource
from .web import Answer

BACK_COMPATIBLE, REQUIRED, DRAFT, EXTENSION = "back-compatible", "required", "draft", "extension"
VERSIONS = {
    BACK_COMPATIBLE: ["2025-03-26"],
    REQUIRED: ["2025-11-25", "2026-07-28"],
    DRAFT: ["2026-07-28"],
    EXTENSION: ["2025-11-25", "2026-07-28"],
}
CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"
SCENARIOS = {}


class Scenario:
    def __init__(self, name, group, may_fail, start):
        self.name, self.group, self.may_fail, self.start = name, group, may_fail, start
        self.versions = VERSIONS[group]

    def play(self, version=None):
        playing = Playing(self.name, version or self.versions[-1])
        self.start(playing)
        return playing

    @property
    def description(self):
        return {"name": self.name, "group": self.group, "versions": self.versions, "mayFail": self.may_fail}


def scenario(name, group=REQUIRED, may_fail=False):
    """`may_fail`: the client is meant to give up, with an error of its own."""

    def add(start):
        SCENARIOS["auth/" + name] = Scenario("auth/" + name, group, may_fail, start)
        return start

    return add


def resource_parameter(checks, server, resource):
    """RFC 8707: the resource is named in both requests, and as its metadata names it."""
    asked = [query.get("resource") for query in server.authorizations][-1:] or [None]
    sent = [form.get("resource") for form in server.token_requests if "code" in form][-1:] or [None]
    (asked,), (sent,) = asked, sent
    checks.judge("resource-parameter-in-authorization", bool(asked), "An authorization request names the resource.")
    checks.judge("resource-parameter-in-token", bool(sent), "A token request names the resource.")
    if asked or sent:
        named = asked or sent
        is_address = "://" in named and "#" not in named
        checks.judge("resource-parameter-valid-uri", is_address, "It is an absolute address without a fragment.")
        if resource.served:
            named = {value for value in (asked, sent) if value}
            checks.judge("resource-parameter-matches-prm", named == {resource.served}, "It is the metadata's, exactly.")
    if asked and sent:
        checks.judge("resource-parameter-consistency", asked == sent, "Both requests name the same resource.")


def trap(playing, origin, path, name, description):
    def spring(request):
        playing.checks.judge(name, False, description)
        return Answer(404, b"Not found")

    origin.route("GET", path, spring)


# Discovery


def discovery(playing, *, document, is_named, metadata, path=""):
    server = AuthorizationServer(playing, path=path, metadata=metadata)
    resource = Resource(playing, lambda: [server.url], document=document, is_named=is_named)
    if path:
        name = "authorization-server-metadata-wrong-path"
        trap(playing, server.origin, METADATA, name, "The issuer has a path, so its metadata is not at the root.")

    def end(checks):
        if document == DOCUMENT + "/mcp":
            checks.require("prm-pathbased-requested")
        checks.require("authorization-server-metadata", "client-registration", "authorization-request", "token-request")
        resource_parameter(checks, server, resource)

    playing.at_end(end)
    return resource


@scenario("metadata-default")
def metadata_default(playing):
    resource = discovery(playing, document=DOCUMENT + "/mcp", is_named=True, metadata=METADATA)
    trap(playing, resource.origin, DOCUMENT, "prm-priority-order", "A named document comes before the root's.")


@scenario("metadata-var1")
def metadata_var1(playing):
    discovery(playing, document=DOCUMENT + "/mcp", is_named=False, metadata="/.well-known/openid-configuration")


@scenario("metadata-var2")
def metadata_var2(playing):
    discovery(playing, document=DOCUMENT, is_named=False, metadata=METADATA + "/tenant1", path="/tenant1")


@scenario("metadata-var3")
def metadata_var3(playing):
    document = "/custom/metadata/location.json"
    metadata = "/tenant1/.well-known/openid-configuration"
    discovery(playing, document=document, is_named=True, metadata=metadata, path="/tenant1")


@scenario("2025-03-26-oauth-metadata-backcompat", BACK_COMPATIBLE)
def metadata_of_2025_03_26(playing):
    origin = playing.origin(kind="")
    AuthorizationServer(playing, origin, path="/oauth", issuer=origin.url)
    Resource(playing, lambda: [], origin, document=None)
    playing.at_end(
        lambda checks: checks.require(
            "authorization-server-metadata", "client-registration", "authorization-request", "token-request"
        )
    )


@scenario("2025-03-26-oauth-endpoint-fallback", BACK_COMPATIBLE)
def endpoints_of_2025_03_26(playing):
    origin = playing.origin(kind="")
    AuthorizationServer(playing, origin, metadata=None, iss=None)
    Resource(playing, lambda: [], origin, document=None)
    playing.at_end(lambda checks: checks.require("client-registration", "authorization-request", "token-request"))


# Who the client is


@scenario("basic-cimd")
def basic_cimd(playing):
    def judge(query):
        name = query.get("client_id", "")
        is_document = name.startswith("https://") and len(name.split("/", 3)) == 4
        text = "A client is named by its document where the server takes one."
        playing.checks.judge("cimd-client-id-used", is_document, text, "WARNING", received=name)

    members = {"client_id_metadata_document_supported": True}
    server = AuthorizationServer(playing, members=members, at_authorization=judge)
    Resource(playing, lambda: [server.url])
    playing.context = {"metadata_document": CLIENT_DOCUMENT}
    playing.at_end(lambda checks: checks.require("cimd-client-id-used"))


@scenario("pre-registration")
def pre_registration(playing):
    client = ("pre-registered-client", "pre-registered-secret")

    def grant(request, form):
        is_client = basic(request.header("Authorization")) == client
        playing.checks.judge("pre-registration-auth", is_client, "The client is the one that was registered before.")
        if not is_client:
            raise Refusal("invalid_client", "This is another client.", 401)
        return playing.issue([]), []

    server = AuthorizationServer(playing, registered=None, methods=["client_secret_basic"], grant=grant)
    Resource(playing, lambda: [server.url])
    playing.context = {"client_id": client[0], "client_secret": client[1], "issuer": server.issuer}
    playing.at_end(lambda checks: checks.require("pre-registration-auth"))


def token_endpoint(method):
    def start(playing):
        registered = {"client_id": "test-client", "token_endpoint_auth_method": method}
        if method != "none":
            registered["client_secret"] = "test-secret"

        def grant(request, form):
            authorization = request.header("Authorization") or ""
            used = "client_secret_post" if form.get("client_secret") else "none"
            if authorization.startswith("Basic "):
                used = "client_secret_basic" if basic(authorization) else "malformed"
            text = f"The client authenticates with {method}, the only way there is."
            playing.checks.judge("token-endpoint-auth-method", used == method, text, received=used)
            return playing.issue([]), []

        server = AuthorizationServer(playing, methods=[method], registered=registered, grant=grant)
        resource = Resource(playing, lambda: [server.url])
        playing.at_end(lambda checks: checks.require("token-endpoint-auth-method"))
        playing.at_end(lambda checks: resource_parameter(checks, server, resource))

    return start


scenario("token-endpoint-auth-basic")(token_endpoint("client_secret_basic"))
scenario("token-endpoint-auth-post")(token_endpoint("client_secret_post"))
scenario("token-endpoint-auth-none")(token_endpoint("none"))


# Scopes


def scope_selection(name, text, expected, judged):
    def start(playing):
        def judge(query):
            scopes = query.get("scope", "").split()
            playing.checks.judge(name, judged(scopes), text, "WARNING", received=scopes)

        server = AuthorizationServer(playing, at_authorization=judge)
        Resource(playing, lambda: [server.url], **expected)
        playing.at_end(lambda checks: checks.require(name))

    scenario(name)(start)


scope_selection(
    "scope-from-www-authenticate", "The scopes are those of the refusal.",
    {"required": ["mcp:basic"], "challenges_scopes": True}, lambda scopes: "mcp:basic" in scopes,
)
scope_selection(
    "scope-from-scopes-supported", "The refusal names no scopes, so they are all that the metadata names.",
    {"scopes_supported": ["mcp:basic", "mcp:read", "mcp:write"]},
    lambda scopes: {"mcp:basic", "mcp:read", "mcp:write"} <= set(scopes),
)
scope_selection(
    "scope-omitted-when-undefined", "Nobody names scopes, so none are asked for.", {}, lambda scopes: not scopes
)


def is_open(method):
    """Whether a method needs no token where a scenario lets clients connect without one."""
    return method == "initialize" or method.startswith("notifications/")


def is_bearer(request):
    return (request.header("Authorization") or "").startswith("Bearer ")


@scenario("scope-step-up")
def scope_step_up(playing):
    def guard(request, method):
        if is_open(method):
            return None
        if not is_bearer(request):
            return resource.refuse(401, "invalid_token", "A token is needed.", scope="mcp:basic")
        needed = "mcp:write" if method == "tools/call" else "mcp:basic"
        if needed in (resource.known(request) or []):
            return None
        text = "insufficient_scope"
        return resource.refuse(403, text, "The token has too few scopes.", scope="mcp:write", error=text)

    server = AuthorizationServer(playing)
    # The metadata names neither scope: a client that adds the challenge to those has lost what it was granted.
    resource = Resource(playing, lambda: [server.url], scopes_supported=["mcp:profile"], guard=guard)

    def end(checks):
        entries = playing.checks.entries
        first = next(iter(playing.checks.named("authorization-request")), None)
        refused = [index for index, entry in enumerate(entries) if entry["details"].get("status") == 403]
        later = entries[refused[0] :] if refused else entries[entries.index(first) + 1 :] if first else []
        second = next((entry for entry in later if entry["id"] == "authorization-request"), None)
        initial, asked = ((entry["details"]["scope"] or "").split() if entry else None for entry in (first, second))
        if first:
            text = "The first page is for the scope of the first refusal."
            checks.judge("scope-step-up-initial", "mcp:basic" in initial, text, "WARNING", received=initial)
        if second:
            text = "The second page is for the scope that was missing."
            checks.judge("scope-step-up-escalation", "mcp:write" in asked, text, "WARNING", received=asked)
        checks.require("scope-step-up-initial", "scope-step-up-escalation")
        if playing.is_stateless:
            kept, text = "sep-2350-scope-union-on-reauth", "What was granted before is asked for again."
            if second:
                checks.judge(kept, "mcp:basic" in asked, text, "WARNING", received=asked)
            checks.require(kept)

    playing.at_end(end)


@scenario("scope-retry-limit", may_fail=True)
def scope_retry_limit(playing):
    refused = []

    def guard(request, method):
        if is_open(method):
            return None
        if not is_bearer(request):
            return resource.refuse(401, "invalid_token", "A token is needed.", scope="mcp:admin")
        refused.append(method)
        if len(refused) > 3:
            return Answer.error("test_complete", "The client tried too often.", 410)
        text = "insufficient_scope"
        never = "Scope upgrade will never succeed"
        return resource.refuse(403, text, never, error=text, scope="mcp:admin", error_description=never)

    server = AuthorizationServer(playing)
    resource = Resource(playing, lambda: [server.url], scopes_supported=["mcp:admin"], guard=guard)
    playing.at_end(
        lambda checks: checks.judge(
            "scope-retry-limit", 1 <= len(server.authorizations) <= 3,
            "A page that does not help is not shown more than three times.", pages=len(server.authorizations),
        )
    )
