"""What the tests have in common: one browser, and servers that are started once for each class."""

import unittest

from browser import Browser
from tool import Home, Login, Serve, whoami


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.remove)
        cls.serve = Serve(cls.home)
        cls.addClassCleanup(cls.serve.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def visitor(self, **options):
        visitor = self.browser.visitor(**options)

        def leave():
            visitor.close()
            self.assertEqual(visitor.complaints, [], "the browser or the page has something to complain about")

        self.addCleanup(leave)
        return visitor

    def sign_in(self, provider, *arguments):
        """Starts a sign-in and opens the browser where the tool says.

        Returns the tool that waits, and a visitor on the page.
        """
        login = Login(self.serve, provider, *arguments)
        self.addCleanup(login.finish_if_running)
        visitor = self.visitor()
        visitor.open(login.opened())
        return login, visitor

    def assert_signed_in(self, login, visitor, provider):
        """The browser may be closed, and the tool has its tokens and acts as who has signed in."""
        self.assertEqual(visitor.heading(), "The browser is done")
        self.assert_tokens(login, provider)

    def assert_tokens(self, login, provider):
        """The tool has its tokens and acts as who has signed in."""
        status, output, errors = login.finish()
        self.assertEqual(status, 0, errors)
        self.assertTrue(output.startswith(provider + "/"), output)
        self.assertEqual(whoami(self.serve)["provider"], provider)

    def assert_denied(self, login, visitor, heading="The sign-in was refused or cancelled"):
        """The browser may be closed, and the tool has nothing."""
        self.assertEqual(visitor.heading(), heading)
        self.assertNotIn("continues", visitor.page.locator("main").inner_text())
        status, output, _ = login.finish()
        self.assertNotEqual(status, 0)
        self.assertEqual(output, "")

    def assert_refused(self, visitor, alert, label, value):
        """The page says why, and shows what was typed as what is to be mended.

        Returns the field.
        """
        self.assertEqual(visitor.alert(), alert)
        field = visitor.page.get_by_label(label, exact=True)
        self.assertEqual(field.input_value(), value)
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        return field
