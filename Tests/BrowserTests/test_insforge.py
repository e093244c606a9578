"""InsForge: the hosted page of older servers, and the provider that stands in for others."""

import base64
import hashlib
import json
import urllib.parse
import urllib.request

from case import BrowserTest
from tool import token


class InsForgeTest(BrowserTest):
    def test_sign_in_at_a_provider(self):
        login, visitor = self.sign_in("insforge")
        self.assertEqual(visitor.heading(), "Sign in with Google")
        visitor.picture("insforge-fake-provider")
        visitor.press("Robin Doe · robin@example.org")
        self.assert_signed_in(login, visitor, "insforge")
        self.assertEqual(token(self.serve).count("."), 2)

    def test_sign_in_as_another_person(self):
        login, visitor = self.sign_in("insforge")
        visitor.fill(**{"E-mail_address": "grace@example.org", "Name": "Grace Hopper"})
        visitor.press("Continue as this person")
        self.assert_signed_in(login, visitor, "insforge")

    def test_denied(self):
        login, visitor = self.sign_in("insforge")
        visitor.press("Deny")
        # The server sends a sentence back, and no code.
        self.assert_denied(login, visitor, "The sign-in failed")

    def test_hosted_page(self):
        base = self.serve.settings["insforge"]["baseURL"]
        verifier = "a-verifier-of-the-least-length-43-characters"
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        visitor = self.visitor()
        # The application's own address: any page of this machine will do.
        target = self.serve.settings["oidc"]["issuer"] + "/device"
        query = urllib.parse.urlencode({"redirect": target, "code_challenge": challenge})
        visitor.open(f"{base}/auth/sign-in?{query}")
        visitor.picture("insforge-sign-in")
        visitor.fill(**{"E-mail_address": "robin@example.org", "Password": "guess"})
        visitor.press("Sign in")
        self.assertEqual(visitor.alert(), "Invalid credentials.")
        visitor.picture("insforge-wrong-password")
        visitor.fill(Password="correct horse")
        visitor.press("Sign in")
        landing = urllib.parse.urlsplit(visitor.page.url)
        self.assertEqual(f"{landing.scheme}://{landing.netloc}{landing.path}", target)
        code = urllib.parse.parse_qs(landing.query)["insforge_code"][0]
        request = urllib.request.Request(
            f"{base}/api/auth/oauth/exchange?client_type=mobile",
            data=json.dumps({"code": code, "code_verifier": verifier}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:
            self.assertEqual(json.load(answer)["user"]["email"], "robin@example.org")
