"""ThunderID: the gate."""

from case import BrowserTest
from tool import token


class ThunderIDTest(BrowserTest):
    def test_sign_in(self):
        login, visitor = self.sign_in("thunderid")
        self.assertEqual(visitor.heading(), "Sign In")
        visitor.picture("thunderid-sign-in")
        visitor.fill(Username="ada", Password="Enchantress-1")
        visitor.press("Sign In")
        self.assert_signed_in(login, visitor, "thunderid")
        self.assertEqual(token(self.serve).count("."), 2)

    def test_wrong_password(self):
        login, visitor = self.sign_in("thunderid")
        visitor.fill(Username="ada", Password="guess")
        visitor.press("Sign In")
        self.assert_refused(visitor, "The credentials provided are invalid.", "Username", "ada")
        visitor.picture("thunderid-wrong-password")
        visitor.page.reload()
        visitor.fill(Username="ada", Password="Enchantress-1")
        visitor.press("Sign In")
        self.assert_signed_in(login, visitor, "thunderid")

    def test_choose_a_person(self):
        login, visitor = self.sign_in("thunderid")
        visitor.page.get_by_role("button", name="Ada Lovelace").click()
        self.assert_signed_in(login, visitor, "thunderid")

    def test_cancel(self):
        login, visitor = self.sign_in("thunderid")
        # Nothing need be filled in for it.
        visitor.press("Cancel")
        self.assertEqual(visitor.heading(), "The sign-in was refused or cancelled")
        visitor.picture("tool-cancelled")
        status, output, errors = login.finish()
        self.assertNotEqual(status, 0)
        self.assertEqual(output, "")
        self.assertIn("refused or cancelled", errors)

    def test_two_clicks(self):
        login, visitor = self.sign_in("thunderid")
        visitor.fill(Username="ada", Password="Enchantress-1")
        visitor.page.get_by_role("button", name="Sign In", exact=True).dblclick()
        # The tool listens for one response alone, so the second click may find nobody there.
        self.assert_tokens(login, "thunderid")

    def test_sign_up(self):
        login, visitor = self.sign_in("thunderid")
        visitor.press("Sign up")
        self.assertEqual(visitor.heading(), "Sign Up")
        visitor.picture("thunderid-sign-up")
        visitor.fill(Username="grace", Password="Nanosecond-1")
        visitor.press("Sign Up")
        visitor.fill(Email="grace@example.org")
        visitor.picture("thunderid-sign-up-more")
        visitor.press("Continue")
        self.assert_signed_in(login, visitor, "thunderid")

    def test_errors_are_pages_too(self):
        visitor = self.visitor(scripts=True)
        visitor.open(self.serve.settings["thunderid"]["baseURL"] + "/oauth2/authorize?client_id=nobody")
        self.assertEqual(visitor.alert(), "No client is registered as “nobody”.")
        visitor.picture("thunderid-error")
