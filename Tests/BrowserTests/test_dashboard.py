"""The dashboard of `identity serve`: what it shows, and that its switches work."""

import json
import urllib.error
import urllib.request

from case import BrowserTest
from tool import token


def status(address):
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def key_ids(server):
    with urllib.request.urlopen(server + "/oauth2/jwks") as answer:
        return [key["kid"] for key in json.load(answer)["keys"]]


class DashboardTest(BrowserTest):
    def open_dashboard(self, page=""):
        visitor = self.visitor()
        visitor.open(self.serve.addresses["Dashboard"] + page)
        return visitor

    def test_tokens_are_shown_without_their_values(self):
        login, visitor = self.sign_in("thunderid")
        visitor.fill(Username="ada", Password="Enchantress-1")
        visitor.press("Sign In")
        self.assert_signed_in(login, visitor, "thunderid")
        visitor = self.open_dashboard()
        visitor.picture("dashboard")
        visitor.page.get_by_role("link", name="ThunderID").first.click()
        self.assertEqual(visitor.heading(), "ThunderID")
        visitor.picture("dashboard-thunderid")
        page = visitor.page.content()
        self.assertIn("swift-demo", page)
        self.assertNotIn(token(self.serve).split(".")[2], page)

    def test_switches(self):
        server = self.serve.addresses["ThunderID"]
        visitor = self.open_dashboard("/thunderid")
        visitor.press("Respond with 503")
        visitor.page.get_by_role("button", name="Respond as usual").wait_for()
        self.assertEqual(status(server + "/health/liveness"), 503)
        visitor.press("Respond as usual")
        visitor.page.get_by_role("button", name="Respond with 503").wait_for()
        self.assertEqual(status(server + "/health/liveness"), 200)
        before = key_ids(server)
        visitor.press("Rotate the key")
        visitor.page.get_by_role("heading", level=1).wait_for()
        self.assertNotEqual(key_ids(server), before)

    def test_no_such_page(self):
        visitor = self.open_dashboard("/nowhere")
        self.assertEqual(visitor.heading(), "That did not work")
        visitor.complaints = [text for text in visitor.complaints if "status of 404" not in text]
