"""OpenID Connect: login, consent, device code, sign-out."""

import re
import urllib.parse

from playwright.sync_api import expect

from case import BrowserTest
from tool import Login, token


class OpenIDConnectTest(BrowserTest):
    def test_sign_in_and_consent(self):
        login, visitor = self.sign_in("oidc")
        visitor.picture("openid-connect-sign-in")
        visitor.fill(User_name="ada", Password="Enchantress-1")
        visitor.page.keyboard.press("Enter")
        visitor.page.get_by_role("button", name="Allow").wait_for()
        self.assertEqual(visitor.heading(), "Allow access")
        visitor.picture("openid-connect-consent")
        visitor.press("Allow")
        visitor.picture("tool-signed-in")
        self.assert_signed_in(login, visitor, "oidc")
        self.assertGreater(len(token(self.serve)), 20)

    def test_choose_a_person(self):
        login, visitor = self.sign_in("oidc", "--scope", "openid", "--scope", "profile")
        visitor.page.get_by_role("button", name="Ada Lovelace").click()
        visitor.page.get_by_role("heading", level=1).wait_for()
        if visitor.heading() == "Allow access":
            visitor.press("Allow")
        self.assert_signed_in(login, visitor, "oidc")

    def test_front_pages(self):
        for name in ("OpenID Connect", "ThunderID", "InsForge"):
            with self.subTest(name):
                visitor = self.visitor()
                visitor.open(self.serve.addresses[name])
                self.assertEqual(visitor.heading(), f"Local {name} server")
                visitor.picture("front-" + name.lower().replace(" ", "-"))
                visitor.page.get_by_role("link", name="Dashboard of this server").click()
                visitor.may_have_script = True
                self.assertEqual(visitor.heading(), name)

    def test_wrong_password(self):
        login, visitor = self.sign_in("oidc")
        visitor.fill(User_name="ada", Password="guess")
        visitor.press("Sign in")
        name = self.assert_refused(visitor, "The user name or the password is wrong.", "User name", "ada")
        expect(name).to_be_focused()
        visitor.picture("openid-connect-wrong-password")
        visitor.press("Cancel")
        status, _, errors = login.finish()
        self.assertNotEqual(status, 0)
        self.assertIn("refused or cancelled", errors)

    def test_two_clicks_and_sign_out(self):
        # A scope that no other test agrees to: what was agreed to is not asked again.
        login, visitor = self.sign_in("oidc", "--scope", "openid", "--scope", "read")
        visitor.fill(User_name="ada", Password="Enchantress-1")
        visitor.press("Sign in")
        visitor.page.get_by_role("button", name="Allow").dblclick()
        # The tool listens for one response alone, so the second click may find nobody there.
        self.assert_tokens(login, "oidc")
        issuer = self.serve.settings["oidc"]["issuer"]
        visitor.open(f"{issuer}/end-session")
        self.assertEqual(visitor.heading(), "Sign out?")
        visitor.picture("openid-connect-sign-out")
        visitor.press("Sign out")
        self.assertEqual(visitor.heading(), "Signed out")

    def test_consent_denied(self):
        login, visitor = self.sign_in("oidc", "--scope", "openid", "--scope", "write")
        visitor.fill(User_name="ada", Password="Enchantress-1")
        visitor.press("Sign in")
        visitor.press("Deny")
        self.assert_denied(login, visitor)

    def test_error_without_state(self):
        login = Login(self.serve, "oidc")
        self.addCleanup(login.finish_if_running)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(login.opened()).query)
        visitor = self.visitor()
        visitor.open(query["redirect_uri"][0] + "?error=access_denied")
        self.assertEqual(visitor.heading(), "Somebody reported access_denied")
        visitor.picture("tool-unconfirmed-error")
        visitor.press("Stop waiting")
        # The browser tells of every status that is an error.
        visitor.complaints = [text for text in visitor.complaints if "status of 400" not in text]
        self.assert_denied(login, visitor, "The sign-in was stopped")

    def device(self):
        """A tool that waits for its device code, and a visitor on the page for it."""
        login = Login(self.serve, "oidc", "--device")
        self.addCleanup(login.finish_if_running)
        said = []
        for line in login.lines():
            said.append(line)
            if "enter the code" in line:
                break
        text = "\n".join(said)
        address = re.search(r"http://\S+", text).group()
        code = re.search(r"[A-Z]{4}-[A-Z]{4}", text).group()
        visitor = self.visitor()
        visitor.open(f"{address}?user_code={code}")
        self.assertEqual(visitor.page.get_by_label("Code on the device", exact=True).first.input_value(), code)
        return login, visitor

    def test_choose_a_person_for_a_device(self):
        login, visitor = self.device()
        visitor.page.get_by_role("button", name="Ada Lovelace").click()
        self.assertEqual(visitor.heading(), "The device is connected")
        self.assert_tokens(login, "oidc")

    def test_device_code(self):
        login, visitor = self.device()
        visitor.picture("openid-connect-device")
        visitor.fill(User_name="ada", Password="guess")
        visitor.press("Allow")
        self.assertEqual(visitor.alert(), "The user name or the password is wrong.")
        visitor.fill(Password="Enchantress-1")
        visitor.press("Allow")
        self.assertEqual(visitor.heading(), "The device is connected")
        visitor.picture("openid-connect-device-connected")
        status, output, errors = login.finish()
        self.assertEqual(status, 0, errors)
        self.assertTrue(output.startswith("oidc/"), output)

    def test_errors_are_pages_too(self):
        issuer = self.serve.settings["oidc"]["issuer"]
        visitor = self.visitor(scripts=True)
        visitor.open(f"{issuer}/authorize?client_id=nobody")
        self.assertIn("No client is registered as", visitor.alert())
        visitor.picture("openid-connect-unknown-client")
        self.assertIn("swift-app", visitor.page.locator("table").inner_text())
        visitor.page.get_by_role("link", name="Add a client").click()
        self.assertEqual(visitor.heading(), "Add a client")
        visitor.picture("openid-connect-error")
        visitor.open(f"{issuer}/end-session")
        self.assertEqual(visitor.heading(), "Signed out")
        # The browser tells of every status that is an error.
        visitor.complaints = [text for text in visitor.complaints if "status of 400" not in text]
