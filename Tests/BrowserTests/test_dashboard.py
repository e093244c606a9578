"""The dashboard of `identity serve`: what it shows, and that its switches work."""

import json
import urllib.error
import urllib.request

from case import BrowserTest
from tool import PATIENCE, ending, token


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
    def open_dashboard(self, page="", scripts=False):
        visitor = self.visitor(scripts=scripts)
        visitor.may_have_script = True
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
        visitor = self.open_dashboard("/thunderid?tab=faults")
        visitor.press("Respond with 503")
        visitor.page.get_by_role("button", name="Respond normally").wait_for()
        visitor.picture("dashboard-faults")
        self.assertEqual(status(server + "/health/liveness"), 503)
        visitor.press("Respond normally")
        visitor.page.get_by_role("button", name="Respond with 503").wait_for()
        self.assertEqual(status(server + "/health/liveness"), 200)
        before = key_ids(server)
        visitor.press("Rotate the key")
        visitor.page.get_by_role("heading", level=1).wait_for()
        self.assertNotEqual(key_ids(server), before)

    def test_requests_say_why(self):
        server = self.serve.addresses["OpenID Connect"]
        visitor = self.open_dashboard("/oidc", scripts=True)
        request = urllib.request.Request(
            server + "/token", data=b"grant_type=refresh_token&client_id=swift-app&refresh_token=stale"
        )
        self.assertEqual(status(request), 400)
        # The row arrives without a reload.
        requests = visitor.page.locator("#live-requests")
        requests.get_by_text("invalid_grant: The refresh token is unknown, too old or revoked").first.wait_for()
        self.assertIn("400 refused", requests.inner_text())
        visitor.page.locator("#live-events").get_by_text("refused", exact=False).first.wait_for()
        visitor.picture("dashboard-oidc")

    def test_filter_and_room_for_the_reason(self):
        server = self.serve.addresses["OpenID Connect"]
        status(server + "/" + "long-path-" * 30)
        request = urllib.request.Request(server + "/token", data=b"grant_type=refresh_token&client_id=swift-app&refresh_token=x")
        self.assertEqual(status(request), 400)
        visitor = self.open_dashboard("/oidc", scripts=True)
        visitor.page.set_viewport_size({"width": 1280, "height": 800})
        cut = "(() => { const e = document.querySelector('#live-requests .scroll'); return e.scrollWidth > e.clientWidth })()"
        self.assertFalse(visitor.page.evaluate(cut))
        gap = visitor.page.evaluate(
            "document.querySelector('#live').nextElementSibling.getBoundingClientRect().top"
            " - document.querySelector('#live button').getBoundingClientRect().bottom"
        )
        self.assertGreater(gap, 8)
        visitor.page.get_by_label("Rows that contain").fill("long-path")
        visitor.press("Filter")
        visitor.page.get_by_text("Nothing here matches the filter.").first.wait_for()
        self.assertNotIn("/token", visitor.page.locator("#live-requests").inner_text())

    def test_an_update_leaves_what_is_in_use(self):
        visitor = self.open_dashboard("/oidc", scripts=True)
        status(self.serve.addresses["OpenID Connect"] + "/jwks")
        visitor.page.locator("#live-requests").get_by_text("/jwks").first.wait_for()
        region = visitor.page.locator("#live-requests .scroll")
        region.focus()
        visitor.page.evaluate("document.querySelector('#live-requests .scroll').scrollLeft = 40")
        status(self.serve.addresses["OpenID Connect"] + "/nowhere")
        visitor.page.locator("#live-requests").get_by_text("/nowhere").first.wait_for()
        self.assertEqual(visitor.page.evaluate("document.activeElement.getAttribute('role')"), "region")
        self.assertEqual(visitor.page.evaluate("document.querySelector('#live-requests .scroll').scrollLeft"), 40)
        visitor.press("Pause live updates")
        visitor.page.get_by_role("button", name="Resume live updates").wait_for()

    def test_people_and_clients(self):
        visitor = self.open_dashboard("/oidc")
        visitor.page.get_by_role("link", name="People", exact=True).click()
        visitor.picture("dashboard-people")
        visitor.page.get_by_role("link", name="Add a person").click()
        visitor.fill(Name="Grace Hopper", User_name="ada", Password="Hopper-1906")
        visitor.page.get_by_label("E-mail", exact=True).fill("grace@example.org")
        visitor.press("Save")
        self.assert_refused(visitor, "Somebody else has this user name.", "User name", "ada")
        self.assertEqual(visitor.page.get_by_label("Name", exact=True).input_value(), "Grace Hopper")
        visitor.picture("dashboard-person")
        visitor.complaints = [text for text in visitor.complaints if "status of 422" not in text]
        visitor.fill(User_name="grace", Password="Hopper-1906")
        visitor.press("Save")
        self.assertEqual(visitor.heading(), "OpenID Connect")
        self.assertEqual(visitor.page.get_by_role("status").inner_text(), "The person was saved.")
        visitor.page.get_by_role("link", name="Edit Grace Hopper").click()
        visitor.page.get_by_role("link", name="Remove this person").click()
        self.assertEqual(visitor.heading(), "Remove Grace Hopper?")
        visitor.picture("dashboard-remove")
        visitor.press("Remove")
        self.assertEqual(visitor.heading(), "OpenID Connect")
        self.assertEqual(visitor.page.get_by_role("status").inner_text(), "The person was removed.")
        self.assertNotIn("Grace", visitor.page.content())
        visitor.page.get_by_role("link", name="Clients", exact=True).click()
        visitor.picture("dashboard-clients")
        visitor.page.get_by_role("link", name="Add a client").click()
        visitor.picture("dashboard-client")
        visitor.fill(Client_ID="another-app")
        visitor.press("Save")
        visitor.page.get_by_role("link", name="Edit another-app").wait_for()

    def copied_configuration(self, server):
        """What the button of a server's page copies, as a file."""
        visitor = self.open_dashboard(f"/{server}?tab=configuration", scripts=True)
        visitor.allow_clipboard()
        visitor.press("Copy")
        visitor.page.get_by_text("Copied.", exact=True).wait_for()
        text = visitor.page.evaluate("navigator.clipboard.readText()")
        self.assertEqual(text, visitor.page.locator("#configuration").inner_text())
        copied = self.serve.home.path / f"copied-{server}.json"
        copied.write_text(text, encoding="utf-8")
        address = self.serve.addresses["Dashboard"] + f"/{server}/identity.json"
        downloaded = visitor.page.request.get(address).text()
        self.assertEqual(json.loads(text), json.loads(downloaded))
        return str(copied)

    def test_the_configurations_with_passwords_sign_in(self):
        people = {"insforge": ("robin@example.org", "correct horse\n"), "thunderid": ("ada", "Enchantress-1\n")}
        for server, (name, password) in people.items():
            with self.subTest(server):
                copied = self.copied_configuration(server)
                output = self.serve.home.run(
                    "login", "--config", copied, "--username", name, "--password-stdin", input=password
                )
                self.assertTrue(output.startswith(server + "/"), output)
                self.serve.home.run("logout", "--config", copied)

    def test_the_configuration_with_a_page_signs_in(self):
        copied = self.copied_configuration("oidc")
        login = self.serve.home.start("login", "--config", copied, "--timeout", str(int(PATIENCE)))
        visitor = self.visitor()
        visitor.open(self.serve.home.opened_by(login))
        visitor.fill(User_name="ada", Password="Enchantress-1")
        visitor.press("Sign in")
        # What was agreed to before is not asked again.
        visitor.page.get_by_role("heading", level=1).wait_for()
        if visitor.heading() == "Allow access":
            visitor.press("Allow")
        self.assertEqual(visitor.heading(), "The browser is done")
        output, errors = ending(login, "identity login")
        self.assertTrue(output.startswith("oidc/"), errors)
        self.serve.home.run("logout", "--config", copied)

    def test_applications_of_thunderid(self):
        visitor = self.open_dashboard("/thunderid?tab=clients")
        visitor.page.get_by_role("link", name="Add a client").click()
        visitor.fill(Client_ID="another-app", Redirect_URIs="javascript:alert(1)")
        visitor.press("Save")
        self.assertIn("javascript:alert(1) cannot be a redirect URI.", visitor.alert())
        visitor.picture("dashboard-application")
        visitor.complaints = [text for text in visitor.complaints if "status of 422" not in text]
        visitor.fill(Redirect_URIs="app:/one")
        visitor.press("Save")
        visitor.page.get_by_role("link", name="Edit another-app").click()
        visitor.page.get_by_role("link", name="Remove this client").click()
        visitor.press("Remove")
        self.assertEqual(visitor.heading(), "ThunderID")
        self.assertNotIn("another-app", visitor.page.content())

    def test_tokens_of_a_person(self):
        login, page = self.sign_in("thunderid")
        page.fill(Username="ada", Password="Enchantress-1")
        page.press("Sign In")
        self.assert_signed_in(login, page, "thunderid")
        visitor = self.open_dashboard("/thunderid?tab=people")
        visitor.page.get_by_role("link", name="Edit Ada Lovelace").click()
        visitor.picture("dashboard-person-tokens")
        self.assertIn("refresh", visitor.page.locator("table").inner_text())

    def test_no_such_page(self):
        visitor = self.open_dashboard("/nowhere")
        self.assertEqual(visitor.heading(), "That did not work")
        visitor.complaints = [text for text in visitor.complaints if "status of 404" not in text]
