"""A client that is just large enough for the scenarios, and makes the one mistake that it is told to make."""

import base64
import hashlib
import http.client
import json
import secrets
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

from . import jose
from .extensions import ASSERTION, ID_JAG, ID_TOKEN, JWT_BEARER, TOKEN_EXCHANGE, lasting
from .resource import CAPABILITIES, DOCUMENT, PROTOCOL

METADATA = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


class GivesUp(Exception):
    pass


def send(method, url, body=None, **headers):
    """Status, fields and body of a response. No redirect is followed."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    target = parts.path + ("?" + parts.query if parts.query else "")
    connection.request(method, target or "/", body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, response.headers, content


def document(url):
    status, _, body = send("GET", url)
    return json.loads(body) if status == 200 else None


def parameters(field):
    """The parameters of a challenge that has no commas in its values."""
    pairs = (part.split("=", 1) for part in field.partition(" ")[2].split(", ") if "=" in part)
    return {name: value.strip('"') for name, value in pairs}


class TinyClient:
    def __init__(self, address, context, version, mistake=None):
        self.address, self.context, self.version, self.mistake = address, context, version, mistake
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        self.token, self.kind, self.scopes, self.clients = None, "Bearer", [], {}
        self.key = self.proof = None

    def does(self, mistake):
        return self.mistake == mistake

    # Calls

    def play(self):
        if self.does("gives-up"):
            raise GivesUp
        is_stateless = self.version >= "2026-07-28" and not self.does("old-life-cycle")
        self.call("server/discover" if is_stateless else "initialize", is_stateless)
        self.call("tools/list", is_stateless)
        self.call("tools/call", is_stateless, name="test-tool", arguments={})

    def call(self, method, is_stateless, **params):
        meta = {"_meta": {PROTOCOL: self.version, CAPABILITIES: {}}} if is_stateless else {}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params | meta})
        nonce, pages = None, 0
        while True:
            headers = {"MCP_Protocol_Version": self.version} if is_stateless else {}
            if self.token:
                token = "of-somebody-else" if self.does("another-token") else self.token
                headers["Authorization"] = f"{'Bearer' if self.does('bearer') else self.kind} {token}"
            if self.token and self.key:
                headers["DPoP"] = self.proven("POST", self.address, self.token, nonce)
            status, fields, _ = send(
                "POST", self.address, body, Content_Type="application/json",
                Accept="application/json, text/event-stream", **headers,
            )
            if status in (200, 202):
                return
            challenge = parameters(fields.get("WWW-Authenticate", ""))
            is_new = fields.get("DPoP-Nonce") != nonce
            if challenge.get("error") == "use_dpop_nonce" and is_new and not self.does("no-nonce"):
                nonce = fields["DPoP-Nonce"]
                continue
            is_done = pages == 1 and not self.does("no-limit") or self.does("no-step-up") and self.token
            if status not in (401, 403) or is_done:
                raise GivesUp(f"{method}: {status}")
            pages += 1
            self.authorize(challenge)

    def proven(self, method, url, token=None, nonce=None):
        if self.does("one-proof") and token and self.proof:
            return self.proof
        claims = {"htm": method, "htu": url, "iat": int(time.time()), "jti": secrets.token_hex(8)}
        claims |= {"ath": jose.digest(token)} if token else {}
        self.proof = self.key.sign(claims | ({"nonce": nonce} if nonce else {}), typ="dpop+jwt", jwk=self.key.jwk)
        return self.proof

    # Discovery

    def resource(self, challenge):
        named = challenge.get("resource_metadata")
        path = urlsplit(self.address).path
        places = [named, self.origin + DOCUMENT + path, self.origin + DOCUMENT]
        if self.does("root-first"):
            places.reverse()
        found = next((found for found in map(document, filter(None, places)) if found), None)
        if found and not self.does("any-resource") and found["resource"] not in (self.address, self.origin):
            raise GivesUp("another resource")
        return found

    def server(self, issuer):
        """The metadata of a server, or by the version of 2025-03-26 what it is without."""
        parts = urlsplit(issuer)
        origin, path = f"{parts.scheme}://{parts.netloc}", parts.path
        places = [origin + METADATA + path, origin + OPENID + path, issuer + OPENID]
        if self.does("issuer-without-path"):
            places.insert(0, origin + METADATA)
        found = next((found for found in map(document, places) if found), None)
        if not found and self.version > "2025-03-26":
            raise GivesUp("no metadata")
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "registration_endpoint": "register"}
        found = found or {"issuer": issuer} | {name: f"{issuer}/{place}" for name, place in names.items()}
        if found["issuer"] != issuer and not self.does("any-metadata"):
            raise GivesUp("another issuer")
        return found

    def client(self, server):
        if self.clients and self.does("one-client"):
            return next(iter(self.clients.values()))
        issuer = server["issuer"]
        if "client_id" in self.context:
            self.clients[issuer] = {name: self.context.get(name) for name in ("client_id", "client_secret")}
        elif server.get("client_id_metadata_document_supported") and "metadata_document" in self.context:
            if not self.does("no-document"):
                self.clients[issuer] = {"client_id": self.context["metadata_document"]}
        if issuer not in self.clients:
            metadata = {
                "client_name": "tiny", "redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native",
                "grant_types": ["authorization_code"] + ["refresh_token"] * (not self.does("no-refresh")),
                "token_endpoint_auth_method": "none",
            }
            if self.does("no-application-type"):
                del metadata["application_type"]
            body = json.dumps(metadata)
            _, _, answer = send("POST", server["registration_endpoint"], body, Content_Type="application/json")
            self.clients[issuer] = json.loads(answer)
        return self.clients[issuer]

    # Tokens

    def authorize(self, challenge):
        described = self.resource(challenge) or {}
        server = self.server(described.get("authorization_servers", [self.origin])[0])
        grants = server.get("grant_types_supported", [])
        asked = challenge.get("scope", "").split() or described.get("scopes_supported", [])
        kept = [] if self.does("forgets-scopes") else self.scopes
        scopes = kept + [scope for scope in asked if scope not in kept]
        if self.does("own-scopes"):
            scopes = ["mcp:own"]
        if "offline_access" in server.get("scopes_supported", []) or self.does("always-offline"):
            scopes.append("offline_access")
        resource = described.get("resource", self.address)
        resource += {"slash-after-resource": "/", "fragment": "#part"}.get(self.mistake, "")
        form = {} if self.does("no-resource") else {"resource": resource}
        if "client_credentials" in grants:
            form["grant_type"] = "client_credentials"
        elif JWT_BEARER in grants:
            form |= {"grant_type": JWT_BEARER, "assertion": self.assertion(server, resource)}
        else:
            if server.get("dpop_signing_alg_values_supported") and not self.does("unbound"):
                self.key = self.key or jose.Key()
            form |= self.code(server, scopes, form)
        if self.does("no-assertion"):
            del form["assertion"]
        if self.does("two-resources"):
            form["resource"] += "/other"
        if self.does("another-grant"):
            form["grant_type"] = "password"
        if self.does("tries-again") or self.does("falls-back"):
            form["scope"] = "wif.trigger-unauthorized"
        try:
            answer = self.ask(server, form)
        except GivesUp:
            if self.does("falls-back"):
                form["grant_type"] = "client_credentials"
            if "scope" in form:
                self.ask(server, form)
            raise
        self.token, self.kind, self.scopes = answer["access_token"], answer["token_type"], scopes
        if self.does("unbound"):
            self.key, self.kind = jose.Key(), "DPoP"

    def code(self, server, scopes, form):
        """A code, with what else is needed to exchange it."""
        verifier, state = secrets.token_urlsafe(32), secrets.token_hex(8)
        client = self.client(server)["client_id"]
        redirect = {"redirect_uri": "http://127.0.0.1/callback"}
        query = {"response_type": "code", "client_id": client, "state": state} | redirect | form
        query |= {"scope": " ".join(scopes)} if scopes else {}
        pkce = {} if self.does("no-pkce") else {"code_verifier": verifier}
        if pkce:
            hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
            query |= {"code_challenge": hashed, "code_challenge_method": "S256"}
        if self.key and not self.does("no-thumbprint"):
            query["dpop_jkt"] = jose.thumbprint((jose.Key() if self.does("another-key") else self.key).jwk)
        if self.does("plain-pkce"):
            query |= {"code_challenge": verifier, "code_challenge_method": "plain"}
        _, fields, _ = send("GET", server["authorization_endpoint"] + "?" + urlencode(query))
        response = dict(parse_qsl(urlsplit(fields["Location"]).query))
        if response["state"] != state:
            raise GivesUp("another state")
        self.compare(response.get("iss"), server)
        return {"grant_type": "authorization_code", "code": response["code"]} | redirect | pkce

    def compare(self, named, server):
        expected = server["issuer"]
        announced = server.get("authorization_response_iss_parameter_supported") or self.does("wants-issuer")
        if self.does("any-slash"):
            named = named.rstrip("/")
        is_right = named == expected if named else not announced
        if not is_right and not self.does("any-issuer"):
            raise GivesUp("another issuer in the response")

    def assertion(self, server, resource):
        context = self.context
        if "idp_id_token" not in context:
            mistaken = {"expired": "expired_jwt", "wrong-audience": "wrong_audience_jwt"}
            return context[mistaken.get(self.mistake, "valid_jwt")]
        form = {
            "grant_type": TOKEN_EXCHANGE, "requested_token_type": ID_JAG, "subject_token_type": ID_TOKEN,
            "subject_token": context["idp_id_token"], "client_id": context["idp_client_id"],
            "audience": server["issuer"], "resource": resource,
        }
        if self.does("no-audience"):
            del form["audience"]
        return self.post(context["idp_token_endpoint"], form)["access_token"]

    def ask(self, server, form):
        client, headers, endpoint = self.client(server), {}, server["token_endpoint"]
        methods = server.get("token_endpoint_auth_methods_supported", ["none"])
        method = client.get("token_endpoint_auth_method") or methods[0]
        name, secret = client["client_id"], client.get("client_secret")
        if self.does("another-method"):
            method = {"client_secret_basic": "client_secret_post"}.get(method, "client_secret_basic")
        if self.does("another-client"):
            name = "another"
        if method == "client_secret_basic":
            headers["Authorization"] = "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()
        else:
            form["client_id"] = name
        if method == "client_secret_post":
            form["client_secret"] = secret
        if method == "private_key_jwt":
            audience = endpoint if self.does("endpoint-as-audience") else server["issuer"]
            claims = {"iss": name, "sub": name, "aud": audience}
            signed = self.client_key().sign(claims | lasting(60))
            form |= {"client_assertion_type": ASSERTION, "client_assertion": signed}
        return self.post(endpoint, form, headers)

    def client_key(self):
        """The key in the context, read from its PEM form."""
        document = base64.b64decode("".join(self.context["private_key_pem"].splitlines()[1:-1]))
        key = jose.Key()
        key.secret = int.from_bytes(document[36:68], "big")
        return key

    def post(self, endpoint, form, headers=None, nonce=None):
        headers = dict(headers or {})
        if self.key:
            headers["DPoP"] = self.proven("POST", endpoint, nonce=nonce)
        kind = "application/x-www-form-urlencoded"
        status, fields, body = send("POST", endpoint, urlencode(form), Content_Type=kind, **headers)
        answer = json.loads(body)
        is_new = fields.get("DPoP-Nonce") != nonce
        if answer.get("error") == "use_dpop_nonce" and is_new and not self.does("no-nonce"):
            return self.post(endpoint, form, headers, fields["DPoP-Nonce"])
        if status != 200:
            raise GivesUp(answer.get("error"))
        return answer
