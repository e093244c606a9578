"""The identity provider of django-allauth on loopback, with its database in a temporary folder."""

import os
import sys

import common
import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

FOLDER = os.path.dirname(os.path.abspath(sys.argv[1]))
listener, issuer = common.listening_socket()
signing_key = rsa.generate_private_key(65537, 2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
settings.configure(
    SECRET_KEY="only for tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/allauth.sqlite3"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "django.contrib.sessions",
        "allauth",
        "allauth.account",
        "allauth.idp.oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    # The hasher for tests; the others are slow by design.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    ACCOUNT_EMAIL_VERIFICATION="none",
    ACCOUNT_RATE_LIMITS=False,
    IDP_OIDC_PRIVATE_KEY=signing_key.decode(),
    IDP_OIDC_INTROSPECTION_ENABLED=True,
    IDP_OIDC_RATE_LIMITS=False,
    IDP_OIDC_DEVICE_CODE_INTERVAL=1,
    LOGGING_CONFIG=None,
)
django.setup()

from django.urls import include, path  # noqa: E402  Django must be set up first.

urlpatterns = [path("accounts/", include("allauth.account.urls")), path("", include("allauth.idp.urls"))]


def fill():
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    person = common.USER
    user = get_user_model().objects.create_user(
        person["username"], person["email"], person["password"], first_name="Ada", last_name="Lovelace"
    )
    EmailAddress.objects.create(user=user, email=person["email"], verified=True, primary=True)
    for described in [common.PUBLIC_CLIENT, common.CONFIDENTIAL_CLIENT]:
        is_public = "client_secret" not in described
        client = Client(
            id=described["client_id"],
            name=described["client_id"],
            type=Client.Type.PUBLIC if is_public else Client.Type.CONFIDENTIAL,
        )
        grants = [Client.GrantType.AUTHORIZATION_CODE, Client.GrantType.REFRESH_TOKEN]
        grants.append(Client.GrantType.DEVICE_CODE if is_public else Client.GrantType.CLIENT_CREDENTIALS)
        client.set_grant_types(grants)
        client.set_scopes(["openid", "profile", "email"])
        client.set_redirect_uris([common.REDIRECT_URI])
        client.set_post_logout_redirect_uris([common.POST_LOGOUT_REDIRECT_URI])
        client.set_secret(described.get("client_secret", ""))
        client.save()


def serve():
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class SilentHandler(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadedWSGIServer(listener.getsockname(), SilentHandler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = listener.getsockname()
    server.setup_environ()
    server.set_app(get_wsgi_application())
    common.describe(
        "django-allauth",
        issuer,
        answers={
            "login": common.USER["username"],
            "password": common.USER["password"],
            "action": "grant",
        },
        algorithmClients={"RS256": common.PUBLIC_CLIENT["client_id"]},
        deviceAnswers={
            "login": common.USER["username"],
            "password": common.USER["password"],
            "action": "confirm",
        },
        signOutAnswers={"action": "logout"},
    )
    server.serve_forever()


fill()
serve()
