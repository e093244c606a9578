"""An authorization server that grants whatever it is asked for, and notes how it was asked."""

import base64
import binascii
import secrets
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from . import jose
from .web import Answer

METADATA = "/.well-known/oauth-authorization-server"
NONCE = "nonce-of-the-authorization-server"


def basic(header):
    """Name and password of HTTP Basic, as OAuth writes them (RFC 6749 section 2.3.1); None for anything else."""
    if not header or not header.startswith("Basic "):
        return None
    try:
        name, colon, password = base64.b64decode(header[6:], validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return (unquote_plus(name), unquote_plus(password)) if colon else None


class Refusal(Exception):
    """An error response of the token endpoint."""

    def __init__(self, code, description, status=400):
        super().__init__(description)
        self.answer = Answer.error(code, description, status)


class AuthorizationServer:
    """`registered` is what a registration is answered with. `grant` gets a token request, may raise a refusal, and
    returns the token with its scopes, or None for what was asked for at the authorization endpoint."""

    def __init__(
        self, playing, origin=None, *, path="", metadata=METADATA, issuer=None, iss="correct", announces_iss=True,
        grants=("authorization_code", "refresh_token"), methods=("none",), members=None,
        registered=(("client_id", "test-client-id"), ("client_secret", "test-client-secret")),
        at_registration=None, at_authorization=None, grant=None, binds=False, nonces=False,
    ):
        self.playing, self.checks = playing, playing.checks
        self.origin = origin or playing.origin()
        self.url = self.origin.url + path
        self.issuer = issuer or self.url
        self.iss, self.registered, self.grant = iss, registered and dict(registered), grant
        self.at_registration, self.at_authorization = at_registration, at_authorization
        self.binds, self.nonces = binds, nonces
        self.codes, self.refresh_tokens, self.key = {}, {}, None
        self.authorizations, self.token_requests, self.proofs, self.bindings = [], [], [], []
        self.challenged = self.honored = False
        self.members = {
            "issuer": self.issuer,
            "authorization_endpoint": self.url + "/authorize",
            "token_endpoint": self.url + "/token",
            "response_types_supported": ["code"],
            "grant_types_supported": list(grants),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": list(methods),
        }
        if registered:
            self.members["registration_endpoint"] = self.url + "/register"
        if announces_iss:
            self.members["authorization_response_iss_parameter_supported"] = True
        if binds:
            self.members["dpop_signing_alg_values_supported"] = ["ES256"]
        if metadata and "openid-configuration" in metadata:
            self.members |= {
                "jwks_uri": self.origin.url + "/.well-known/jwks.json",
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        self.members |= members or {}
        if metadata:
            self.origin.route("GET", metadata, self.describe)
        self.origin.route("GET", path + "/authorize", self.authorize)
        self.origin.route("POST", path + "/token", self.token)
        self.origin.route("POST", path + "/register", self.register)

    def describe(self, request):
        self.checks.judge("authorization-server-metadata", True, "The metadata was read.", path=request.path)
        return Answer.json(self.members)

    def register(self, request):
        metadata = request.json
        self.checks.judge("client-registration", True, "The client registered.", name=metadata.get("client_name"))
        if self.playing.is_stateless:
            kind = metadata.get("application_type")
            self.checks.judge(
                "sep-837-application-type-present", kind in ("native", "web"),
                "A registration says whether the client is native or web.", received=kind,
            )
        if self.at_registration:
            self.at_registration(metadata)
        name = metadata.get("client_name") or "test-client"
        return Answer.json(
            self.registered | {"client_name": name, "redirect_uris": metadata.get("redirect_uris", [])}, 201
        )

    def authorize(self, request):
        query = request.query
        challenge, method = query.get("code_challenge"), query.get("code_challenge_method")
        self.authorizations.append(query)
        self.checks.judge("authorization-request", True, "A page was opened.", scope=query.get("scope"))
        self.checks.judge("pkce-code-challenge-sent", bool(challenge), "An authorization request has a code challenge.")
        self.checks.judge("pkce-s256-method-used", method == "S256", "Its method is S256.", received=method)
        if self.at_authorization:
            self.at_authorization(query)
        code = "test-auth-code-" + secrets.token_hex(8)
        self.codes[code] = query
        fields = {"code": code}
        if "state" in query:
            fields["state"] = query["state"]
        if self.iss:
            fields["iss"] = {
                "correct": self.issuer, "wrong": "https://evil.example.com", "normalized": self.issuer + "/",
            }[self.iss]
        address = urlsplit(query.get("redirect_uri", ""))
        query = urlencode(parse_qsl(address.query) + list(fields.items()))
        return Answer(302, Location=address._replace(query=query).geturl())

    def token(self, request):
        form = request.form
        kind = form.get("grant_type")
        self.token_requests.append(form)
        self.checks.judge("token-request", True, "A token was asked for.", grant=kind)
        try:
            if kind == "refresh_token":
                return self.refresh(request, form)
            asked = self.asked(form) if kind == "authorization_code" else {}
            scopes = asked.get("scope", "").split()
            binding = self.proven(request, asked) if self.binds else None
            if isinstance(binding, Answer):
                return binding
            if binding:
                return self.tokens(self.bound(binding, form), scopes, binding)
            granted = self.grant(request, form) if self.grant else None
            token, scopes = granted or (self.playing.issue(scopes), scopes)
            return self.tokens(token, scopes)
        except Refusal as refusal:
            return refusal.answer

    def asked(self, form):
        """The authorization request that a code is from."""
        verifier = form.get("code_verifier")
        asked = self.codes.get(form.get("code"))
        self.checks.judge("pkce-code-verifier-sent", bool(verifier), "A code is exchanged with a verifier.")
        self.checks.judge(
            "pkce-verifier-matches-challenge",
            bool(verifier and asked) and jose.digest(verifier) == asked.get("code_challenge"),
            "The verifier is that of the code challenge.",
        )
        if asked is None:
            raise Refusal("invalid_grant", "This code was not issued here.")
        return asked

    def tokens(self, token, scopes, binding=None):
        refresh_token = secrets.token_urlsafe(32)
        self.refresh_tokens[refresh_token] = (scopes, binding)
        answer = {
            "access_token": token, "token_type": "DPoP" if binding else "Bearer", "expires_in": 3600,
            "refresh_token": refresh_token,
        }
        return Answer.json(answer | ({"scope": " ".join(scopes)} if scopes else {}))

    def refresh(self, request, form):
        scopes, binding = self.refresh_tokens.get(form.get("refresh_token"), (None, None))
        if scopes is None:
            raise Refusal("invalid_grant", "The refresh token is unknown or spent.")
        if binding:
            proven = self.proven(request, None)
            if isinstance(proven, Answer):
                return proven
            if proven != binding:
                raise Refusal("invalid_grant", "The refresh token is bound to another key.")
        del self.refresh_tokens[form["refresh_token"]]
        token = self.bound(binding, form) if binding else self.playing.issue(scopes)
        return self.tokens(token, scopes, binding)

    # Tokens that are bound to a key (RFC 9449)

    def proven(self, request, asked):
        """The thumbprint of the key that a request proves; None without a proof; a challenge for a nonce. `asked` is
        the authorization request, None for a refresh."""
        proof, is_exchange = request.header("DPoP"), asked is not None
        try:
            claims, key = jose.verify_proof(proof, "POST", self.url + "/token")
        except jose.Invalid as wrong:
            if is_exchange:
                self.proofs.append(str(wrong))
            if wrong.part == "missing" and is_exchange:
                return None
            return Answer.error("invalid_dpop_proof", str(wrong))
        if is_exchange:
            self.proofs.append(None)
            self.bindings.append((asked.get("dpop_jkt"), key))
        if is_exchange and asked.get("dpop_jkt") not in (None, key):
            raise Refusal("invalid_grant", "The code is bound to another key.")
        if self.nonces and claims.get("nonce") != NONCE:
            self.challenged = self.challenged or is_exchange
            return Answer.error("use_dpop_nonce", "A nonce is needed.", DPoP_Nonce=NONCE)
        self.honored = self.honored or self.nonces and is_exchange
        return key

    def bound(self, binding, form):
        self.key = self.key or jose.Key()
        claims = {"iss": self.issuer, "aud": form.get("resource"), "cnf": {"jkt": binding}, "jti": secrets.token_hex(8)}
        return self.playing.issue([], token=self.key.sign(claims), binding=binding)
