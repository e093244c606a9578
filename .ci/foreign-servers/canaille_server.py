"""Canaille on loopback, everything in memory.

Sign-ins must come one after another: this backend confuses the codes of those that overlap, and the one in a database
refuses two tokens of one second, because they are the same.
"""

import datetime

import common
from canaille import create_app
from joserfc.jwk import ECKey, OKPKey, RSAKey
from werkzeug.serving import make_server

# The public client gets RS256; each of the others is public too and gets the algorithm of its name.
ALGORITHMS = ["RS512", "PS256", "ES256", "EdDSA"]
ALGORITHM_CLIENTS = {algorithm: f"swift-app-{algorithm}" for algorithm in ALGORITHMS}

listener, issuer = common.listening_socket()
app = create_app(
    config={
        "SECRET_KEY": "only for tests",
        # Without it Canaille accepts any host.
        "SERVER_NAME": issuer.removeprefix("http://"),
        "PREFERRED_URL_SCHEME": "http",
        "SESSION_COOKIE_SECURE": False,
        "CANAILLE": {"JAVASCRIPT": False, "LOGGING": {"version": 1, "root": {"level": "ERROR"}}},
        "CANAILLE_OIDC": {
            "ACTIVE_JWKS": [
                RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True),
                ECKey.generate_key("P-256", auto_kid=True).as_dict(private=True),
                OKPKey.generate_key("Ed25519", auto_kid=True).as_dict(private=True),
            ],
            # Consent is requested, as by the other servers.
            "TRUSTED_DOMAINS": [],
        },
    },
)


def fill():
    from canaille.app import models
    from canaille.backends import Backend

    now = datetime.datetime.now(datetime.timezone.utc)
    user = models.User(
        user_name=common.USER["username"],
        formatted_name="Ada Lovelace",
        given_name="Ada",
        family_name="Lovelace",
        emails=[common.USER["email"]],
        password=common.USER["password"],
    )
    Backend.instance.save(user)
    clients = [(common.PUBLIC_CLIENT, "RS256"), (common.CONFIDENTIAL_CLIENT, "RS256")]
    for algorithm, client_id in ALGORITHM_CLIENTS.items():
        clients.append((common.PUBLIC_CLIENT | {"client_id": client_id}, algorithm))
    for client, algorithm in clients:
        grants = ["authorization_code", "refresh_token"]
        if "client_secret" in client:
            grants.append("client_credentials")
        record = models.Client(
            **client,
            client_name=client["client_id"],
            client_id_issued_at=now,
            redirect_uris=[common.REDIRECT_URI],
            post_logout_redirect_uris=[common.POST_LOGOUT_REDIRECT_URI],
            grant_types=grants,
            response_types=["code"],
            scope=["openid", "profile", "email"],
            id_token_signed_response_alg=algorithm,
        )
        Backend.instance.save(record)
        record.audience = [record]
        Backend.instance.save(record)


with app.app_context():
    fill()
server = make_server("127.0.0.1", 0, app, fd=listener.fileno())
common.describe(
    "canaille",
    issuer,
    answers={
        "login": common.USER["username"],
        "password": common.USER["password"],
        "answer": "accept",
    },
    algorithmClients={"RS256": common.PUBLIC_CLIENT["client_id"]} | ALGORITHM_CLIENTS,
    signOutAnswers={"answer": "logout"},
)
server.serve_forever()
