"""The scenarios of the extensions: clients without a person, the enterprise's identity provider, and bound tokens."""

import json
import secrets
import time

from . import jose
from .authorization import AuthorizationServer, Refusal, basic
from .catalogue import EXTENSION, scenario
from .resource import BoundResource, Resource
from .web import Answer

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN, ID_JAG = (f"urn:ietf:params:oauth:token-type:{name}" for name in ("id_token", "id-jag"))
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def lasting(seconds):
    now = int(time.time())
    return {"iat": now, "exp": now + seconds, "jti": secrets.token_hex(8)}


def client_credentials(name, check, method, key, proven):
    """`proven` gets request, form and server, and returns why the client is not the one that it should be."""

    def start(playing):
        def grant(request, form):
            if form.get("grant_type") != "client_credentials":
                playing.checks.judge("client-credentials-grant-type", False, "There is no other grant here.")
                raise Refusal("unsupported_grant_type", "There is no other grant here.")
            fault = proven(playing, request, form, server)
            playing.checks.judge(check, fault is None, "The client proves who it is.", fault=fault)
            if fault:
                raise Refusal("invalid_client", fault, 401)
            scopes = form.get("scope", "").split()
            return playing.issue(scopes, "cc-token-"), scopes

        members = {"token_endpoint_auth_signing_alg_values_supported": ["ES256"]} if key else None
        server = AuthorizationServer(
            playing, grants=["client_credentials"], methods=[method], members=members, grant=grant
        )
        Resource(playing, lambda: [server.url])
        playing.context = {"client_id": "conformance-test-client"}
        if key:
            playing.key = jose.Key()
            playing.context |= {"private_key_pem": playing.key.pem, "signing_algorithm": "ES256"}
        else:
            playing.context["client_secret"] = "conformance-test-secret"
        playing.at_end(lambda checks: checks.require(check))

    scenario(name, EXTENSION)(start)


def proven_by_key(playing, request, form, server):
    if form.get("client_assertion_type") != ASSERTION:
        return "The client sends no assertion."
    try:
        claims = jose.verify(form.get("client_assertion"), playing.key.jwk, audience=server.issuer)
    except jose.Invalid as wrong:
        return str(wrong)
    return None if {claims.get("iss"), claims.get("sub")} == {"conformance-test-client"} else "It is of another client."


def proven_by_secret(playing, request, form, server):
    client = ("conformance-test-client", "conformance-test-secret")
    return None if basic(request.header("Authorization")) == client else "This is another client."


client_credentials(
    "client-credentials-jwt", "client-credentials-jwt-verified", "private_key_jwt", True, proven_by_key
)
client_credentials(
    "client-credentials-basic", "client-credentials-basic-auth", "client_secret_basic", False, proven_by_secret
)


