"""Prints the claims of an ID token in standard input that its issuer has signed: `id_token_claims.py ISSUER`."""

import json
import sys
import urllib.request

from joserfc import jwt
from joserfc.jwk import KeySet

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(sys.argv[1] + "/jwks", timeout=60) as response:
    keys = KeySet.import_key_set(json.load(response))
token = jwt.decode(sys.stdin.read(), keys, algorithms=["RS256"])
jwt.JWTClaimsRegistry(iss={"essential": True, "value": sys.argv[1]}, exp={"essential": True}).validate(token.claims)
json.dump(token.claims, sys.stdout)
