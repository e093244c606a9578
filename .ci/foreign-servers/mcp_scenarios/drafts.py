"""The scenarios of the draft: what a client must notice."""

from .authorization import AuthorizationServer, basic
from .catalogue import DRAFT, is_bearer, is_open, scenario
from .resource import Resource


@scenario("resource-mismatch", DRAFT, may_fail=True)
def resource_mismatch(playing):
    server = AuthorizationServer(playing)
    resource = Resource(playing, lambda: [server.url], identifier="https://evil.example.com/mcp")

    def end(checks):
        text = "Metadata about another resource opens no page."
        if resource.served:
            checks.judge("resource-mismatch-rejected", not server.authorizations, text)
        else:
            checks.add("resource-mismatch-rejected", "SKIPPED", "The metadata was not read.")

    playing.at_end(end)


@scenario("offline-access-scope", DRAFT)
def offline_access_scope(playing):
    def register(metadata):
        text = "A client that wants refresh tokens registers the grant."
        grants = metadata.get("grant_types", [])
        passed = "refresh_token" in grants
        playing.checks.judge("sep-2207-client-metadata-grant-types", passed, text, "WARNING", received=grants)

    def judge(query):
        text = "The server has the scope, so a client may ask for it."
        passed = "offline_access" in query.get("scope", "").split()
        playing.checks.judge("sep-2207-offline-access-requested", passed, text, "INFO")

    server = AuthorizationServer(
        playing, at_registration=register, at_authorization=judge,
        registered={"client_id": "test-client", "token_endpoint_auth_method": "none"},
        members={
            "scopes_supported": ["mcp:basic", "offline_access"], "client_id_metadata_document_supported": True,
        },
    )
    Resource(playing, lambda: [server.url], scopes_supported=["mcp:basic"])

    def end(checks):
        if not checks.has("sep-2207-client-metadata-grant-types"):
            checks.note("sep-2207-client-metadata-grant-types")
        checks.require("sep-2207-offline-access-requested")

    playing.at_end(end)


@scenario("offline-access-not-supported", DRAFT)
def offline_access_not_supported(playing):
    scopes = ["mcp:basic", "mcp:read"]

    def judge(query):
        text = "The server does not have the scope, so nobody asks for it."
        passed = "offline_access" not in query.get("scope", "").split()
        playing.checks.judge("sep-2207-offline-access-not-requested", passed, text)

    server = AuthorizationServer(playing, members={"scopes_supported": scopes}, at_authorization=judge)
    Resource(playing, lambda: [server.url], scopes_supported=scopes)
    playing.at_end(lambda checks: checks.require("sep-2207-offline-access-not-requested"))


@scenario("authorization-server-migration", DRAFT, may_fail=True)
def authorization_server_migration(playing):
    former_client = "client-of-the-first-server"
    seen = []

    def grant(request, form):
        named = basic(request.header("Authorization"))
        seen.append(form.get("client_id") or named and named[0])
        return playing.issue(["mcp:basic"], "test-token-as2-"), ["mcp:basic"]

    first = AuthorizationServer(playing, registered={"client_id": former_client, "client_secret": "first-secret"})
    second = AuthorizationServer(
        playing, registered={"client_id": "client-of-the-second-server", "client_secret": "second-secret"},
        grant=grant, at_authorization=lambda query: seen.append(query.get("client_id")),
        at_registration=lambda metadata: playing.checks.note("new-authorization-server-request"),
    )

    def has_moved():
        return playing.checks.has("valid-bearer-token")

    def guard(request, method):
        if is_open(method):
            return None
        moved = has_moved()
        if is_bearer(request) and resource.known(request) is not None:
            if not moved or request.header("Authorization").startswith("Bearer test-token-as2-"):
                return None
        return resource.refuse(401, "invalid_token", "Sign in at the server that is named now.", scope="mcp:basic")

    resource = Resource(playing, lambda: [second.url if has_moved() else first.url], guard=guard)

    def end(checks):
        registered = checks.has("new-authorization-server-request")
        text = "At another server than before the client registers."
        checks.judge("sep-2352-reregister-on-as-change", registered, text)
        for name in ("sep-2352-no-reuse-on-as-change", "sep-2352-no-cross-as-credential-reuse"):
            if seen:
                checks.judge(name, former_client not in seen, "What the former server issued is not shown to it.")
            else:
                checks.add(name, "SKIPPED", "The client never came to the new server.")

    playing.at_end(end)


# The issuer in the response (RFC 9207), and in the metadata (RFC 8414 section 3.3)


def issuer(name, check, text, *, iss, announces_iss=True, goes_on=False):
    def start(playing):
        server = AuthorizationServer(playing, iss=iss, announces_iss=announces_iss)
        Resource(playing, lambda: [server.url])

        def end(checks):
            if goes_on or server.authorizations:
                checks.judge(check, any("code" in form for form in server.token_requests) == goes_on, text)
            else:
                checks.add(check, "SKIPPED", "No page was opened.")

        playing.at_end(end)

    scenario(name, DRAFT, may_fail=not goes_on)(start)


issuer(
    "iss-supported", "sep-2468-client-compare-iss-supported", "A response of the right server is used.",
    iss="correct", goes_on=True,
)
issuer(
    "iss-not-advertised", "sep-2468-client-proceed-no-iss", "A server that does not announce its name need not say it.",
    iss=None, announces_iss=False, goes_on=True,
)
issuer(
    "iss-supported-missing", "sep-2468-client-reject-missing-iss", "A server that announces its name says it.", iss=None
)
issuer(
    "iss-wrong-issuer", "sep-2468-client-compare-iss-supported", "A response of another server is refused.", iss="wrong"
)
issuer(
    "iss-unexpected", "sep-2468-client-compare-iss-unadvertised", "So it is where no name was announced.",
    iss="wrong", announces_iss=False,
)
issuer(
    "iss-normalized", "sep-2468-client-no-normalization", "A slash more is another name.", iss="normalized"
)


@scenario("metadata-issuer-mismatch", DRAFT, may_fail=True)
def metadata_issuer_mismatch(playing):
    server = AuthorizationServer(playing, path="/mismatched-as", issuer="https://attacker.example.com")
    Resource(playing, lambda: [server.origin.url])

    def end(checks):
        name = "sep-2468-client-validate-metadata-issuer"
        if checks.has("authorization-server-metadata"):
            used = checks.has("client-registration", "authorization-request", "token-request")
            checks.judge(name, not used, "Metadata of another issuer is not used.")
        else:
            checks.add(name, "SKIPPED", "The metadata was not read.")

    playing.at_end(end)
