"""Signed tokens with the algorithm ES256 (RFC 7515, RFC 7518 section 3.4), with nothing but the standard library.

It is for tests: the arithmetic takes as long as the numbers want it to.
"""

import base64
import hashlib
import json
import secrets
import time

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


class Invalid(Exception):
    """Why a token is refused: the claim or part that is wrong, and a sentence."""

    def __init__(self, part, sentence):
        super().__init__(sentence)
        self.part = part


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def digest(text):
    return encode(hashlib.sha256(text.encode()).digest())


def add(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if (one[1] + other[1]) % P == 0:
            return None
        slope = 3 * (one[0] ** 2 - 1) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope**2 - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def multiply(factor, point):
    """Doubles and adds in Jacobian coordinates, which divide only once."""
    (px, py), x, y, z = point, 0, 1, 0
    for bit in bin(factor)[2:]:
        square = y * y % P
        product = 4 * x * square % P
        slope = 3 * (x - z * z) * (x + z * z) % P
        x, z = (slope * slope - 2 * product) % P, 2 * y * z % P
        y = (slope * (product - x) - 8 * square * square) % P
        if bit == "1" and z == 0:
            x, y, z = px, py, 1
        elif bit == "1":
            run, rise = (px * z * z - x) % P, (py * z**3 - y) % P
            part, cube = x * run * run % P, run**3 % P
            x, z = (rise * rise - cube - 2 * part) % P, z * run % P
            y = (rise * (part - x) - y * cube) % P
    if z == 0:
        return None
    inverse = pow(z, -1, P)
    return x * inverse**2 % P, y * inverse**3 % P


class Key:
    """A key pair on the curve P-256."""

    def __init__(self):
        self.secret = secrets.randbelow(N - 1) + 1
        self.point = multiply(self.secret, G)

    @property
    def jwk(self):
        x, y = (encode(part.to_bytes(32, "big")) for part in self.point)
        return {"crv": "P-256", "kty": "EC", "x": x, "y": y}

    @property
    def pem(self):
        """The private key as PKCS #8 (RFC 5958)."""
        x, y = (part.to_bytes(32, "big") for part in self.point)
        head = bytes.fromhex("308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420")
        document = head + self.secret.to_bytes(32, "big") + bytes.fromhex("a14403420004") + x + y
        text = base64.b64encode(document).decode()
        lines = [text[start : start + 64] for start in range(0, len(text), 64)]
        return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""])

    def sign(self, claims, **header):
        signed = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": "ES256"} | header, claims))
        hashed = int.from_bytes(hashlib.sha256(signed.encode()).digest(), "big")
        number = secrets.randbelow(N - 1) + 1
        r = multiply(number, G)[0] % N
        s = pow(number, -1, N) * (hashed + r * self.secret) % N
        return signed + "." + encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def thumbprint(jwk):
    """RFC 7638."""
    return digest(json.dumps({name: jwk[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":")))


def read(token):
    """Header and claims of a token that nobody has verified."""
    try:
        header, claims, _ = token.split(".")
        header, claims = json.loads(decode(header)), json.loads(decode(claims))
    except (AttributeError, ValueError) as error:
        raise Invalid("format", "it is no signed token") from error
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise Invalid("format", "it is no signed token")
    return header, claims


def verify_signature(token, jwk):
    header, claims = read(token)
    if header.get("alg") != "ES256":
        raise Invalid("alg", "its algorithm is not ES256")
    try:
        x, y = (int.from_bytes(decode(jwk[name]), "big") for name in ("x", "y"))
        signature = decode(token.rsplit(".", 1)[1])
    except (KeyError, TypeError, ValueError) as error:
        raise Invalid("jwk", "its key is no P-256 key") from error
    if (y**2 - x**3 + 3 * x - B) % P or len(signature) != 64:
        raise Invalid("signature", "its signature does not verify")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        raise Invalid("signature", "its signature does not verify")
    hashed = int.from_bytes(hashlib.sha256(token.rsplit(".", 1)[0].encode()).digest(), "big")
    inverse = pow(s, -1, N)
    point = add(multiply(hashed * inverse % N, G), multiply(r * inverse % N, (x, y)))
    if point is None or point[0] % N != r:
        raise Invalid("signature", "its signature does not verify")
    return header, claims


def verify(token, jwk, audience=None, issuer=None, tolerance=30):
    """Verifies signature, expiry, and what is given. A slash at the end of an audience makes no difference."""
    _, claims = verify_signature(token, jwk)
    now = time.time()
    if "exp" in claims and claims["exp"] < now - tolerance:
        raise Invalid("exp", "it has expired")
    if claims.get("nbf", 0) > now + tolerance:
        raise Invalid("nbf", "it is not valid yet")
    if issuer is not None and claims.get("iss") != issuer:
        raise Invalid("iss", f"its issuer is {claims.get('iss')}")
    if audience is not None:
        named = claims.get("aud")
        named = named if isinstance(named, list) else [named]
        if not {audience.rstrip("/"), audience.rstrip("/") + "/"} & set(named):
            raise Invalid("aud", f"it is for {named}")
    return claims


def verify_proof(proof, method, url, token=None):
    """Checks a proof of possession (RFC 9449 section 4.3). Returns its claims, and the thumbprint of its key."""
    if not proof:
        raise Invalid("missing", "there is no DPoP field")
    if "," in proof:
        raise Invalid("multiple", "there are several DPoP fields")
    header, claims = read(proof)
    jwk = header.get("jwk")
    if header.get("typ") != "dpop+jwt":
        raise Invalid("typ", "its type is not dpop+jwt")
    if not isinstance(jwk, dict) or "d" in jwk:
        raise Invalid("jwk", "it has no public key")
    verify_signature(proof, jwk)
    if not isinstance(claims.get("jti"), str):
        raise Invalid("jti", "it has no identifier")
    if claims.get("htm") != method:
        raise Invalid("htm", "it is for another method")
    if claims.get("htu") != url:
        raise Invalid("htu", f"it is for {claims.get('htu')}")
    if not isinstance(claims.get("iat"), (int, float)) or abs(time.time() - claims["iat"]) > 300:
        raise Invalid("iat", "it is too old or too new")
    if token is not None and claims.get("ath") != digest(token):
        raise Invalid("ath", "it is for another access token")
    return claims, thumbprint(jwk)
