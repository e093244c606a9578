"""The outbox of `identity serve`: a link that was sent is opened from there."""

from case import BrowserTest


class OutboxTest(BrowserTest):
    def test_a_forgotten_password(self):
        login, visitor = self.sign_in("thunderid")
        visitor.press("Reset it")
        visitor.fill(Username="ada")
        visitor.press("Send Link")
        self.assertEqual(visitor.heading(), "Check Your Email")
        visitor.picture("thunderid-check-your-email")
        login.finish_if_running()

        reader = self.visitor()
        reader.open(self.serve.addresses["Dashboard"])
        reader.page.get_by_role("link", name="/gate/invite").click()
        self.assertEqual(reader.heading(), "New Password")
        reader.picture("thunderid-new-password")
        reader.fill(New_password="Enchantress-2")
        reader.press("Set Password")
        self.assertEqual(reader.heading(), "Password Reset Successful")

        login, visitor = self.sign_in("thunderid")
        visitor.fill(Username="ada", Password="Enchantress-2")
        visitor.press("Sign In")
        self.assert_signed_in(login, visitor, "thunderid")