@scenario("wif-jwt-bearer", EXTENSION)
def wif_jwt_bearer(playing):
    key, state = jose.Key(), {"asked": False, "failed": False}
    faults = {"exp": "wif-assertion-expired", "aud": "wif-assertion-audience"}

    def refuse(check, code, text, status="FAILURE"):
        playing.checks.judge(check, False, text, status)
        state["failed"] = True
        raise Refusal(code, text)

    def grant(request, form):
        kind = form.get("grant_type")
        if state["failed"] and kind != JWT_BEARER:
            text = "No other grant is tried after a refusal."
            refuse("wif-grant-fallback", "unsupported_grant_type", text, "WARNING")
        if state["failed"]:
            refuse("wif-no-retry", "invalid_request", "Nothing is tried again after a refusal.", "WARNING")
        state["asked"] = True
        if kind != JWT_BEARER:
            refuse("wif-grant-type", "unsupported_grant_type", "There is no other grant here.")
        if not form.get("assertion"):
            refuse("wif-assertion-missing", "invalid_request", "The workload's token is missing.")
        try:
            jose.verify(form["assertion"], key.jwk, audience=server.issuer, tolerance=5)
        except jose.Invalid as wrong:
            refuse(faults.get(wrong.part, "wif-assertion-malformed"), "invalid_grant", str(wrong))
        playing.checks.judge("wif-assertion-verified", True, "The workload's token is one.")
        scopes = form.get("scope", "").split()
        for scope, code in (("wif.trigger-unauthorized", "unauthorized_client"), ("wif.rejected", "invalid_scope")):
            if scope in scopes:
                state["failed"] = True
                raise Refusal(code, "The scope is not granted.")
        return playing.issue(scopes), scopes

    server = AuthorizationServer(playing, grants=[JWT_BEARER], registered=None, grant=grant)
    Resource(playing, lambda: [server.url])

    def token(audience, seconds):
        claims = {"iss": "https://idp.conformance-test.local", "sub": "conformance-workload", "aud": audience}
        return key.sign(claims | lasting(seconds))

    playing.context = {
        "client_id": "conformance-wif-workload", "valid_jwt": token(server.issuer, 300),
        "wrong_audience_jwt": token("https://wrong.example", 300), "expired_jwt": token(server.issuer, -60),
    }

    def end(checks):
        if not state["asked"]:
            checks.require("wif-assertion-verified")

    playing.at_end(end)


@scenario("enterprise-managed-authorization", EXTENSION)
def enterprise_managed_authorization(playing):
    client = ("conformance-test-xaa-client", "conformance-test-xaa-secret")
    key = jose.Key()

    def fail(check, code, text, status=400):
        playing.checks.judge(check, False, text)
        raise Refusal(code, text, status)

    def exchange(request, form):
        check = "complete-flow-token-exchange"
        kind = form.get("grant_type")
        if kind == "authorization_code":
            # The suite hands out the ID token. A client that signs in gets one here.
            return playing.issue([]), []
        if kind != TOKEN_EXCHANGE:
            fail(check, "unsupported_grant_type", "The identity provider exchanges tokens.")
        wanted = {"subject_token_type": ID_TOKEN, "requested_token_type": ID_JAG}
        wrong = [name for name, value in wanted.items() if form.get(name) != value]
        wrong += [name for name in ("subject_token", "audience", "resource") if not form.get(name)]
        if wrong:
            fail(check, "invalid_request", f"These are missing or wrong: {', '.join(wrong)}.")
        try:
            claims = jose.verify(form["subject_token"], key.jwk, "conformance-test-idp-client", provider.issuer)
        except jose.Invalid as error:
            fail(check, "invalid_grant", str(error))
        playing.checks.judge(check, True, "The ID token is exchanged for a grant to the resource's server.")
        grant = {
            "iss": provider.issuer, "sub": claims["sub"], "aud": form["audience"], "resource": form["resource"],
            "client_id": client[0],
        }
        return key.sign(grant | lasting(300), typ="oauth-id-jag+jwt"), None

    def grant(request, form):
        check = "complete-flow-jwt-bearer"
        if form.get("grant_type") != JWT_BEARER:
            raise Refusal("unsupported_grant_type", "There is no other grant here.")
        if basic(request.header("Authorization")) != client:
            fail(check, "invalid_client", "This is another client, or none.", 401)
        try:
            header, _ = jose.read(form.get("assertion"))
            claims = jose.verify(form["assertion"], key.jwk, audience=server.issuer)
        except jose.Invalid as error:
            fail(check, "invalid_grant", str(error))
        if header.get("typ") != "oauth-id-jag+jwt":
            fail(check, "invalid_grant", "It is no grant of an identity provider.")
        if claims.get("client_id") != client[0] or claims.get("resource") != resource.url:
            fail(check, "invalid_grant", "It is for another client or another resource.")
        playing.checks.judge(check, True, "The grant is exchanged for a token of the resource.")
        scopes = form.get("scope", "").split()
        return playing.issue(scopes), scopes

    server = AuthorizationServer(playing, grants=[JWT_BEARER], methods=["client_secret_basic"], grant=grant)
    resource = Resource(playing, lambda: [server.url])
    provider = IdentityProvider(playing, key, exchange)
    playing.context = {
        "client_id": client[0], "client_secret": client[1], "idp_client_id": "conformance-test-idp-client",
        "idp_id_token": provider.id_token("conformance-test-idp-client"), "idp_issuer": provider.issuer,
        "idp_token_endpoint": provider.url + "/token",
    }
    playing.at_end(lambda checks: checks.require("complete-flow-token-exchange", "complete-flow-jwt-bearer"))


