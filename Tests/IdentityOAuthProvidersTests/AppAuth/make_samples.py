#!/usr/bin/env python3
"""Writes AppAuthSamples.swift: archives of OIDAuthState in the form of NSKeyedArchiver, made by hand.

The members' names are those that AppAuth encodes; the classes' parents are those of Foundation. Tokens are placeholders of
fixed length that the tests replace.
"""
import base64
import plistlib
import sys

PARENTS = {"NSMutableString": ["NSString"], "NSMutableDictionary": ["NSDictionary"]}


class Archive:
    def __init__(self):
        self.objects = ["$null"]
        self.classes = {}

    def cls(self, name):
        if name not in self.classes:
            self.objects.append({"$classname": name, "$classes": [name, *PARENTS.get(name, []), "NSObject"]})
            self.classes[name] = plistlib.UID(len(self.objects) - 1)
        return self.classes[name]

    def add(self, value):
        self.objects.append(value)
        return plistlib.UID(len(self.objects) - 1)

    def text(self, value):
        return plistlib.UID(0) if value is None else self.add(value)

    def mutable(self, value):
        return self.add({"NS.string": value, "$class": self.cls("NSMutableString")})

    def url(self, value):
        return self.add({"NS.base": plistlib.UID(0), "NS.relative": self.add(value), "$class": self.cls("NSURL")})

    def date(self, seconds):
        return self.add({"NS.time": float(seconds), "$class": self.cls("NSDate")})

    def object(self, name, **members):
        return self.add({**members, "$class": self.cls(name)})

    def data(self, root, key="root", form=plistlib.FMT_BINARY):
        return plistlib.dumps(
            {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {key: root}, "$objects": self.objects},
            fmt=form, sort_keys=False)


def state(archive, root="OIDAuthState", token=True, id_token=True, refresh=True, error=False, mutable=False,
          needs_refresh=False, access=True):
    text = archive.mutable if mutable else archive.text
    configuration = archive.object(
        "OIDServiceConfiguration", authorizationEndpoint=archive.url("https://id.example.com/authorize"),
        tokenEndpoint=archive.url("https://id.example.com/token"), issuer=archive.url("https://id.example.com"),
        registrationEndpoint=plistlib.UID(0), discoveryDocument=plistlib.UID(0), endSessionEndpoint=plistlib.UID(0))
    request = archive.object(
        "OIDAuthorizationRequest", configuration=configuration, response_type=archive.text("code"),
        client_id=text("app"), client_secret=plistlib.UID(0), scope=archive.text("openid profile"),
        redirect_uri=archive.url("com.example.app:/callback"), state=archive.text("s"), nonce=archive.text("n"),
        code_verifier=archive.text("v"), code_challenge=archive.text("c"), code_challenge_method=archive.text("S256"),
        additionalParameters=plistlib.UID(0))
    authorization = archive.object(
        "OIDAuthorizationResponse", request=request, code=archive.text("code"), state=archive.text("s"),
        access_token=plistlib.UID(0), expires_in=plistlib.UID(0), token_type=plistlib.UID(0),
        id_token=plistlib.UID(0), scope=plistlib.UID(0), additionalParameters=plistlib.UID(0))
    response = plistlib.UID(0)
    if token:
        tokens = archive.object(
            "OIDTokenRequest", configuration=configuration, grant_type=archive.text("authorization_code"),
            code=archive.text("code"), client_id=text("app"), client_secret=plistlib.UID(0),
            redirect_uri=archive.url("com.example.app:/callback"), scope=plistlib.UID(0),
            refresh_token=plistlib.UID(0), code_verifier=archive.text("v"), additionalParameters=plistlib.UID(0),
            additionalHeaders=plistlib.UID(0))
        response = archive.object(
            "OIDTokenResponse", request=tokens, access_token=text("ACCESS" if access else None),
            expires_in=archive.date(1000000000), token_type=archive.text("Bearer"),
            id_token=archive.text(ID_TOKEN if id_token else None), refresh_token=text("REFRESH") if refresh else plistlib.UID(0),
            scope=archive.text("openid profile"), additionalParameters=plistlib.UID(0))
    members = dict(
        lastAuthorizationResponse=authorization, lastTokenResponse=response, scope=archive.text("openid profile"),
        refreshToken=text("REFRESH") if refresh else plistlib.UID(0), needsTokenRefresh=needs_refresh)
    if error:
        members["authorizationError"] = archive.object(
            "NSError", NSDomain=archive.text("org.openid.appauth.oauth_token"), NSCode=-10, NSUserInfo=plistlib.UID(0))
    return archive.object(root, **members)


def part(text):
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


ID_TOKEN = ".".join([
    part('{"alg":"RS256","typ":"JWT"}'),
    part('{"iss":"https://id.example.com","sub":"ada","aud":"app","iat":1700000000,"auth_time":1699999990,"name":"Ada"}'),
    "c2ln"])


def sample(form=plistlib.FMT_BINARY, key="root", **options):
    archive = Archive()
    return archive.data(state(archive, **options), key=key, form=form)


def wrapped():
    archive = Archive()
    inner = state(archive)
    return archive.data(archive.object("GTMAppAuthFetcherAuthorization", authState=inner))


def cycle():
    archive = Archive()
    root = archive.object("OIDAuthState", refreshToken=plistlib.UID(0))
    own = archive.objects[root.data]
    own["lastTokenResponse"] = own["lastAuthorizationResponse"] = own["refreshToken"] = own["scope"] = root
    return archive.data(root)


def xml():
    # plistlib writes no UIDs as XML; the beginning is what is looked at.
    return b'<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>'


SAMPLES = {
    "signedIn": sample(),
    "mutableStrings": sample(mutable=True),
    "needsRefresh": sample(needs_refresh=True),
    "withoutIDToken": sample(id_token=False),
    "withoutRefreshToken": sample(refresh=False),
    "refreshTokenAlone": sample(token=False),
    "failed": sample(error=True),
    "wrapped": wrapped(),
    "cycle": cycle(),
    "xml": xml(),
    "otherClass": sample(root="NSDictionary"),
    "otherKey": sample(key="state"),
}


def main():
    lines = ["import Foundation", "", "/// Written by `make_samples.py`, which says how.", "enum AppAuthSamples {"]
    for name, data in SAMPLES.items():
        text = base64.b64encode(data).decode()
        lines += [f"    static let {name} = data(", '        """']
        lines += [f"        {text[start:start + 100]}\\" for start in range(0, len(text), 100)]
        lines[-1] = lines[-1][:-1]
        lines += ['        """)', ""]
    lines += [
        "    private static func data(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }", "}", ""]
    sys.stdout.write("\n".join(lines))


main()