class IdentityProvider(AuthorizationServer):
    """An OpenID Connect server, with people to sign in besides what the suite's has. Their requests are not judged."""

    def __init__(self, playing, key, exchange):
        metadata = "/.well-known/openid-configuration"
        super().__init__(
            playing, metadata=metadata, registered=None, grants=["authorization_code", TOKEN_EXCHANGE], grant=exchange,
            members={"id_token_signing_alg_values_supported": ["ES256"], "scopes_supported": ["openid"]},
        )
        self.checks, self.signing_key = type(playing.checks)(), key
        keys = {"keys": [key.jwk | {"use": "sig", "alg": "ES256"}]}
        self.origin.route("GET", "/.well-known/jwks.json", lambda request: Answer.json(keys))

    def id_token(self, audience, **claims):
        person = {"iss": self.issuer, "sub": "demo-user@example.com", "email": "demo-user@example.com", "aud": audience}
        return self.signing_key.sign(person | claims | lasting(3600))

    def token(self, request):
        form = request.form
        answer = super().token(request)
        if answer.status == 200 and form.get("grant_type") == "authorization_code":
            asked = self.codes[form["code"]]
            members = json.loads(answer.body)
            nonce = {"nonce": asked["nonce"]} if "nonce" in asked else {}
            return Answer.json(members | {"id_token": self.id_token(asked["client_id"], **nonce)})
        return answer

    def tokens(self, token, scopes, binding=None):
        if scopes is None:
            return Answer.json({"access_token": token, "issued_token_type": ID_JAG, "token_type": "N_A"})
        return super().tokens(token, scopes, binding)


def bound(nonces):
    def start(playing):
        server = AuthorizationServer(playing, binds=True, nonces=nonces)
        resource = BoundResource(playing, lambda: [server.url], nonces)

        def end(checks):
            faults = [fault for fault in server.proofs if fault]
            checks.judge(
                "sep-1932-client-token-request-proof", bool(server.proofs) and not faults,
                "A token is asked for with a proof.", faults=faults,
            )
            named = [key for key, _ in server.bindings]
            checks.judge(
                "sep-1932-client-dpop-jkt", bool(named) and all(key == proven for key, proven in server.bindings),
                "The authorization request names the key.", "WARNING" if named and not any(named) else "FAILURE",
            )
            checks.judge(
                "sep-1932-client-dpop-auth-scheme",
                bool(resource.schemes) and {scheme.lower() for scheme in resource.schemes} == {"dpop"},
                "The token comes with the scheme DPoP.", received=resource.schemes,
            )
            checks.judge(
                "sep-1932-client-fresh-proof",
                bool(resource.schemes) and not resource.faults and len(set(resource.proofs)) == len(resource.proofs),
                "Every request has a proof of its own.", faults=resource.faults,
            )
            if nonces:
                for name, side in (("as", server), ("rs", resource)):
                    checks.judge(
                        f"sep-1932-client-{name}-nonce", side.challenged and side.honored,
                        "A request without the nonce is sent again with it.",
                    )

        playing.at_end(end)

    return start


scenario("dpop", EXTENSION)(bound(nonces=False))
scenario("dpop-nonce", EXTENSION)(bound(nonces=True))
